"""Fixtures for tests of the server: releases built from small repositories, and clients of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from helpers import outputs, repos
from helpers.repos import Program, skill_md
from helpers.talk import ERAS, NEW, OLD, Client, Http, HttpServer, Stdio
from skillbuild.model import Digest, Entry, SizedDigest, changed
from skillbuild.release import record
from skillbuild.release.entries import EntryLines
from skillbuild.release.entry import encode_entry
from skillbuild.release.layout import SEARCH_FILE, blob_path
from skillbuild.release.parts import content
from skillbuild.release.search import writing
from skillbuild.release.search.numbers import Field
from skillbuild.text.terms import words
from skillbuild.uris import skill_uri

PDF = """\
---
name: pdf
description: Fills forms and splits pages.
license: MIT
metadata:
  version: "2.1.0"
  tags: "forms, documents"
---
Read [the guide](references/forms.md).
"""
LOGO = bytes(range(256)) * 4
FILES: repos.Files = {
    "skillbuild.toml": 'title = "Test Skills"\ntagline = "For tests"\n'
    'formats = ["discovery", "marketplace", "pages", "tar.gz", "zip"]\n'
    'website_url = "https://example.org/skills"\n',
    "skills/pdf/SKILL.md": PDF,
    "skills/pdf/references/forms.md": "# Forms\r\n\u00fcber alles \u2028 gut\n",
    "skills/pdf/scripts/fill.py": Program("#!/usr/bin/env python3\nprint('ok')\n"),
    "skills/pdf/templates/invoice.md": "# Invoice\n",
    "skills/pdf/templates/regional/eu.md": "# EU\n",
    "skills/pdf/assets/logo.bin": LOGO,
    "skills/pdf/empty.txt": "",
    "skills/acme/billing/refunds/SKILL.md": skill_md("refunds", "Pays back."),
    "skills/acme/support/refunds/SKILL.md": skill_md("refunds", "Talks about it."),
    "skills/acme/support/refunds/deep/SKILL.md": skill_md("deep", "Nested."),
    "skills/house/SKILL.md": "---\nname: house\ndescription: Ours alone.\nmetadata:\n"
    '  internal: "true"\n---\nDo it.\n',
    "skills/manifested/SKILL.md": skill_md("manifested", "Has its own file of that name."),
    "skills/manifested/_manifest": "mine\n",
}
MANY = 230


def built(folder: Path, files: repos.Files) -> Path:
    """The output of one commit of these files."""
    repo = repos.repository(folder / "repo", files)
    report = repos.build(repo, folder / "out")
    assert report.release is not None, report.findings
    return folder / "out"


def rebuilt(out: Path, files: repos.Files, day: int) -> None:
    """Publish the next commit over an output."""
    repo = out.parent / "repo"
    repos.commit(repo, files, day=day)
    assert repos.build(repo, out).release is not None


KINDS: repos.Files = {
    "skills/refunds/SKILL.md": skill_md("refunds", "Pays back. " * 90),
    "skills/refunds/forms/a.md": "# A\n",
    "skills/refunds/forms/b.md": "# B\n",
    "skills/long/SKILL.md": skill_md("long", "x" * 1100),
    "skills/house/SKILL.md": FILES["skills/house/SKILL.md"],
}
"""Skills that are listed, not listed for agents, and internal."""


def many_entries(out: Path, count: int, folders: int = 37) -> list[Entry]:
    """The entries of an output again and again, at other paths; sorted by path."""
    entries = list(outputs.record_of(out).catalog.entries)
    again = [
        _moved(entries[number * 7 % 10 % len(entries)], f"g{number % folders}/n{number:05}")
        for number in range(count)
    ]
    return sorted(again, key=lambda entry: entry.path)


def _moved(entry: Entry, folder: str) -> Entry:
    path = f"{folder}/{entry.name}"
    moved = [changed(item, uri=skill_uri(path, item.path)) for item in entry.resources]
    return changed(entry, path=path, uri=skill_uri(path), resources=tuple(moved))


def republish(out: Path, entries: Sequence[Entry]) -> None:
    """Publish the release of an output with other entries; its parts from before are removed.

    Their search finds them by their paths.
    """
    release = outputs.record_of(out)
    shutil.rmtree(out / "search")
    (out / "search").mkdir()
    searched = [entry for entry in entries if not entry.is_internal]
    for file in writing.write(list(map(_search_line, searched)), (), {}):
        (out / file.path).write_bytes(file.data)
    manifest = (out / SEARCH_FILE).read_bytes()
    (out / blob_path(Digest.of(manifest))).write_bytes(manifest)
    fixed = replace(release.fixed, search=SizedDigest.of(manifest))
    release = replace(release, fixed=fixed)
    former = EntryLines.of(release.catalog.entries).parts
    lines = EntryLines(list(map(encode_entry, entries)))
    release = replace(release, catalog=replace(release.catalog, entries=lines), source=b"")
    for number, part in enumerate(lines.parts):
        (out / part.path).parent.mkdir(parents=True, exist_ok=True)
        (out / part.path).write_bytes(content(lines.lines_of(number)))
    for path, data in record.stored_files(release).items():
        (out / path).unlink(missing_ok=True)
        (out / path).write_bytes(data)
    (out / ".catalog.json.new").write_bytes(record.encode(release))
    (out / ".catalog.json.new").replace(out / "catalog.json")
    for path in {part.path for part in former} - {part.path for part in lines.parts}:
        (out / path).unlink(missing_ok=True)


def _search_line(entry: Entry) -> bytes:
    row = [entry.path, "", "", "", 0, 0, [], "", "", "0" * 64]
    return writing.line_of(row, [[], [], [], []], {Field.PATH: words(entry.path)})


@pytest.fixture(scope="session")
def kinds_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("kinds"), KINDS)


@pytest.fixture(scope="session")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("served"), FILES)


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More skills than two pages hold, and one with a directory of as many files."""
    files = {f"skills/s{n:03}/SKILL.md": skill_md(f"s{n:03}") for n in range(MANY)}
    files |= {f"skills/s000/parts/p{n:03}.txt": f"{n}\n" for n in range(MANY)}
    return built(tmp_path_factory.mktemp("many"), files)


@pytest.fixture(scope="session")
def server(out: Path) -> Iterator[HttpServer]:
    with HttpServer(out) as running:
        yield running


@pytest.fixture(scope="session")
def clients(out: Path, server: HttpServer) -> Iterator[dict[str, Client]]:
    """One client of each transport and era, for tests that change nothing."""
    with Stdio(out, OLD) as old, Stdio(out, NEW) as new:
        over_http = {f"http {era}": Http(server, era) for era in ERAS}
        yield {f"stdio {OLD}": old, f"stdio {NEW}": new, **over_http}


@pytest.fixture(params=[f"{kind} {era}" for kind in ("stdio", "http") for era in ERAS])
def client(request: pytest.FixtureRequest, clients: dict[str, Client]) -> Client:
    return clients[request.param]


@pytest.fixture(scope="session")
def old(clients: dict[str, Client]) -> Client:
    return clients[f"stdio {OLD}"]


@pytest.fixture(scope="session")
def new(clients: dict[str, Client]) -> Client:
    return clients[f"stdio {NEW}"]


@pytest.fixture(scope="session")
def crowd(many: Path) -> Iterator[Client]:
    """A client of the release with many skills."""
    with Stdio(many, NEW) as client:
        yield client
