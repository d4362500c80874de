"""The release digest: what changes it, what does not, and that no file of a release tells it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePath

import pytest

from helpers import lifecycle, repos
from helpers.buckets import ADDRESS, Bucket
from helpers.outputs import head_of, record_of
from helpers.repos import skill_md
from helpers.web import files_of, served
from skillbuild import build as pipeline
from skillbuild.build import Options
from skillbuild.cli import main
from skillbuild.model import Digest
from skillbuild.output import base
from skillbuild.release.layout import is_at_fixed_address
from skillbuild.storage import disk

LONG = "x" * 1100
"""A description that keeps a skill out of `skills/list`."""
OWN = "---\nname: own\ndescription: x\nmetadata:\n  internal: true\n---\nInternal.\n"
FILES: repos.Files = {
    "skillbuild.toml": 'title = "Example"\n',
    "skills/pdf/SKILL.md": skill_md("pdf", body="Listed.\n"),
    "skills/pdf/data": "1\n",
    "skills/long/SKILL.md": skill_md("long", LONG, body="Unlisted.\n"),
    "skills/own/SKILL.md": OWN,
}
ALONE = Options(jobs=1)


def built(
    folder: Path, files: repos.Files = FILES, options: Options = ALONE, **settings: object
) -> Path:
    """The output of a first build of these files, below a folder that is not there yet."""
    repo = repos.repository(folder / "repo", files)
    return build(repo, folder / "out", options, **settings)


def build(repo: Path, out: Path, options: Options = ALONE, **settings: object) -> Path:
    request = repos.request_of(repo, options=options)
    wanted = replace(request, config=request.config.but(**settings))
    assert pipeline.build(wanted, out).release is not None
    return out


def release_of(out: Path) -> Digest:
    """The release digest, as `sha256sum release.json` gives it."""
    return Digest(hashlib.sha256((out / "release.json").read_bytes()).hexdigest())


def beside_commit(out: Path) -> Mapping[str, object]:
    """The object `release` without the commit and the tree, which any change changes."""
    release = json.loads((out / "release.json").read_bytes())
    return {key: value for key, value in release.items() if key != "source"}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("plain") / "first")


def test_file_blob_and_object_in_the_head_are_the_same_bytes(plain: Path) -> None:
    data, digest = (plain / "release.json").read_bytes(), release_of(plain)
    assert not data.endswith(b"\n")
    assert (plain / "blobs/sha256" / digest.hex).read_bytes() == data
    assert b'"release":%b,\n"publication"' % data in (plain / "catalog.json").read_bytes()
    assert record_of(plain).release_digest == digest
    assert f"{digest.hex}  release.json" in (plain / "SHA256SUMS").read_text().splitlines()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("skills/pdf/data", "2\n"),
        ("skills/long/SKILL.md", skill_md("long", LONG, body="unlisted.\n")),
        ("skills/own/SKILL.md", OWN.replace("Internal.", "internal.")),
        ("skillbuild.toml", 'title = "example"\n'),
    ],
    ids=["a listed skill", "an unlisted skill", "an internal skill", "settings"],
)
def test_it_changes_with_one_byte_of(plain: Path, tmp_path: Path, path: str, text: str) -> None:
    assert len(text) == len(str(FILES[path]))
    other = built(tmp_path / "other", {**FILES, path: text})
    assert beside_commit(other) != beside_commit(plain)


def test_it_changes_with_the_commit_alone(plain: Path, tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", FILES)
    repos.commit(repo, FILES, day=1)
    other = build(repo, tmp_path / "out")
    assert beside_commit(other) == beside_commit(plain)
    assert release_of(other) != release_of(plain)


def test_it_changes_with_the_base_url(plain: Path, tmp_path: Path) -> None:
    other = built(tmp_path / "other", base_url="https://example.org/")
    assert head_of(other)["release"]["source"] == head_of(plain)["release"]["source"]
    assert release_of(other) != release_of(plain)


def test_it_changes_with_the_version_of_skillbuild(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillbuild.compile.inputs.__version__", "99.0.0")
    other = built(tmp_path / "other")
    assert head_of(other)["release"]["source"] == head_of(plain)["release"]["source"]
    assert release_of(other) != release_of(plain)


@pytest.mark.parametrize("options", [Options(jobs=2), Options(jobs=1, cache=True)])
def test_it_changes_with_no_path_no_number_of_jobs_and_no_cache(
    plain: Path, tmp_path: Path, options: Options
) -> None:
    outs = [built(tmp_path / "another place", options=options)]
    outs.append(build(tmp_path / "another place/repo", tmp_path / "another place/out", options))
    assert {release_of(out) for out in outs} == {release_of(plain)}


def test_it_changes_with_no_clock(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: 4e9)
    assert release_of(built(tmp_path / "later")) == release_of(plain)


@pytest.mark.parametrize("elsewhere", [False, True], ids=["in the output", "elsewhere"])
def test_it_changes_with_no_release_before(tmp_path: Path, *, elsewhere: bool) -> None:
    """Not even where that one had skills that moved or are gone since."""
    repo, moved = repos.repository(tmp_path / "repo", FILES), tmp_path / "out"
    build(repo, tmp_path / "former")
    if not elsewhere:
        build(repo, moved)
    settings = 'title = "Example"\n[moved]\n"old" = "pdf"\npdf2 = "pdf"\n'
    changed = {path: text for path, text in FILES.items() if "long" not in path}
    repos.commit(repo, {**changed, "skillbuild.toml": settings}, day=1)
    alone = build(repo, tmp_path / "alone")
    request = repos.request_of(repo, options=ALONE)
    pipeline.build(request, moved, base.opened(f"{tmp_path / 'former'}") if elsewhere else None)
    assert record_of(moved).releases
    assert record_of(moved).removed
    assert (moved / "release.json").read_bytes() == (alone / "release.json").read_bytes()


def test_no_file_that_a_release_names_has_the_release_digest_in_it(tmp_path: Path) -> None:
    repo = lifecycle.repository(tmp_path / "repo")
    out = build(repo, tmp_path / "out", base_url="https://example.org/")
    paths = {*disk.files_below(out)}
    assert {"llms.txt", "feed.xml", "claude/marketplace.json", "sitemap.xml"} <= paths
    told = release_of(out).hex.encode()
    telling = {path for path in paths if told in (out / path).read_bytes()}
    assert telling == {"SHA256SUMS"}


def test_what_is_at_a_fixed_address_is_covered_by_its_lines(tmp_path: Path) -> None:
    """All lines of SHA256SUMS are taken as they stand there."""
    repo = lifecycle.repository(tmp_path / "repo")
    out = build(repo, tmp_path / "out", base_url="https://example.org/")
    lines = (out / "SHA256SUMS").read_bytes().splitlines(keepends=True)
    fixed = [line for line in lines if is_at_fixed_address(line[66:].decode().strip())]
    digest = hashlib.sha256(b"".join(fixed)).hexdigest()
    assert head_of(out)["release"]["filesDigest"] == f"sha256:{digest}"
    names = {line[66:].decode().strip() for line in fixed}
    assert names >= {"index.json", "llms.txt", "search/manifest.js", "claude/marketplace.json"}
    tops = {name.partition("/")[0] for name in names if "/.well-known/" in f"/{name}"}
    assert tops == {".well-known", "groups", "skills", "versions"}
    assert not [name for name in names if name.endswith(".html")]


# `verify --release`, of a directory, a URL and a bucket.


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with a file of every kind at a fixed address."""
    folder = tmp_path_factory.mktemp("published")
    repo = lifecycle.repository(folder / "repo")
    return build(repo, folder / "out", base_url="https://example.org/")


def fixed_files(out: Path) -> list[str]:
    return sorted(path for path in disk.files_below(out) if is_at_fixed_address(path))


def ends(*arguments: str, digest: Digest) -> int:
    """How `verify --release` ends."""
    return main.main(["verify", *arguments, "--release", str(digest)])


def statuses(out: Path, digest: Digest, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How `verify --release` ends for an output in a directory, at a URL and in a bucket."""
    bucket = Bucket()
    with monkeypatch.context() as patched:
        patched.setattr("skillbuild.storage.origins.opened", lambda *given, **more: bucket)
        for path in disk.files_below(out):
            bucket.overwrite(path, (out / path).read_bytes(), {})
        in_bucket = ends(ADDRESS, digest=digest)
        whole_bucket = ends(ADDRESS, "--whole", digest=digest)
    with served(files_of(out)) as url:
        return {
            "directory": ends(f"{out}", digest=digest),
            "whole directory": ends(f"{out}", "--whole", digest=digest),
            "URL": ends(url, digest=digest),
            "whole URL": ends(url, "--whole", digest=digest),
            "bucket": in_bucket,
            "whole bucket": whole_bucket,
        }


def test_the_release_verifies_everywhere_and_another_one_nowhere(
    published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = statuses(published, release_of(published), monkeypatch)
    assert set(right.values()) == {0}, right
    wrong = statuses(published, Digest("0" * 64), monkeypatch)
    assert set(wrong.values()) == {1}, wrong


KINDS = [
    *("index.json", "llms.txt", "search/manifest.js", "claude/marketplace.json"),
    *(".well-known/agent-skills/index.json", ".well-known/skills/index.json"),
    *(".well-known/skills/*/SKILL.md", "skills/*/.well-known/agent-skills/index.json"),
    "versions/*/.well-known/agent-skills/index.json",
]


def test_every_kind_of_fixed_file_is_tried(published: Path) -> None:
    matched = {path for path in fixed_files(published) if any(map(PurePath(path).match, KINDS))}
    assert set(fixed_files(published)) - matched == set()


def with_foreign_address(published: Path, folder: Path, kind: str, *, has_sums: bool) -> Path:
    """A copy of a release with a foreign address in its first file of a kind."""
    path = next(each for each in fixed_files(published) if PurePath(each).match(kind))
    out = Path(shutil.copytree(published, folder))
    before = (out / path).read_bytes()
    after = before + b"https://evil.example/\n"
    (out / path).chmod(0o644)
    (out / path).write_bytes(after)
    if has_sums:
        old, new = (f"{Digest.of(data).hex}  {path}\n".encode() for data in (before, after))
        sums = (out / "SHA256SUMS").read_bytes()
        assert old in sums
        (out / "SHA256SUMS").write_bytes(sums.replace(old, new))
    return out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("has_sums", [False, True], ids=["alone", "with its checksum"])
def test_a_foreign_address_in_a_file_that_clients_read_does_not_verify(
    published: Path, tmp_path: Path, kind: str, *, has_sums: bool
) -> None:
    out = with_foreign_address(published, tmp_path / "out", kind, has_sums=has_sums)
    digest = release_of(out)
    with served(files_of(out)) as url:
        assert (ends(f"{out}", digest=digest), ends(url, digest=digest)) == (1, 1)


@pytest.mark.parametrize("has_sums", [False, True], ids=["alone", "with its checksum"])
def test_a_foreign_address_verifies_nowhere(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_sums: bool
) -> None:
    out = with_foreign_address(published, tmp_path / "out", "llms.txt", has_sums=has_sums)
    ended = statuses(out, release_of(out), monkeypatch)
    assert set(ended.values()) == {1}, ended


def test_the_former_option_names_the_one_that_took_its_place(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(["verify", "out", "--index-digest", f"sha256:{'0' * 64}"])
    assert ended.value.code == 2
    assert "use --release with the digest of release.json" in capsys.readouterr().err
