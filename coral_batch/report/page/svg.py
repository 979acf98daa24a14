"""Parts of the charts: scales, ticks, axes and marks.

A chart is inline SVG with a title and a description as its text alternative. Colours are classes of
the style sheet, which has a light and a dark scheme. Marks differ by shape as well as by colour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from coral_batch.work.text import decimal

LEFT, RIGHT, TOP, BOTTOM = 46.0, 12.0, 12.0, 38.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Frame:
    """A plane with axes.

    Attributes:
        width, height: of the whole chart, in px.
        x, y: the ranges shown, low and high, low < high.
    """

    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, point: Point) -> Point:
        """Return the place of a data point, in px from the upper left corner."""
        width, height = self.width - LEFT - RIGHT, self.height - TOP - BOTTOM
        return (
            LEFT + (point[0] - self.x[0]) / (self.x[1] - self.x[0]) * width,
            TOP + (self.y[1] - point[1]) / (self.y[1] - self.y[0]) * height,
        )

    def axes(
        self, x_ticks: Sequence[tuple[float, str]], y_ticks: Sequence[float], labels: Sequence[str]
    ) -> Markup:
        """Return grid lines, tick labels and the names of both axes."""
        bottom, right = self.height - BOTTOM, self.width - RIGHT
        parts = [path(f"M{n(LEFT)} {n(bottom)}H{n(right)}", "axis")]
        for value in y_ticks:
            y = self.at((self.x[0], value))[1]
            parts += [
                path(f"M{n(LEFT)} {n(y)}H{n(right)}", "grid"),
                text(LEFT - 6, y + 4, f"{value:g}", "tick end"),
            ]
        for value, label in x_ticks:
            x = self.at((value, self.y[0]))[0]
            parts += [
                path(f"M{n(x)} {n(bottom)}v4", "axis"),
                text(x, bottom + 16, label, "tick middle"),
            ]
        middle = (LEFT + right) / 2
        parts.append(text(middle, self.height - 5, labels[0], "label middle"))
        turned = Markup(
            '<text class="label middle" transform="translate(10 {}) rotate(-90)">{}</text>'
        )
        parts.append(turned.format(n((TOP + bottom) / 2), labels[1]))
        return Markup("").join(parts)


def n(value: float) -> str:
    """Write a coordinate with at most one decimal."""
    return decimal(value, 1).removesuffix(".0")


def chart(
    width: float, height: float, title: str, description: str, parts: Iterable[Markup]
) -> Markup:
    """Wrap marks as an image with a text alternative."""
    return Markup(
        '<svg role="img" viewBox="0 0 {w} {h}" width="{w}" height="{h}" aria-label="{t}. {d}">'
        "<title>{t}</title><desc>{d}</desc>{body}</svg>"
    ).format(w=n(width), h=n(height), t=title, d=description, body=Markup("").join(parts))


def path(data: str, css: str) -> Markup:
    """Return a path of a class."""
    return Markup('<path class="{}" d="{}"/>').format(css, data)


def text(x: float, y: float, content: str, css: str) -> Markup:
    """Return a line of text of a class."""
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(css, n(x), n(y), content)


def polyline(points: Iterable[Point]) -> str:
    """Return path data through points in px."""
    return "".join(f"{'L' if index else 'M'}{n(x)} {n(y)}" for index, (x, y) in enumerate(points))


def circles(points: Iterable[Point], radius: float) -> str:
    """Return path data of a circle around each point."""
    r, d = n(radius), n(2 * radius)
    return "".join(
        f"M{n(x - radius)} {n(y)}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0-{d} 0" for x, y in points
    )


def diamonds(points: Iterable[Point], radius: float) -> str:
    """Return path data of a diamond around each point."""
    r = n(radius)
    return "".join(f"M{n(x)} {n(y - radius)}l{r} {r}l-{r} {r}l-{r}-{r}z" for x, y in points)


def ticks(low: float, high: float, count: int = 4) -> list[float]:
    """Return round values that cover [low, high] in about `count` steps of 1, 2 or 5 times 10^k."""
    span = high - low if high - low > 1e-6 else 1.0  # of values that are all the same
    power = 10.0 ** math.floor(math.log10(span / count))
    step = next(s * power for s in (1, 2, 5, 10) if span / (s * power) <= count)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [round(index * step, decimals) for index in range(first, max(last, first + 1) + 1)]


def whole_ticks(count: int, at_most: int) -> range:
    """Return at most about `at_most` of the numbers below `count`, evenly, from 0."""
    return range(0, count, max(1, -(-count // at_most)))
