"""A browser and the example catalog behind a web server, under `/repo/`.

Without a browser these tests are skipped, unless `SKILLBUILD_BROWSER=required` says that it is a
failure. `apt-get install chromium` and `pip install playwright axe-playwright-python` give one.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import repos

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_EXAMPLE = Path(__file__).parent / "example"
_BINARIES = ("chromium", "chromium-browser", "google-chrome")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Tests have an output of their own."""


def chromium() -> str | None:
    return next((found for name in _BINARIES if (found := shutil.which(name))), None)


def example_files() -> dict[str, repos.Content]:
    """The example catalog as it would be committed."""
    files: dict[str, repos.Content] = {}
    for path in sorted(_EXAMPLE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            name = path.relative_to(_EXAMPLE).as_posix()
            data = path.read_bytes()
            files[name] = repos.Program(data.decode()) if data.startswith(b"#!") else data
    return files


def absent(reason: str) -> None:
    """Skip, or fail where a browser is required."""
    if os.environ.get("SKILLBUILD_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium()
    if path is None:
        absent("no chromium on this machine: apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("playwright is not installed: pip install skillbuild[browser]")
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example catalog in a folder `repo`, as a project site has it."""
    folder = tmp_path_factory.mktemp("site")
    repos.build(repos.repository(folder / "source", example_files()), folder / "www/repo")
    return folder / "www/repo"


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the example is served; ends with `/repo/`."""
    handler = partial(_Quiet, directory=str(site.parent))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/repo/"
    server.shutdown()
    server.server_close()
