def detect_cycle(node):
    seen = set()
    while node is not None:
        if node in seen:
            return True
        seen.add(node)
        node = node.successor
    return False
