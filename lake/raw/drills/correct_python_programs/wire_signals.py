def wire_signals(gates, wanted):
    """Return the signals, 0 or 1, on the wanted wires of a circuit. A wire
    has a fixed signal or the result of a gate [kind, input wires ...]: "and"
    (all inputs are 1), "or" (any is), "xor" (an odd number is) or "nor" (none
    is); wires that are not in gates have 0.
    """
    def signal(wire):
        source = gates.get(wire, 0)
        if not isinstance(source, list):
            return source
        kind, *inputs = source
        ones = sum(map(signal, inputs))
        if kind == "xor":
            return ones % 2
        if kind == "and":
            return int(ones == len(inputs))
        return int(ones > 0) if kind == "or" else int(ones == 0)

    return [signal(wire) for wire in wanted]
