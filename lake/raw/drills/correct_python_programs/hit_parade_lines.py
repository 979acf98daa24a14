def hit_parade_lines(last_week, this_week):
    """Return a line for each song of this week's chart, such as "2. Java (up
    3)": its place, title and how far it moved, "up" towards place 1, "down"
    away from it, "=" if it stayed, "new" if it was not in last week's chart;
    then "Title (out)" for the songs that left, in last week's order.
    """
    lines = []
    for place, song in enumerate(this_week):
        move = "new"
        if song in last_week:
            gain = last_week.index(song) - place
            if gain > 0:
                move = f"up {gain}"
            else:
                move = f"down {-gain}" if gain < 0 else "="
        lines.append(f"{place + 1}. {song} ({move})")
    gone = [song for song in last_week if song not in this_week]
    return lines + [f"{song} (out)" for song in gone]
