"""What is read of files of scanners, which are written in as many ways as there are scanners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from helpers import sarif
from skillbuild.check.trust.sarif import Reported, SarifError, read_results
from skillbuild.model import Place

DIGEST = "ab" * 32
COMMIT = "0123456789abcdef" * 2 + "01234567"


def only(run: Mapping[str, Any]) -> Reported:
    (reported,) = read_results(sarif.log(run))
    return reported


def at(uri: str, **location: Any) -> dict[str, Any]:
    """A result at an address."""
    found = sarif.result(uri)
    found["locations"][0]["physicalLocation"]["artifactLocation"] |= location
    return found


def test_a_result_is_kept_without_its_words() -> None:
    reported = only(sarif.run(sarif.result("a/run.py", "B602", "warning", 3), commit=COMMIT))
    assert reported == Reported("scan", "1.0", "B602", "warning", "a/run.py", 3, "", COMMIT)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("a/run.py", "a/run.py"),
        ("./a/./run.py", "a/run.py"),
        ("a/my%20run.py#L3", "a/my run.py"),
        ("../a/run.py", ""),
        ("a/%2e%2e/run.py", ""),
        ("a//run.py", ""),
        ("/etc/passwd", ""),
        ("%2Fetc/passwd", ""),
        ("file:///etc/passwd", ""),
        ("file:///home/me/skills/a/run.py", "a/run.py"),
        ("file:///home/me/skills/../run.py", ""),
        ("https://example.org/a/run.py", ""),
        ("C:\\a\\run.py", ""),
        ("a\\run.py", ""),
        ("a/%00", ""),
        ("", ""),
    ],
)
def test_addresses_that_leave_the_source_are_no_paths(uri: str, path: str) -> None:
    bases = {"%SRCROOT%": {"uri": "file:///home/me/skills/"}, "A": {"uri": "a/"}}
    assert only({**sarif.run(at(uri)), "originalUriBaseIds": bases}).path == path


def test_an_address_is_relative_to_its_base() -> None:
    bases = {
        "ROOT": {"uri": "file:///home/me/"},
        "A": {"uri": "a/", "uriBaseId": "ROOT"},
        "B": {"uri": "b/", "uriBaseId": "A"},
        "LOOP": {"uri": "x/", "uriBaseId": "LOOP"},
    }
    run = {**sarif.run(at("run.py", uriBaseId="B")), "originalUriBaseIds": bases}
    assert only(run).path == "a/b/run.py"
    assert only({**run, "results": [at("run.py", uriBaseId="%SRCROOT%")]}).path == "run.py"
    assert only({**run, "results": [at("run.py", uriBaseId="LOOP")]}).path == "x/" * 8 + "run.py"


def test_a_digest_is_found_by_address_or_by_number() -> None:
    run = sarif.run(at("./a.py"), at("", index=1), at("", index=9))
    names = ("SHA-256", "sha256")
    run["artifacts"] = [
        {"location": {"uri": f"{path}.py"}, "hashes": {"md5": "00", name: DIGEST.upper()}}
        for path, name in zip("ab", names, strict=True)
    ]
    found = [(each.path, each.digest) for each in read_results(sarif.log(run))]
    assert found == [("a.py", DIGEST), ("b.py", DIGEST), ("", "")]


@pytest.mark.parametrize("hashes", [{}, {"sha-256": "xyz"}, {"sha-1": DIGEST}])
def test_what_is_no_digest_proves_nothing(hashes: Mapping[str, str]) -> None:
    artifact = {"location": {"uri": "a.py"}, "hashes": hashes}
    assert only({**sarif.run(at("a.py")), "artifacts": [artifact]}).digest == ""


def test_two_digests_of_one_file_prove_nothing() -> None:
    run = sarif.run(at("a.py"))
    run["artifacts"] = [
        {"location": {"uri": "a.py"}, "hashes": {"sha-256": digit * 64}} for digit in "ab"
    ]
    assert only(run).digest == ""


@pytest.mark.parametrize("commits", [["HEAD"], ["-x"], [COMMIT[:39]], [COMMIT, "1" * 40], []])
def test_what_is_not_one_commit_proves_nothing(commits: list[str]) -> None:
    provenance = [{"revisionId": each} for each in commits]
    run = {**sarif.run(at("a.py")), "versionControlProvenance": provenance}
    assert only(run).revision == ""


def test_a_level_comes_from_the_result_or_its_rule() -> None:
    rules = [{"id": "E", "defaultConfiguration": {"level": "error"}}, {"id": "W"}]
    results = [
        {"ruleId": "E"},
        {"ruleId": "E/1"},
        {"ruleIndex": 0},
        {"rule": {"index": 1}},
        {"rule": {"id": "E"}, "level": "note"},
        {"ruleId": "E", "level": "none"},
        {},
    ]
    driver = {"name": "scan", "semanticVersion": "2.0", "rules": rules}
    run = {"tool": {"driver": driver}, "results": results}
    found = [(each.rule, each.level) for each in read_results(sarif.log(run))]
    assert found == [
        ("E", "error"),
        ("E/1", "error"),
        ("E", "error"),
        ("W", "warning"),
        ("E", "note"),
        ("E", "note"),
        ("", "warning"),
    ]


@pytest.mark.parametrize(
    ("fields", "counts"),
    [
        ({"kind": "pass"}, False),
        ({"kind": "fail"}, True),
        ({"baselineState": "absent"}, False),
        ({"baselineState": "new"}, True),
        ({"suppressions": [{"kind": "inSource"}]}, False),
        ({"suppressions": [{"kind": "inSource", "status": "rejected"}]}, True),
        ({"suppressions": []}, True),
        ({"suppressions": None}, True),
    ],
)
def test_a_result_counts_that_says_something_is_wrong(
    fields: Mapping[str, Any], *, counts: bool
) -> None:
    results = [*read_results(sarif.log(sarif.run({**sarif.result("a.py"), **fields})))]
    assert bool(results) is counts


HOSTILE: Mapping[str, tuple[bytes, str]] = {
    "no JSON": (b"scan: nothing found\n", "is not SARIF: JSON is malformed: invalid character"),
    "half of it": (sarif.log(sarif.run())[:-9], "is not SARIF: Input data was truncated"),
    "no object": (b"[]", "is not SARIF: Expected `object`, got `array`"),
    "another version": (b'{"version": "2.2", "runs": []}', "is SARIF 2.2; only 2.1.0 is supported"),
    "no tool": (b'{"version": "2.1.0", "runs": [{}]}', "is not SARIF: Object missing required"),
    "no name": (sarif.log(sarif.run(tool="")), "contains a run that does not name its tool"),
    "a number for a text": (
        sarif.log(sarif.run({"ruleId": 1})),
        "is not SARIF: Expected `str`, got",
    ),
    "deep": (b"[" * 33 + b"]" * 33, "is nested deeper than 32 levels"),
    "deep and open": (b'{"a":' * 1_000_000, "is nested deeper than 32 levels"),
    "half a character": (b'{"version": "\\ud800"}', "is not SARIF: "),
    "no UTF-8": (b'{"version": "\xff"}', "is not SARIF: 'utf-8' codec can't decode byte 0xff"),
    "not a number": (b'{"version": NaN}', "is not SARIF: JSON is malformed"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_refused_in_one_line(kind: str) -> None:
    data, message = HOSTILE[kind]
    with pytest.raises(SarifError) as caught:
        list(read_results(data))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_fault_has_its_place() -> None:
    with pytest.raises(SarifError) as caught:
        list(read_results('{"version": "2.1.0",\n "é": ?}'.encode()))
    assert caught.value.place == Place(2, 7)


def test_long_names_are_cut_and_a_mark_at_the_start_is_passed_over() -> None:
    data = b"\xef\xbb\xbf" + sarif.log(sarif.run(sarif.result("a", "r" * 300), tool="t" * 300))
    (reported,) = read_results(data)
    assert (len(reported.tool), len(reported.rule)) == (200, 200)


@pytest.mark.parametrize("line", [-1, 0, 10**30])
def test_a_line_that_no_file_has_is_none(line: int) -> None:
    result = sarif.result("a", line=1)
    result["locations"][0]["physicalLocation"]["region"]["startLine"] = line
    assert only(sarif.run(result)).line == 0
