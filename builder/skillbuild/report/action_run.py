"""How a run of the GitHub Action ended, from the reports of its steps and the output they built."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.output import verify
from skillbuild.release.compare import SkillChange
from skillbuild.release.layout import RECORD_FILE
from skillbuild.report.json_reports import FindingsReport, changes_from_json, findings_from_json
from skillbuild.storage import disk

_PAGES = "pages and the rest"
_KINDS = {"blobs": "skill files", "archives": "archives", ".well-known": "discovery"}
"""What files of an output are, by its top folders; all others are `_PAGES`."""


@dataclass(frozen=True, slots=True)
class Output:
    """An output that was built."""

    skills: int
    index_digest: Digest
    commit: str
    sizes: Mapping[str, int]
    """Bytes by kind of file, in the order in which they are shown."""

    @property
    def size(self) -> int:
        return sum(self.sizes.values())


@dataclass(frozen=True, slots=True)
class Run:
    """What a run came to; None stands for a step that did not end well."""

    findings: FindingsReport | None
    changes: tuple[SkillChange, ...] | None
    output: Output | None
    source_url: str = ""
    """Where the files of the source can be read; paths are appended. Empty if nowhere."""


def read_run(findings: str | None, changes: str | None, out: Path, source_url: str) -> Run:
    """Read the JSON of `check` or `build` and of `diff` from files, and what `out` holds.

    A file that is missing or empty counts as none; `OutputError` for one that is something else.
    """
    return Run(_read_findings(findings), _read_changes(changes), read_output(out), source_url)


def _read_findings(file: str | None) -> FindingsReport | None:
    data = _read(file)
    try:
        return findings_from_json(data) if data else None
    except (ValueError, KeyError, RecursionError) as error:
        raise OutputError(f"{file} is no report of skillbuild: {error}") from error


def _read_changes(file: str | None) -> tuple[SkillChange, ...] | None:
    data = _read(file)
    try:
        return changes_from_json(data) if data else None
    except (ValueError, RecursionError) as error:
        raise OutputError(f"{file} is no comparison of skillbuild: {error}") from error


def _read(file: str | None) -> bytes | None:
    return disk.read(Path(file)) if file else None


def read_output(out: Path) -> Output | None:
    """What an output holds; None where nothing was published."""
    if not (out / RECORD_FILE).is_file():
        return None
    release = verify.load(out)
    sizes = dict.fromkeys((*_KINDS.values(), _PAGES), 0)
    for path in disk.files_below(out):
        sizes[_KINDS.get(path.partition("/")[0], _PAGES)] += (out / path).lstat().st_size
    catalog = release.catalog
    return Output(len(catalog.entries), release.index_digest, catalog.commit, sizes)


def step_outputs(run: Run, out: Path) -> str:
    """Lines to append to the file that `GITHUB_OUTPUT` names.

    A value ends at a line of random digits, so that nothing in it can end it early.
    """
    values = {
        "output-path": str(out.resolve()) if run.output else "",
        "index-digest": str(run.output.index_digest) if run.output else "",
        "skills-count": str(run.output.skills) if run.output else "",
        "changed-skills": json.dumps([change.path for change in run.changes or ()]),
        "errors": str(run.findings.errors) if run.findings else "",
        "warnings": str(run.findings.warnings) if run.findings else "",
    }
    end = f"end-{secrets.token_hex(16)}"
    return "".join(f"{name}<<{end}\n{value}\n{end}\n" for name, value in values.items())
