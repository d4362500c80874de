"""A browser and the example catalog behind a web server, under `/repo/`.

Without a browser these tests are skipped, unless `SKILLBUILD_BROWSER=required` says that it is a
failure. `apt-get install chromium` and `pip install --editable '.[browser]'` give one.
"""

from __future__ import annotations

import gzip
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from helpers import TESTS, repos
from helpers.web import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_EXAMPLE = TESTS / "example"
_BINARIES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first is the same browser without its own pages, which takes four fifths of the time."""


class _Site(SimpleHTTPRequestHandler):
    """Serves as static hosts do: text compressed, connections reused, a page for a miss."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Writes nothing: the output is that of the tests."""

    def handle(self) -> None:
        """Browsers close connections at any time."""
        with suppress(ConnectionError):
            super().handle()

    def do_GET(self) -> None:
        wanted = Path(self.translate_path(self.path.removeprefix("/repo")))
        file = wanted / "index.html" if wanted.is_dir() else wanted
        self._answer(200, file) if file.is_file() else self._answer(404, self._missing)

    @property
    def _missing(self) -> Path:
        return Path(self.translate_path("/404.html"))

    def _answer(self, status: int, file: Path) -> None:
        data = file.read_bytes()
        kind = self.guess_type(file)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if kind.startswith(("text/", "image/svg")) or kind.endswith(("javascript", "json")):
            data = gzip.compress(data)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def served(out: Path) -> Iterator[str]:
    """The address of an output while it is served; ends with `/repo/`, like a project site."""
    server = Server(("127.0.0.1", 0), partial(_Site, directory=str(out)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/repo/"
    server.shutdown()
    server.server_close()


def chromium() -> str | None:
    return next((path for name in _BINARIES if (path := shutil.which(name))), None)


def example_files() -> dict[str, repos.Content]:
    """The example catalog as it would be committed."""
    files: dict[str, repos.Content] = {}
    for path in sorted(_EXAMPLE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            name = path.relative_to(_EXAMPLE).as_posix()
            data = path.read_bytes()
            files[name] = repos.Program(data.decode()) if data.startswith(b"#!") else data
    return files


def build_example(folder: Path, base_url: str) -> Path:
    """An output of the example catalog, published below an address."""
    files = example_files()
    config = files["skillbuild.toml"]
    assert isinstance(config, bytes)
    files["skillbuild.toml"] = f'base_url = "{base_url}"\n'.encode() + config
    repos.build(repos.repository(folder / "repo", files), folder / "out")
    return folder / "out"


def skip_or_fail(reason: str) -> NoReturn:
    """Skip, or fail where a browser is required."""
    if os.environ.get("SKILLBUILD_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def started() -> Iterator[Browser]:
    path = chromium()
    if path is None:
        skip_or_fail("no chromium on this machine: apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip_or_fail("playwright is not installed: pip install --editable '.[browser]'")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of the example catalog."""
    folder = tmp_path_factory.mktemp("site")
    repos.build(repos.repository(folder / "source", example_files()), folder / "out")
    return folder / "out"


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address
