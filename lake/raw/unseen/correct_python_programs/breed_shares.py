def breed_shares(animal, parents):
    """Return {breed: share}, sorted by breed, of an animal: a breed's share is
    the mean of its shares in the two parents {animal: [mother, father]}. An
    animal without listed parents is of the breed that its name begins with,
    up to the first dash.
    """
    if animal not in parents:
        return {animal.split("-")[0]: 1.0}
    shares = {}
    for parent in parents[animal]:
        for breed, share in breed_shares(parent, parents).items():
            shares[breed] = shares.get(breed, 0) + share / 2
    return dict(sorted(shares.items()))
