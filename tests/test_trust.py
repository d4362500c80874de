"""Who vouches for skills, from the settings to the record, the pages, MCP and comparisons."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from helpers import repos, sarif, signing
from helpers.outputs import assert_fits_schemas, entry_of, head_of
from helpers.repos import Files, skill_md
from helpers.signing import holder
from helpers.talk import Stdio
from skillbuild.cli.main import main
from skillbuild.output.base import read_record
from skillbuild.release.compare import compare_catalogs

ROOT = holder("Tools root", vouches=True)
TOOLS = holder("Tools team", ROOT)
FORGED = holder("Tools team", holder("Tools root", vouches=True))
POLICY = '[trust]\nroots = ["root.pem"]\n'
NAME = "Tools team"


def signed(name: str, by: signing.Holder = TOOLS, **now: str) -> dict[str, bytes]:
    """A skill that was signed; `now` are texts that its files have afterwards, by name."""
    files = {"SKILL.md": skill_md(name).encode(), "a.md": b"A.\n"}
    signature = signing.signed(files, by)
    files |= {path.replace("_", "."): text.encode() for path, text in now.items()}
    return {f"{name}/{path}": data for path, data in {**files, "skill.oms.sig": signature}.items()}


SKILLS: Files = {
    **signed("good"),
    **signed("forged", FORGED),
    **signed("stale", a_md="B.\n"),
    "unsigned/SKILL.md": skill_md("unsigned"),
}
SCRIPT = b"import os\n"
SEEN = {"scanned/SKILL.md": skill_md("scanned").encode(), "scanned/run.py": SCRIPT}
SCANNED: Files = {
    **SEEN,
    "scans/first.sarif": sarif.log(
        sarif.run(
            sarif.result("scanned/run.py", "B404", "note", 1),
            sarif.result("scanned/SKILL.md", "<b>X</b>", "warning"),
            tool="first",
            seen=SEEN,
        )
    ),
    "scans/second.sarif": sarif.log(
        sarif.run(sarif.result("scanned/run.py", "EXEC"), tool="second", version="", seen=SEEN)
    ),
}
FILES: Files = {
    **SKILLS,
    **SCANNED,
    "skillbuild.toml": f'{POLICY}verdicts = ["scans/*.sarif"]\n',
    "root.pem": ROOT.pem,
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return repos.repository(tmp_path_factory.mktemp("trust") / "repo", FILES)


@pytest.fixture(scope="module")
def out(repo: Path) -> Path:
    built = repo.parent / "out"
    repos.build(repo, built)
    return built


def says(out: Path, name: str) -> str:
    """What the page of a skill says of its signature; empty if it says nothing."""
    page = (out / "skills" / name / "index.html").read_text()
    parts = page.split('<section class="panel" id="trust">')
    return parts[1].partition("</section>")[0] if len(parts) == 2 else ""


def test_the_record_has_what_was_compared_and_proved(out: Path) -> None:
    known = {
        "key": f"sha256:{TOOLS.fingerprint}",
        "name": NAME,
        "root": f"sha256:{ROOT.fingerprint}",
    }
    unknown = {"key": f"sha256:{FORGED.fingerprint}"}
    path = {"path": "skill.oms.sig"}
    assert {
        name: entry_of(out, name).get("trust") for name in ("good", "forged", "stale", "unsigned")
    } == {
        "good": {"signatures": [{**path, "covered": 2, "signer": known}]},
        "forged": {"signatures": [{**path, "covered": 2, "signer": unknown}]},
        "stale": {"signatures": [{**path, "covered": 1, "differs": ["a.md"], "signer": known}]},
        "unsigned": None,
    }
    assert head_of(out)["release"]["renderers"]["cryptography"] == version("cryptography")
    assert_fits_schemas(out)


def test_the_verdicts_of_two_tools_are_joined_by_digest(out: Path) -> None:
    def verdict(level: str, tool: str, rule: str, path: str, line: int = 0) -> dict[str, object]:
        digest = f"sha256:{signing.digest(SEEN[f'scanned/{path}'])}"
        version = "1.0" if tool == "first" else ""
        place = {"path": path, "line": line, "digest": digest}
        return {"level": level, "tool": tool, "version": version, "rule": rule, **place}

    assert entry_of(out, "scanned")["trust"] == {
        "verdicts": [
            verdict("error", "second", "EXEC", "run.py"),
            verdict("warning", "first", "<b>X</b>", "SKILL.md"),
            verdict("note", "first", "B404", "run.py", 1),
        ]
    }
    page = says(out, "scanned")
    assert "<summary>first 1.0 reports 1 warning and 1 note</summary>" in page
    assert '<summary class="mark">second reports 1 error</summary>' in page
    assert "<code>&lt;b&gt;X&lt;/b&gt;</code>" in page
    assert 'href="-/files/run.py.html#L1">run.py:1</a>' in page


def test_pages_say_it_and_show_no_name_that_nobody_proved(out: Path) -> None:
    root, key = ROOT.fingerprint[:16], FORGED.fingerprint[:16]
    under = f"under the root in this catalog&#x27;s settings ({root})"
    assert "The signature covers all 2 files. Signed by Tools team, " + under in says(out, "good")
    assert f"covers all 2 files. Signed by an unknown key ({key})." in says(out, "forged")
    assert "Changed since it was signed: a.md has changed. The signature is by Tools" in says(
        out, "stale"
    )
    assert says(out, "unsigned") == ""
    assert [name for name in ("good", "forged", "stale") if 'class="mark"' in says(out, name)] == [
        "forged",
        "stale",
    ]
    pages = [path for path in (out / "skills" / "forged").rglob("*") if path.is_file()]
    assert pages
    assert [path for path in pages if NAME.encode() in path.read_bytes()] == []


def test_the_server_says_it_in_the_metadata_of_a_skill(out: Path) -> None:
    with Stdio(out, "2026-07-28") as client:
        resources = {
            name: client.ask("resources/metadata", uri=f"skill://{name}/SKILL.md")["resource"]
            for name in ("good", "forged", "unsigned", "scanned")
        }
    assert "trust" not in resources["unsigned"]
    assert resources["scanned"]["trust"] == {
        "scanners": ["first 1.0 reports 1 warning and 1 note", "second reports 1 error"]
    }
    told = {name: resources[name]["trust"]["signatures"][0] for name in ("good", "forged")}
    assert [each["doubtful"] for each in told.values()] == [False, True]
    assert told["good"]["says"][0] == "The signature covers all 2 files"
    assert NAME in told["good"]["says"][1]
    assert NAME not in str(resources["forged"])
    for each in ("good", "forged"):
        assert resources[each]["_meta"]["io.github.skillbuild/trust"] == resources[each]["trust"]


def test_a_comparison_says_what_is_new(repo: Path, out: Path) -> None:
    edited = {**FILES, **signed("good", a_md="C.\n"), **signed("stale")}
    del edited["forged/skill.oms.sig"]
    again = sarif.result("scanned/run.py", "NEW", "warning")
    edited["scans/first.sarif"] = sarif.log(sarif.run(again, tool="first", seen=SEEN))
    later = repos.repository(repo.parent / "later", edited)
    repos.build(later, repo.parent / "newer")
    before, after = (read_record(folder) for folder in (out, repo.parent / "newer"))
    assert before
    assert after
    root = ROOT.fingerprint[:16]
    under = f"{NAME}, under the root in this catalog's settings ({root})"
    found = compare_catalogs(before.catalog, after.catalog, lambda item: None, lambda item: None)
    assert {change.path: change.signals for change in found} == {
        "forged": ("no longer signed: skill.oms.sig",),
        "good": (
            "skill.oms.sig: Changed since it was signed: a.md has changed",
            f"skill.oms.sig: The signature is by {under}",
        ),
        "scanned": ("first reports NEW (warning): run.py",),
        "stale": (
            "skill.oms.sig: The signature covers all 2 files",
            f"skill.oms.sig: Signed by {under}",
        ),
    }


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    written = capsys.readouterr()
    return status, written.out, written.err


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A file of somebody who does not write the source, with the root that they trust."""
    (tmp_path / "root.pem").write_bytes(ROOT.pem)
    (tmp_path / "trust.toml").write_text(f"{POLICY}required = true\n")
    return tmp_path / "trust.toml"


def test_a_file_outside_of_the_source_decides_who_is_trusted(
    repo: Path, policy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = f"{tmp_path / 'out'}"
    status, text, _ = run(capsys, "build", f"{repo}", "--trust", f"{policy}", "-o", out)
    assert status == 1
    assert not Path(out).exists()
    lines = [line for line in text.splitlines() if ": error[" in line]
    assert [line.partition("]")[0] for line in lines] == [
        "forged/skill.oms.sig: error[signer-unknown",
        "scanned/SKILL.md: error[signature-missing",
        "stale/skill.oms.sig: error[signature-stale",
        "unsigned/SKILL.md: error[signature-missing",
    ]
    some = ("build", f"{repo}", "--trust", f"{policy}", "-o", out, "--skip-invalid")
    assert run(capsys, *some)[0] == 0
    assert sorted(path.name for path in (Path(out) / "skills").iterdir()) == ["good"]
    # The stamp of a build cannot tell whether that file has changed.
    policy.write_text(POLICY)
    assert run(capsys, *some)[0] == 0
    assert len([*(Path(out) / "skills").iterdir()]) == 5


SLIPS: Mapping[str, tuple[Files, str]] = {
    "no root": ({}, "skillbuild.toml:2: trust.roots: root.pem is not a file in the source"),
    "no PEM": (
        {"root.pem": "Tools root\n"},
        "skillbuild.toml:2: trust.roots: root.pem is not a PEM file with certificates",
    ),
    "a bad certificate": (
        {"root.pem": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"},
        "skillbuild.toml:2: trust.roots: root.pem is not a PEM file with certificates",
    ),
    "a huge root": (
        {"root.pem": ROOT.pem * 600},
        "bytes; the limit is 262,144",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_the_settings_is_one_line(
    slip: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files, message = SLIPS[slip]
    repo = repos.repository(
        tmp_path, {"a/SKILL.md": skill_md("a"), "skillbuild.toml": POLICY, **files}
    )
    status, text, error = run(capsys, "check", f"{repo}", "--rev", "HEAD")
    assert (status, text, error.count("\n")) == (2, "", 1)
    assert message in error


def test_a_slip_in_a_file_of_the_command_line_names_it(
    repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "trust.toml"
    for text, message in (
        ("[trust]\nroot = []\n", f"{file}:2: unknown key of [trust] 'root'; did you mean roots?"),
        ("title = 'T'\n", f"{file}:1: unknown key 'title'"),
        (
            "[trust]\nroots = ['none.pem']\n",
            f"{tmp_path / 'none.pem'} cannot be read: No such file",
        ),
        (
            "[trust]\nroots = ['trust.toml']\n",
            "--trust: trust.toml is not a PEM file with certificates",
        ),
    ):
        file.write_text(text)
        status, _, error = run(capsys, "check", f"{repo}", "--rev", "HEAD", "--trust", f"{file}")
        assert status == 2
        assert message in error


@pytest.fixture
def without_library() -> Iterator[None]:
    """As if `cryptography` was not installed."""
    module = "skillbuild.check.trust.signers"
    with pytest.MonkeyPatch.context() as patched:
        patched.delitem(sys.modules, module, raising=False)
        patched.setitem(sys.modules, "cryptography", None)
        yield


@pytest.mark.usefixtures("without_library")
def test_who_asks_for_signers_needs_the_extra(
    repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, text, error = run(capsys, "check", f"{repo}", "--rev", "HEAD")
    assert (status, text) == (2, "")
    assert error.endswith("requires the skillbuild[trust] extra (cryptography 45.0.1 or newer)\n")


def test_who_asks_for_none_has_the_same_bytes_with_and_without_it(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", SKILLS)
    request = repos.request_of(repo)
    repos.build(repo, tmp_path / "with")
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "cryptography", None)
        patched.delitem(sys.modules, "skillbuild.check.trust.signers", raising=False)
        repos.build(repo, tmp_path / "without", options=replace(request.options, jobs=1))
    assert repos.digests(tmp_path / "with") == repos.digests(tmp_path / "without")
    assert "The signer was not checked" in says(tmp_path / "with", "forged")


GATE = '[trust]\nverdicts = ["scan.sarif"]\ngate = "warning"\n'


def test_a_commit_proves_what_a_scanner_saw_until_a_file_changes(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        f"{folder}/{name}/SKILL.md": skill_md(name) for folder in ("in", "out") for name in "ab"
    }
    repo = repos.repository(tmp_path / "repo", files)
    scanned = repos.git(repo, "rev-parse", "HEAD").strip()
    results = [sarif.result(f"in/{name}/SKILL.md", "R", "warning") for name in "ab"]
    files["in/skillbuild.toml"] = GATE
    files["in/scan.sarif"] = sarif.log(sarif.run(*results, commit=scanned))
    files["in/b/SKILL.md"] = skill_md("b", body="Do it again.\n")
    repos.commit(repo, files)
    repos.checkout(repo)
    unproven = "1 of 2 results is not shown: 1 about files that have changed"
    found = [("in/a/SKILL.md", "scan 1.0 reports R (warning)"), ("in/scan.sarif", unproven)]
    for report in (repos.check(repo / "in", "HEAD"), repos.check(repo / "in")):
        assert [(f"in/{item.path}", item.message) for item in report.findings] == found
    # Another branch was scanned.
    (repo / "in" / "scan.sarif").write_bytes(sarif.log(sarif.run(*results, commit="1" * 40)))
    (item,) = repos.check(repo / "in").findings
    assert item.message == "2 of 2 results are not shown: 2 about files that have changed"


def test_a_new_scan_is_seen_by_a_build_that_takes_over_results(tmp_path: Path) -> None:
    files = {**SCANNED, "other/SKILL.md": skill_md("other"), "skillbuild.toml": GATE}
    files["skillbuild.toml"] = '[trust]\nverdicts = ["scans/*.sarif"]\n'
    repo = repos.repository(tmp_path / "repo", files)
    options = replace(repos.request_of(repo).options, cache=True)
    repos.build(repo, tmp_path / "out", options=options)
    files["scans/second.sarif"] = sarif.log(sarif.run())
    repos.commit(repo, files)
    repos.build(repo, tmp_path / "out", options=options)
    repos.build(repo, tmp_path / "anew")
    assert len(entry_of(tmp_path / "out", "scanned")["trust"]["verdicts"]) == 2
    pages = "skills/scanned/index.html"
    assert (tmp_path / "out" / pages).read_bytes() == (tmp_path / "anew" / pages).read_bytes()


def test_a_file_of_a_scanner_that_is_missing_is_a_slip(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = repos.repository(tmp_path, {"a/SKILL.md": skill_md("a"), "skillbuild.toml": GATE})
    status, _, error = run(capsys, "check", f"{repo}", "--rev", "HEAD")
    assert (status, error) == (
        2,
        "skillbuild: skillbuild.toml:2: trust.verdicts: scan.sarif matches no file in the source\n",
    )
