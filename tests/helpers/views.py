"""Pages as a browser shows them: what it loads for them, and faults of their layout."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import pytest

from helpers.browsing import skip_or_fail

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SIZES = {320: 640, 390: 844, 1280: 800}
"""Height of a window by its width: a narrow phone, a usual one, a small desktop."""
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def looks(first: int, second: int) -> pytest.MarkDecorator:
    """Parametrize a test by `width` and `scheme`; each value of both is tried by day."""
    by_day = [(first, "light"), (second, "dark")]
    by_night = [(first, "dark"), (second, "light")]
    every = [*by_day, *(pytest.param(*look, marks=pytest.mark.nightly) for look in by_night)]
    return pytest.mark.parametrize(("width", "scheme"), every)


@dataclass
class Heard:
    """Messages in the console of a page, violations of its policy included, and what it loaded."""

    messages: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)


@contextmanager
def opened(
    browser: Browser, width: int = 1280, *, scheme: Scheme = "light", scripts: bool = True
) -> Iterator[tuple[Page, Heard]]:
    """A page in a context of its own, so nothing is in a cache."""
    context = browser.new_context(
        viewport={"width": width, "height": SIZES[width]},
        color_scheme=scheme,
        java_script_enabled=scripts,
    )
    page = context.new_page()
    heard = Heard()
    page.on("console", lambda message: heard.messages.append(message.text))
    page.on("pageerror", lambda error: heard.messages.append(str(error)))
    page.on("request", lambda request: heard.loaded.append(request.url))
    yield page, heard
    context.close()


def until(page: Page, check: Callable[[], bool]) -> None:
    """Wait until it is true: `wait_for_function` would need `eval`, which the policy refuses."""
    deadline = time.monotonic() + 10
    while not check():
        assert time.monotonic() < deadline, "it did not happen"
        page.wait_for_timeout(50)


def first_views(browser: Browser, addresses: Sequence[str], width: int) -> list[list[str]]:
    """What is requested for each address, with nothing in a cache; all are waited for together.

    The icon of the site is added where a page names one: browsers load it without an event.
    """
    with ExitStack() as stack:
        views = [stack.enter_context(opened(browser, width)) for _ in addresses]
        for (page, _), address in zip(views, addresses, strict=True):
            page.goto(address, wait_until="commit")
        for page, heard in views:
            page.wait_for_load_state("networkidle")
            for link in page.locator("link[rel=icon]").all():
                icon = link.evaluate("link => matchMedia(link.media || 'all').matches && link.href")
                if icon and icon not in heard.loaded:
                    heard.loaded.append(icon)
        return [heard.loaded for _, heard in views]


def shell(loaded: Iterable[str]) -> list[str]:
    """The requests that every page of a kind makes, whatever pictures there are."""
    return [url for url in loaded if "/icons/" not in url and "/blobs/" not in url]


def faults(browser: Browser, address: str, paths: Iterable[str], width: int) -> list[str]:
    """Pages that scroll sideways, log an error, or load something from another host."""
    faulty = []
    with opened(browser, width) as (page, heard):
        for path in paths:
            heard.messages.clear()
            heard.loaded.clear()
            page.goto(address + path)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                faulty.append(f"{path}: scrolls sideways at {width}")
            faulty += [f"{path}: {line}" for line in heard.messages]
            faulty += [f"{path}: {url}" for url in heard.loaded if not url.startswith(address)]
    return faulty


def all_faults(browser: Browser, address: str, paths: Sequence[str]) -> Iterator[str]:
    """What is wrong with pages at 320 pixels, and then in both color schemes at two widths."""
    yield from faults(browser, address, paths, 320)
    with opened(browser) as (page, _):
        for path in paths:
            page.goto(address + path)
            yield from (f"{path}: {fault}" for fault in resized(page))


def resized(page: Page) -> Iterator[str]:
    """What is wrong with a page at other sizes and in both schemes, without loading it again."""
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": SIZES[width]})
        if page.evaluate("document.documentElement.scrollWidth") > width:
            yield f"scrolls sideways at {width}"
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            yield from (f"{width} {scheme} {rule} {where}" for rule, where in axe(page))


def violations(
    browser: Browser, address: str, paths: Iterable[str], width: int, scheme: Scheme
) -> list[tuple[str, str, str]]:
    """Page, rule and element of whatever axe finds."""
    broken = []
    with opened(browser, width, scheme=scheme) as (page, _):
        for path in paths:
            page.goto(address + path)
            broken += [(path, rule, element) for rule, element in axe(page)]
    return broken


def axe(page: Page) -> list[tuple[str, str]]:
    """The rules that a page breaks, each with the first element that does."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        skip_or_fail("axe-playwright-python is not installed: pip install --editable '.[browser]'")
    results = Axe().run(page, options={"runOnly": RULES}).response
    return [(item["id"], item["nodes"][0]["html"]) for item in results["violations"]]
