def csv_fields(line):
    """Split a line at the commas outside double quotes, where a doubled quote
    inside quotes stands for one quote.
    """
    fields = []
    field = ""
    quoted = False
    index = 0
    while index < len(line):
        symbol = line[index]
        if symbol == '"':
            if quoted and line[index + 1:index + 2] == '"':
                field += '"'
                index += 1
            else:
                quoted = not quoted
        elif symbol == "," and not quoted:
            fields.append(field)
            field = ""
        else:
            field += symbol
        index += 1
    return fields + [field]
