"""The `preview` command: builds the working tree on every change and serves the pages on 127.0.0.1.

The output is a temporary directory. Each page is served with a script that reloads the page; this
script is not in the output.
"""

from __future__ import annotations

import argparse
import html
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from skillbuild import assets, build
from skillbuild.cli.console import path_from_here, with_folded
from skillbuild.diagnostics import escape, hint_from, takes_utf8
from skillbuild.errors import ConfigError, SkillbuildError
from skillbuild.media.types import is_text
from skillbuild.report.findings import grouped_lines, text_lines
from skillbuild.report.last_lines import numbers_text
from skillbuild.source import tree
from skillbuild.text.wording import some

_SCRIPT = "/-preview.js"
_STATE = "/-preview.txt"
_TAG = f'<script src="{_SCRIPT}" defer></script>\n</head>'.encode()
_TYPES = {"html": "text/html; charset=utf-8", "css": "text/css", "js": "text/javascript"}
_TYPES |= {"svg": "image/svg+xml", "png": "image/png", "json": "application/json"}
_BYTES = "application/octet-stream"
_MISSING = (
    "<!doctype html><html><head><title>Missing</title></head>{} is not in the catalog.</html>"
)
_PAUSE = 0.5
"""Seconds between two checks of the source for changes."""
_LONGEST_POLL = 20.0
"""Seconds after which a page that polls gets an answer, even if nothing changed."""
_LOCAL = ("127.0.0.1", "localhost")
_MOST_NAMED = 5
"""Maximum number of skills that a line about skipped skills names."""

Say = Callable[[str], None]
"""A function that prints a line on the terminal."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The result of a build of the working tree, as lines of text."""

    errors: tuple[str, ...]
    """Lines that the pages show."""
    findings: tuple[str, ...]
    """Lines that the terminal shows, including warnings."""
    closing: str


class _Server(ThreadingHTTPServer):
    """An HTTP server that logs nothing when a browser disconnects early."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@dataclass
class Site:
    """The state of the preview: the last successful build, and the errors in the source."""

    folder: Path
    generation: int = 0
    """The number of builds so far, successful or not."""
    faults: tuple[str, ...] = ()
    """Lines about the errors of the last build."""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def show(self, faults: tuple[str, ...]) -> None:
        """Tell every waiting page that a build has ended."""
        with self.changed:
            self.generation += 1
            self.faults = faults
            self.changed.notify_all()

    def wait(self, seen: int, seconds: float) -> str:
        """Wait until the number of builds differs from `seen`, or `seconds` have passed.

        Returns the number of builds on the first line, followed by the lines about errors.
        """
        with self.changed:
            self.changed.wait_for(lambda: self.generation != seen, seconds)
            return "\n".join([str(self.generation), *self.faults])


def run(options: argparse.Namespace) -> int:
    """Serve a preview until the process is interrupted; messages go to standard error."""
    serve_preview(
        Path(options.repo), options.port, lambda line: print(line, file=sys.stderr, flush=True)
    )
    return 0


def serve_preview(repo: Path, port: int, say: Say) -> None:
    """Serve a preview and print its URL. If `port` is 0, a free port is used. Does not return."""
    tree.open_for_check(repo, None)
    with tempfile.TemporaryDirectory(prefix="skillbuild-preview-") as folder:
        site = Site(Path(folder) / "out")
        listening = server(site, port)
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        try:
            say(f"http://127.0.0.1:{listening.server_port}/")
            watch(repo, site, say)
        finally:
            listening.shutdown()


def server(site: Site, port: int) -> ThreadingHTTPServer:
    """Return the HTTP server of a preview, reachable only from this machine."""
    try:
        return _Server(("127.0.0.1", port), _handler(site))
    except (OSError, OverflowError) as error:
        reason = (getattr(error, "strerror", "") or str(error)).lower().rstrip(".")
        where = f"127.0.0.1:{port}"
        raise ConfigError(f"cannot listen on {where}: {reason}; choose another port") from error


def watch(repo: Path, site: Site, say: Say) -> None:
    """Build at the start, and whenever a file of the source is added, removed or changed. A file
    counts as changed if its size or timestamp differs. Does not return.
    """
    seen = None
    last: tuple[str, ...] = ()
    while True:
        state = fingerprint(repo)
        if state != seen:
            seen = state
            started = time.monotonic()
            rebuilt = rebuild(repo, site.folder)
            site.show(rebuilt.errors)
            for line in rebuilt.findings if rebuilt.findings != last else ():
                say(line)
            last = rebuilt.findings
            say(f"{rebuilt.closing} in {time.monotonic() - started:.1f} s")
        time.sleep(_PAUSE)


def fingerprint(repo: Path) -> tuple[tuple[str, str, int, int], ...]:
    """Return the path, kind, size and timestamp of every file and link of the source, sorted. The
    result is empty if the source cannot be read.
    """
    try:
        leaves = tree.open_for_check(repo, None).leaves()
    except SkillbuildError:
        return ()
    state = []
    for leaf in leaves:
        try:
            status = (repo / leaf.path).lstat()
        except OSError:
            continue
        state.append((leaf.path, leaf.kind, status.st_size, status.st_mtime_ns))
    return tuple(sorted(state))


def rebuild(repo: Path, out: Path) -> Rebuilt:
    """Build the working tree, leaving out invalid skills."""
    utf8 = takes_utf8(sys.stderr)
    try:
        origin = tree.open_for_check(repo, None)
        leaves = origin.leaves()
        settings = tree.read_config(origin, leaves).but(base_url=None)
        options = build.Options(skip_invalid=True, allow_empty=True)
        request = build.Request(origin, leaves, settings, options)
        report = with_folded(build.preview(request, out), request)
    except SkillbuildError as error:
        line = escape(str(error), utf8=utf8)
        return Rebuilt((line,), (line,), "the working tree cannot be built")
    start = path_from_here(repo)
    findings = [hint_from(start, finding) for finding in report.findings if not finding.is_note]
    errors = [finding for finding in findings if finding.is_error]
    return Rebuilt(
        tuple(text_lines(errors, origin.prefix, color=False, utf8=utf8)),
        tuple(grouped_lines(findings, origin.prefix, color=False, utf8=utf8)),
        f"working tree: {numbers_text(report)}{_left_out(report, utf8=utf8)}",
    )


def _left_out(report: build.Report, *, utf8: bool) -> str:
    """Return `; left out: skills/a, skills/b`, the skills with errors; empty if there are none."""
    if not report.invalid:
        return ""
    names = [escape(path or "the skill at the root", utf8=utf8) for path in report.invalid]
    return f"; left out: {some(names, _MOST_NAMED)}"


def answer(site: Site, target: str) -> tuple[HTTPStatus, str, bytes]:
    """Return the status, media type and body of the response to a request. Only the script and the
    state of the preview, and the files in the output, are served.
    """
    parts = urlsplit(target)
    if parts.path == _STATE:
        seen = int(parts.query) if parts.query.isdecimal() else -1
        state = site.wait(seen, _LONGEST_POLL)
        return HTTPStatus.OK, "text/plain; charset=utf-8", state.encode()
    if parts.path == _SCRIPT:
        script = assets.asset_root("site_src") / "preview.js"
        return HTTPStatus.OK, _TYPES["js"], script.read_bytes()
    return _file(site, unquote(parts.path).lstrip("/"))


def _file(site: Site, path: str) -> tuple[HTTPStatus, str, bytes]:
    """Return the status, media type and body for a path in the output."""
    path += "index.html" if not path or path.endswith("/") else ""
    file = (site.folder / path).resolve()
    if not file.is_relative_to(site.folder.resolve()) or not file.is_file():
        page = _MISSING.format(html.escape(path)).encode()
        return HTTPStatus.NOT_FOUND, _TYPES["html"], page.replace(b"</head>", _TAG)
    data = file.read_bytes()
    kind = _TYPES.get(path.rpartition(".")[2], _BYTES)
    if kind == _BYTES and is_text(data) and not path.startswith("blobs/"):
        kind = "text/plain; charset=utf-8"
    if path.endswith(".html"):
        data = data.replace(b"</head>", _TAG, 1)
    return HTTPStatus.OK, kind, data


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers only requests whose `Host` header names this machine, so that no website can read
        the previewed pages.
        """

        def do_GET(self) -> None:
            host = self.headers.get("Host", "").partition(":")[0]
            if host not in _LOCAL:
                self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
                return
            status, kind, data = answer(site, self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing, so that requests do not clutter the terminal."""

    return Handler
