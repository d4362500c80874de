"""The catalog as a browser shows it: readable, reachable, quiet, and of use without a script."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers import pages, views
from helpers.browsing import skip_or_fail
from helpers.views import Scheme, opened

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


def until(page: Page, check: Callable[[], bool]) -> None:
    """Wait until it is true: `wait_for_function` would need `eval`, which the policy refuses."""
    deadline = time.monotonic() + 10
    while not check():
        assert time.monotonic() < deadline, "it did not happen"
        page.wait_for_timeout(50)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(browser: Browser, address: str, width: int, scheme: Scheme) -> None:
    assert views.violations(browser, address, PAGES, width, scheme) == []


@pytest.mark.parametrize("width", views.SIZES)
def test_no_page_scrolls_sideways_logs_errors_or_loads_from_other_hosts(
    browser: Browser, address: str, site: Path, width: int
) -> None:
    every = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    assert views.faults(browser, address, every, width) == []


@pytest.mark.parametrize("width", [390, 1280])
def test_the_first_view_needs_six_requests_at_most(
    browser: Browser, address: str, width: int
) -> None:
    heavy = []
    for path in PAGES:
        asked = 2 if "?q=" in path else 0
        loaded = views.first_view(browser, address + path, width)
        if len(views.shell(loaded)) > 4 + asked or len(loaded) > 6 + asked:
            heavy.append(loaded)
    assert heavy == []


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_search_tolerates_a_typing_error_and_is_part_of_the_address(
    browser: Browser, address: str, site: Path, scheme: str
) -> None:
    start = address if scheme == "http" else site.as_uri() + "/index.html"
    with opened(browser) as (page, heard):
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
        assert heard.messages == []


def test_a_list_of_thousands_is_read_in_parts_and_searched(browser: Browser, address: str) -> None:
    rows = [
        [f"crowd/skill-{number}", "Counts.", [], "MIT", "crowd", [], 1, 1, [], "0a0a0a1f", ""]
        for number in range(2500)
    ]
    script = f"skillbuildRows(0,{json.dumps(rows)});"
    with opened(browser) as (page, heard):
        page.route(
            "**/assets/search-0.*.js",
            lambda route: route.fulfill(body=script, content_type="text/javascript"),
        )
        page.goto(address)
        page.keyboard.press("/")
        page.keyboard.type("skill-2400")
        until(page, lambda: page.inner_text("#count").endswith(" of 2,500 skills"))
        until(page, lambda: page.locator("#cards h2 a").first.inner_text() == "skill-2400")
        assert heard.messages == []


@pytest.mark.parametrize(
    ("typed", "first"),
    [("bisetc", "bisect"), ("csv prof", "csv-profile"), ("contrast nosuchword", "contrast-check")],
    ids=["two letters that changed places", "a beginning", "a word that nobody has"],
)
def test_search_ranks_the_intended_skill_first(
    browser: Browser, address: str, typed: str, first: str
) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?q={typed}")
        until(page, lambda: " of " in page.inner_text("#count"))
        assert page.locator("#cards h2 a").first.inner_text() == first


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
        until(page, lambda: bool(page.evaluate("document.activeElement?.id === 'search'")))


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


def test_the_address_of_a_line_shows_the_line(browser: Browser, address: str) -> None:
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
    errors = pages.invalid(sorted(site.rglob("*.html")))
    if errors is None:
        skip_or_fail("no Java, or SKILLBUILD_VNU does not name vnu.jar (npm vnu-jar)")
    assert errors == ""
