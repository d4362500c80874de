"""The catalog as a browser shows it: readable, reachable, quiet, and of use without a script."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from browsing import absent

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = (
    "index.html",
    "index.html?q=sql",
    "about/index.html",
    "404.html",
    "tags/index.html",
    "tags/sql/index.html",
    "skills/contrast-check/index.html",
    "skills/unicode-text/index.html",
    "skills/contrast-check/-/files/scripts/contrast.py.html",
    "skills/contrast-check/-/files/references/thresholds.md.html",
    "skills/contrast-check/-/files/assets/palette.png.html",
    "skills/data/csv-profile/-/files/assets/orders.csv.gz.html",
)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


Scheme = Literal["light", "dark"]


@contextmanager
def opened(
    browser: Browser, width: int = 1280, *, scheme: Scheme = "light", scripts: bool = True
) -> Iterator[tuple[Page, list[str]]]:
    """A page of its own, and what its console says."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=scripts
    )
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page, said
    context.close()


def until(page: Page, check: Callable[[], bool]) -> None:
    """Ask until it is so: `wait_for_function` would need `eval`, which the policy refuses."""
    deadline = time.monotonic() + 10
    while not check():
        assert time.monotonic() < deadline, "it did not happen"
        page.wait_for_timeout(50)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(browser: Browser, address: str, width: int, scheme: Scheme) -> None:
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        absent("axe-playwright-python is not installed: pip install skillbuild[browser]")
    found = []
    with opened(browser, width, scheme=scheme) as (page, _):
        for path in PAGES:
            page.goto(address + path)
            results = Axe().run(page, options={"runOnly": RULES}).response
            found += [
                (path, item["id"], item["nodes"][0]["html"]) for item in results["violations"]
            ]
    assert found == []


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_page_scrolls_sideways_or_complains(browser: Browser, address: str, width: int) -> None:
    wide = []
    with opened(browser, width) as (page, said):
        for path in PAGES:
            page.goto(address + path)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wide.append(path)
    assert (wide, said) == ([], [])


def test_the_first_view_needs_few_requests_and_nobody_else(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        seen: list[str] = []
        page.on("request", lambda request: seen.append(request.url))
        page.goto(address)
    pictures = [url for url in seen if "/icons/" in url]
    assert all(url.startswith(address) for url in seen)
    assert len(seen) - len(pictures) <= 6


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_search_forgives_a_slip_and_stands_in_the_address(
    browser: Browser, address: str, site: Path, scheme: str
) -> None:
    start = address if scheme == "http" else site.as_uri() + "/index.html"
    with opened(browser) as (page, said):
        page.goto(start)
        page.keyboard.press("/")
        page.keyboard.type("migratoins")
        until(page, lambda: " of " in page.inner_text("#count"))
        assert page.locator("#cards h2 a").first.inner_text() == "sql-migrations"
        until(page, lambda: "q=migratoins" in page.url)
        page.reload()
        until(page, lambda: " of " in page.inner_text("#count"))
        assert page.locator("#cards h2 a").first.inner_text() == "sql-migrations"
        page.focus("#search")
        page.keyboard.press("Escape")
        until(page, lambda: " of " not in page.inner_text("#count"))
        assert said == []


def test_facets_narrow_the_list_and_count_what_is_left(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(address)
        total = page.locator("#cards .card").count()
        button = page.locator('[data-facet="contents"] button', has_text="has scripts")
        count = int(button.locator("xpath=following-sibling::*[1]").inner_text())
        button.click()
        until(page, lambda: page.locator("#cards .card").count() == count)
        assert page.inner_text("#count") == f"{count} of {total} skills"
        assert "contents=has+scripts" in page.url
        page.locator(".active button").click()
        until(page, lambda: page.locator("#cards .card").count() == total)
        assert page.url == address


def test_control_k_leads_to_the_search_from_every_page(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}skills/git/bisect/index.html")
        page.keyboard.press("Control+k")
        until(page, lambda: page.url.endswith("index.html#search"))
        until(page, lambda: bool(page.evaluate("document.activeElement.id === 'search'")))


def test_without_a_script_everything_is_there(browser: Browser, address: str) -> None:
    with opened(browser, scripts=False) as (page, _):
        page.goto(address)
        assert not page.locator("#search").is_visible()
        page.click("text=sql-migrations >> nth=0")
        assert page.locator("h1").inner_text() == "sql-migrations"
        page.click("label[for=install-mcp]")
        assert page.locator('[data-tab="mcp"]').is_visible()
        assert not page.locator('[data-tab="curl"]').is_visible()


def test_the_theme_stays_chosen(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(address)
        page.click("text=Dark")
        page.goto(f"{address}about/index.html")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        back = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.click("text=Auto")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != back


def test_a_line_has_an_address_and_opens_what_hides_it(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}skills/contrast-check/-/files/references/thresholds.md.html#L9")
        until(page, lambda: page.locator("#L9").is_visible())
        page.goto(f"{address}skills/contrast-check/-/files/scripts/contrast.py.html")
        page.locator("#L7").click(position={"x": 5, "y": 5})
        until(page, lambda: page.url.endswith("#L7"))


def test_commands_name_the_address_of_the_page(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}skills/git/bisect/index.html")
        assert f"curl -fLO {address}archives/" in page.inner_text('[data-tab="curl"] pre')


def test_the_checker_of_the_w3c_finds_no_error(site: Path) -> None:
    jar, java = os.environ.get("SKILLBUILD_VNU"), shutil.which("java")
    if jar is None or java is None:
        pytest.skip("no Java, or SKILLBUILD_VNU does not name vnu.jar (npm vnu-jar)")
    found = sorted(str(path) for path in site.rglob("*.html"))
    command = [java, "-jar", jar, "--errors-only", *found]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
