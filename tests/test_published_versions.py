"""Versions from the commit to the output: what is published, what is not, and what stays."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helpers import outputs, pages, repos
from helpers.repos import Content, Files, Program, skill_md
from skillbuild.build import Options
from skillbuild.errors import ConfigError, GitError
from skillbuild.model import Digest, Entry, Version
from skillbuild.output import verify

BASE = "https://example.org/repo/"
HEAD = f'base_url = "{BASE}"\n[versions]\nsince = "first"\n'
KEY = "AKIA" + "Y4K7QZ2MX5TRJWN3"
CACHED = Options(jobs=1, cache=True)


def settings(more: str = "", head: str = HEAD) -> dict[str, Content]:
    return {"skillbuild.toml": head + more}


def skill(name: str, body: str = "Do it.\n", *fields: str, **more: Content) -> dict[str, Content]:
    text = skill_md(name, body=body).replace(
        "\n---\n", "".join(f"\n{each}" for each in fields) + "\n---\n", 1
    )
    files: dict[str, Content] = {f"skills/{name}/SKILL.md": text}
    return files | {f"skills/{name}/{path}": content for path, content in more.items()}


def history(folder: Path, *commits: Files) -> Path:
    repo = repos.empty(folder)
    for day, files in enumerate(commits):
        repos.commit(repo, files, day=day)
    return repo


def entries(out: Path) -> dict[str, Entry]:
    return {entry.path: entry for entry in outputs.record_of(out).catalog.entries}


def version_json(out: Path, address: str) -> Any:
    return json.loads((out / address / "version.json").read_bytes())


def unpacked(out: Path, address: str) -> dict[str, bytes]:
    """The files in the archive of a version."""
    [archive] = version_json(out, address)["archives"]
    with zipfile.ZipFile(io.BytesIO((out / archive["path"]).read_bytes())) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def texts(out: Path) -> dict[str, bytes]:
    """Every byte of an output by path; archives unpacked, so that nothing hides in them."""
    found = {}
    for path in sorted(out.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if path.suffix == ".zip":
                with zipfile.ZipFile(io.BytesIO(data)) as opened:
                    data += b"".join(opened.read(name) for name in opened.namelist())
            found[path.relative_to(out).as_posix()] = data
    return found


def sound(out: Path) -> None:
    """The release verifies and fits its schemas; links lead somewhere, and nothing can run."""
    outputs.assert_fits_schemas(out)
    verdict = verify.verify(out)
    assert (verdict.faults, verdict.remarks) == ((), ())
    read = pages.read(out)
    assert pages.dead_links(out, read, BASE) == []
    assert [item for page in read.values() for item in pages.active_content(page)] == []


def bytes_of_older(out: Path, older: Sequence[Version], newest: Version) -> int:
    """Bytes of the blobs and archives that these versions have, and the newest one has not."""

    def files(version: Version) -> set[str]:
        record = version_json(out, version.address)
        blobs = {f"blobs/sha256/{Digest.parse(each['digest']).hex}" for each in record["resources"]}
        single = record["resources"][0]["digest"] if len(blobs) == 1 else None
        texts = {f"archives/pdf-{Digest.parse(single).short}.md"} if single else set()
        return blobs | texts | {each["path"] for each in record["archives"]}

    paths = set().union(*map(files, older)) - files(newest)
    return sum((out / path).stat().st_size for path in paths)


def test_every_state_of_a_skill_is_published_and_unpacks_to_itself(tmp_path: Path) -> None:
    bodies = ["One.\n", "Two.\n", "Three.\n"]
    states = [skill("pdf", body, **{"run.sh": Program(f"echo {body}")}) for body in bodies]
    repo = history(tmp_path / "repo", *[{**settings(), **each} for each in states])
    repos.build(repo, tmp_path / "out")
    versions = entries(tmp_path / "out")["pdf"].versions
    assert len(versions) == 3
    for version, body in zip(versions, reversed(bodies), strict=True):
        files = unpacked(tmp_path / "out", version.address)
        assert files["SKILL.md"].endswith(body.encode())
        assert files["run.sh"] == f"echo {body}".encode()
    days = [version.change.date for version in versions]
    assert [each.label for each in versions] == [
        f"{day} {each.digest.hex[:8]}" for day, each in zip(days, versions, strict=True)
    ]
    sound(tmp_path / "out")


def test_bytes_of_older_versions_are_counted_with_all_their_files(tmp_path: Path) -> None:
    states = [skill("pdf", "1"), skill("pdf", "2", **{"more.md": "More.\n"}), skill("pdf", "3")]
    repo = history(tmp_path / "repo", *[{**settings(), **each} for each in states])
    repos.build(repo, tmp_path / "out")
    newest, *older = entries(tmp_path / "out")["pdf"].versions
    totals = outputs.record_of(tmp_path / "out").catalog.versions
    assert totals is not None
    assert totals.size == bytes_of_older(tmp_path / "out", older, newest)


def test_a_skill_without_history_has_one_version(tmp_path: Path) -> None:
    repo = history(tmp_path / "repo", {**settings(), **skill("pdf", "Do.\n", "version: 1.2")})
    report = repos.build(repo, tmp_path / "out")
    entry = entries(tmp_path / "out")["pdf"]
    assert [each.label for each in entry.versions] == ["1.2"]
    assert entry.versions[0].digest == entry.skill_digest
    assert report.release is not None
    totals = report.release.catalog.versions
    assert totals is not None
    assert (totals.published, totals.ended, dict(totals.left_out), totals.size) == (1, 0, {}, 0)


def test_without_the_setting_nothing_is_there(tmp_path: Path) -> None:
    repo = history(tmp_path / "repo", skill("pdf", "1"), skill("pdf", "2"))
    repos.build(repo, tmp_path / "out")
    assert not (tmp_path / "out" / "versions").exists()
    assert b"versions" not in (tmp_path / "out" / "catalog.json").read_bytes()


def test_the_files_of_a_version_never_change(tmp_path: Path) -> None:
    repo = history(tmp_path / "repo", {**settings(), **skill("pdf", "1")})
    repos.build(repo, tmp_path / "out")
    before = {
        path: data for path, data in texts(tmp_path / "out").items() if path.startswith("versions/")
    }
    assert len(before) == 3
    repos.commit(repo, {**settings(), **skill("pdf", "2"), **skill("csv")}, day=1)
    repos.commit(
        repo, {**settings(), "skills/office/pdf/SKILL.md": skill_md("pdf", body="2")}, day=2
    )
    repos.build(repo, tmp_path / "out")
    after = texts(tmp_path / "out")
    assert {path: after[path] for path in before} == before


def test_a_revert_is_the_same_version_again(tmp_path: Path) -> None:
    repo = history(
        tmp_path / "repo",
        *[{**settings(), **skill("pdf", body)} for body in ("One.\n", "Two.\n", "One.\n")],
    )
    repos.build(repo, tmp_path / "out")
    entry = entries(tmp_path / "out")["pdf"]
    assert [each.change.date for each in entry.versions] == ["2023-11-15", "2023-11-14"]
    assert entry.skill_digest == entry.versions[1].digest
    page = (tmp_path / "out/skills/pdf/-/versions/index.html").read_text()
    assert 'current again since <time datetime="2023-11-16">' in page


def test_what_todays_checks_refuse_is_left_out_with_its_reason(tmp_path: Path) -> None:
    repo = history(
        tmp_path / "repo",
        {**settings(), "skills/pdf/SKILL.md": "no frontmatter"},
        {**settings(), **skill("pdf", "Fine.\n")},
        {**settings(), **skill("pdf", f"export TOKEN={KEY}\n")},
        {**settings(), **skill("pdf", "Hidden.\n", "metadata:", "  internal: true")},
        {**settings(), **skill("pdf", "Last.\n")},
    )
    report = repos.build(repo, tmp_path / "out")
    assert len(entries(tmp_path / "out")["pdf"].versions) == 2
    assert report.release is not None
    assert report.release.catalog.versions is not None
    assert report.release.catalog.versions.left_out == {
        "frontmatter-missing": 1,
        "internal": 1,
        "secret": 1,
    }
    page = (tmp_path / "out/skills/pdf/-/versions/index.html").read_text()
    assert "3 older versions left out" in page
    assert [path for path, data in texts(tmp_path / "out").items() if KEY.encode() in data] == []
    sound(tmp_path / "out")


def test_a_secret_that_an_earlier_release_had_is_in_no_byte_of_the_next(tmp_path: Path) -> None:
    accepted = '[[ignore]]\nrule = "secret"\nreason = "an example"\n'
    leak = skill("pdf", f"export TOKEN={KEY}\n")
    repo = history(tmp_path / "repo", {**settings(), **leak})
    [item] = repos.check(repo, "HEAD").findings
    fingerprint = f'fingerprint = "{item.fingerprint}"\n'
    repos.commit(repo, {**settings(accepted + fingerprint), **leak}, day=1)
    repos.build(repo, tmp_path / "out", keep=5)
    assert any(KEY.encode() in data for data in texts(tmp_path / "out").values())
    repos.commit(repo, {**settings(accepted + fingerprint), **skill("pdf", "Clean.\n")}, day=2)
    repos.build(repo, tmp_path / "out", keep=5)
    assert any(KEY.encode() in data for data in texts(tmp_path / "out").values())
    repos.commit(repo, {**settings(), **skill("pdf", "Clean.\n")}, day=3)
    report = repos.build(repo, tmp_path / "out", keep=5)
    assert [path for path, data in texts(tmp_path / "out").items() if KEY.encode() in data] == []
    assert report.release is not None
    assert len(report.release.releases) == 1
    sound(tmp_path / "out")


def test_a_secret_of_a_skill_that_is_gone_is_in_no_byte_of_the_next(tmp_path: Path) -> None:
    leak = skill("pdf", f"export TOKEN={KEY}\n")
    repo = history(tmp_path / "repo", {**settings(), **leak, **skill("csv")})
    [item] = repos.check(repo, "HEAD").findings
    accepted = f'[[ignore]]\nrule = "secret"\nreason = "x"\nfingerprint = "{item.fingerprint}"\n'
    repos.commit(repo, {**settings(accepted), **leak, **skill("csv")}, day=1)
    repos.build(repo, tmp_path / "out", keep=5)
    repos.commit(repo, {**settings(), **skill("csv")}, day=2)
    repos.build(repo, tmp_path / "out", keep=5)
    assert [path for path, data in texts(tmp_path / "out").items() if KEY.encode() in data] == []


def yanked_repo(tmp_path: Path) -> tuple[Path, str]:
    """A repository whose first version has a name that must go, built; the digest of it."""
    shared = {"shared.txt": "Shared by both."}
    repo = history(
        tmp_path / "repo",
        {**settings(), **skill("pdf", "Ask Mrs. Example.\n", **shared)},
        {**settings(), **skill("pdf", "Ask nobody.\n", **shared)},
    )
    repos.build(repo, tmp_path / "out", keep=5)
    return repo, entries(tmp_path / "out")["pdf"].versions[1].digest.hex


@pytest.mark.parametrize("way", ["over", "previous", "fresh"])
def test_a_yanked_version_is_in_no_byte_but_its_digest(tmp_path: Path, way: str) -> None:
    repo, digest = yanked_repo(tmp_path)
    yank = settings(f'[yanked]\n"sha256:{digest}" = "contained a customer name"\n')
    shared = {"shared.txt": "Shared by both."}
    repos.commit(repo, {**yank, **skill("pdf", "Ask nobody.\n", **shared)}, day=2)
    out = tmp_path / ("out" if way == "over" else "other")
    repos.build(repo, out, keep=5, previous=tmp_path / "out" if way == "previous" else None)
    every = texts(out)
    assert [path for path, data in every.items() if b"Example" in data] == []
    assert any(b"Shared by both." in data for data in every.values())
    page = every[f"versions/{digest[:16]}/index.html"].decode()
    assert "contained a customer name" in page
    assert f"versions/{digest[:16]}/version.json" not in every
    assert not any(path.startswith(f"versions/{digest[:16]}/.well-known") for path in every)
    assert [str(each) for each in outputs.record_of(out).yanked] == [f"sha256:{digest}"]
    sound(out)


def test_the_newest_version_cannot_be_yanked(tmp_path: Path) -> None:
    repo, _ = yanked_repo(tmp_path)
    digest = entries(tmp_path / "out")["pdf"].skill_digest
    shared = {"shared.txt": "Shared by both."}
    yank = settings(f'[yanked]\n"{digest}" = "why"\n')
    repos.commit(repo, {**yank, **skill("pdf", "Ask nobody.\n", **shared)}, day=2)
    with pytest.raises(ConfigError, match="is the current version of pdf"):
        repos.build(repo, tmp_path / "out")


@pytest.mark.parametrize("keep", ["", "keep = 1\n"])
def test_a_yank_of_no_version_is_an_error_with_its_line(tmp_path: Path, keep: str) -> None:
    repo, digest = yanked_repo(tmp_path)
    slip = digest[:-1] + ("1" if digest[-1] == "0" else "0")
    yank = settings(
        f'{keep}[yanked]\n# Both\n"sha256:{digest}" = "a name"\n"sha256:{slip}" = "x"\n'
    )
    shared = {"shared.txt": "Shared by both."}
    repos.commit(repo, {**yank, **skill("pdf", "Ask nobody.\n", **shared)}, day=2)
    if keep:  # Nobody knows what the states were that are not looked at.
        repos.build(repo, tmp_path / "out")
        return
    message = (
        rf"skillbuild.toml:7: .*{slip} is not a version of any skill; did you mean sha256:{digest}"
    )
    with pytest.raises(ConfigError, match=message):
        repos.build(repo, tmp_path / "out")


def test_the_release_does_not_depend_on_what_was_published_or_cached(tmp_path: Path) -> None:
    commits = [
        {**settings(), **skill("pdf", "1"), **skill("csv")},
        {**settings(), **skill("pdf", "2"), "skills/a/csv/SKILL.md": skill_md("csv")},
        {
            **settings(),
            **skill("pdf", "3"),
            "skills/a/csv/SKILL.md": skill_md("csv", body="New.\n"),
        },
        {**settings(), **skill("pdf", "4")},
    ]
    repo = repos.empty(tmp_path / "repo")
    for day, files in enumerate(commits):
        repos.commit(repo, files, day=day)
        repos.build(repo, tmp_path / "cached", options=CACHED)
        repos.build(repo, tmp_path / "over")
        repos.build(repo, tmp_path / f"fresh-{day}")
        fresh = outputs.record_of(tmp_path / f"fresh-{day}")
        for other in ("cached", "over"):
            record = outputs.record_of(tmp_path / other)
            assert record.release_object == fresh.release_object, (day, other)
            aside = ("catalog.json", "SHA256SUMS")
            own = repos.digests(tmp_path / f"fresh-{day}")
            both = repos.digests(tmp_path / other)
            assert {path: both.get(path) for path in own if path not in aside} == {
                path: digest for path, digest in own.items() if path not in aside
            }
        sound(tmp_path / "over")


@pytest.mark.parametrize("commits", [1, 3])
def test_a_clone_without_old_trees_is_told_how_to_get_them(tmp_path: Path, commits: int) -> None:
    origin = history(
        tmp_path / "repo", *[{**settings(), **skill("pdf", f"{day}")} for day in range(commits)]
    )
    repos.git(origin, "config", "uploadpack.allowFilter", "true")
    clone = repos.clone(origin, tmp_path / "clone", "--filter=tree:0")
    if commits == 1:
        repos.build(clone, tmp_path / "out")
        return
    with pytest.raises(GitError, match=r"git fetch --refetch .*, or pass --without-versions: git"):
        repos.build(clone, tmp_path / "out")
    repos.git(clone, "fetch", "--quiet", "--refetch", "--filter=blob:none")
    repos.build(clone, tmp_path / "out")


def test_a_number_of_versions_can_be_kept(tmp_path: Path) -> None:
    head = f"{HEAD}keep = 2\n"
    repo = history(
        tmp_path / "repo",
        *[{**settings(head=head), **skill("pdf", f"{number}")} for number in range(4)],
    )
    report = repos.build(repo, tmp_path / "out")
    assert [each.change.date for each in entries(tmp_path / "out")["pdf"].versions] == [
        "2023-11-17",
        "2023-11-16",
    ]
    assert report.release is not None
    assert report.release.catalog.versions is not None
    assert report.release.catalog.versions.ended == 2
    sound(tmp_path / "out")


def test_a_move_forwards_and_its_versions_stay(tmp_path: Path) -> None:
    repo = history(
        tmp_path / "repo",
        {**settings(), **skill("pdf", "1")},
        {**settings(), "skills/office/pdf/SKILL.md": skill_md("pdf", body="1")},
        {**settings(), "skills/office/pdf/SKILL.md": skill_md("pdf", body="2")},
    )
    repos.build(repo, tmp_path / "out")
    entry = entries(tmp_path / "out")["office/pdf"]
    assert [each.path for each in entry.versions] == ["", "pdf"]
    assert outputs.record_of(tmp_path / "out").catalog.moved == {"pdf": "office/pdf"}
    page = (tmp_path / "out/skills/pdf/index.html").read_text()
    assert 'content="0; url=../office/pdf/index.html"' in page
    index = json.loads(
        (tmp_path / "out/skills/pdf/.well-known/agent-skills/index.json").read_bytes()
    )
    assert [each["name"] for each in index["skills"]] == ["pdf"]
    assert index["skills"][0]["digest"] == str(entry.skill_md.digest)
    whole = json.loads((tmp_path / "out/.well-known/agent-skills/index.json").read_bytes())
    assert len(whole["skills"]) == 1
    sound(tmp_path / "out")


def test_a_tree_that_settings_judge_otherwise_after_a_move_is_two_versions(tmp_path: Path) -> None:
    config = settings(head=f'exclude = ["a/pdf/draft.md"]\n{HEAD}')
    files = {"SKILL.md": skill_md("pdf"), "draft.md": "Draft.\n"}
    repo = history(
        tmp_path / "repo",
        *[{**config, **{f"{at}/pdf/{path}": text for path, text in files.items()}} for at in "ab"],
    )
    repos.build(repo, tmp_path / "out")
    entry = entries(tmp_path / "out")["b/pdf"]
    addresses = [each.address for each in entry.versions]
    assert entry.versions[0].digest == entry.skill_digest
    assert [sorted(unpacked(tmp_path / "out", each)) for each in addresses] == [
        ["SKILL.md", "draft.md"],
        ["SKILL.md"],
    ]
    sound(tmp_path / "out")


def test_a_secret_that_is_accepted_only_where_the_skill_stands_now_is_published(
    tmp_path: Path,
) -> None:
    leak = {"b/pdf/SKILL.md": skill_md("pdf", body=f"export TOKEN={KEY}\n")}
    repo = history(tmp_path / "repo", {**settings(), "a/pdf/SKILL.md": leak["b/pdf/SKILL.md"]})
    repos.commit(repo, {**settings(), **leak}, day=1)
    [item] = repos.check(repo, "HEAD").findings
    accepted = f'[[ignore]]\nrule = "secret"\nreason = "x"\nfingerprint = "{item.fingerprint}"\n'
    repos.commit(repo, {**settings(accepted + 'paths = ["b/**"]\n'), **leak}, day=2)
    report = repos.build(repo, tmp_path / "out")
    entry = entries(tmp_path / "out")["b/pdf"]
    assert [each.digest for each in entry.versions] == [entry.skill_digest]
    assert report.release is not None
    assert report.release.catalog.withheld == frozenset()


def test_what_is_refused_in_one_directory_and_published_in_another_is_not_withheld(
    tmp_path: Path,
) -> None:
    leak = skill_md("pdf", body=f"export TOKEN={KEY}\n")
    files = {"a/pdf/SKILL.md": leak, "b/pdf/SKILL.md": leak}
    repo = history(tmp_path / "repo", {**settings(), **files})
    fingerprint = next(
        each.fingerprint
        for each in repos.check(repo, "HEAD").findings
        if each.path == "b/pdf/SKILL.md"
    )
    accepted = f'[[ignore]]\nrule = "secret"\nreason = "x"\nfingerprint = "{fingerprint}"\n'
    now = {"a/pdf/SKILL.md": skill_md("pdf"), "b/pdf/SKILL.md": leak}
    repos.commit(repo, {**settings(accepted + 'paths = ["b/**"]\n'), **now}, day=1)
    report = repos.build(repo, tmp_path / "out")
    both = entries(tmp_path / "out")
    assert [each.digest for each in both["b/pdf"].versions] == [both["b/pdf"].skill_digest]
    assert [each.digest for each in both["a/pdf"].versions] == [both["a/pdf"].skill_digest]
    assert report.release is not None
    catalog = report.release.catalog
    assert (catalog.versions and dict(catalog.versions.left_out)) == {"secret": 1}
    assert catalog.withheld == frozenset()
    sound(tmp_path / "out")


def test_what_is_gone_keeps_its_versions_and_its_page(tmp_path: Path) -> None:
    repo = history(
        tmp_path / "repo",
        {**settings(), **skill("pdf"), **skill("csv", "1")},
        {**settings(), **skill("pdf"), **skill("csv", "2")},
        {**settings(), **skill("pdf")},
    )
    repos.build(repo, tmp_path / "out")
    record = outputs.record_of(tmp_path / "out")
    [gone] = record.catalog.gone
    assert (gone.path, gone.change.date, len(gone.versions)) == ("csv", "2023-11-16", 2)
    assert record.removed == {}
    page = (tmp_path / "out/skills/csv/index.html").read_text()
    assert "Removed on" in page
    assert all(f"{each.address}/index.html" in page for each in gone.versions)
    assert unpacked(tmp_path / "out", gone.versions[0].address)["SKILL.md"].endswith(b"2")
    sound(tmp_path / "out")


def test_two_skills_that_are_gone_and_had_one_path_have_one_list_of_versions(
    tmp_path: Path,
) -> None:
    same = {**settings(), **skill("csv")}
    repo = history(
        tmp_path / "repo",
        {**same, **skill("pdf", "1")},
        {**same, **skill("pdf", "2")},
        same,
        {**same, "pdf/SKILL.md": skill_md("pdf", body="3")},
        {**same, "pdf/SKILL.md": skill_md("pdf", body="1\n")},
        same,
    )
    repos.build(repo, tmp_path / "out")
    [gone] = outputs.record_of(tmp_path / "out").catalog.gone
    assert (gone.path, gone.directory) == ("pdf", "pdf")
    dates = [each.change.date for each in gone.versions]
    assert dates == ["2023-11-18", "2023-11-17", "2023-11-15", "2023-11-14"]
    page = (tmp_path / "out/skills/pdf/index.html").read_text()
    assert [each.digest for each in gone.versions if each.address not in page] == []
    sound(tmp_path / "out")


def test_equal_files_at_two_paths_are_one_version_of_both(tmp_path: Path) -> None:
    text = skill_md("pdf")
    repo = history(
        tmp_path / "repo",
        {**settings(), "a/pdf/SKILL.md": text},
        {**settings(), "a/pdf/SKILL.md": text, "b/pdf/SKILL.md": text},
        {**settings(), "a/pdf/SKILL.md": skill_md("pdf", body="Now.\n"), "b/pdf/SKILL.md": text},
    )
    repos.build(repo, tmp_path / "out")
    both = entries(tmp_path / "out")
    first, second = both["a/pdf"].versions[1], both["b/pdf"].versions[0]
    assert first.digest == second.digest
    assert [each.change.date for each in (first, second)] == ["2023-11-14", "2023-11-15"]
    totals = outputs.record_of(tmp_path / "out").catalog.versions
    assert totals is not None
    assert totals.published == len(list((tmp_path / "out/versions").iterdir())) == 2
    assert totals.size == 0
    sound(tmp_path / "out")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_version_follows_from_its_files_whatever_is_around_it(tmp_path: Path, jobs: int) -> None:
    """At another path, in another commit, after and before other versions."""
    texts_of = [skill_md("My PDF", body=f"{number}\n") for number in range(3)]
    one = history(tmp_path / "one", *[{**settings(), "a/x/SKILL.md": each} for each in texts_of])
    other = history(
        tmp_path / "other",
        {**settings(), "README.md": "Text", "b/SKILL.md": texts_of[1], **skill("csv")},
        {**settings(), "b/SKILL.md": texts_of[2], "c/y/SKILL.md": texts_of[1]},
        {**settings(), "c/y/SKILL.md": texts_of[0]},
    )
    outs = [tmp_path / "first", tmp_path / "second"]
    for repo, out in zip((one, other), outs, strict=True):
        repos.build(repo, out, options=Options(jobs=jobs))
        sound(out)
    first, second = (
        {path: data for path, data in texts(out).items() if path.startswith("versions/")}
        for out in outs
    )
    assert len(first) == 9
    assert {path: second.get(path) for path in first} == first


def test_equal_files_in_trees_that_differ_are_one_version(tmp_path: Path) -> None:
    text = skill_md("pdf")
    config = settings(head=f'exclude = ["**/*.bak"]\n{HEAD}')
    repo = history(
        tmp_path / "repo",
        {**config, "a/pdf/SKILL.md": text, "b/pdf/SKILL.md": text, "b/pdf/old.bak": "x"},
        {
            **config,
            "a/pdf/SKILL.md": skill_md("pdf", body="A.\n"),
            "b/pdf/SKILL.md": skill_md("pdf", body="B.\n"),
        },
    )
    repos.build(repo, tmp_path / "out")
    both = entries(tmp_path / "out")
    assert both["a/pdf"].versions[1].digest == both["b/pdf"].versions[1].digest
    sound(tmp_path / "out")
    repos.build(repo, tmp_path / "cached", options=CACHED)
    repos.build(repo, tmp_path / "cached", options=replace(CACHED, recheck=True))
    own, cached = (repos.digests(tmp_path / name) for name in ("out", "cached"))
    assert own == cached


def test_a_folder_whose_mode_has_a_zero_before_it_is_a_folder(tmp_path: Path) -> None:
    repo = repos.empty(tmp_path / "repo")
    note = repos.raw_tree(repo, [("100644", b"note.txt", repos.blob(repo, "Note"))])
    text = repos.blob(repo, skill_md("pdf"))
    pdf = repos.raw_tree(repo, [("100644", b"SKILL.md", text), ("040000", b"notes", note)])
    config = repos.blob(repo, HEAD)
    tree = [("40000", b"pdf", pdf), ("100644", b"skillbuild.toml", config)]
    repos.commit_tree(repo, repos.raw_tree(repo, tree))
    repos.commit(repo, {**settings(), "pdf/SKILL.md": skill_md("pdf", body="2")}, day=1)
    repos.build(repo, tmp_path / "out")
    [_, old] = entries(tmp_path / "out")["pdf"].versions
    assert sorted(unpacked(tmp_path / "out", old.address)) == ["SKILL.md", "notes/note.txt"]


@pytest.mark.parametrize(
    ("names", "left"), [(("pdf", "pdf", "pdf"), {"pdf"}), (("pdf", "csv", "txt"), {"txt"})]
)
def test_two_versions_with_one_address_are_an_error_that_names_both(
    tmp_path: Path, names: Sequence[str], left: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `--skip-invalid` both are left out: older versions, or skills with these files now."""
    commits: list[Files] = [{**settings()}]
    for at, name in enumerate(names):
        commits.append({**commits[-1], **skill(name, f"{at}")})
    repo = history(tmp_path / "repo", *commits)
    repos.build(repo, tmp_path / "apart")
    versions = [each for entry in entries(tmp_path / "apart").values() for each in entry.versions]
    first, second, third = sorted(versions, key=lambda each: each.change.seconds)
    short = vars(Digest)["short"].fget
    clashing = {first.digest.hex, second.digest.hex}
    monkeypatch.setattr(
        Digest, "short", property(lambda each: "0" * 16 if each.hex in clashing else short(each))
    )
    [error] = [each for each in repos.build(repo, tmp_path / "none").findings if each.is_error]
    named = sorted([(first.digest, names[0]), (second.digest, names[1])])
    assert error.code == "version-address"
    assert error.message == (
        " and ".join(f"{digest} of {name}" for digest, name in named)
        + " would be published at the same address, versions/0000000000000000/"
    )
    assert not (tmp_path / "none").exists()
    for options in (CACHED, CACHED, Options(jobs=1)):
        repos.build(repo, tmp_path / "out", options=replace(options, skip_invalid=True))
        published = entries(tmp_path / "out")
        assert {*published} == left
        listed = [each.digest for entry in published.values() for each in entry.versions]
        assert listed == [third.digest]
        repos.commit(repo, {**commits[-1], "skillbuild.toml": f"{HEAD}# {options}\n"}, day=9)
        sound(tmp_path / "out")


def test_a_skill_that_is_left_out_for_now_keeps_the_addresses_of_its_versions(
    tmp_path: Path,
) -> None:
    good = {**settings(), **skill("csv")}
    repo = history(
        tmp_path / "repo",
        {**good, **skill("pdf", "1")},
        {**good, **skill("pdf", "2")},
        {**good, "skills/pdf/SKILL.md": "no frontmatter"},
        {**good, **skill("pdf", "3")},
    )
    skip = replace(CACHED, skip_invalid=True, allow_older=True)
    for number, revision in enumerate(("HEAD~2", "HEAD~1", "HEAD")):
        repos.build(repo, tmp_path / "out", revision, skip)
        sound(tmp_path / "out")
        assert len(list((tmp_path / "out/versions").iterdir())) == 3 + (number == 2)
        gone = outputs.record_of(tmp_path / "out").catalog.gone
        assert [(each.path, len(each.versions)) for each in gone] == (
            [("pdf", 2)] if number == 1 else []
        )


def test_the_first_skill_elsewhere_takes_versions_and_events_below_dot_directories_along(
    tmp_path: Path,
) -> None:
    hidden = {f".github/{path}": text for path, text in skill("pdf").items()}
    repo = history(
        tmp_path / "repo",
        {**settings(), **hidden, ".github/skills/csv/SKILL.md": skill_md("csv")},
        {**settings(), **hidden},
        {**settings(), **hidden, **skill("hello")},
    )
    for number, (revision, live, ended) in enumerate(
        [("HEAD~2", ["csv", "pdf"], []), ("HEAD~1", ["pdf"], ["csv"]), ("HEAD", ["hello"], [])]
    ):
        for out in ("out", f"fresh-{number}"):
            repos.build(repo, tmp_path / out, revision, CACHED)
            catalog = outputs.record_of(tmp_path / out).catalog
            assert [*entries(tmp_path / out)] == live
            assert [each.path for each in catalog.gone] == ended
            events = (tmp_path / out / "changes/index.html").read_text()
            assert [each for each in ("csv", "hello", "pdf") if f">{each}<" in events] == sorted(
                live + ended
            )
            sound(tmp_path / out)


def test_an_old_state_of_too_many_files_is_left_out_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillbuild.compile.states._MOST_LEAVES", 10)
    junk: dict[str, Content] = {f"node_modules/{number}.js": "x" for number in range(20)}
    repo = history(
        tmp_path / "repo",
        {**settings(), **skill("pdf", "1", **junk)},
        {**settings(), **skill("pdf", "2")},
    )
    report = repos.build(repo, tmp_path / "out")
    assert report.release is not None
    assert report.release.catalog.versions is not None
    assert report.release.catalog.versions.left_out == {"too-many-files": 1}
    assert len(entries(tmp_path / "out")["pdf"].versions) == 1


def test_a_damaged_version_is_found(tmp_path: Path) -> None:
    repo = history(
        tmp_path / "repo", {**settings(), **skill("pdf", "1")}, {**settings(), **skill("pdf", "2")}
    )
    repos.build(repo, tmp_path / "out")
    old = entries(tmp_path / "out")["pdf"].versions[1].address
    path = tmp_path / "out" / old / "version.json"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b'"executable":false', b'"executable":true'))
    faults = [
        (each.path, each.message) for each in verify.verify(tmp_path / "out").faults if each.core
    ]
    assert faults == [
        (f"{old}/version.json", f"{old}/version.json is not the version that its path names")
    ]


def test_one_new_version_changes_few_files(tmp_path: Path) -> None:
    files = {**settings(), **skill("pdf", "1"), **skill("csv"), **skill("txt")}
    repo = history(tmp_path / "repo", files)
    repos.build(repo, tmp_path / "out", options=CACHED)
    before = repos.digests(tmp_path / "out")
    repos.commit(repo, {**files, **skill("pdf", "2")}, day=1)
    repos.build(repo, tmp_path / "out", options=CACHED)
    after = repos.digests(tmp_path / "out")
    touched = {path for path in before.keys() & after.keys() if before[path] != after[path]}
    assert not [
        path for path in touched if path.startswith(("versions/", "skills/csv", "skills/txt"))
    ]


def test_a_build_in_several_processes_gives_the_same_bytes(tmp_path: Path) -> None:
    commits = [
        {
            **settings(),
            **{key: value for each in "abc" for key, value in skill(each, f"{day}").items()},
        }
        for day in range(3)
    ]
    repo = history(
        tmp_path / "repo", *commits, {**settings(), **skill("a", "2"), **skill("b", "2")}
    )
    repos.build(repo, tmp_path / "one")
    repos.build(repo, tmp_path / "two", options=Options(jobs=2))
    assert repos.digests(tmp_path / "one") == repos.digests(tmp_path / "two")


def test_the_digest_of_a_version_follows_from_its_files(tmp_path: Path) -> None:
    repo = history(
        tmp_path / "repo",
        {**settings(), **skill("pdf", "1", notes="More")},
        {**settings(), **skill("pdf")},
    )
    repos.build(repo, tmp_path / "out")
    version = entries(tmp_path / "out")["pdf"].versions[1]
    lines = [
        f"sha256:{hashlib.sha256(data).hexdigest()} {len(data)} - {path}\n"
        for path, data in sorted(unpacked(tmp_path / "out", version.address).items())
    ]
    assert hashlib.sha256("".join(lines).encode()).hexdigest() == version.digest.hex
