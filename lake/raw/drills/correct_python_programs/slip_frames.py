END, ESCAPE = 192, 219
STANDS_FOR = {220: END, 221: ESCAPE}


def slip_frames(data):
    """Return the frames of a byte stream, each a list: 192 always ends a
    frame, and 219 is dropped, but right after it 220 stands for 192 and 221
    for 219. Empty frames and a last one without its end are left out."""
    frames, frame, escaped = [], [], False
    for byte in data:
        if byte == END:
            if frame:
                frames.append(frame)
            frame = []
        elif byte != ESCAPE:
            frame.append(STANDS_FOR.get(byte, byte) if escaped else byte)
        escaped = byte == ESCAPE
    return frames
