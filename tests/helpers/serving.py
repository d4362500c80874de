"""Fixtures for tests of the server: releases built from small repositories, and clients of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import Program, skill_md
from helpers.talk import ERAS, NEW, OLD, Client, Http, HttpServer, Stdio

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
