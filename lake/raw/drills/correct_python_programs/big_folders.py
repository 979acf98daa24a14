def big_folders(disk, limit):
    """Return [path, size] of all folders with at least limit bytes of files
    directly or further inside, largest first, equal ones by path. The disk
    {name: bytes of a file or a folder of that kind} has the path ".", and a
    folder in it a path like "./music/live".
    """
    found = []

    def weigh(folder, path):
        total = 0
        for name, entry in folder.items():
            if isinstance(entry, dict):
                entry = weigh(entry, f"{path}/{name}")
            total += entry
        if total >= limit:
            found.append([path, total])
        return total

    weigh(disk, ".")
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))
