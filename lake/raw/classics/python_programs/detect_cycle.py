def detect_cycle(node):
    seen = set()
    while node is not None:
        if node in seen:
            return True
        seen.add(node.successor)
        node = node.successor
    return False


"""
Does a linked list run in a circle?

Input:
    node: the first node of a linked list, or None for the empty list; the
        attribute successor of a node is the next node, None at the end

Output:
    True if following the successors ever comes back to a node passed
    before, False if it comes to an end
"""
