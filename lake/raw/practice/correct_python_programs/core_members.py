def core_members(friends, least):
    """Return the sorted names that stay in a club which people leave.

    Everybody with fewer than least friends among the remaining members
    leaves, again and again, until all who remain have enough.
    """
    members = sorted(friends)
    leaving = True
    while leaving:
        leaving = []
        for name in members:
            present = [f for f in friends[name] if f in members]
            if len(present) < least:
                leaving.append(name)
        members = [name for name in members if name not in leaving]
    return members
