"""How a run ended, for GitHub: a job summary in Markdown, and the outputs of the Action.

It is made of the reports that `check`, `build` and `diff` left behind, and of the output.
Nothing a skill says leaves its code span, and the whole stays within what GitHub takes.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from skillbuild.diagnostics import Finding, Severity, escape
from skillbuild.errors import OutputError
from skillbuild.model import Digest, Place
from skillbuild.output import verify
from skillbuild.release.compare import SkillChange
from skillbuild.release.layout import RECORD_FILE
from skillbuild.report.changes import changes_from_json, code_span, render_changes
from skillbuild.report.findings import by_weight
from skillbuild.rules.registry import RULES
from skillbuild.storage import disk
from skillbuild.text.json_fields import Fields
from skillbuild.text.wording import TOO_LARGE, human_size, plural

MOST_OF_ONE = 100
"""Findings of one severity that are listed."""
MOST_BYTES = 300_000
"""Of each part; GitHub takes 1 MiB for a step and shows nothing of a longer summary."""
LONGEST_TEXT = 300
PAGES_LIMIT = 1_000_000_000
"""Bytes of a site that GitHub Pages takes."""


@dataclass(frozen=True, slots=True)
class FindingsReport:
    """What `--format json` of check or build says."""

    skills: int
    files: int
    errors: int
    warnings: int
    unlisted: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """What was built: how many skills, the digest of its index, its commit, its bytes by kind."""

    skills: int
    index_digest: Digest
    commit: str
    sizes: Mapping[str, int]

    @property
    def size(self) -> int:
        return sum(self.sizes.values())


@dataclass(frozen=True, slots=True)
class Run:
    """Everything there is to tell; None is what the run did not come to."""

    findings: FindingsReport | None
    changes: tuple[SkillChange, ...] | None
    output: Output | None
    source_url: str = ""
    """Where the files of the source can be read; paths are appended."""


def read_run(findings: str | None, changes: str | None, out: Path, source_url: str) -> Run:
    """The reports, each of which may be missing or empty: then its step did not end well."""
    return Run(_findings_in(findings), _changes_in(changes), read_output(out), source_url)


def _findings_in(path: str | None) -> FindingsReport | None:
    top = _document(path)
    if top is None:
        return None
    try:
        return FindingsReport(
            skills=top.number("skills"),
            files=top.number("files"),
            errors=top.number("errors"),
            warnings=top.number("warnings"),
            unlisted=top.number("unlisted"),
            findings=tuple(map(_finding_in, top.each("diagnostics"))),
        )
    except (ValueError, KeyError) as error:
        raise OutputError(f"{path} is no report of skillbuild: {error}") from error


def _finding_in(item: Fields) -> Finding:
    line = item.maybe_number("line")
    place = None if line is None else Place(line, item.number("column"))
    return Finding(
        rule=RULES[item.text("code")],
        path=item.text("path"),
        place=place,
        message=item.text("message"),
        hint=item.text("hint"),
        severity=Severity(item.text("severity")),
    )


def _changes_in(path: str | None) -> tuple[SkillChange, ...] | None:
    top = _document(path)
    if top is None:
        return None
    try:
        return changes_from_json(top)
    except ValueError as error:
        raise OutputError(f"{path} is no comparison of skillbuild: {error}") from error


def _document(path: str | None) -> Fields | None:
    data = disk.read(Path(path)) if path else None
    if not data:
        return None
    try:
        return Fields(json.loads(data), "report")
    except (ValueError, RecursionError) as error:
        raise OutputError(f"{path} is damaged: {error}") from error


def read_output(out: Path) -> Output | None:
    if not (out / RECORD_FILE).is_file():
        return None
    release = verify.load(out)
    sizes = dict.fromkeys(("skill files", "archives", "discovery", "pages and the rest"), 0)
    for path in disk.files_below(out):
        kind = _KINDS.get(path.partition("/")[0], "pages and the rest")
        sizes[kind] += (out / path).lstat().st_size
    catalog = release.catalog
    return Output(len(catalog.entries), release.index_digest, catalog.commit, sizes)


_KINDS = {"blobs": "skill files", "archives": "archives", ".well-known": "discovery"}


def append_outputs(run: Run, out: Path, file: Path) -> None:
    disk.write_text(file, outputs(run, out), append=True)


def outputs(run: Run, out: Path) -> str:
    """For the file that `GITHUB_OUTPUT` names; no value can end early, whatever is in it."""
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


def markdown(run: Run) -> str:
    """The job summary: what matters at a glance first, then what changed, then the findings."""
    parts = [_head(run), _numbers(run), _output(run), _changes(run)]
    parts += [_findings(run, severity) for severity in Severity]
    return "\n".join(line for part in parts for line in part) + "\n"


def _bounded(lines: Iterable[str]) -> Iterator[str]:
    """As many lines as fit, and how many did not."""
    left, dropped = MOST_BYTES, 0
    for line in lines:
        left -= len(line.encode()) + 1
        if left < 0:
            dropped += 1
        else:
            yield line
    if dropped:
        yield f"\n*and {dropped:,} more lines*"


def _head(run: Run) -> Iterator[str]:
    errors = run.findings.errors if run.findings else 0
    if run.output is not None:
        clean = not errors and not (run.findings and run.findings.warnings)
        mark = "\u2705" if clean else "\u26a0\ufe0f"
        left_out = f"; {plural(errors, 'error')} in what is left out" if errors else ""
        yield f"## {mark} A catalog of {plural(run.output.skills, 'skill')}{left_out}"
    elif run.findings is not None:
        why = plural(errors, "error") if errors else "the log says why"
        yield f"## \u274c No catalog: {why}"
    else:
        yield "## \u274c skillbuild could not run; the log says why"
    yield ""


def _numbers(run: Run) -> Iterator[str]:
    if run.findings is None:
        return
    one = run.findings
    size = human_size(run.output.size) if run.output else "not built"
    yield "| skills | files | errors | warnings | unlisted | size |"
    yield "|---:|---:|---:|---:|---:|---:|"
    counts = (one.skills, one.files, one.errors, one.warnings, one.unlisted)
    yield "| " + " | ".join([*(f"{count:,}" for count in counts), size]) + " |"
    yield ""


def _output(run: Run) -> Iterator[str]:
    if run.output is None:
        return
    yield f"Index `{run.output.index_digest}`, built from commit `{run.output.commit}`."
    sizes = ", ".join(f"{kind} {human_size(size)}" for kind, size in run.output.sizes.items())
    share = run.output.size / PAGES_LIMIT
    used = f"; {share:.0%} of what GitHub Pages takes" if share > 0.01 else ""
    yield f"Size: {sizes}{used}."
    if share > 0.5:
        yield ""
        yield f"**{TOO_LARGE}.**"
    yield ""


def _changes(run: Run) -> Iterator[str]:
    if run.changes is None:
        return
    yield "### What changed since the published catalog"
    yield ""
    yield from _bounded(render_changes(run.changes, "markdown").splitlines())
    yield ""


def _findings(run: Run, severity: Severity) -> Iterator[str]:
    found = run.findings.findings if run.findings else ()
    items = by_weight([item for item in found if item.severity is severity])
    if not items:
        return
    open_ = " open" if severity is Severity.ERROR else ""
    yield f"<details{open_}><summary><b>{plural(len(items), severity)}</b></summary>"
    yield ""
    listed = items[:MOST_OF_ONE]
    yield from _bounded(line for item in listed for line in _finding(item, run.source_url))
    if len(items) > MOST_OF_ONE:
        yield f"- and {len(items) - MOST_OF_ONE:,} more, in the log and the SARIF report"
    yield ""
    yield "</details>"
    yield ""


def _finding(item: Finding, source_url: str) -> Iterator[str]:
    place = f":{item.place.line}:{item.place.column}" if item.place else ""
    where = code(f"{item.path}{place}")
    if source_url:
        line = f"#L{item.place.line}" if item.place else ""
        where = f"[{where}]({source_url}/{quote(item.path)}{line})"
    yield f"- {where} **{item.rule.code}**: {code(item.message)}"
    if item.hint:
        yield f"  <br>{code(item.hint)}"


def code(text: str) -> str:
    """A code span that no text can break out of; a long text is cut."""
    safe = escape(text)
    return code_span(safe if len(safe) <= LONGEST_TEXT else f"{safe[:LONGEST_TEXT]}...")
