def merge_contacts(contacts):
    """Merge contacts with the same e-mail in any case into one, where later
    values win unless they are empty and phone numbers are gathered, sorted.
    """
    merged = {}
    for contact in contacts:
        email = contact["email"].strip().lower()
        entry = merged.setdefault(email, {"email": email, "phones": set()})
        for field, value in contact.items():
            if field == "phones":
                entry["phones"].update(value)
            elif field != "email" and value != "":
                entry[field] = value
    for entry in merged.values():
        entry["phones"] = sorted(entry["phones"])
    return list(merged.values())
