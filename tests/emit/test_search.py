"""The index of the search in an output: by what skills are found, and what verify says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers import outputs, repos, searching
from helpers.repos import skill_md
from skillbuild.model import Digest
from skillbuild.output import verify
from skillbuild.output.verify import Fault
from skillbuild.release.layout import DATES_FILE, SEARCH_FILE, blob_path, is_addressed

SYNONYMS = '[search.synonyms]\nrefund = ["money back", "chargeback"]\n'
FILES: repos.Files = {
    "skillbuild.toml": (
        f'formats = ["zip"]\n{SYNONYMS}[plugins.groups]\n"billing/dunning/**" = "team-letters"\n'
    ),
    "billing/refunds/SKILL.md": (
        "---\nname: refunds\ndescription: Pays customers.\nlicense: Apache-2.0\n"
        "tags: [ledger]\n---\n# Handle a dispute\n\n"
        "Ask the acquirer: \u9000\u6b3e\u4e89\u8bae.\n```\n# comment\n```\n"
    ),
    "billing/refunds/scripts/reconcile.py": "x\n",
    "billing/dunning/SKILL.md": skill_md("dunning", "Writes reminders \u202e to debtors."),
    "hidden/SKILL.md": (
        "---\nname: hidden\ndescription: Secret.\nmetadata:\n  internal: true\n---\nx\n"
    ),
}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("search")
    repos.build(repos.repository(top / "repo", FILES), top / "out")
    return top / "out"


REFUNDS = ["billing/refunds"]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("refund", REFUNDS),
        ("money back", REFUNDS),
        ("chargeback", REFUNDS),
        ("billing", ["billing/dunning", "billing/refunds"]),
        ("ledger", REFUNDS),
        ("customer paying", REFUNDS),
        ("disputes", REFUNDS),
        ("reconcile", REFUNDS),
        ("apache", REFUNDS),
        ("acquirer", REFUNDS),
        ("comment", REFUNDS),
        ("\u4e89\u8bae", REFUNDS),
        ("\u9000\u6b3e\u4e89\u8bae", REFUNDS),
        ("letters", ["billing/dunning"]),
        ("secret", []),
    ],
)
def test_a_skill_is_found_by_the_words_of_all_its_fields(
    out: Path, query: str, wanted: list[str]
) -> None:
    index = searching.opened(searching.published(out))
    order = searching.order(index, query)
    assert order is not None
    assert [index.row(number)[0] for number in order[0]] == wanted


@pytest.mark.parametrize(
    ("later", "sooner", "query"),
    [
        ("Plans trips. Not for sleep.", "Records sleep. For trips, too.", "sleep"),
        ("Plans trips! And sleep.", "Plans v1.2 of sleep.", "sleep"),
        (f"Plans {'trips, ' * 30} sleep.", "Records sleep.", "sleep"),
        ("\u996e\u98df\u3002\u7761\u7720", "\u7761\u7720\u3002\u996e\u98df", "\u7761\u7720"),
    ],
)
def test_what_a_description_says_first_counts_for_more(
    tmp_path: Path, later: str, sooner: str, query: str
) -> None:
    """With equal weights, the path would decide."""
    files = {"a/SKILL.md": skill_md("a", later), "b/SKILL.md": skill_md("b", sooner)}
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    index = searching.opened(searching.published(tmp_path / "out"))
    assert searching.order(index, query) == ([1, 0], [])


def test_rows_have_what_lists_show_with_hidden_characters_spelled_out(out: Path) -> None:
    index = searching.opened(searching.published(out))
    first, second = index.row(0), index.row(1)
    assert first[:3] == ["billing/dunning", "", "Writes reminders [U+202E] to debtors."]
    assert second[:7] == [
        "billing/refunds",
        "",
        "Pays customers.",
        "Apache-2.0",
        2,
        17,
        ["1 script"],
    ]


def test_facets_have_the_values_of_all_listed_skills(out: Path) -> None:
    code = """
        const facets = await index.facets();
        const plain = (values) => [...values].map(([value, own]) => [value, [...own]]);
        return [...facets].map(([key, values]) => [key, plain(values)]);
    """
    assert searching.in_script(searching.published(out), code) == [
        ["tags", [["ledger", [1]], ["not declared", [0]]]],
        ["groups", [["agent-skills", [1]], ["team-letters", [0]]]],
        ["licenses", [["Apache-2.0", [1]], ["none found", [0]]]],
        [
            "contents",
            [
                ["declares no tools", [0, 1]],
                ["hidden text", [0]],
                ["runs code", [1]],
                ["text only", [0]],
            ],
        ],
    ]


def test_the_release_names_the_manifest_which_is_a_blob_too(out: Path) -> None:
    data = (out / SEARCH_FILE).read_bytes()
    assert outputs.head_of(out)["release"]["searchDigest"] == str(Digest.of(data))
    assert (out / blob_path(Digest.of(data))).read_bytes() == data
    assert not (out / DATES_FILE).exists()
    assert {path for path in searching.published(out) if not is_addressed(path)} == {SEARCH_FILE}


def test_the_dates_of_changes_stand_beside_the_index(tmp_path: Path) -> None:
    files = {path: text for path, text in FILES.items() if path != "skillbuild.toml"}
    repo = repos.empty(tmp_path / "repo")
    repos.commit(repo, files)
    repos.commit(repo, {**files, "billing/dunning/x.txt": "x"}, day=3)
    repos.build(repo, tmp_path / "out", "main")
    assert verify.verify(tmp_path / "out").holds(whole=True)
    history = json.loads((tmp_path / "out/history.json").read_bytes())["skills"]
    code = "return await index.order('date')"
    days = searching.in_script(searching.published(tmp_path / "out"), code)
    assert days == [row["seconds"] // 86400 for row in history if row["path"] != "hidden"]
    assert days[0] > days[1]


def test_verify_judges_every_file_of_the_search(out: Path) -> None:
    assert verify.verify(out).holds(whole=True)
    for path in searching.published(out):
        data = (out / path).read_bytes()
        for damaged in (None, data.replace(b"skill", b"quill")):
            (out / path).unlink()
            if damaged is not None:
                (out / path).write_bytes(damaged)
            faults = [fault for fault in verify.verify(out).faults if fault.path == path]
            assert faults
            assert any(fault.core for fault in faults) == is_addressed(path)
            (out / path).unlink(missing_ok=True)
            (out / path).write_bytes(data)
    foreign = out / "search" / f"{'0' * 64}.js"
    foreign.write_bytes(b"")
    assert verify.verify(out).remarks == (f"1 file belongs to no release: search/{foreign.name}",)
    foreign.unlink()


def test_a_lost_manifest_is_a_fault_of_the_core(tmp_path: Path, out: Path) -> None:
    manifest = out / blob_path(outputs.record_of(out).fixed.search.digest)
    data = manifest.read_bytes()
    manifest.unlink()
    path = manifest.relative_to(out).as_posix()
    faults = verify.verify(out).faults
    manifest.write_bytes(data)
    assert Fault(path, "missing", core=True, hint=verify.REBUILD) in faults
    assert SEARCH_FILE in {fault.path for fault in faults if fault.core}
