def reverse_linked_list(node):
    result = None
    while node is not None:
        value, node = node
        result = [value, result]
    return result
