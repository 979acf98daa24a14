def robust_mean(values, share=0.25, digits=2):
    """Return the mean without that share, rounded down, of the values at each
    end, rounded to some digits, or None if nothing is left.
    """
    ordered = sorted(values)
    cut = int(len(ordered) * share)
    kept = ordered[cut:len(ordered) - cut]
    if not kept:
        return None
    return round(sum(kept) / len(kept), digits)
