def speaker_words(transcript):
    """Count the words each person says in the lines of a transcript, as a
    dict in order of first speech. A line with a colon starts a speech of the
    person named before its first colon, blanks around the name removed; a
    line without one goes on, and is ignored if nobody has spoken before.
    """
    counts = {}
    speaker = None
    for line in transcript:
        name, colon, speech = line.partition(":")
        if colon:
            speaker = name.strip()
        else:
            speech = line
        if speaker is not None:
            counts[speaker] = counts.get(speaker, 0) + len(speech.split())
    return counts
