"""Jinja2 templates with one style sheet and one script.

The pages show text that models wrote. Templates escape all of it. The Content-Security-Policy
allows this style sheet and this script, each by its hash, and images as data URIs; it forbids
everything else.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from coral_batch.work.text import decimal

_TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, **values: Any) -> str:
    """Return a page.

    Args:
        template: name of the template.
        values: what it shows; text is escaped, `Markup` (the charts) is not.
    """
    style, script = (
        (_TEMPLATES / name).read_text(encoding="utf-8") for name in ("style.css", "filter.js")
    )
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    page = environment(_TEMPLATES).get_template(template)
    return page.render(style=Markup(style), script=Markup(script), policy=policy, **values) + "\n"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def environment(folder: Path) -> Environment:
    """Return the templates of a folder; only text for ``.jinja`` ones is not escaped for HTML."""
    found = Environment(
        loader=FileSystemLoader(folder),
        autoescape=select_autoescape(disabled_extensions=("jinja",), default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["score"] = partial(decimal, places=3)
    found.filters["percent"] = lambda value, places=0: decimal(100 * value, places)
    return found
