"""Skills that somebody selects and compares, and what is related to a skill, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers import views
from helpers.views import Scheme, opened, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BISECT = "skills/git/bisect/index.html"
FIRST = "1 skill adds ≈ 46 tokens to every session select another to compare"
COMPARED = "compare/index.html?s=git/bisect&s=contrast-check&s=gone"


def tray(page: Page) -> str:
    return page.locator(".tray > p").inner_text()


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_selected_skills_have_a_sum_a_command_and_a_comparison(
    browser: Browser, address: str, site: Path, scheme: str
) -> None:
    start = address if scheme == "http" else site.as_uri() + "/"
    with opened(browser) as (page, heard):
        page.goto(start + "index.html")
        page.get_by_role("button", name="Select bisect").click()
        until(page, lambda: tray(page) == FIRST)
        assert not page.get_by_role("link", name="Compare", exact=True).is_visible()
        page.get_by_role("button", name="Select contrast-check").click()
        until(page, lambda: tray(page) == "2 skills add ≈ 100 tokens to every session")
        page.get_by_role("button", name="Install").click()
        command = page.locator(".tray pre").inner_text()
        site_name = start if scheme == "http" else "<this site>/"
        assert command == (
            f"npx skills add {site_name}skills/git/bisect --agent claude-code && \\\n"
            f"npx skills add {site_name}skills/contrast-check --agent claude-code"
        )
        page.get_by_role("link", name="Compare", exact=True).click()
        page.locator("table.compare").wait_for()
        assert page.locator(".compare thead th > a").all_inner_texts() == [
            "bisect",
            "contrast-check",
        ]
        always = page.locator(".compare tr", has_text="Context, always").locator("th, td")
        cells = [cell.strip() for cell in always.all_inner_texts()]
        assert cells == ["Context, always", "≈ 46 tokens", "≈ 54 tokens"]
        install = page.get_by_role("link", name="Install bisect")
        assert str(install.get_attribute("href")).endswith("skills/git/bisect/index.html#install")
        row = page.locator(".compare tr", has_text="Runs other programs").locator("td")
        assert "git" in row.first.inner_text()
        # What both have alike stands at the end, once for all.
        same = page.locator(".compare .same th").all_inner_texts()
        assert same[0] == "The same in both"
        assert {"License", "Updated"} <= {*same}
        # The description comes first, and an answer leads to its line.
        first = page.locator(".compare tbody").first.locator("th").all_inner_texts()
        assert first == ["Description"]
        place = str(row.first.get_by_role("link").get_attribute("href"))
        assert "/-/files/" in place
        assert "#L" in place
        page.get_by_role("button", name="Clear").click()
        assert not page.locator(".tray").is_visible()
        assert heard.messages == []


def test_a_comparison_loses_and_gains_skills_by_links(browser: Browser, address: str) -> None:
    with opened(browser) as (page, heard):
        page.goto(f"{address}compare/index.html?s=git/bisect&s=contrast-check")
        page.locator("table.compare").wait_for()
        assert page.locator(".compare thead th > .icon").count() == 2
        page.evaluate("scrollTo(0, 400)")
        top = "document.querySelector('.compare thead a').getBoundingClientRect().top"
        assert page.evaluate(top) >= 0
        page.get_by_role("link", name="Add a skill").click()
        page.get_by_role("link", name="Compare with csv-profile").click()
        until(page, lambda: page.locator(".compare thead th").count() == 3)
        page.get_by_role("link", name="Remove contrast-check").click()
        until(page, lambda: page.locator(".compare thead th").count() == 2)
        page.get_by_role("link", name="Remove csv-profile").click()
        until(page, lambda: page.locator(".compare thead th").count() == 1)
        assert page.get_by_text("1 skill", exact=False).first.is_visible()
        assert heard.messages == []


def test_a_phone_shows_what_a_wide_screen_says_about_certainty(
    browser: Browser, address: str
) -> None:
    with opened(browser, 390) as (page, _):
        page.goto(address + BISECT)
        assert page.get_by_text("Found by patterns, which").is_visible()
        assert page.locator(".tried:visible").count() == 1


def test_two_skills_of_the_list_are_compared_with_two_clicks(
    browser: Browser, address: str
) -> None:
    with opened(browser) as (page, heard):
        page.goto(f"{address}index.html")
        page.get_by_role("button", name="Select bisect").click()
        page.get_by_role("link", name="Compare with contrast-check").click()
        page.locator("table.compare").wait_for()
        assert page.locator(".compare thead th > a").all_inner_texts() == [
            "bisect",
            "contrast-check",
        ]
        page.go_back()
        page.get_by_role("button", name="Clear").click()
        assert page.locator(".against").count() == 0
        assert heard.messages == []


def test_a_selection_stays_across_searches_and_pages(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?sort=tokens")
        until(page, lambda: " of " in page.inner_text("#count"))
        page.get_by_role("button", name="Select bisect").click()
        until(page, lambda: page.locator(".card .pick[aria-pressed=true]").count() == 1)
        page.fill("#search", "bisect")
        until(page, lambda: page.locator("#cards .card").count() == 1)
        until(page, lambda: page.locator(".card .pick[aria-pressed=true]").count() == 1)
        page.goto(address + BISECT)
        button = page.locator(".head .pick")
        assert button.get_attribute("aria-pressed") == "true"
        button.click()
        until(page, lambda: not page.locator(".tray").is_visible())


def test_what_is_related_is_shown_on_the_page_of_a_skill(
    browser: Browser, address: str, site: Path
) -> None:
    review = "skills/sql/review/"
    with opened(browser) as (page, heard):
        page.goto(f"{address}{review}index.html#related")
        page.locator("#near").wait_for()
        links = page.locator("#near a").evaluate_all("links => links.map(({ href }) => href)")
        assert links
        paths = [link.partition("?")[0].removeprefix(address) for link in links]
        assert all((site / path).is_file() for path in paths)
        assert not page.locator(".toc").is_visible()
        assert views.axe(page) == []
        page.get_by_role("link", name="Read me").click()
        assert page.locator(".toc").is_visible()
        assert heard.messages == []
        page.goto(f"{site.as_uri()}/{review}index.html#related")
        page.locator("#related a").click()
        page.get_by_text("Related skills").wait_for()


@views.looks(1280, 320)
def test_axe_finds_nothing_in_a_comparison_and_a_selection(
    browser: Browser, address: str, width: int, scheme: Scheme
) -> None:
    with opened(browser, width, scheme=scheme) as (page, heard):
        page.goto(address + COMPARED)
        page.locator("table.compare").wait_for()
        # Titles of rows are of any length.
        page.evaluate("document.querySelector('tbody th').textContent = 'word '.repeat(30)")
        broken = views.axe(page)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        page.goto(f"{address}index.html")
        page.locator(".pick").first.click()
        until(page, lambda: page.locator(".tray").is_visible())
        page.get_by_role("button", name="Install").click()
        broken += views.axe(page)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert broken == []
        missing = [text for text in heard.messages if "404" not in text]
        assert missing == []
