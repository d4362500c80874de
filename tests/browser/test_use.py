"""The catalog in use: by keyboard alone, on paper, from right to left, and its commands typed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skillbuild.model import Digest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SKILL = "skills/contrast-check/index.html"
PAGES = (
    "index.html",
    "about/index.html",
    "404.html",
    "tags/index.html",
    "tags/sql/index.html",
    SKILL,
    "skills/internal/write-a-skill/index.html",
    "skills/contrast-check/-/files/scripts/contrast.py.html",
    "skills/contrast-check/-/files/references/thresholds.md.html",
)
REACHABLE = """() => {
  const kinds = 'a[href], button, input, select, summary, [tabindex="0"]';
  const controls = document.querySelectorAll(kinds);
  return [...controls]
    .filter((control) => control.checkVisibility() && (control.type !== "radio" || control.checked))
    .map((control) => control.outerHTML.replace(/ class="(read)?"/, "").slice(0, 120));
}"""
FOCUSED = """() => {
  const focused = document.activeElement;
  const ring = (node) => node && getComputedStyle(node).outlineStyle !== "none";
  const box = focused.getBoundingClientRect();
  const shown = box.width > 0 && box.bottom > 0 && box.top < innerHeight;
  const text = focused.outerHTML.replace(/ class="(read)?"/, "").slice(0, 120);
  return [text, shown && ring(focused)];
}"""
COVERED = """() => [...document.querySelectorAll(".clients pre + .copy")].some((button) => {
  if (!button.checkVisibility()) return false;
  const text = document.createRange();
  text.selectNodeContents(button.previousElementSibling);
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const beside = (line) => line.right <= left || line.left >= right;
  const apart = (line) => beside(line) || line.bottom <= top || line.top >= bottom;
  return ![...text.getClientRects()].every(apart);
})"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("path", PAGES)
def test_the_tab_key_reaches_every_control_in_order_and_shows_where_it_is(
    page: Page, address: str, path: str
) -> None:
    page.goto(address + path)
    wanted = page.evaluate(REACHABLE)
    assert "Skip to content" in wanted[0]
    reached = []
    for _ in wanted:
        page.keyboard.press("Tab")
        place, visible = page.evaluate(FOCUSED)
        assert visible, place
        reached.append(place)
    assert reached == wanted


def test_the_skip_link_leads_past_the_header(page: Page, address: str) -> None:
    page.goto(address + SKILL)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_the_chosen_client_is_open_on_the_pages_that_follow(page: Page, address: str) -> None:
    page.goto(address + SKILL)
    assert page.locator(".clients [open]").count() == 1
    page.get_by_label("Client").select_option("goose")
    assert page.locator('[data-client="goose"] pre').first.is_visible()
    assert not page.locator('[data-client="codex"] pre').first.is_visible()
    page.goto(address + "skills/git/bisect/index.html")
    assert page.locator(".clients [open]").get_attribute("data-client") == "goose"
    assert page.evaluate("Object.keys(localStorage)") == ["skillbuild-client"]
    page.get_by_role("button", name="Personal").click()
    page.goto(address + SKILL)
    assert page.locator(".way.on >> visible=true").get_attribute("data-scope") == "personal"
    page.get_by_label("Client").select_option("claude-code")
    assert page.locator(".way.on >> visible=true").get_attribute("data-scope") == "personal"


def test_a_line_of_a_file_is_reached_by_the_keyboard(page: Page, address: str) -> None:
    page.goto(address + "skills/git/bisect/-/files/scripts/bisect-step.sh.html")
    page.get_by_label("Line").focus()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    assert page.url.endswith("#L7")


def test_the_whole_skill_md_and_each_block_can_be_copied(
    page: Page, address: str, site: Path
) -> None:
    page.goto(address + SKILL)
    page.locator("[data-copy-from]").click()
    page.locator("[data-copy-from]", has_text="Copied").wait_for()
    digest = Digest.of(page.evaluate("navigator.clipboard.readText()").encode())
    assert (site / "blobs/sha256" / digest.hex).is_file()
    blocks = page.locator(".prose pre")
    assert page.locator(".prose pre + .copy").count() == blocks.count() > 0


def test_filters_open_above_the_list_on_a_narrow_screen(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address)
    assert not page.locator("#filters").is_visible()
    page.focus(".to-filters")
    page.keyboard.press("Enter")
    filters, cards = page.locator("#filters").bounding_box(), page.locator("#cards").bounding_box()
    assert filters is not None
    assert cards is not None
    assert filters["y"] + filters["height"] <= cards["y"]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#filters') !== null")


def test_a_click_copies_a_digest(page: Page, address: str, site: Path) -> None:
    page.goto(address + SKILL)
    page.get_by_text("Download", exact=True).click()
    archive = page.locator(".gets a").first.get_attribute("href") or ""
    page.locator(".gets .copy").first.click()
    page.locator(".gets .copy", has_text="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == str(Digest.of((site / "skills/contrast-check" / archive).read_bytes()))


def test_the_shown_commands_fetch_check_and_unpack_a_skill(
    page: Page, address: str, tmp_path: Path
) -> None:
    for program in ("curl", "sha256sum", "unzip"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed, and the commands of the page need it")
    page.goto(address + SKILL)
    page.get_by_label("Client").select_option("folder")
    page.locator('[data-client="folder"] .copy').click()
    page.locator('[data-client="folder"] .copy', has_text="Copied").wait_for()
    commands = page.evaluate("navigator.clipboard.readText()")
    subprocess.run(["sh", "-e", "-c", commands], cwd=tmp_path, check=True, capture_output=True)
    unpacked = tmp_path / ".agents/skills/contrast-check"
    files = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    page.get_by_role("link", name="Files").click()
    assert files == {*page.locator(".files td:first-child a").all_inner_texts()}


def test_no_interactive_control_is_printed(page: Page, address: str) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    for path in PAGES:
        page.goto(address + path)
        controls = page.locator("button, input, summary, label, kbd")
        seen = [control.inner_text() for control in controls.all() if control.is_visible()]
        assert (path, seen) == (path, [])
        back = page.evaluate("getComputedStyle(document.documentElement).colorScheme")
        assert back == "light"


def test_paper_shows_the_chosen_command_and_the_whole_digest(page: Page, address: str) -> None:
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 720, "height": 1000})
    page.goto(address + SKILL)
    [command] = page.locator(".clients pre >> visible=true").all()
    assert "--agent claude-code" in command.inner_text()
    assert page.locator(".digest code >> visible=true").count() > 0
    for digest in page.locator(".digest code").all():
        assert digest.evaluate("one => one.scrollWidth <= one.clientWidth || !one.clientWidth")


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.nightly
def test_from_right_to_left_no_page_scrolls_sideways(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for path in PAGES:
        page.goto(address + path)
        page.evaluate("document.documentElement.dir = 'rtl'")
        assert page.evaluate("document.documentElement.scrollWidth") == width, path
        assert not page.evaluate(COVERED), path


@pytest.mark.parametrize("width", [320, 1280])
def test_no_button_covers_the_command_that_it_copies(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(address + SKILL)
    assert not page.evaluate(COVERED)
    for client in page.locator(".choice option").all():
        page.get_by_label("Client").select_option(client.get_attribute("value"))
        assert not page.evaluate(COVERED)
