"""Reads verdicts of scanners. A verdict is accepted only if it proves which content was scanned."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from skillbuild.check.trust.sarif import LARGEST_SARIF, Reported, SarifError, read_results
from skillbuild.config import TrustSettings
from skillbuild.diagnostics import Finding, finding
from skillbuild.model import LARGEST_SKILL, VERDICT_LEVELS, Digest, Place, ScannerVerdict, changed
from skillbuild.paths import inside
from skillbuild.rules import trust as rules
from skillbuild.setting_lines import SettingError
from skillbuild.source import git
from skillbuild.source.globs import matcher
from skillbuild.source.tree import Leaf, OutsideError, Reader, Source, read_outside
from skillbuild.text.wording import joined, plural

_MOST_FILES = 64
"""Maximum number of scanner files that are read."""
_MOST_COMMITS = 16
"""Maximum number of scanned commits that are looked up in git."""
MOST_VERDICTS = 100
"""Maximum number of verdicts of one skill; a hostile file could have a hundred thousand."""
_AGAIN = (
    "run the scanner again, and add the scanned commit to the report (versionControlProvenance)"
)
_UNKNOWN = "without a digest or a commit"
_CHANGED = "about files that have changed"
_ELSEWHERE = "about files that are not in the source"

Verdicts = Mapping[str, tuple[ScannerVerdict, ...]]
"""Verdicts by file; the paths are relative to the source."""


@dataclass(slots=True)
class _Reading:
    """Collects the verdicts of all scanner files, and findings about these files."""

    verdicts: defaultdict[str, list[ScannerVerdict]] = field(
        default_factory=lambda: defaultdict(list)
    )
    findings: list[Finding] = field(default_factory=list)


def read_verdicts(
    settings: TrustSettings, leaves: Sequence[Leaf], source: Source, reader: Reader
) -> tuple[Verdicts, tuple[Finding, ...]]:
    """Read the scanner files that the settings name.

    Returns the verdicts about files of the source, and the findings about scanner files. Raises
    `SettingError` if a glob matches no file, because a missing file would look as if a scanner had
    found nothing.
    """
    if not settings.verdicts:
        return {}, ()
    reading = _Reading()
    prover = _Prover(leaves, source, reader)
    for file in _files(settings, leaves):
        try:
            reported = [*read_results(read_outside(file, reader, LARGEST_SARIF))]
        except OutsideError as error:
            reading.findings.append(_unreadable(file, str(error), None))
        except SarifError as error:
            reading.findings.append(_unreadable(file, str(error), error.place))
        else:
            _take(reading, prover, file, reported)
    verdicts = {
        path: tuple(sorted({*found}, key=lambda each: each.rank))
        for path, found in reading.verdicts.items()
    }
    return verdicts, tuple(reading.findings)


def _files(settings: TrustSettings, leaves: Sequence[Leaf]) -> list[Leaf]:
    files: dict[str, Leaf] = {}
    for glob in settings.verdicts:
        is_covered = matcher((glob,))
        found = {leaf.path: leaf for leaf in leaves if leaf.is_file and is_covered(leaf.path)}
        if not found:
            raise SettingError(f"trust.verdicts: {glob} matches no file in the source", "verdicts")
        files |= found
    if len(files) > _MOST_FILES:
        message = f"trust.verdicts matches {len(files):,} files; the limit is {_MOST_FILES}"
        raise SettingError(message, "verdicts")
    return [files[path] for path in sorted(files)]


def _unreadable(file: Leaf, fault: str, place: Place | None) -> Finding:
    hint = "run the scanner again, or fix the `verdicts` setting in [trust]"
    return finding(rules.SCANNER_FILE, file.path, place, f"the file {fault}", hint)


def _take(reading: _Reading, prover: _Prover, file: Leaf, reported: Sequence[Reported]) -> None:
    reasons = Counter[str]()
    for each in reported:
        found = prover.prove(each)
        if isinstance(found, ScannerVerdict):
            reading.verdicts[found.path].append(found)
        else:
            reasons[found] += 1
    if reasons:
        parts = joined([f"{count:,} {reason}" for reason, count in sorted(reasons.items())])
        verb = "is" if reasons.total() == 1 else "are"
        message = (
            f"{reasons.total():,} of {plural(len(reported), 'result')} {verb} not shown: {parts}"
        )
        reading.findings.append(finding(rules.SCANNER_UNPROVEN, file.path, None, message, _AGAIN))


class _Prover:
    """Decides which results provably concern the current content of files."""

    def __init__(self, leaves: Sequence[Leaf], source: Source, reader: Reader) -> None:
        self._leaves = {leaf.path: leaf for leaf in leaves if leaf.is_file}
        self._source, self._reader = source, reader
        self._digests: dict[str, Digest | None] = {}
        self._blobs: dict[str, Mapping[str, str]] = {}
        """The blob ids of the files of each commit."""
        self._unchanged: dict[tuple[str, str], bool] = {}
        """Whether a file is unchanged since a commit, by the file's path and the commit."""

    def prove(self, reported: Reported) -> ScannerVerdict | str:
        """Return the verdict for a reported result, or the reason why the result is not
        accepted.
        """
        leaf = self._leaf(reported.path)
        if leaf is None:
            return _ELSEWHERE
        if not reported.digest and not reported.revision:
            return _UNKNOWN
        if reported.digest:
            is_proved = self._digest(leaf) == Digest(reported.digest)
        else:
            key = leaf.path, reported.revision
            if key not in self._unchanged:
                self._unchanged[key] = self._is_unchanged(leaf, reported.revision)
            is_proved = self._unchanged[key]
        digest = self._digest(leaf) if is_proved else None
        if digest is None:
            return _CHANGED
        return ScannerVerdict(
            level=reported.level,
            tool=reported.tool,
            version=reported.version,
            rule=reported.rule,
            path=leaf.path,
            line=reported.line,
            digest=digest,
        )

    def _leaf(self, path: str) -> Leaf | None:
        """Return the file at a path, which is relative to the source or to its repository."""
        prefix = self._source.prefix
        inner = path.removeprefix(prefix) if path.startswith(prefix) else path
        return self._leaves.get(path) or self._leaves.get(inner)

    def _digest(self, leaf: Leaf) -> Digest | None:
        if leaf.path not in self._digests:
            data = self._data(leaf)
            self._digests[leaf.path] = None if data is None else Digest.of(data)
        return self._digests[leaf.path]

    def _data(self, leaf: Leaf) -> bytes | None:
        with suppress(OutsideError):
            return read_outside(leaf, self._reader, LARGEST_SKILL.bytes)
        return None

    def _is_unchanged(self, leaf: Leaf, revision: str) -> bool:
        """Return whether a file has the same content as in a commit."""
        if revision not in self._blobs:
            is_sought = len(self._blobs) < _MOST_COMMITS
            self._blobs[revision] = self._source.blobs_at(revision) if is_sought else {}
        before = self._blobs[revision].get(leaf.path, "")
        if leaf.object_id or not before:
            return leaf.object_id == before != ""
        data = self._data(leaf)
        return data is not None and git.is_blob(before, data)


def verdicts_about(
    verdicts: Verdicts, directory: str, paths: Sequence[str]
) -> list[ScannerVerdict]:
    """Return the verdicts about files of a skill, the most severe first.

    Paths in the verdicts are relative to the skill.
    """
    found = [
        changed(verdict, path=path)
        for path in paths
        for verdict in verdicts.get(inside(directory, path), ())
    ]
    return sorted(found, key=lambda each: each.rank)


def check_verdicts(
    verdicts: Sequence[ScannerVerdict], directory: str, settings: TrustSettings
) -> Iterator[Finding]:
    """Yield an error for each verdict that is at least as severe as the `gate` setting."""
    if settings.gate == "off":
        return
    most = VERDICT_LEVELS.index(settings.gate)
    for each in verdicts:
        if VERDICT_LEVELS.index(each.level) <= most:
            path, place = inside(directory, each.path), Place(each.line, 1) if each.line else None
            tool = f"{each.tool} {each.version}".strip()
            message = f"{tool} reports {each.rule} ({each.level})"
            hint = (
                "fix the problem and run the scanner again, or suppress the result in the scanner"
            )
            item = finding(rules.SCANNER_RESULT, path, place, message, hint)
            yield replace(item, cause=message)
