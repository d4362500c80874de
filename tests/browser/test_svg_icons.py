"""SVG icons opened as documents of their own: the browser runs and loads nothing of them."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.browsing import served
from helpers.svgs import HARMLESS, PIECES, svg
from skillbuild.media import icons
from skillbuild.media.raster import IconError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Dialog, Request

    Happens = Callable[[bytes, int], list[str]]


@pytest.fixture(scope="module")
def happens(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Happens]:
    """What a browser does beyond drawing when an SVG is opened: dialogs, requests, navigation.

    Each SVG is opened in a page of its own, so that a late event is not counted for the next one.
    `wait_ms` is how long to wait for the first event.
    """
    folder = tmp_path_factory.mktemp("icons")
    (folder / "404.html").write_text("missing")
    with served(folder) as site:
        address = f"{site}icon.svg"

        def opened(data: bytes, wait_ms: int) -> list[str]:
            seen: list[str] = []

            def dialog(shown: Dialog) -> None:
                seen.append(f"dialog {shown.message}")
                shown.dismiss()

            def request(sent: Request) -> None:
                if sent.url != address and not sent.url.startswith("data:image/"):
                    seen.append(sent.url)

            (folder / "icon.svg").write_bytes(data)
            page = browser.new_page()
            page.on("dialog", dialog)
            page.on("request", request)
            page.route(lambda url: not url.startswith(site), lambda route: route.fulfill(body=""))
            page.goto(address, wait_until="load")
            page.mouse.click(20, 20)
            end = monotonic() + wait_ms / 1000
            while not seen and monotonic() < end:
                page.wait_for_timeout(20)
            page.close()
            return seen

        yield opened


@pytest.mark.parametrize(
    "data",
    [
        svg("<script>alert(1)</script>"),
        svg("", "onload='alert(1)'"),
        svg("<image href='//evil.example/pixel.png' width='8' height='8'/>"),
        svg("<style>@import '//evil.example/x.css';</style>"),
        svg(
            "<a href='//evil.example'><rect width='8' height='8'/></a>", "width='400' height='400'"
        ),
    ],
    ids=["script", "handler", "image", "style", "link"],
)
def test_an_attack_is_seen(happens: Happens, data: bytes) -> None:
    assert happens(data, 10_000)


def test_nothing_happens_in_what_is_published(happens: Happens) -> None:
    for name, content in HARMLESS.items():
        data = svg(content)
        assert icons.clean(data).data == data
        assert happens(data, 100) == [], name


@settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=150,
)
@given(st.lists(st.sampled_from([*PIECES, *HARMLESS.values()]), min_size=1, max_size=4))
@pytest.mark.nightly
def test_nothing_happens_in_any_mixture_that_passes(happens: Happens, parts: list[str]) -> None:
    data = svg("".join(parts))
    try:
        icons.clean(data)
    except IconError:
        return
    assert happens(data, 100) == []
