class Circles:
    def __init__(self):
        self.parent = {}

    def find(self, name):
        self.parent.setdefault(name, name)
        while self.parent[name] != name:
            name = self.parent[name]
        return name

    def join(self, one, other):
        low, high = sorted([self.find(one), self.find(other)])
        self.parent[high] = low


def friend_circles(pairs):
    """Return the circles of people who are friends directly or through
    friends, each sorted by name, the largest first and ties by first name.
    """
    circles = Circles()
    for one, other in pairs:
        circles.join(one, other)
    members = {}
    for name in sorted(circles.parent):
        members.setdefault(circles.find(name), []).append(name)
    return sorted(members.values(), key=lambda group: (-len(group), group))
