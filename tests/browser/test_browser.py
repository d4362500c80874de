"""The catalog as a browser shows it: readable, reachable, quiet, and of use without a script."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import pytest

from helpers import pages, views
from helpers.browsing import skip_or_fail
from helpers.views import Scheme, opened, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGES = (
    "index.html",
    "about/index.html",
    "404.html",
    "tags/index.html",
    "tags/sql/index.html",
    "skills/contrast-check/index.html",
    "skills/unicode-text/index.html",
    "skills/contrast-check/-/files/scripts/contrast.py.html",
    "skills/contrast-check/-/files/references/thresholds.md.html",
    "skills/contrast-check/-/files/assets/palette.png.html",
)


@views.looks(1280, 390)
def test_axe_finds_nothing(browser: Browser, address: str, width: int, scheme: Scheme) -> None:
    assert views.violations(browser, address, PAGES, width, scheme) == []


@pytest.mark.parametrize(("width", "most"), [(1280, 450), (390, 1.2 * 844)])
def test_the_text_of_a_skill_begins_near_the_top(
    browser: Browser, address: str, site: Path, width: int, most: float
) -> None:
    skills = [
        path.relative_to(site).as_posix()
        for path in sorted((site / "skills").rglob("index.html"))
        if "-" not in path.relative_to(site).parts
    ]
    tops: list[float] = []
    with opened(browser, width) as (page, _):
        for path in skills:
            page.goto(address + path)
            tops += [box["y"] for box in [page.locator("#readme .prose").bounding_box()] if box]
    assert len(tops) == len(skills) > 5
    assert median(tops) <= most


@pytest.mark.parametrize("width", views.SIZES)
@pytest.mark.nightly
def test_no_page_scrolls_sideways_logs_errors_or_loads_from_other_hosts(
    browser: Browser, address: str, site: Path, width: int
) -> None:
    every = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    assert views.faults(browser, address, every, width) == []


@pytest.mark.parametrize("width", [390, 1280])
def test_the_first_view_needs_six_requests_at_most(
    browser: Browser, address: str, width: int
) -> None:
    every = views.first_views(browser, [address + path for path in PAGES], width)
    assert [loaded for loaded in every if len(views.shell(loaded)) > 5 or len(loaded) > 6] == []


def test_a_missing_page_shows_the_skills_nearest_to_its_address(
    browser: Browser, address: str
) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}contrast-chek")
        first = page.locator("#cards h2 a").first
        until(page, lambda: first.count() > 0 and first.inner_text() == "contrast-check")
        assert page.inner_text("[data-address]") == "/repo/contrast-chek"
        page.get_by_role("link", name="contrast-check").click()
        assert page.url == f"{address}skills/contrast-check/index.html"


def test_a_missing_page_names_no_skill_for_a_word_of_its_text(
    browser: Browser, address: str
) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}postcode")
        until(page, lambda: page.get_attribute("#listing", "aria-busy") == "false")
        assert page.inner_text("#count") == "No skill is named “repo postcode”"
        assert page.input_value("#search") == ""
        assert not page.locator("#cards .card").count()
        page.goto(f"{address}index.html?q=postcode")
        until(page, lambda: " of " in page.inner_text("#count"))


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
        page.click(".card >> text=sql-migrations")
        assert page.locator("h1").inner_text() == "sql-migrations"
        page.locator(".clients summary", has_text="MCP").click()
        assert not page.locator(".choice").is_visible()
        assert page.locator('[data-client="mcp"] pre').is_visible()
        assert not page.locator('[data-client="folder"] pre').is_visible()


def test_the_theme_stays_chosen(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(address)
        page.click('text="Dark"')
        page.goto(f"{address}about/index.html")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        back = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.click('text="Auto"')
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
        assert f"curl -fLO {address}archives/" in (
            page.text_content('[data-client="folder"] pre') or ""
        )


def test_the_checker_of_the_w3c_finds_no_error(site: Path) -> None:
    errors = pages.invalid(sorted(site.rglob("*.html")))
    if errors is None:
        skip_or_fail("no Java, or SKILLBUILD_VNU does not name vnu.jar (npm vnu-jar)")
    assert errors == ""
