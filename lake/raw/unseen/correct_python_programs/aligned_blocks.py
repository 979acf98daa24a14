import re


def aligned_blocks(cigar, place):
    """Return the blocks [place in the read, place in the genome, length] that
    the letter M marks in an alignment such as "3S10M2D4M" of a read from its
    place 0 with a genome from the given place. M uses letters of both, S and I
    of the read only, D and N of the genome only, and H of none.
    """
    blocks = []
    read = 0
    for length, kind in re.findall(r"(\d+)([MIDNSH])", cigar):
        length = int(length)
        if kind == "M":
            blocks.append([read, place, length])
        if kind in "MIS":
            read += length
        if kind in "MDN":
            place += length
    return blocks
