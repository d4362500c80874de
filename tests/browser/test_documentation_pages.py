"""The documentation as a browser shows it: readable for everybody, valid, and searchable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers import pages, views
from helpers.browsing import served, skip_or_fail
from helpers.views import Scheme, opened, until
from skillbuild import assets
from skillbuild.config import Config
from skillbuild.emit.site.documentation import PAGES, documentation

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LAYOUTS = ("index.html", "serve.html")
"""A page without a list of its contents, and one with it that has tables and code as well."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("documentation")
    texts = {name: assets.documentation_text(name) for name in PAGES}
    for file in documentation(texts, Config(title="skillbuild documentation")):
        path = top / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    return top


@pytest.fixture(scope="module")
def docs(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


@views.looks(1280, 390)
def test_axe_finds_nothing(browser: Browser, docs: str, width: int, scheme: Scheme) -> None:
    assert views.violations(browser, docs, LAYOUTS, width, scheme) == []


@pytest.mark.parametrize("width", views.SIZES)
@pytest.mark.nightly
def test_no_page_scrolls_sideways_logs_errors_or_loads_from_other_hosts(
    browser: Browser, docs: str, width: int
) -> None:
    assert views.faults(browser, docs, [f"{name}.html" for name in PAGES], width) == []


@pytest.mark.nightly
def test_the_checker_of_the_w3c_finds_no_error(folder: Path) -> None:
    errors = pages.invalid(sorted(folder.glob("*.html")))
    if errors is None:
        skip_or_fail("no Java, or SKILLBUILD_VNU does not name vnu.jar (npm vnu-jar)")
    assert errors == ""


@pytest.mark.parametrize(("width", "is_open"), [(390, False), (1280, True)])
def test_the_menu_is_closed_on_a_phone(
    browser: Browser, docs: str, width: int, *, is_open: bool
) -> None:
    with opened(browser, width=width) as (page, heard):
        page.goto(f"{docs}themes.html")
        menu = page.locator(".docs-pages")
        assert menu.get_by_role("link", name="Rules").is_visible() == is_open
        if not is_open:
            menu.get_by_text("All pages").click()
            assert menu.get_by_role("link", name="Rules").is_visible()
        assert heard.messages == []


def test_results_are_counted_show_the_word_and_are_no_lists_of_links(
    browser: Browser, docs: str
) -> None:
    with opened(browser) as (page, heard):
        page.goto(f"{docs}index.html")
        page.get_by_role("searchbox").fill("unsigned")
        found = page.locator("#docs-found li")
        until(page, lambda: found.count() > 0)
        assert all(each.locator("mark").count() for each in found.all())
        assert not found.get_by_text(re.compile("^Learn$|^Where to go next$")).count()
        assert page.inner_text("#docs-count").startswith(f"{found.count()} section")
        page.get_by_role("searchbox").fill("attestation")
        until(page, lambda: found.count() > 2)
        pages = page.locator("#docs-found h2 a")
        expected = f"{found.count()} sections on {pages.count()} pages"
        assert page.inner_text("#docs-count") == expected
        commands = page.locator("#docs-found p > code").all_inner_texts()
        assert any(each.startswith("gh attestation verify") for each in commands)
        assert not any("`" in each for each in found.all_inner_texts())
        assert heard.messages == []


def test_code_can_be_copied_and_no_line_is_cut(browser: Browser, docs: str) -> None:
    with opened(browser) as (page, heard):
        page.goto(f"{docs}serve.html")
        assert page.locator(".copied").count() == page.locator("pre").count() > 0
        assert (
            page.locator(".copied > .copy").first.evaluate("at => getComputedStyle(at).opacity")
            == "1"
        )
        wide = "every => every.filter(each => each.scrollWidth > each.clientWidth).length"
        assert page.locator("pre").evaluate_all(wide) == 0
        assert heard.messages == []


def test_a_key_leads_to_the_search_and_links_to_the_pages_around(
    browser: Browser, docs: str
) -> None:
    with opened(browser) as (page, heard):
        page.goto(f"{docs}serve.html")
        assert page.locator(".docs-toc").get_by_role("link", name="Gemini CLI").is_visible()
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "search"
        page.locator("[rel=next]").click()
        until(page, lambda: page.url == f"{docs}write.html")
        page.locator("[rel=prev]").click()
        until(page, lambda: page.url == f"{docs}serve.html")
        assert heard.messages == []


def test_an_option_is_found_and_its_section_is_one_click_away(browser: Browser, docs: str) -> None:
    with opened(browser) as (page, heard):
        page.goto(f"{docs}index.html")
        page.get_by_role("searchbox").fill("skip-invalid")
        found = page.locator("#docs-found a")
        until(page, lambda: "skillbuild build" in found.all_inner_texts())
        found.get_by_text("skillbuild build", exact=True).click()
        until(page, lambda: page.url.endswith("commands.html#user-content-skillbuild-build"))
        assert heard.messages == []
