"""`publish`: what an object store holds before, while and after an output is put into it."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("obstore")

from helpers.buckets import ADDRESS, Bucket, CarelessBucket, KilledError, downloaded
from helpers.outputs import FOREIGN, write_foreign
from helpers.publishing import content, digest_of
from skillbuild.cli import main
from skillbuild.errors import OutputError
from skillbuild.output import upload, verify
from skillbuild.output.upload import LEASE_FILE, Upload, Uploaded, plan, publish
from skillbuild.release.layout import HEAD_FILES, RECORD_FILE, is_addressed
from skillbuild.storage import cloud
from skillbuild.storage.files import Patience

pytestmark = pytest.mark.usefixtures("hurried")

FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def test_a_store_holds_exactly_what_the_output_holds(releases: tuple[Path, ...]) -> None:
    bucket = Bucket()
    uploaded = publish(Upload(releases[0], bucket))
    assert bucket.files() == content(releases[0])
    others = [path for path in content(releases[0]) if path not in HEAD_FILES]
    sizes = [(releases[0] / path).stat().st_size for path in others]
    assert uploaded == Uploaded(digest_of(releases[0]), len(others), sum(sizes))


def test_the_record_is_put_last_after_the_index_and_the_pages(releases: tuple[Path, ...]) -> None:
    bucket = Bucket()
    publish(Upload(releases[0], bucket))
    written = [path for path in bucket.written if not path.startswith(".skillbuild/")]
    kinds = [is_addressed(path) for path in written]
    assert kinds == sorted(kinds, reverse=True)
    assert written[-4:] == ["SHA256SUMS", "index.json", "release.json", "catalog.json"]
    assert len(written) == len({*written})


def test_a_store_with_an_index_of_somebody_else_does_not_verify(
    releases: tuple[Path, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out, bucket = tmp_path / "out", Bucket()
    shutil.copytree(releases[0], out)
    monkeypatch.setattr("skillbuild.storage.origins.opened", lambda *given, **more: bucket)
    publish(Upload(out, bucket))
    assert main.main(["verify", "--whole", ADDRESS]) == 0
    (out / FOREIGN).chmod(0o644)
    write_foreign(out)
    publish(Upload(out, bucket, sends_all=True))
    capsys.readouterr()
    assert main.main(["verify", "--whole", ADDRESS]) == 1
    fault, verdict = capsys.readouterr().out.splitlines()
    message = "the lines for files at fixed addresses do not match the release's filesDigest"
    assert fault.startswith(f"SHA256SUMS: error: {message}; ")
    assert verdict.startswith(f"{ADDRESS} does not hold: ")


def test_a_store_of_an_older_layout_is_told_to_be_published_anew(
    releases: tuple[Path, ...],
) -> None:
    bucket = Bucket()
    bucket.overwrite(RECORD_FILE, b'{"layout":2}', {})
    with pytest.raises(
        OutputError, match=r"layout 2, which is no longer supported; build .* --recheck"
    ):
        publish(Upload(releases[0], bucket))
    with pytest.raises(OutputError, match="layout 2, which is no longer supported"):
        plan(Upload(releases[0], bucket))
    publish(Upload(releases[0], bucket, sends_all=True))
    assert bucket.files() == content(releases[0])


def test_an_output_of_an_older_layout_is_told_to_be_built_again(tmp_path: Path) -> None:
    (tmp_path / RECORD_FILE).write_text('{"layout":2}')
    with pytest.raises(OutputError, match=r"layout 2, .*; remove the output and build again"):
        publish(Upload(tmp_path, Bucket()))


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("catalog.json", {"Content-Type": "application/json", "Cache-Control": "no-cache"}),
        ("index.html", {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache"}),
        ("SHA256SUMS", {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-cache"}),
        ("blobs/sha256/*", {"Content-Type": "application/octet-stream", **FOREVER}),
        ("archives/*.zip", {"Content-Type": "application/zip", **FOREVER}),
        ("record/*/*.jsonl", {"Content-Type": "application/jsonl", **FOREVER}),
    ],
)
def test_objects_have_the_headers_that_a_web_server_would_send(
    releases: tuple[Path, ...], path: str, headers: dict[str, str]
) -> None:
    bucket = Bucket()
    publish(Upload(releases[0], bucket))
    name = next(releases[0].glob(path)).relative_to(releases[0]).as_posix()
    assert bucket.attributes(name) == headers


def test_only_what_has_changed_is_sent_again(releases: tuple[Path, ...]) -> None:
    old, new, _ = releases
    bucket = Bucket()
    publish(Upload(old, bucket))
    bucket.written.clear()
    assert publish(Upload(old, bucket)) == Uploaded(digest_of(old), 0, 0, is_same=True)
    assert bucket.written == []
    planned = plan(Upload(new, bucket))
    assert bucket.written == []
    assert publish(Upload(new, bucket)) == planned
    before = content(old)
    changed = {path for path, data in content(new).items() if before.get(path) != data}
    written = [path for path in bucket.written if not path.startswith(".skillbuild/")]
    assert sorted(written) == sorted(changed)
    assert {**before, **content(new)} == bucket.files()


def test_pruning_leaves_what_the_release_names_and_what_is_not_ours(
    releases: tuple[Path, ...],
) -> None:
    old, new, _ = releases
    bucket = Bucket()
    for path in ("notes.txt", "mine/blobs", "blobs/sha256/aa"):
        bucket.create(path, b"", {})
    publish(Upload(old, bucket))
    assert publish(Upload(new, bucket, prune_after=3600)).pruned == 0
    gone = bucket.files().keys() - content(new).keys() - {"notes.txt", "mine/blobs"}
    assert publish(Upload(new, bucket, prune_after=0)).pruned == len(gone)
    assert bucket.files() == {**content(new), "notes.txt": b"", "mine/blobs": b""}


def test_a_store_that_ignores_conditions_is_refused(releases: tuple[Path, ...]) -> None:
    bucket = CarelessBucket()
    with pytest.raises(
        OutputError, match=f"^{ADDRESS} does not enforce conditional writes, so two publishers"
    ):
        publish(Upload(releases[0], bucket))
    assert bucket.files() == {}
    publish(Upload(releases[0], bucket, is_unsafe=True))
    assert bucket.files() == content(releases[0])


def test_a_store_that_keeps_only_one_kind_of_condition_is_refused(
    releases: tuple[Path, ...],
) -> None:
    class Creating(CarelessBucket):
        create = Bucket.create

    with pytest.raises(OutputError, match="does not enforce conditional writes"):
        publish(Upload(releases[0], Creating()))


def test_an_output_that_is_not_whole_is_not_published(
    releases: tuple[Path, ...], tmp_path: Path
) -> None:
    out = shutil.copytree(releases[0], tmp_path / "out")
    bucket = Bucket()
    page = out / "index.html"
    page.write_bytes(b"changed")
    with pytest.raises(
        OutputError, match=f"{page} differs from what was built; run build --recheck"
    ):
        publish(Upload(out, bucket))
    (out / "SHA256SUMS").write_bytes(b"")
    with pytest.raises(OutputError, match="is incomplete: its last build was interrupted"):
        publish(Upload(out, bucket))
    with pytest.raises(OutputError, match=r"catalog\.json is missing; run build first"):
        publish(Upload(tmp_path, bucket))
    assert RECORD_FILE not in bucket.files()


def test_a_publish_that_is_killed_at_any_write_leaves_a_release_whole(
    releases: tuple[Path, ...], tmp_path: Path
) -> None:
    old, new, _ = releases
    heads = {(out / RECORD_FILE).read_bytes() for out in (old, new)}
    for number in range(200):
        bucket = Bucket()
        publish(Upload(old, bucket))
        dying = Bucket(bucket.memory, killed_at=number)
        try:
            publish(Upload(new, dying))
            break
        except KilledError:
            pass
        left = downloaded(bucket, tmp_path / f"{number}")
        assert (left / RECORD_FILE).read_bytes() in heads
        assert verify.verify(left).holds(whole=False)
        publish(Upload(new, bucket))
        assert bucket.files() == {**content(old), **content(new)}
    assert number > 15


@pytest.mark.nightly
def test_pages_that_a_killed_publish_left_are_those_of_the_next_release(
    releases: tuple[Path, ...],
) -> None:
    """It is another release, whose pages may be those of the first one."""
    old, new, other = releases
    bucket = Bucket()
    publish(Upload(old, bucket))
    killed = 0
    for number in range(10, 60):
        dying = Bucket(bucket.memory, killed_at=number)
        try:
            publish(Upload(new, dying))
        except KilledError:
            killed += 1
        publish(Upload(old, bucket))
        files = bucket.files()
        assert {path: files[path] for path in content(old)} == content(old)
        publish(Upload(other, bucket))
        publish(Upload(old, bucket))
    assert killed > 10


def test_what_an_interrupted_publish_has_sent_is_not_sent_again(
    releases: tuple[Path, ...],
) -> None:
    bucket = Bucket()
    with pytest.raises(KilledError):
        publish(Upload(releases[0], Bucket(bucket.memory, killed_at=20)))
    present = {*bucket.files()}
    assert len(present) > 5
    publish(Upload(releases[0], bucket))
    assert present.isdisjoint(bucket.written)
    assert bucket.files() == content(releases[0])


def test_a_file_that_is_there_with_a_wrong_size_is_replaced(releases: tuple[Path, ...]) -> None:
    bucket = Bucket()
    path = next(filter(is_addressed, content(releases[0])))
    bucket.create(path, b"half", {})
    publish(Upload(releases[0], bucket))
    assert bucket.files() == content(releases[0])


def test_of_publishers_at_the_same_time_one_wins_and_nothing_is_mixed(
    releases: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload, "PATIENCE", 5.0)
    old, new, other = releases

    def attempt(bucket: Bucket, out: Path) -> bool:
        try:
            publish(Upload(out, bucket))
        except OutputError as error:
            assert "try again later" in str(error)  # noqa: PT017 (in a thread of its own)
            return False
        return True

    for _ in range(20):
        first = Bucket()
        publish(Upload(old, first))
        second = Bucket(first.memory)
        with ThreadPoolExecutor(2) as pool:
            won = list(pool.map(attempt, (first, second), (new, other)))
        assert any(won)
        present = first.files()
        winners = [out for out in (new, other) if content(out).items() <= present.items()]
        assert len(winners) == 1
        assert present[RECORD_FILE] == (winners[0] / RECORD_FILE).read_bytes()
        assert won[(new, other).index(winners[0])]


def test_a_publisher_that_lives_is_not_disturbed(
    releases: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload, "PATIENCE", 5.0)
    bucket = Bucket()
    held = upload.acquired(bucket, lambda line: None)
    lines: list[str] = []
    with pytest.raises(OutputError, match=f"^somebody else is publishing to {ADDRESS}; nothing"):
        publish(Upload(releases[0], Bucket(bucket.memory), tell=lines.append))
    assert lines == ["an earlier publish may have been killed: waiting 5 s to be sure"]
    assert bucket.files() == {}
    held.release(is_done=True)
    publish(Upload(releases[0], bucket))


def test_a_publisher_whose_lease_was_taken_over_stops(releases: tuple[Path, ...]) -> None:
    bucket = Bucket()
    held = upload.acquired(bucket, lambda line: None)
    bucket.overwrite(LEASE_FILE, b"{}", {})
    for _ in range(100):
        try:
            held.require()
        except OutputError as error:
            assert "another publish may have begun" in str(error)  # noqa: PT017
            break
        held._over.wait(0.01)
    else:
        pytest.fail("it goes on")


def test_a_release_that_came_meanwhile_is_not_overwritten(
    releases: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its publisher held the lease after the store was read, and before it was asked for."""
    old, new, other = releases
    bucket = Bucket()
    publish(Upload(old, bucket))
    require = upload.require_conditions

    def interposed(store: Bucket) -> None:
        monkeypatch.setattr(upload, "require_conditions", require)
        publish(Upload(other, Bucket(bucket.memory)))
        require(store)

    monkeypatch.setattr(upload, "require_conditions", interposed)
    with pytest.raises(OutputError, match=r"another release was published to .* meanwhile"):
        publish(Upload(new, bucket))
    assert bucket.files()[RECORD_FILE] == (other / RECORD_FILE).read_bytes()


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """The bucket that the command line publishes to."""
    bucket = Bucket()
    monkeypatch.setattr("skillbuild.storage.cloud.Store", lambda address: bucket)
    return bucket


def test_a_publish_removes_what_a_killed_build_left(
    releases: tuple[Path, ...], command: Bucket
) -> None:
    (left := releases[0] / ".stage-killed").mkdir()
    arguments = ["publish", f"{releases[0]}", ADDRESS]
    assert main.main([*arguments, "--dry-run"]) == 0
    assert left.is_dir()
    assert main.main(arguments) == 0
    assert not left.exists()
    assert not any(".stage-" in path for path in command.files())


def test_the_command_says_what_it_sends(
    releases: tuple[Path, ...], command: Bucket, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["publish", f"{releases[0]}", ADDRESS]
    assert main.main([*arguments, "--dry-run"]) == 0
    assert command.files() == {}
    assert main.main(arguments) == 0
    assert main.main(arguments) == 0
    assert main.main([*arguments, "--prune", "--grace", "1"]) == 0
    assert main.main([*arguments, "--quiet"]) == 0
    planned, sent, *again = capsys.readouterr().out.splitlines()
    digest = f" ({digest_of(releases[0])})"
    files = planned.removeprefix(f"{ADDRESS} would get ").removesuffix(digest)
    assert sent == f"{ADDRESS} now has the release: {files} uploaded{digest}"
    assert again == [f"{ADDRESS} already has this release{digest}"] * 2


def test_an_error_of_a_store_is_one_line_without_a_signature(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in (
        ("AWS_ACCESS_KEY_ID", "x"),
        ("AWS_SECRET_ACCESS_KEY", "y"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9"),
        ("AWS_ALLOW_HTTP", "true"),
    ):
        monkeypatch.setenv(name, value)
    patience = Patience(connect=1, silence=1, whole=1, attempts=1)
    with pytest.raises(OutputError, match=r"^s3://b/c/a: Generic S3 error: [^\n?]*$"):
        cloud.Store("s3://b/c", patience).read("a", 1)


def test_a_store_is_mended_by_sending_all_again(releases: tuple[Path, ...]) -> None:
    bucket = Bucket()
    publish(Upload(releases[0], bucket))
    gone, other, page = "blobs/sha256/", "archives/", "skills/pdf/index.html"
    gone, other = (
        next(path for path in bucket.files() if path.startswith(top)) for top in (gone, other)
    )
    bucket.remove([gone])
    for path in (other, page):
        bucket.overwrite(path, bytes(len(bucket.files()[path])), {})
    same = Uploaded(digest_of(releases[0]), 0, 0, is_same=True)
    assert publish(Upload(releases[0], bucket)) == same
    fixing = Upload(releases[0], bucket, sends_all=True)
    others = [path for path in content(releases[0]) if path not in HEAD_FILES]
    assert plan(fixing).files == len(others)
    assert publish(fixing).files == len(others)
    assert bucket.files() == content(releases[0])
