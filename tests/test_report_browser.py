"""The HTML report in a real browser: it loads, is readable, and runs and fetches nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import CHROMIUM, Browser
from tests.report_pages import make_pages

pytestmark = pytest.mark.skipif(
    CHROMIUM is None,
    reason="needs Chromium; on Debian: apt-get install --no-install-recommends chromium",
)

OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_pages(tmp_path_factory.mktemp("pages"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_every_page_loads_without_an_error_and_from_nowhere_else(
    browser: Browser, pages: list[Path], width: int, scheme: str
) -> None:
    for file in pages:
        browser.open(file, width, 800, scheme)
        browser.evaluate(OPEN_ALL)
        assert browser.seen("Log.entryAdded") == []
        assert browser.seen("Runtime.exceptionThrown") == []
        assert browser.seen("Runtime.consoleAPICalled") == []
        asked = [event["request"]["url"] for event in browser.seen("Network.requestWillBeSent")]
        assert asked[0] == file.resolve().as_uri()
        assert all(url.startswith("data:") for url in asked[1:])
        assert browser.evaluate("document.scripts.length") == 0
        assert browser.evaluate("typeof window.owned") == "undefined"


@pytest.mark.parametrize("width", [375, 1280])
def test_no_page_is_wider_than_the_window(browser: Browser, pages: list[Path], width: int) -> None:
    for file in pages:
        browser.open(file, width, 800)
        browser.evaluate(OPEN_ALL)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width, file
        assert browser.evaluate("document.documentElement.clientWidth") <= width


def test_every_section_has_a_heading_and_content(browser: Browser, pages: list[Path]) -> None:
    for file in pages:
        browser.open(file, 1280, 800)
        sections = browser.evaluate(
            "[...document.querySelectorAll('main section')].map(one => ({"
            " id: one.id, heading: one.querySelector('h2').innerText.length,"
            " shown: one.querySelectorAll('table, svg[role=img], dl, details').length,"
            " height: one.getBoundingClientRect().height }))"
        )
        assert len(sections) >= 2
        for section in sections:
            assert section["heading"] > 3, section
            assert section["shown"] > 0, section
            assert section["height"] > 80, section


def test_pictures_and_charts_are_drawn(browser: Browser, pages: list[Path]) -> None:
    browser.open(pages[0], 1280, 800)
    assert browser.evaluate(
        "[...document.images].every(one => one.complete && one.naturalWidth > 0)"
    )
    sizes = browser.evaluate(
        "[...document.querySelectorAll('svg[role=img]')].map(one => {"
        " const box = one.getBoundingClientRect(); return [box.width, box.height] })"
    )
    assert len(sizes) >= 10
    assert all(width > 100 and height > 50 for width, height in sizes)


def test_text_stands_out_in_light_and_dark(browser: Browser, pages: list[Path]) -> None:
    """The contrast of text is at least 4.5 to 1, as WCAG 2 asks at level AA."""
    for scheme in ("light", "dark"):
        browser.open(pages[0], 1280, 800, scheme)
        browser.evaluate(OPEN_ALL)
        assert browser.evaluate(CONTRAST) >= 4.5, scheme


def test_the_page_would_not_run_a_script_that_got_in(browser: Browser, pages: list[Path]) -> None:
    browser.open(pages[0], 1280, 800)
    browser.evaluate(
        "{ const got = document.createElement('script'); got.textContent = 'window.owned = 1';"
        " document.body.append(got) }"
    )
    assert browser.evaluate("typeof window.owned") == "undefined"


# The lowest contrast between the colour of a text and of the nearest background behind it.
CONTRAST = """
(() => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => {
    const [r, g, b] = parts(colour).slice(0, 3).map(value => value / 255)
      .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if ((parts(colour)[3] ?? 1) > 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  let lowest = 21;
  for (const element of document.body.querySelectorAll(':not(title, desc)')) {
    const own = [...element.childNodes].some(one => one.nodeType === 3 && one.data.trim());
    if (!own) continue;
    const style = getComputedStyle(element);
    const ink = element instanceof SVGElement ? style.fill : style.color;
    const [a, b] = [light(ink), light(behind(element))].sort((x, y) => y - x);
    lowest = Math.min(lowest, (a + 0.05) / (b + 0.05));
  }
  return lowest;
})()
"""
