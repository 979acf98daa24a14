def edit_text(commands):
    """Return the text after commands: "+abc" adds at the end, "-2" removes
    from the end, "undo" and "redo" go back and forth between edits.
    """
    text = ""
    undone = []
    done = []
    for command in commands:
        if command == "undo":
            if done:
                undone.append(text)
                text = done.pop()
        elif command == "redo":
            if undone:
                done.append(text)
                text = undone.pop()
        else:
            done.append(text)
            undone.clear()
            if command[0] == "+":
                text += command[1:]
            else:
                text = text[:max(0, len(text) - int(command[1:]))]
    return text
