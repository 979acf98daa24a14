"""The templating layer: Jinja2 with escaping, one style sheet, and a policy that allows no script.

The pages hold what models wrote. Nothing of it is ever marked as safe, there is no script on a
page, and the Content-Security-Policy lets a browser run or load none: the style sheet is allowed
by its hash, pictures are data URIs, and everything else is refused.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from coral_batch.work.text import decimal

_TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, **values: Any) -> str:
    """Return a page.

    Args:
        template: name of the template.
        values: what it shows; text is escaped, `Markup` (the charts) is not.
    """
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none';"
        " form-action 'none'"
    )
    page = _environment().get_template(template)
    return page.render(style=Markup(style), policy=policy, **values) + "\n"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["score"] = partial(decimal, places=3)
    environment.filters["signed"] = _signed
    return environment


def _signed(value: float) -> str:
    return decimal(value, 3, signed=True).replace("-", "\N{MINUS SIGN}")
