"""The summary of a run of the GitHub Action, in Markdown and in JSON.

The summary is made from the reports of the steps and from the output that they built. In Markdown,
the text of a skill is always in a code span, and the summary is never longer than GitHub accepts.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from skillbuild.diagnostics import Finding, FoundAt, Severity
from skillbuild.errors import OutputError
from skillbuild.model import INTERNAL, Digest, Listing, LostSkill, is_internal
from skillbuild.output import verify
from skillbuild.release.compare import SkillChange
from skillbuild.release.layout import RECORD_FILE
from skillbuild.release.lost import REMOVED, Losses
from skillbuild.report.changes import changes_markdown, code_span
from skillbuild.report.findings import by_weight, copies_of, lost_annotations, some_places
from skillbuild.report.json_reports import (
    ChangedSkills,
    FindingNumbers,
    FindingsReport,
    OutputNumbers,
    SummaryReport,
    changes_from_json,
    dump_json,
    findings_from_json,
)
from skillbuild.report.lost import delisted_head, gone_head, lost_lines, why
from skillbuild.report.unlisted import WHY, head, remedy_for, unlisted_numbers
from skillbuild.storage import disk
from skillbuild.text.wording import TOO_LARGE, human_size, plural

MOST_LISTED = 100
"""Maximum number of listed findings of one severity."""
MOST_BYTES = 300_000
"""Maximum bytes of each section: changes, unlisted skills, and findings of each severity.

GitHub accepts 1 MiB from a step, and does not show a longer summary at all."""
LONGEST_TEXT = 300
"""Maximum number of characters shown of a path, message or hint."""
PAGES_LIMIT = 1_000_000_000
"""Maximum bytes of a site on GitHub Pages."""
_PAGES = "pages and the rest"
_KINDS = {"blobs": "skill files", "archives": "archives", ".well-known": "discovery"}
"""The kind of files in each top folder of an output; all other files are `_PAGES`."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a summary says about an output that was built."""

    skills: int
    release_digest: Digest
    commit: str
    sizes: Mapping[str, int]
    """Bytes by kind of file, in the order in which they are shown."""
    plugins_branch: str = ""
    """The branch for plugins in the settings; empty if they name none."""

    @property
    def size(self) -> int:
        return sum(self.sizes.values())


@dataclass(frozen=True, slots=True)
class Run:
    """The reports of a workflow run; None stands for a step that failed."""

    findings: FindingsReport | None
    changes: tuple[SkillChange, ...] | None
    output: Output | None
    source_url: str = ""
    """URL of the source, to which the paths of files are appended; empty if there is none."""


def read_run(findings: str | None, changes: str | None, out: Path, source_url: str) -> Run:
    """Return the reports and the output of a workflow run.

    `findings` is the path of the JSON report of `check` or `build`, `changes` is the path of the
    JSON report of `diff`, and `out` is the directory of the output. A missing or empty report means
    that the step failed. Raises `OutputError` if a file is not a report of the expected kind.
    """
    return Run(_read_findings(findings), _read_changes(changes), read_output(out), source_url)


def _read_findings(file: str | None) -> FindingsReport | None:
    data = _read(file)
    try:
        return findings_from_json(data) if data else None
    except (ValueError, KeyError, RecursionError) as error:
        raise OutputError(f"{file} is not a skillbuild report: {error}") from error


def _read_changes(file: str | None) -> tuple[SkillChange, ...] | None:
    data = _read(file)
    try:
        return changes_from_json(data) if data else None
    except (ValueError, RecursionError) as error:
        raise OutputError(f"{file} is not a skillbuild diff: {error}") from error


def _read(file: str | None) -> bytes | None:
    return disk.read(Path(file)) if file else None


def read_output(out: Path) -> Output | None:
    """Return what an output contains; None if nothing was published."""
    if not (out / RECORD_FILE).is_file():
        return None
    release = verify.load(out)
    sizes = dict.fromkeys((*_KINDS.values(), _PAGES), 0)
    for path in disk.files_below(out):
        sizes[_KINDS.get(path.partition("/")[0], _PAGES)] += (out / path).lstat().st_size
    catalog = release.catalog
    branch = catalog.plugins.branch if catalog.plugins else ""
    return Output(len(catalog.entries), release.release_digest, catalog.commit, sizes, branch)


def step_outputs(run: Run, out: Path) -> str:
    """Return the step outputs, as lines to append to the file that `GITHUB_OUTPUT` names.

    A line with a random delimiter follows each value, so that no text in a value can end the value
    early.
    """
    values = {
        "output-path": str(out.resolve()) if run.output else "",
        "release-digest": str(run.output.release_digest) if run.output else "",
        "skills-count": str(run.output.skills) if run.output else "",
        "plugins-branch": run.output.plugins_branch if run.output else "",
        "changed-skills": json.dumps([change.path for change in run.changes or ()]),
        "errors": str(run.findings.errors) if run.findings else "",
        "warnings": str(run.findings.warnings) if run.findings else "",
    }
    end = f"end-{secrets.token_hex(16)}"
    return "".join(f"{name}<<{end}\n{value}\n{end}\n" for name, value in values.items())


def markdown(run: Run) -> str:
    """Return the summary in Markdown: the outcome, counts and size, then changes, then findings."""
    parts = [_head(run), _numbers(run), _lost(run), _output(run), _unlisted(run), _changes(run)]
    parts += [_findings(run, severity) for severity in Severity]
    return "\n".join(line for part in parts for line in part) + "\n"


def as_json(run: Run) -> str:
    """Return the summary as one JSON object, a `SummaryReport`."""
    return dump_json(
        SummaryReport(
            None if run.output is None else _output_numbers(run.output),
            None if run.findings is None else _finding_numbers(run.findings),
            None if run.changes is None else _changed_skills(run.changes),
            losses_of(run).gone,
        )
    )


def _output_numbers(output: Output) -> OutputNumbers:
    digest, commit = output.release_digest, output.commit
    return OutputNumbers(output.skills, digest, commit, output.size, output.sizes)


def _finding_numbers(report: FindingsReport) -> FindingNumbers:
    return FindingNumbers(
        report.errors, report.warnings, report.notes, report.unlisted, report.internal
    )


def _changed_skills(changes: Sequence[SkillChange]) -> ChangedSkills:
    def of_kind(kind: str) -> tuple[str, ...]:
        return tuple(change.path for change in changes if change.kind == kind)

    return ChangedSkills(
        added=of_kind("added"),
        changed=of_kind("changed"),
        renamed=of_kind("renamed"),
        removed=of_kind("removed"),
        deprecated=tuple(change.path for change in changes if change.is_newly_deprecated),
        signals={change.path: change.signals for change in changes if change.signals},
    )


def _head(run: Run) -> Iterator[str]:
    errors = run.findings.errors if run.findings else 0
    if run.output is not None:
        clean = not errors and not (run.findings and run.findings.warnings)
        mark = "\u2705" if clean else "\u26a0\ufe0f"
        left_out = f"; {plural(errors, 'error')} in skills that are left out" if errors else ""
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
    report = run.findings
    size = human_size(run.output.size) if run.output else "not built"
    numbers = (report.skills, report.files, report.errors, report.warnings)
    yield "| skills | files | errors | warnings | size |"
    yield "|---:|---:|---:|---:|---:|"
    yield "| " + " | ".join([*(f"{number:,}" for number in numbers), size]) + " |"
    yield ""
    if unlisted := ", ".join(unlisted_numbers(report.unlisted, report.internal)):
        yield f"Not listed everywhere: {unlisted}."
        yield ""
    if report.copies:
        yield f"Directories with a copy of a skill: {len(report.copies):,}."
        yield ""


def losses_of(run: Run) -> Losses:
    """Return the losses since the last release. They are taken from the build report or, if it
    names none, from the comparison.
    """
    report = run.findings
    if report is not None and (report.gone or report.delisted):
        return Losses(report.gone, report.delisted)
    return _losses_in(run.changes or ())


def _losses_in(changes: Sequence[SkillChange]) -> Losses:
    """Return the losses according to a comparison; a moved skill is not lost."""
    gone, delisted = [], []
    for change in changes:
        if change.kind == "removed":
            gone.append(LostSkill(change.path, change.reason or REMOVED))
        elif change.kind == "added" or is_internal(change.unlisted.old):
            continue  # The skill was in no list.
        elif is_internal(change.unlisted.new):
            gone.append(LostSkill(change.path, INTERNAL))
        elif Listing.MCP in change.unlisted.new and Listing.MCP not in change.unlisted.old:
            delisted.append(change.path)
    return Losses(tuple(gone), tuple(delisted))


def lost_warnings(run: Run) -> Iterator[str]:
    """Yield workflow commands that warn about skills that were lost since the last release."""
    lost = losses_of(run)
    unlisted = run.findings.unlisted.get(Listing.MCP, {}) if run.findings else {}
    yield from lost_annotations(lost_lines(lost.gone, lost.delisted, unlisted))


def _lost(run: Run) -> Iterator[str]:
    """Yield a section about what the last release had and this one lacks; nothing if there is no
    loss.
    """
    lost = losses_of(run)
    if lost.gone:
        yield f"<details><summary><b>{gone_head(lost.gone)}</b></summary>"
        yield ""
        lines = (f"- {code_span(each.path)}: {code_span(why(each))}" for each in lost.gone)
        yield from _bounded(lines, MOST_BYTES // len(Listing))
        yield from ("", "</details>", "")
    if lost.delisted:
        yield f"<details><summary><b>{delisted_head(lost.delisted)}</b></summary>"
        yield ""
        lines = (f"- {code_span(path)}" for path in lost.delisted)
        yield from _bounded(lines, MOST_BYTES // len(Listing))
        yield from ("", "</details>", "")


def _output(run: Run) -> Iterator[str]:
    if run.output is None:
        return
    yield f"Release `{run.output.release_digest}`, built from commit `{run.output.commit}`."
    sizes = ", ".join(f"{kind} {human_size(size)}" for kind, size in run.output.sizes.items())
    share = run.output.size / PAGES_LIMIT
    used = f"; {share:.0%} of the GitHub Pages limit" if share > 0.01 else ""
    yield f"Size: {sizes}{used}."
    if share > 0.5:
        yield ""
        yield f"**{TOO_LARGE}.**"
    yield ""


def _unlisted(run: Run) -> Iterator[str]:
    """Yield, for each listing, the skills that it omits, with the reasons and the remedy."""
    for listing, skills in run.findings.unlisted.items() if run.findings else ():
        yield f"<details><summary><b>{head(listing, skills)}</b></summary>"
        yield ""
        if remedy := remedy_for(listing, skills):
            yield f"{WHY}. To list them, {code_span(remedy)}."
            yield ""
        lines = (
            f"- {code_span(path, LONGEST_TEXT)}: {code_span(', '.join(codes))}"
            for path, codes in skills.items()
        )
        yield from _bounded(lines, MOST_BYTES // len(Listing))
        yield ""
        yield "</details>"
        yield ""


def _changes(run: Run) -> Iterator[str]:
    if run.changes is None:
        return
    yield "### Changes compared with the published catalog"
    yield ""
    yield from _bounded(changes_markdown(run.changes))
    yield ""


def _findings(run: Run, severity: Severity) -> Iterator[str]:
    findings = run.findings.findings if run.findings else ()
    ordered = by_weight([finding for finding in findings if finding.severity is severity])
    if not ordered:
        return
    open_ = " open" if severity is Severity.ERROR else ""
    yield f"<details{open_}><summary><b>{plural(len(ordered), severity)}</b></summary>"
    yield ""
    listed = ordered[:MOST_LISTED]
    yield from _bounded(line for finding in listed for line in _finding(finding, run.source_url))
    if len(ordered) > MOST_LISTED:
        yield f"- and {len(ordered) - MOST_LISTED:,} more; see the log or the SARIF report"
    yield ""
    yield "</details>"
    yield ""


def _finding(finding: Finding, source_url: str) -> Iterator[str]:
    """Yield the lines of a list item: place, rule, message, hint and a few other places, with
    links.
    """
    message = code_span(finding.message, LONGEST_TEXT) + copies_of(finding)
    yield f"- {_place(finding, source_url)} **{finding.code}**: {message}"
    if finding.hint:
        yield f"  <br>{code_span(finding.hint, LONGEST_TEXT)}"
    if others := some_places(finding, lambda place: _place(place, source_url)):
        yield f"  <br>also at {others}"


def _place(found: Finding | FoundAt, source_url: str) -> str:
    """Return the path, line and column, as a link if there is a URL."""
    position = f":{found.place.line}:{found.place.column}" if found.place else ""
    where = code_span(f"{found.path}{position}", LONGEST_TEXT)
    if not source_url:
        return where
    line = f"#L{found.place.line}" if found.place else ""
    return f"[{where}]({source_url}/{quote(found.path)}{line})"


def _bounded(lines: Iterable[str], most: int = MOST_BYTES) -> Iterator[str]:
    """Yield lines up to `most` bytes, and then how many lines were dropped."""
    left, dropped = most, 0
    for line in lines:
        left -= len(line.encode()) + 1
        if left < 0:
            dropped += 1
        else:
            yield line
    if dropped:
        yield f"\n*and {plural(dropped, 'more line')}*"
