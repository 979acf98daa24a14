def hex_dump(values, width=8):
    """Write bytes as lines of an offset in four hex digits, width bytes in
    two hex digits each, and their characters, or dots where not printable.
    """
    lines = []
    for offset in range(0, len(values), width):
        part = values[offset:offset + width]
        codes = " ".join(f"{value:02x}" for value in part)
        text = ""
        for value in part:
            text += chr(value) if 32 <= value < 127 else "."
        lines.append(f"{offset:04x}  {codes:<{width * 3 - 1}}  {text}")
    return lines
