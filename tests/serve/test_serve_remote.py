"""A server of a release that is published elsewhere: what it gives while the origin has faults.

An origin is a web server on the loopback; each test has a cache of its own.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import anyio
import pytest

from helpers import repos
from helpers.outputs import parts_of, record_of
from helpers.repos import skill_md
from helpers.serving import FILES, MANY, built, many_entries, rebuilt, republish
from helpers.talk import NEW, OLD, Http, HttpServer, Stdio
from helpers.web import path_of, reply, served
from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.release.layout import blob_path
from skillbuild.release.record import files_of
from skillbuild.serve.methods.describe import Readable, describe
from skillbuild.serve.state import content
from skillbuild.serve.state.follow import RemoteWatcher, Wanted, opened
from skillbuild.serve.state.release import ServedRelease
from skillbuild.storage import disk
from skillbuild.storage.files import DamagedError, Patience, UnavailableError

Answer = Callable[[BaseHTTPRequestHandler], None]
URI = "skill://pdf/SKILL.md"


class Origin:
    """Serves an output over HTTP; `fault` answers in its place, and `asked` has the paths."""

    def __init__(self, out: Path) -> None:
        self.out, self.url = out, ""
        self.asked: list[str] = []
        self.fault: dict[str, Answer] = {}

    def __call__(self, request: BaseHTTPRequestHandler) -> None:
        path = path_of(request)[1:]
        self.asked.append(path)
        answer = self.fault.get(path, self.fault.get("*"))
        if answer is not None:
            answer(request)
            return
        data = disk.read(self.out / path)
        if data is None:
            reply(request, 404, b"")
            return
        tag = f'"{Digest.of(data).hex}"'
        is_same = request.headers.get("If-None-Match") == tag
        length = {"Content-Length": f"{len(data)}", "ETag": tag}
        reply(request, 304 if is_same else 200, b"" if is_same else data, **length)


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache, and a server that is not patient."""
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path / 'cache'}")
    hurried = Patience(connect=2, silence=2, whole=3, attempts=2)
    monkeypatch.setattr("skillbuild.storage.files.FOR_SERVERS", hurried)
    monkeypatch.setattr("skillbuild.storage.mirror._REST", 0.0)
    monkeypatch.setattr("skillbuild.serve.state.follow._AT_LEAST", 0.0)


@pytest.fixture
def origin(out: Path) -> Iterator[Origin]:
    answer = Origin(out)
    with served(answer, ("GET", "HEAD")) as url:
        answer.url = url
        yield answer


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A release and the one after it."""
    folder = tmp_path_factory.mktemp("releases")
    out = built(folder, FILES)
    shutil.copytree(out, folder / "old")
    rebuilt(out, {**FILES, "skills/pdf/SKILL.md": skill_md("pdf", "Is new.")}, day=1)
    return folder / "old", out


def following(origin: Origin, *, allow_rollback: bool = False) -> RemoteWatcher:
    watcher = opened(Wanted(origin.url, allow_rollback=allow_rollback))
    assert isinstance(watcher, RemoteWatcher)
    return watcher


def look(watcher: RemoteWatcher) -> None:
    anyio.run(watcher.refreshed)


def blob(out: Path, uri: str = URI) -> str:
    entry = next(entry for entry in record_of(out).catalog.entries if entry.uri == uri)
    return blob_path(entry.skill_md.digest)


def read(watcher: RemoteWatcher, uri: str = URI) -> bytes | None:
    return content.read_document(watcher.release, uri)


def expected(out: Path) -> bytes:
    return (out / blob(out)).read_bytes()


def test_only_what_is_asked_for_is_fetched_and_only_once(origin: Origin) -> None:
    watcher = following(origin)
    assert origin.asked == ["catalog.json"]
    assert read(watcher) == expected(origin.out)
    [part] = parts_of(origin.out)
    assert origin.asked == ["catalog.json", part.path, blob(origin.out)]
    assert read(watcher) == expected(origin.out)
    again = following(origin)
    assert read(again) == expected(origin.out)
    assert origin.asked[3:] == ["catalog.json"]


def test_a_new_client_waits_for_few_requests_and_bytes(kinds_out: Path, tmp_path: Path) -> None:
    out = shutil.copytree(kinds_out, tmp_path / "many")
    republish(out, many_entries(kinds_out, 5000))
    origin = Origin(out)
    with served(origin, ("GET", "HEAD")) as origin.url, HttpServer(origin.url) as server:
        client = Http(server, OLD)
        first = client.ask("skills/list")["skills"]
        asked = list(origin.asked)
    assert 0 < len(first) <= 100
    assert len(asked) <= 3
    assert sum((out / path).stat().st_size for path in asked) < 1_000_000


def status(number: int) -> Answer:
    return lambda request: reply(request, number, b"no", **{"Content-Length": "2"})


def cut(request: BaseHTTPRequestHandler) -> None:
    reply(request, 200, b"half", **{"Content-Length": "100"})


def drip(request: BaseHTTPRequestHandler) -> None:
    reply(request, 200, b"", **{"Content-Length": "100"})
    for _ in range(100):
        threading.Event().wait(0.05)
        try:
            request.wfile.write(b".")
        except OSError:
            return


def elsewhere(request: BaseHTTPRequestHandler) -> None:
    reply(request, 302, b"", Location="https://evil.example/x")


def page(request: BaseHTTPRequestHandler) -> None:
    reply(request, 200, b"<!doctype html><title>Log in</title>")


FAULTS: dict[str, tuple[Answer, str, str]] = {
    "404": (status(404), "missing", "has no catalog.json"),
    "500": (status(500), "HTTP Error 500", "HTTP Error 500"),
    "429": (status(429), "HTTP Error 429", "HTTP Error 429"),
    "403": (status(403), "to send a token", "to send a token"),
    "cut body": (cut, "peer closed connection", "peer closed connection"),
    "slow drip": (drip, "timed out", "timed out"),
    "redirect": (
        elsewhere,
        "redirects to https://evil.example",
        "redirects to https://evil.example",
    ),
    "login page": (page, "wrong digest", "received a web page instead of the file"),
    "wrong bytes": (lambda it: reply(it, 200, b'{"x":1}'), "wrong digest", "is damaged"),
}
"""How an origin answers, and what is said of a file and of the head."""


def test_a_release_of_an_older_layout_is_told_to_be_built_again(origin: Origin) -> None:
    origin.fault["catalog.json"] = partial(reply, status=200, body=b'{"layout":2}')
    message = "layout 2, which is no longer supported; build the output again and publish it"
    with pytest.raises(OutputError, match=message):
        following(origin)


def test_no_more_is_read_of_index_and_search_than_the_head_says(origin: Origin, out: Path) -> None:
    watcher, fixed = following(origin), record_of(out).fixed
    for named in (fixed.index, fixed.search):
        data = (out / blob_path(named.digest)).read_bytes() + b" " * 1000
        origin.fault[blob_path(named.digest)] = partial(reply, status=200, body=data)
    bound = "larger than {:,} bytes".format
    with pytest.raises(DamagedError, match=bound(fixed.index.size)):
        read(watcher, "skill://index.json")
    with pytest.raises(DamagedError, match=bound(fixed.search.size)):
        watcher.release.search.find("pdf", 0, 9)


@pytest.mark.parametrize("name", list(FAULTS))
def test_a_file_that_cannot_be_had_is_an_error_and_all_others_are_served(
    origin: Origin, name: str
) -> None:
    answer, message, _ = FAULTS[name]
    watcher = following(origin)
    origin.fault[blob(origin.out)] = answer
    for _ in range(2):
        with pytest.raises((DamagedError, UnavailableError), match=message):
            read(watcher)
    assert read(watcher, "skill://deep/SKILL.md") is None
    assert read(watcher, "skill://acme/billing/refunds/SKILL.md") is not None
    origin.fault.clear()
    assert read(watcher) == expected(origin.out)


@pytest.mark.parametrize("name", list(FAULTS))
def test_a_head_that_cannot_be_had_leaves_the_release_that_is_served(
    releases: tuple[Path, Path], name: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer, _, message = FAULTS[name]
    old, new = releases
    origin = Origin(old)
    with served(origin) as origin.url:
        watcher = following(origin)
        assert read(watcher) == expected(old)
        origin.out = new
        origin.fault["catalog.json"] = answer
        for _ in range(3):
            look(watcher)
        assert read(watcher) == expected(old)
        [line] = caplog.messages
        assert message in line
        assert line.endswith(f"; still serving commit {record_of(old).catalog.commit}")
        origin.fault.clear()
        look(watcher)
        assert read(watcher) == expected(new)
        assert any(line.endswith(" answers again") for line in caplog.messages)


@pytest.mark.parametrize("name", list(FAULTS))
def test_without_a_head_no_server_starts(origin: Origin, name: str) -> None:
    answer, _, message = FAULTS[name]
    origin.fault["catalog.json"] = answer
    with pytest.raises(OutputError) as caught:
        following(origin)
    assert message in str(caught.value)


def test_a_release_whose_part_is_missing_makes_place_for_the_next_one(
    releases: tuple[Path, Path],
) -> None:
    """The publisher removed it, and has another head by then."""
    old, new = releases
    origin = Origin(old)
    with served(origin) as origin.url:
        watcher = following(origin)
        origin.out = new
        [part] = parts_of(old)
        origin.fault[part.path] = status(404)

        def answer(release: object) -> bytes | None:
            return content.read_document(watcher.release, URI)

        assert anyio.run(watcher.answered, answer) == expected(new)


def test_a_head_that_changes_between_two_reads_mixes_nothing(releases: tuple[Path, Path]) -> None:
    old, new = releases
    origin = Origin(old)
    with served(origin) as origin.url:
        watcher = following(origin)
        origin.out = new  # It has the files of the old release, too.
        release = watcher.release
        assert content.read_document(release, URI) == expected(old)
        look(watcher)
        assert content.read_document(watcher.release, URI) == expected(new)
        assert content.read_document(release, URI) == expected(old)


def test_what_was_read_is_served_when_the_origin_is_gone_for_good(
    out: Path, caplog: pytest.LogCaptureFixture
) -> None:
    origin = Origin(out)
    with served(origin, ("GET", "HEAD")) as origin.url:
        watcher = following(origin)
        read(watcher)
    look(watcher)
    assert read(watcher) == expected(out)
    with pytest.raises(UnavailableError, match="connection refused"):
        read(watcher, "skill://acme/billing/refunds/SKILL.md")
    assert watcher.age is not None
    again = following(origin)
    assert again.age is None
    assert read(again) == expected(out)
    assert [line.partition("; ")[2] for line in caplog.messages] == [
        f"still serving commit {record_of(out).catalog.commit}",
        "serving the cached release",
    ]


def test_the_index_is_listed_by_a_server_that_started_without_the_origin(origin: Origin) -> None:
    def listed(release: ServedRelease) -> Readable | None:
        return describe(release, "skill://index.json")

    whole = anyio.run(following(origin).answered, listed)
    origin.fault["*"] = status(500)
    again = anyio.run(following(origin).answered, listed)
    assert again == whole is not None


def test_an_older_release_is_served_only_if_that_is_allowed(
    releases: tuple[Path, Path], caplog: pytest.LogCaptureFixture
) -> None:
    old, new = releases
    origin = Origin(new)
    with served(origin) as origin.url:
        watcher = following(origin)
        origin.out = old
        for _ in range(3):
            look(watcher)
        assert watcher.release.record == record_of(new)
        line = f"{origin.url} has an older release; pass --allow-rollback to serve it"
        assert caplog.messages == [line]
        assert following(origin).release.record == record_of(new)
        willing = following(origin, allow_rollback=True)
        assert willing.release.record == record_of(old)


@pytest.mark.nightly
def test_a_release_of_another_history_is_served_and_told(
    out: Path, many: Path, caplog: pytest.LogCaptureFixture
) -> None:
    origin = Origin(out)
    with served(origin) as origin.url:
        watcher = following(origin)
        origin.out = many
        look(watcher)
        line = (
            f"the release at {origin.url} is not based on the release that this server served"
            " before"
        )
        assert caplog.messages[0] == line
        assert watcher.release.record == record_of(many)


def test_a_cached_file_that_was_changed_is_fetched_again(origin: Origin, tmp_path: Path) -> None:
    watcher = following(origin)
    read(watcher)
    for path in (tmp_path / "cache").rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(b"changed")
    again = following(origin)
    assert read(again) == expected(origin.out)


def test_many_who_want_one_file_ask_for_it_once(origin: Origin) -> None:
    watcher = following(origin)
    origin.asked.clear()
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: read(watcher), range(16)))
    assert answers == [expected(origin.out)] * 16
    assert origin.asked.count(blob(origin.out)) == 1


@pytest.mark.parametrize("era", [OLD, NEW])
def test_clients_get_the_same_as_from_a_directory(origin: Origin, out: Path, era: str) -> None:
    requests: list[tuple[str, dict[str, str]]] = [
        ("skills/list", {}),
        ("resources/list", {}),
        ("resources/list", {"uri": "skill://pdf"}),
        ("resources/read", {"uri": URI}),
        ("resources/read", {"uri": "skill://index.json"}),
        ("resources/read", {"uri": "skill://pdf/assets/logo.bin"}),
        ("resources/metadata", {"uri": URI}),
        ("resources/directory/read", {"uri": "skill://acme"}),
        ("skills/get", {"uri": URI}),
        ("tools/list", {}),
    ]
    with Stdio(out, era) as near, Stdio(origin.url, era) as far:
        for method, params in requests:
            answers = [client.call(method, params) for client in (near, far)]
            assert without_times(answers[0]) == without_times(answers[1])


def test_an_answer_may_be_used_again_until_the_origin_is_asked_again(origin: Origin) -> None:
    with HttpServer(origin.url, "--refresh=20") as server:
        client = Http(server, NEW)
        first = client.ask("skills/list")["ttlMs"]
        time.sleep(0.02)
        assert 0 < client.ask("skills/get", uri=URI)["ttlMs"] < first <= 20_000


def without_times(value: object) -> object:
    """An answer as it is where the history is not at hand; ids and key orders aside."""
    if isinstance(value, dict):
        return {
            key: without_times(item)
            for key, item in value.items()
            if key not in ("lastModified", "ttlMs", "id")
        }
    return [without_times(item) for item in value] if isinstance(value, list) else value


def test_the_catalog_over_http_has_what_digests_hold(origin: Origin, out: Path) -> None:
    with HttpServer(origin.url) as server:
        for path in ("catalog.json", "release.json", "index.json", "search/manifest.js", blob(out)):
            assert server.request("GET", f"/{path}")[2] == (out / path).read_bytes()
        status, headers, body = server.request(
            "GET", f"/{blob(out)}", headers={"range": "bytes=1-"}
        )
        assert (status, body) == (206, expected(out)[1:])
        assert headers["content-type"] == "application/octet-stream"
        for path in ("index.html", "SHA256SUMS", "../catalog.json", f"blobs/sha256/{'0' * 64}"):
            assert server.request("GET", f"/{path}")[0] == 404
        assert server.request("POST", "/catalog.json")[0] == 405


@pytest.mark.nightly
def test_cursors_of_one_replica_are_good_at_another(many: Path, tmp_path: Path) -> None:
    """Each of two serves another release when the list begins."""
    out = shutil.copytree(many, tmp_path / "many")
    repo = many.parent / "repo"
    origin = Origin(out)
    with served(origin) as origin.url, HttpServer(origin.url, "--refresh=600") as behind:
        first = Http(behind, OLD).ask("skills/list")
        repos.commit(repo, {f"skills/s{n:03}/SKILL.md": skill_md(f"s{n:03}") for n in range(MANY)})
        assert repos.build(repo, out).release is not None
        with HttpServer(origin.url) as ahead:
            client = Http(ahead, OLD)
            newest = client.ask("skills/list")
            assert client.fault("skills/list", cursor=first["nextCursor"])["code"] == -32602
            late = Http(behind, OLD)
            time.sleep(1.0)  # The origin is asked once a second at most.
            assert late.ask("skills/list", cursor=newest["nextCursor"])["skills"]
            assert late.ask("skills/list", cursor=first["nextCursor"])["skills"]
            assert late.fault("skills/list", cursor="AAAA")["code"] == -32602


def test_a_version_is_read_from_afar_if_it_proves_itself(tmp_path: Path) -> None:
    head = '[versions]\nsince = "first"\n'
    repo = repos.empty(tmp_path / "repo")
    for day, body in enumerate(("One.\n", "Two.\n")):
        files: repos.Files = {"skillbuild.toml": head, "pdf/SKILL.md": skill_md("pdf", body=body)}
        repos.commit(repo, files, day=day)
    repos.build(repo, tmp_path / "out")
    [entry] = record_of(tmp_path / "out").catalog.entries
    old, newest = entry.versions[1], entry.versions[0]
    answer = Origin(tmp_path / "out")
    with served(answer, ("GET", "HEAD")) as url:
        answer.url = url
        watcher = following(answer)
        text = read(watcher, f"skill://-/{old.address}/pdf/SKILL.md")
        assert text is not None
        assert text.endswith(b"One.\n")
        other = f"{newest.address}/version.json"
        data = (tmp_path / "out" / f"{old.address}/version.json").read_bytes()
        answer.fault[other] = lambda request: reply(
            request, 200, data, **{"Content-Length": f"{len(data)}"}
        )
        with pytest.raises(DamagedError):
            read(watcher, f"skill://-/{newest.address}/pdf/SKILL.md")
        assert read(watcher, f"skill://-/versions/{'0' * 16}/pdf/SKILL.md") is None


def test_names_that_the_release_has_not_are_never_asked_of_an_origin(
    origin: Origin, out: Path
) -> None:
    watcher = following(origin)
    archive = next((out / "archives").glob("pdf-*.zip")).name
    with HttpServer(origin.url) as server:
        origin.asked.clear()
        for number in range(30):
            digits = f"{number:064x}"
            for path in (
                f"blobs/sha256/{digits}",
                f"search/{digits}.js",
                f"icons/{digits[:16]}.png",
            ):
                assert server.request("GET", f"/{path}")[0] == 404
            for uri in (
                f"skill://-/archives/pdf-{digits[:16]}.zip",
                f"skill://-/versions/{digits[:16]}/pdf/SKILL.md",
                f"skill://pdf/{digits}",
            ):
                assert read(watcher, uri) is None
        assert Counter(origin.asked) == {"SHA256SUMS": 1, parts_of(out)[0].path: 1}
    data = (out / "archives" / archive).read_bytes()
    assert read(watcher, f"skill://-/archives/{archive}") == data


def test_a_name_that_came_with_a_newer_release_is_found_after_a_while(
    releases: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = releases
    archive = next(
        iter(
            {each.name for each in (new / "archives").iterdir()}
            - {each.name for each in (old / "archives").iterdir()}
        )
    )
    origin = Origin(old)
    with served(origin) as origin.url:
        watcher = following(origin)
        assert read(watcher, f"skill://-/archives/{archive}") is None
        origin.out = new
        assert read(watcher, f"skill://-/archives/{archive}") is None
        monkeypatch.setattr("skillbuild.serve.state.published._ASK_AFTER", 0.0)
        look(watcher)
        assert read(watcher, f"skill://-/archives/{archive}") is not None


def test_bodies_without_end_are_cut_off_at_the_size_that_the_record_gives(
    origin: Origin, out: Path
) -> None:
    sent = 0

    def endless(request: BaseHTTPRequestHandler) -> None:
        nonlocal sent
        reply(request, 200, b"")
        for _ in range(1000):
            try:
                request.wfile.write(bytes(64 << 10))
            except OSError:
                return
            sent += 64 << 10

    watcher = following(origin)
    entries = list(record_of(out).catalog.entries)
    files = [item for entry in entries for item in entry.resources]
    archives = [item for entry in entries for item in entry.archives]
    for path in files_of(entries):
        origin.fault[path] = endless
    for item in files:
        with pytest.raises(DamagedError, match="larger than"):
            read(watcher, item.uri)
    for archive in archives:
        with pytest.raises(DamagedError, match="larger than"):
            read(watcher, archive.url)
    for path, (_, size) in files_of(entries).items():
        with pytest.raises(DamagedError, match=f"larger than {size:,} bytes"):
            watcher.release.published.file(path)
    assert len(files) > 5
    assert archives
    assert sent < 2 * len(files_of(entries)) * (8 << 20)  # What the sockets hold.


def test_a_file_over_http_does_not_need_the_part_that_names_it(origin: Origin, out: Path) -> None:
    watcher = following(origin)
    for part in watcher.release.parts.parts:
        origin.fault[part.path] = status(404)
    file = watcher.release.published.file(blob(out))
    assert file is not None
    assert file.data == expected(out)


def test_a_server_that_starts_without_the_origin_serves_over_http_what_was_read_before(
    origin: Origin, out: Path, tmp_path: Path
) -> None:
    archive = f"archives/{next((out / 'archives').glob('pdf-*.zip')).name}"
    skill = next(entry for entry in record_of(out).catalog.entries if entry.uri != URI)
    fetched, other = (blob(out), archive), blob_path(skill.skill_md.digest)
    with HttpServer(origin.url) as server:
        for path in fetched:
            assert server.request("GET", f"/{path}")[0] == 200
    for part in parts_of(out):  # The parts say how large a file is, and may have left the cache.
        for stored in (tmp_path / "cache").rglob(part.digest.hex):
            stored.unlink()
    origin.fault["*"] = status(500)
    origin.asked.clear()
    with HttpServer(origin.url) as server:
        assert origin.asked
        assert set(origin.asked) == {"catalog.json"}
        for path in fetched:
            assert server.request("GET", f"/{path}")[::2] == (200, (out / path).read_bytes())
        assert server.request("GET", f"/blobs/sha256/{'0' * 64}")[0] == 404
        assert set(origin.asked) == {"catalog.json"}
        assert server.request("GET", f"/{other}")[0] == 503


def test_who_needs_no_file_of_the_origin_waits_for_nobody(origin: Origin, out: Path) -> None:
    free = threading.Event()
    entries = [entry for entry in record_of(out).catalog.entries if entry.uri != URI]
    uris = ([item.uri for entry in entries for item in entry.resources] * 30)[:30]
    with HttpServer(origin.url) as server, ThreadPoolExecutor(40) as pool:
        client = Http(server, OLD)
        read = client.ask("resources/read", uri=URI)
        assert server.request("GET", f"/{blob(out)}")[0] == 200
        origin.fault["*"] = lambda request: reply(request, 404 if free.wait(30) else 500, b"")
        waiting = [pool.submit(client.call, "resources/read", {"uri": uri}) for uri in uris]
        while len(set(origin.asked) & {blob_path(each.skill_md.digest) for each in entries}) < 4:
            time.sleep(0.01)
        for _ in range(3):
            assert client.ask("resources/read", uri=URI) == read
            assert server.request("GET", f"/{blob(out)}")[0] == 200
        assert not any(answer.done() for answer in waiting)
        free.set()


def test_a_server_that_ends_waits_for_no_origin(origin: Origin, out: Path) -> None:
    free = threading.Event()
    watcher = following(origin)
    assert read(watcher, "skill://deep/SKILL.md") is None

    def wait(request: BaseHTTPRequestHandler) -> None:
        free.wait(30)

    origin.fault[blob(out)] = wait
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(read, watcher)
        while blob(out) not in origin.asked:
            time.sleep(0.01)
        watcher.close()
        with pytest.raises(UnavailableError, match="the program is shutting down"):
            waiting.result(5)
    free.set()
