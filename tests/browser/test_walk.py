"""What somebody does who sees the catalog for the first time, on a wide screen and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from helpers import repos
from helpers.browsing import served
from helpers.views import opened, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

WIDTHS = pytest.mark.parametrize("width", [390, 1280])
REVIEW = "skills/sql/review/index.html"
MANY = 130
UNBROKEN = "flags => flags.every((flag) => flag.getClientRects().length === 1)"
APART = """card => {
  const { left, right, bottom } = card.querySelector(".pick").getBoundingClientRect();
  const text = document.createRange();
  return [...card.querySelectorAll("h2 a, .say, .meta")].every((place) => {
    text.selectNodeContents(place);
    const isApart = (line) => line.right <= left || line.left >= right || line.top >= bottom - 3;
    return [...text.getClientRects()].every(isApart);
  });
}"""


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a catalog in which a search has more answers than are shown at once."""
    folder = tmp_path_factory.mktemp("crowd")
    files: dict[str, repos.Content] = {
        f"skills/s{number}/SKILL.md": f"---\nname: s{number}\ndescription: Tests {number}.\n"
        f"license: {'MIT' if number % 2 else 'BSD-3-Clause'}\n---\n"
        for number in range(MANY)
    }
    repos.build(repos.repository(folder / "repo", files), folder / "out")
    with served(folder / "out") as address:
        yield address


def pasted(page: Page) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def top_of(place: Locator) -> float:
    box = place.bounding_box()
    assert box is not None
    return box["y"]


@WIDTHS
def test_three_skills_are_installed_together_for_one_client(
    browser: Browser, address: str, width: int
) -> None:
    with opened(browser, width) as (page, heard):
        page.goto(address)
        names = ("bisect", "contrast-check", "http-retries")
        for name in names:
            page.get_by_role("button", name=f"Select {name}").click()
        until(page, lambda: page.locator(".card .pick[aria-pressed=true]").count() == len(names))
        tray = page.get_by_role("region", name="Selected skills")
        tray.get_by_role("button", name="Install").click()
        tray.get_by_role("combobox", name="For").select_option(label="Copilot, VS Code")
        tray.get_by_role("checkbox", name="in all projects").check()
        pasted(page)
        tray.get_by_role("button", name="Copy the code").click()
        tray.get_by_text("Copied").wait_for()
        assert pasted(page).split(" && \\\n") == [
            f"npx skills add {address}skills/{path} --agent github-copilot --global"
            for path in ("git/bisect", "contrast-check", "http-retries")
        ]
        assert page.locator(".tray .num").evaluate_all(UNBROKEN)
        page.goto(address + REVIEW)
        assert page.locator("[data-client=github-copilot]").get_attribute("open") is not None
        assert heard.messages == []


@WIDTHS
def test_a_skill_is_two_clicks_from_a_comparison_with_the_one_most_like_it(
    browser: Browser, address: str, width: int
) -> None:
    with opened(browser, width) as (page, heard):
        page.goto(address + REVIEW)
        page.get_by_role("link", name="Related", exact=True).click()
        page.locator("#near").wait_for()
        compare = page.locator("#near").get_by_role("link", name="Compare").first
        until(page, lambda: 0 < top_of(compare) < page.evaluate("innerHeight"))
        compare.click()
        page.locator("table.compare").wait_for()
        first, _ = page.locator(".compare thead th > a").all_inner_texts()
        assert first == "review"
        pasted(page)
        page.get_by_role("button", name="Copy link").click()
        page.get_by_text("Copied").wait_for()
        assert pasted(page) == page.url
        assert heard.messages == []


def test_a_comparison_of_what_is_selected_has_an_address_to_share(
    browser: Browser, address: str
) -> None:
    with opened(browser) as (page, _):
        page.goto(address)
        for name in ("bisect", "contrast-check"):
            page.get_by_role("button", name=f"Select {name}").click()
        until(page, lambda: page.locator(".card .pick[aria-pressed=true]").count() == 2)
        page.goto(f"{address}compare/index.html")
        page.locator("table.compare").wait_for()
        assert page.url == f"{address}compare/index.html?s=git%2Fbisect&s=contrast-check"
        assert not page.locator(".tray").get_by_role("link", name="Compare").is_visible()


@WIDTHS
def test_no_button_to_select_covers_the_text_of_its_card(
    browser: Browser, address: str, width: int
) -> None:
    with opened(browser, width) as (page, _):
        page.goto(address)
        for _ in ("compact", "roomy"):
            for card in page.locator("#cards .card").all():
                assert card.evaluate(APART)
            page.click("#roomy")


@WIDTHS
def test_a_flag_of_a_command_is_not_broken(browser: Browser, address: str, width: int) -> None:
    with opened(browser, width) as (page, _):
        page.goto(address + REVIEW)
        page.get_by_role("button", name="Personal").click()
        flags = page.locator(".clients .num >> visible=true")
        assert flags.all_inner_texts() == ["--agent claude-code", "--global"]
        assert flags.evaluate_all(UNBROKEN)


def test_on_a_phone_the_answer_stays_in_view_below_the_filters(
    browser: Browser, crowd: str
) -> None:
    with opened(browser, 390) as (page, _):
        page.goto(crowd)
        page.click(".to-filters")
        value = page.locator("#filters li").first
        count = value.locator(".n").inner_text()
        value.get_by_role("button").click()
        until(page, lambda: page.inner_text("#count").startswith(f"{count} of {MANY} skills"))
        assert top_of(page.locator("#cards .card").first) < 844


@WIDTHS
def test_back_leads_to_the_place_among_all_that_was_shown(
    browser: Browser, crowd: str, width: int
) -> None:
    with opened(browser, width) as (page, _):
        page.goto(f"{crowd}?q=tests")
        page.get_by_role("button", name="Show more").click()
        until(page, lambda: page.locator("#cards .card").count() == 100)
        link = page.locator("#cards h2 a").nth(90)
        link.scroll_into_view_if_needed()
        page.wait_for_timeout(200)
        name, place = link.inner_text(), page.evaluate("scrollY")
        link.click()
        page.locator("h1", has_text=name).wait_for()
        page.go_back()
        until(page, lambda: page.locator("#cards .card").count() == 100)
        until(page, lambda: abs(page.evaluate("scrollY") - place) < 100)
