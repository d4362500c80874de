"""The way of a reader from a skill through its versions, and to what became of other skills."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers import lifecycle, pages, repos, views
from helpers.browsing import served
from helpers.lifecycle import BASE, YANKED

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

WIDTHS = (390, 1280)
LIST = "skills/pdf/-/versions/index.html"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("versions")
    repos.build(lifecycle.repository(folder / "repo"), folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def catalog(out: Path) -> Iterator[str]:
    with served(out) as address:
        yield address


@pytest.fixture(params=[390, pytest.param(1280, marks=pytest.mark.nightly)])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": request.param, "height": 844})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context.new_page()
    context.close()


def follow(page: Page, name: str) -> None:
    """Click the first link in the page with exactly this name."""
    page.locator("main").get_by_role("link", name=name, exact=True).first.click()


def copied(page: Page, button: Locator) -> str:
    """What is in the clipboard when a button has said that it is."""
    page.wait_for_load_state()  # Before, a button of the page does nothing yet.
    button.click()
    button.filter(has_text="Copied").wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    assert isinstance(text, str)
    return text.strip()


def test_what_changed_last_is_two_clicks_from_the_skill(page: Page, catalog: str) -> None:
    page.goto(f"{catalog}skills/pdf/index.html")
    follow(page, "Versions 3")
    follow(page, "What changed in 2.0")
    shown = page.locator("main")
    assert "compared with 1.1 of 2023-11-15" in shown.inner_text()
    assert "+version: 2.0" in shown.locator(".diff ins").first.inner_text()
    size = "[document.documentElement.scrollWidth, innerWidth]"
    assert len({*page.evaluate(size)}) == 1
    follow(page, "Versions")
    assert page.url == catalog + LIST
    follow(page, "2.0")
    page.get_by_role("region", name="Install").wait_for()


def test_the_page_of_a_version_says_how_old_it_is_and_leads_to_the_skill(
    page: Page, catalog: str
) -> None:
    page.goto(catalog + LIST)
    follow(page, "1.1")
    place = page.locator("main .notice")
    place.wait_for()
    assert place.inner_text().startswith(
        "Older version, from 2023-11-15\n\nThe current version is 2.0, from "
    )
    place.get_by_role("link", name="What changed").click()
    page.get_by_role("heading", name="What changed in 2.0").wait_for()
    follow(page, "2.0")
    page.get_by_text("This is the current version, since").wait_for()
    page.get_by_role("navigation", name="Parts").get_by_role("link", name="Versions").click()
    views.until(page, lambda: page.url == catalog + LIST)
    page.go_back()
    page.get_by_role("link", name="Install and get updates").click()
    views.until(page, lambda: page.url == f"{catalog}skills/pdf/index.html")


def test_the_version_before_is_installed_from_the_list_or_its_page(
    page: Page, catalog: str
) -> None:
    page.goto(catalog + LIST)
    line = copied(page, page.locator(".versions > li").nth(1).get_by_role("button"))
    follow(page, "1.1")
    box = page.get_by_role("region", name="Install")
    box.wait_for()
    path = page.url.removeprefix(catalog).removesuffix("index.html")
    assert line == f"npx skills add {BASE}{path}"
    assert copied(page, box.get_by_role("button").first) == line
    first = page.get_by_role("heading", level=2).first
    assert first.inner_text() == "Install exactly this version"


def test_a_version_leads_to_its_digest_and_to_the_start_of_the_catalog(
    page: Page, catalog: str
) -> None:
    page.goto(catalog + LIST)
    follow(page, "1.0")
    digest = copied(page, page.get_by_role("button", name="Copy the digest of this version"))
    short = page.url.removesuffix("/index.html").rpartition("/")[2]
    assert digest.startswith(f"sha256:{short}")
    page.locator("header.top .brand").click()
    assert page.url == f"{catalog}index.html"


def test_a_skill_that_was_renamed_lists_the_version_of_before(page: Page, catalog: str) -> None:
    page.goto(f"{catalog}skills/sheet/index.html")
    page.wait_for_url(f"{catalog}skills/office/sheet/index.html")
    follow(page, "Versions 1")
    follow(page, "Install one of these versions")
    assert "at sheet" in page.locator(".versions").inner_text()
    page.locator(".versions a").first.click()
    page.get_by_role("region", name="Install").wait_for()


def test_a_replaced_skill_forwards_and_its_own_versions_stay(page: Page, catalog: str) -> None:
    page.goto(f"{catalog}skills/merge/-/versions/index.html")
    assert "merge is now csv" in page.locator(".notice").inner_text()
    page.locator(".versions a").first.click()
    page.get_by_role("region", name="Install").wait_for()
    page.goto(f"{catalog}skills/merge/index.html")
    page.wait_for_url(f"{catalog}skills/csv/index.html")


def test_what_happened_to_a_skill_that_is_gone_stands_among_the_changes(
    page: Page, catalog: str
) -> None:
    page.goto(f"{catalog}changes/index.html")
    follow(page, "lonely")
    assert "Removed on 2023-11-16" in page.locator(".notice").inner_text()
    page.locator(".versions a").first.click()
    page.get_by_role("region", name="Install").wait_for()


def test_a_yanked_version_says_no_and_leads_to_another(page: Page, catalog: str) -> None:
    page.goto(f"{catalog}versions/{YANKED.short}/index.html")
    reason = "This version must not be used: contained a customer name."
    assert page.locator(".notice").inner_text() == reason
    follow(page, "list of yanked versions")
    assert page.url == f"{catalog}changes/index.html#yanked"
    page.locator("#yanked").get_by_role("link", name="report", exact=True).click()
    follow(page, "Versions 1")
    follow(page, "Install one of these versions")
    assert "2 older versions left out" in page.locator("main").inner_text()
    follow(page, "Which versions, and why")
    assert page.url == f"{catalog}changes/index.html#yanked"


def test_a_skill_that_went_back_says_which_version_is_current(page: Page, catalog: str) -> None:
    page.goto(f"{catalog}skills/csv/-/versions/index.html")
    target = page.locator(".notice a").get_attribute("href")
    assert target == page.locator(".versions .current h2 a").get_attribute("href")
    assert page.locator(".versions > li").first.get_attribute("class") is None


@pytest.mark.parametrize("scheme", views.SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.nightly
def test_no_state_breaks_a_rule_of_accessibility(
    browser: Browser, out: Path, catalog: str, width: int, scheme: views.Scheme
) -> None:
    assert views.violations(browser, catalog, states(out), width, scheme) == []


@pytest.mark.nightly
def test_no_state_scrolls_sideways_or_leads_nowhere(
    browser: Browser, out: Path, catalog: str
) -> None:
    assert views.faults(browser, catalog, states(out), 320) == []
    assert pages.dead_links(out, pages.read(out), BASE) == []


def states(out: Path) -> list[str]:
    """The pages of versions, of their lists, and of what is gone; none that forwards."""
    every = [*out.glob("versions/*/index.html"), *out.glob("skills/**/versions/**/index.html")]
    every += [out / "changes/index.html", out / "skills/lonely/index.html"]
    shown = [path for path in every if 'http-equiv="refresh"' not in path.read_text()]
    return sorted(path.relative_to(out).as_posix() for path in shown)


def test_the_newest_skills_are_first_with_the_day_on_which_they_came(
    page: Page, tmp_path: Path
) -> None:
    repo = repos.empty(tmp_path / "repo")
    files: dict[str, repos.Content] = {"skillbuild.toml": '[versions]\nsince = "first"\n'}
    for day, name in enumerate(["middle", "late", "early"]):
        files[f"{name}/SKILL.md"] = repos.skill_md(name)
        repos.commit(repo, files, day=day)
    files["middle/SKILL.md"] = repos.skill_md("middle", body="Changed.\n")
    repos.commit(repo, files, day=9)
    repos.build(repo, tmp_path / "out")
    with served(tmp_path / "out") as address:
        page.goto(f"{address}index.html?sort=added")
        cards = page.locator("#cards .card")
        views.until(page, lambda: cards.locator("h2 a").all_inner_texts()[:1] == ["early"])
        assert cards.locator("h2 a").all_inner_texts() == ["early", "late", "middle"]
        days = ["2023-11-16", "2023-11-15", "2023-11-14"]
        assert cards.locator(".date").all_inner_texts() == days
        assert page.locator("#sort").input_value() == "added"


@pytest.mark.parametrize("width", WIDTHS)
def test_names_of_skills_that_changed_together_are_targets_large_enough(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    repo = repos.empty(tmp_path / "repo")
    names = ("first", "second", "third")
    for day, body in enumerate(("Do it.\n", "Do it well.\n")):
        files = {f"a/{name}/SKILL.md": repos.skill_md(name, body=body) for name in names}
        repos.commit(repo, files, day=day)
    repos.build(repo, tmp_path / "out")
    with served(tmp_path / "out") as address:
        pages_shown = ["changes/index.html"]
        assert views.violations(browser, address, pages_shown, width, "light") == []
