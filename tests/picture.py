"""Pictures of the docs.

``python -m tests.picture`` draws dvc.yaml in docs/how-it-works.md. ``python -m tests.picture
lake/report/index.html`` copies the line of descent from that report to docs/run.svg.
"""

import re
import subprocess
import sys
from pathlib import Path

import networkx
from ruamel.yaml import YAML

from tests import REPOSITORY

PAGE = REPOSITORY / "docs/how-it-works.md"
DAG = [sys.executable, "-m", "dvc", "dag", "--mermaid"]


def arrows() -> list[tuple[str, str]]:
    """Return which stage needs which, samples@000 as samples, without what follows from others."""
    text = subprocess.run(DAG, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    names = dict(re.findall(r'(\w+)\["(.*)"\]', text))
    found = [(names[one], names[other]) for one, other in re.findall(r"(\w+)-->(\w+)", text)]
    needed = networkx.transitive_reduction(networkx.DiGraph(found)).edges
    return sorted({(one.split("@")[0], other.split("@")[0]) for one, other in needed})


def picture() -> str:
    """Return the picture in Mermaid's language, the stages in the order of dvc.yaml."""
    boxes: dict[str, list[str]] = {}
    for name, stage in YAML(typ="safe").load(REPOSITORY / "dvc.yaml")["stages"].items():
        node = f'    {name}["<b>{name}</b><br>{stage.get("do", stage)["desc"]}"]'
        boxes.setdefault(stage.get("foreach", "").strip("${}"), []).append(node)
    lines = ["flowchart TD", *boxes.pop("")]
    for box, nodes in boxes.items():
        lines += [f'    subgraph {box}["each of the {box}"]', *nodes, "    end"]
    return "\n".join([*lines, *(f"    {one} --> {other}" for one, other in arrows())])


def line_of_descent(page: str) -> str:
    """Return the line of descent of a report's first page as a file of its own."""
    style = page[page.index("<style>") : page.index("</style>")]
    size, drawn = re.findall(r"<svg (.*?)>(<title>Line of descent.*?</svg>)", page)[0]
    drawn = re.sub(r"</?a\b.*?>", "", drawn)
    background = "svg { background: var(--bg); }</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{style}{background}{drawn}\n'


if __name__ == "__main__":
    if len(sys.argv) > 1:
        (REPOSITORY / "docs/run.svg").write_text(line_of_descent(Path(sys.argv[1]).read_text()))
    else:
        old = re.compile(r"(?<=```mermaid\n).*?(?=```)", re.DOTALL)
        PAGE.write_text(old.sub(lambda _: f"{picture()}\n", PAGE.read_text()))
