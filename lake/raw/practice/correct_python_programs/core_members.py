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
            if sum(f in members for f in friends[name]) < least:
                leaving.append(name)
        for name in leaving:
            members.remove(name)
    return members
