def stack_crates(weights, most):
    """Return the stacks, each from the bottom up, into which crates are put
    as they arrive. A crate goes on the first stack that has fewer than most
    crates and whose top crate is at least as heavy as it; if there is none,
    it starts a new last stack.
    """
    stacks = []
    for weight in weights:
        for stack in stacks:
            if len(stack) < most and stack[-1] >= weight:
                stack.append(weight)
                break
        else:
            stacks.append([weight])
    return stacks
