"""Three releases of one output, and what a place holds, for tests of `publish`."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.model import Digest
from skillbuild.output import upload, verify
from skillbuild.storage import disk

FILES: repos.Files = {
    "skills/pdf/SKILL.md": skill_md("pdf"),
    "skills/pdf/number": "0\n",
    "skills/csv/SKILL.md": skill_md("csv"),
    "skills/svg/SKILL.md": skill_md("svg"),
}
Releases = tuple[Path, Path, Path]


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Releases:
    """Three releases; the second and the third are each the next after the first."""
    folder = tmp_path_factory.mktemp("releases")
    repo = repos.repository(folder / "repo", FILES)
    repos.build(repo, folder / "old")
    for name, number in (("new", 1), ("other", 2)):
        changed = {path: text for path, text in FILES.items() if "csv" not in path}
        repos.commit(repo, {**changed, "skills/pdf/number": f"{number}\n"}, day=number)
        repos.build(repo, folder / name, previous=folder / "old")
    return folder / "old", folder / "new", folder / "other"


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Publishers that do not wait long to see whether another one was killed."""
    monkeypatch.setattr(upload, "PATIENCE", 0.2)
    monkeypatch.setattr(upload, "RENEW_EVERY", 0.05)


def content(out: Path) -> dict[str, bytes]:
    return {path: (out / path).read_bytes() for path in disk.files_below(out)}


def digest_of(out: Path) -> Digest:
    return verify.verify(out).release.release_digest
