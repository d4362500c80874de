"""Reads results of scanners from SARIF 2.1.0 files.

Every tool writes SARIF differently. Only these parts are read: the tool, the rule, the level, the
file and line, and the digest or commit that identifies the scanned content. Messages are dropped,
because they may repeat a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote

from skillbuild.model import VERDICT_LEVELS, JsonStruct, Place, decoder
from skillbuild.text.json import depth_of

LARGEST_SARIF = 16 * 1024 * 1024
DEEPEST_SARIF = 32
_VERSION = "2.1.0"
_LONGEST_NAME = 200
"""Maximum length of the name of a tool, its version, and a rule; the rest is dropped."""
_MOST_BASES = 8
"""Maximum number of base addresses that are followed."""
_MOST_LINES = 10_000_000
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_REVISION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|/")
"""The start of an address that is not relative."""
_BYTE = re.compile(r" ?\(byte (\d+)\)")


class SarifError(Exception):
    """Raised for an invalid SARIF file. `place` is the position of the error, if it is known."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True, slots=True)
class Reported:
    """One result that a tool reported. Nothing in it has been verified."""

    tool: str
    version: str
    rule: str
    level: str
    path: str
    """The path relative to the folder where the tool ran; empty if it is elsewhere or missing."""
    line: int
    digest: str
    """The SHA-256 of the file that the tool saw, as 64 hex digits; may be empty."""
    revision: str
    """The commit that the tool saw; may be empty."""


class _Location(JsonStruct, frozen=True, rename="camel"):
    uri: str = ""
    uri_base_id: str = ""
    index: int = -1


class _Artifact(JsonStruct, frozen=True):
    location: _Location = _Location()
    hashes: Mapping[str, str] = {}


class _Region(JsonStruct, frozen=True, rename="camel"):
    start_line: int = 0


class _PhysicalLocation(JsonStruct, frozen=True, rename="camel"):
    artifact_location: _Location = _Location()
    region: _Region = _Region()


class _ResultPlace(JsonStruct, frozen=True, rename="camel"):
    physical_location: _PhysicalLocation = _PhysicalLocation()


class _Configuration(JsonStruct, frozen=True):
    level: str = "warning"


class _ScannerRule(JsonStruct, frozen=True, rename="camel"):
    id: str = ""
    default_configuration: _Configuration = _Configuration()


class _Component(JsonStruct, frozen=True, rename="camel"):
    name: str
    version: str = ""
    semantic_version: str = ""
    rules: tuple[_ScannerRule, ...] = ()


class _Tool(JsonStruct, frozen=True):
    driver: _Component
    extensions: tuple[_Component, ...] = ()


class _RuleReference(JsonStruct, frozen=True):
    id: str = ""
    index: int = -1


class _Suppression(JsonStruct, frozen=True):
    status: str = "accepted"


class _Result(JsonStruct, frozen=True, rename="camel"):
    rule_id: str = ""
    rule_index: int = -1
    rule: _RuleReference = _RuleReference()
    level: str = ""
    kind: str = "fail"
    baseline_state: str = ""
    suppressions: tuple[_Suppression, ...] | None = None
    locations: tuple[_ResultPlace, ...] = ()


class _Provenance(JsonStruct, frozen=True, rename="camel"):
    revision_id: str = ""


class _ToolRun(JsonStruct, frozen=True, rename="camel"):
    tool: _Tool
    results: tuple[_Result, ...] | None = None
    artifacts: tuple[_Artifact, ...] = ()
    original_uri_base_ids: Mapping[str, _Location] = {}
    version_control_provenance: tuple[_Provenance, ...] = ()


class _Log(JsonStruct, frozen=True):
    version: str
    runs: tuple[_ToolRun, ...]


_LOG = decoder(_Log)


def read_results(data: bytes) -> Iterator[Reported]:
    """Yield each result that reports a current problem.

    Suppressed results and results of passed tests are skipped. Raises `SarifError` for an invalid
    file.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    if depth_of(data) > DEEPEST_SARIF:
        raise SarifError(f"is nested deeper than {DEEPEST_SARIF} levels")
    try:
        log = _LOG.decode(data)
    except ValueError as error:
        raise _fault(str(error), data) from error
    if log.version != _VERSION:
        raise SarifError(f"is SARIF {log.version[:20]}; only {_VERSION} is supported")
    for run in log.runs:
        yield from _RunReader(run).results()


def _fault(message: str, data: bytes) -> SarifError:
    """Return the error of the JSON parser, with the position in the file if it names one."""
    found = _BYTE.search(message)
    if found is None:
        return SarifError(f"is not SARIF: {message}")
    before = data[: int(found[1])].decode(errors="replace")
    place = Place(before.count("\n") + 1, len(before) - before.rfind("\n"))
    return SarifError(f"is not SARIF: {message[: found.start()]}", place)


class _RunReader:
    """Reads one run of one tool."""

    def __init__(self, run: _ToolRun) -> None:
        self._run = run
        driver = run.tool.driver
        if not driver.name.strip():
            raise SarifError("contains a run that does not name its tool")
        self._tool = driver.name.strip()[:_LONGEST_NAME]
        self._version = (driver.version or driver.semantic_version)[:_LONGEST_NAME]
        revisions = {each.revision_id for each in run.version_control_provenance}
        revision = next(iter(revisions)) if len(revisions) == 1 else ""
        self._revision = revision if _REVISION.fullmatch(revision) else ""
        self._levels = {
            rule.id: rule.default_configuration.level
            for component in (*run.tool.extensions, driver)
            for rule in component.rules
        }
        bases = (each.uri for each in run.original_uri_base_ids.values())
        tops = (uri for uri in bases if _SCHEME.match(uri) and uri.endswith("/"))
        self._tops = list(islice(tops, _MOST_BASES))
        self._digests: dict[str, str] = {}
        for artifact in run.artifacts:
            if path := self._path(artifact.location):
                digest = _digest(artifact.hashes)
                known = self._digests.setdefault(path, digest)
                self._digests[path] = digest if known == digest else ""

    def results(self) -> Iterator[Reported]:
        for result in self._run.results or ():
            if _counts(result):
                yield self._reported(result)

    def _reported(self, result: _Result) -> Reported:
        where = result.locations[0].physical_location if result.locations else _PhysicalLocation()
        rule = self._rule(result)
        level = result.level or self._levels.get(rule.partition("/")[0], "warning")
        path = self._path(where.artifact_location)
        line = where.region.start_line
        return Reported(
            tool=self._tool,
            version=self._version,
            rule=rule[:_LONGEST_NAME],
            level=level if level in VERDICT_LEVELS else "note",
            path=path,
            line=line if 0 < line < _MOST_LINES else 0,
            digest=self._digests.get(path, ""),
            revision=self._revision,
        )

    def _rule(self, result: _Result) -> str:
        """Return the id of a result's rule, which can be given in three ways."""
        rules = self._run.tool.driver.rules
        index = result.rule_index if result.rule_index >= 0 else result.rule.index
        by_index = rules[index].id if 0 <= index < len(rules) else ""
        return result.rule_id or result.rule.id or by_index

    def _path(self, location: _Location) -> str:
        """Return the path of a location relative to the folder where the tool ran; empty if it is
        elsewhere.
        """
        artifacts = self._run.artifacts
        if not location.uri and 0 <= location.index < len(artifacts):
            location = artifacts[location.index].location
        uri, base = location.uri, location.uri_base_id
        bases = self._run.original_uri_base_ids
        for _ in range(_MOST_BASES):
            above = bases.get(base)
            if above is None or _SCHEME.match(above.uri) or _SCHEME.match(uri):
                break
            uri, base = above.uri + uri, above.uri_base_id
        top = next((top for top in self._tops if uri.startswith(top)), "")
        return _relative(uri.removeprefix(top))


def _counts(result: _Result) -> bool:
    """Return whether a result reports a current problem that nobody has accepted."""
    accepted = [each for each in result.suppressions or () if each.status == "accepted"]
    return result.kind == "fail" and result.baseline_state != "absent" and not accepted


def _relative(uri: str) -> str:
    """Return a relative address as a path; empty if it is outside."""
    path = unquote(re.split("[?#]", uri, maxsplit=1)[0])
    segments = [segment for segment in path.split("/") if segment != "."]
    if _SCHEME.match(uri) or {"", ".."} & {*segments} or "\\" in path or "\0" in path:
        return ""
    return "/".join(segments)


def _digest(hashes: Mapping[str, str]) -> str:
    """Return the SHA-256 among the hashes of an artifact, in any spelling of its name; empty if
    there is none.
    """
    for name, value in hashes.items():
        if name.lower().replace("-", "") == "sha256" and _SHA256.fullmatch(value):
            return value.lower()
    return ""
