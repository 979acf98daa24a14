def snow_layers(days):
    """Return the heights of the layers of snow, lowest first, after days that
    each bring so much fresh snow (above zero) or melt so much off the top
    (below zero). Fresh snow is a new layer, but on one of less than 3 it
    becomes part of that.
    """
    layers = []
    for change in days:
        if change > 0:
            if layers and layers[-1] < 3:
                layers[-1] += change
            else:
                layers.append(change)
        while change < 0 and layers:
            melted = min(-change, layers[-1])
            change += melted
            layers[-1] -= melted
            if layers[-1] == 0:
                layers.pop()
    return layers
