"""A catalog of thousands of skills in dozens of parts, as clients see it; and parts that go."""

import json
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import anyio
import mcp
import pytest
from mcp.shared.exceptions import MCPError
from msgspec import structs

from helpers import outputs
from helpers.serving import many_entries, republish
from helpers.talk import ERAS, NEW, OLD, Client, Http, HttpServer, Json, Stdio
from skillbuild.model import Digest, Entry
from skillbuild.release.layout import blob_path, part_path
from skillbuild.serve.methods.describe import Offer
from skillbuild.serve.methods.subscriptions import Subscriptions
from skillbuild.serve.server import build_server
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.watch import Answer, DirectoryWatcher

COUNT = 4500
REFERENCE = {"type": "ref/resource", "uri": "skill://{+path}"}
FILES = ("SKILL.md", "forms/a.md", "forms/b.md")


@pytest.fixture(scope="module")
def entries(kinds_out: Path) -> Sequence[Entry]:
    return many_entries(kinds_out, COUNT)


@pytest.fixture(scope="module")
def large(
    kinds_out: Path, entries: Sequence[Entry], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    out = tmp_path_factory.mktemp("large") / "out"
    shutil.copytree(kinds_out, out)
    republish(out, entries)
    assert len(parts_of(out)) > 20
    return out


@pytest.fixture(scope="module")
def client(large: Path) -> Iterator[Client]:
    with Stdio(large, NEW) as running:
        yield running


@pytest.fixture
def copy(large: Path, tmp_path: Path) -> Path:
    """The large output, to be damaged."""
    return Path(shutil.copytree(large, tmp_path / "out"))


def parts_of(out: Path) -> list[Json]:
    """The parts as the head describes them."""
    parts: list[Json] = outputs.head_of(out)["release"]["parts"]
    return parts


def part_file(out: Path, number: int) -> Path:
    return out / part_path(Digest.parse(parts_of(out)[number]["digest"]))


def entries_in(out: Path, number: int, entries: Sequence[Entry]) -> Sequence[Entry]:
    """The entries of one part, by its number."""
    counts = [part["count"] for part in parts_of(out)]
    start = sum(counts[:number])
    return entries[start : start + counts[number]]


def agents(entries: Sequence[Entry]) -> list[Entry]:
    """Those that `skills/list` has."""
    return [entry for entry in entries if entry.name == "refunds"]


def public(entries: Sequence[Entry]) -> list[Entry]:
    """All but internal ones."""
    return [entry for entry in entries if entry.name != "house"]


def uris(items: Sequence[Json]) -> list[str]:
    return [item["uri"] for item in items]


def test_pages_have_every_skill_once_in_the_order_of_paths(
    client: Client, entries: Sequence[Entry]
) -> None:
    pages = list(client.pages("skills/list", "skills"))
    assert [uri for page in pages for uri in uris(page)] == [each.uri for each in agents(entries)]
    assert {len(page) for page in pages[1:-1]} == {100}
    assert 0 < len(pages[0]) <= 100


def test_resources_have_all_but_internal_skills_and_then_the_index(
    client: Client, entries: Sequence[Entry]
) -> None:
    pages = list(client.pages("resources/list", "resources"))
    wanted = [*(each.uri for each in public(entries)), "skill://index.json"]
    assert [uri for page in pages for uri in uris(page)] == wanted
    documents = [
        client.ask("resources/metadata", uri=item["uri"])["resource"]
        for page in pages
        for item in page
    ]
    marks = [resource["metadata"].get("listed") for resource in documents]
    assert marks == [*(each.name == "refunds" for each in public(entries)), None]


def test_what_is_counted_is_what_is_listed(
    client: Client, large: Path, entries: Sequence[Entry]
) -> None:
    counts = outputs.head_of(large)["release"]["counts"]
    assert counts["skills"] == COUNT
    assert counts["unlisted"]["mcp"] == COUNT - len(agents(entries))
    assert counts["unlisted"]["site"] == COUNT - len(public(entries))
    for number, part in enumerate(parts_of(large)):
        own = entries_in(large, number, entries)
        assert part["first"] == own[0].path
        assert part.get("unlisted", {}).get("mcp", 0) == len(own) - len(agents(own))
        assert part.get("unlisted", {}).get("site", 0) == len(own) - len(public(own))
    instructions = client.ask("server/discover")["instructions"]
    assert f": {len(public(entries)):,} Agent Skills" in instructions
    assert instructions.endswith(" more.")


@pytest.mark.parametrize("at", [0.0, 0.5, 1.0], ids=["first", "middle", "last"])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 1.0])
def test_skills_anywhere_in_a_part_are_answered_for(
    client: Client, large: Path, entries: Sequence[Entry], part: float, at: float
) -> None:
    own = entries_in(large, round(part * (len(parts_of(large)) - 1)), entries)
    entry = own[round(at * (len(own) - 1))]
    skill = client.ask("skills/get", uri=entry.uri)["skill"]
    assert (skill["uri"], skill["frontmatter"]) == (entry.uri, entry.frontmatter)
    assert [(item["uri"], item["digest"], item["size"]) for item in skill["resources"]] == [
        (item.uri, str(item.digest), item.size) for item in entry.resources
    ]
    for item in entry.resources:
        described = client.ask("resources/metadata", uri=item.uri)["resource"]
        assert (described["version"], described["size"]) == (str(item.digest), item.size)
        read = client.ask("resources/read", uri=item.uri)["contents"][0]
        assert read["text"].encode() == (large / blob_path(item.digest)).read_bytes()
        assert {key: read[key] for key in described} == described
    children = sorted({item.path.partition("/")[0] for item in entry.resources})
    directory = entry.uri.removesuffix("/SKILL.md")
    listing = client.ask("resources/directory/read", uri=directory)["resources"]
    assert uris(listing) == [f"{directory}/{name}" for name in children]
    argument = {"name": "path", "value": f"{entry.path}/"}
    completion = client.ask("completion/complete", ref=REFERENCE, argument=argument)["completion"]
    values = [] if entry.name == "house" else [f"{entry.path}/{i.path}" for i in entry.resources]
    assert completion == {"values": values, "total": len(values), "hasMore": False}


def test_a_directory_over_many_parts_has_all_its_skills(
    client: Client, entries: Sequence[Entry]
) -> None:
    for group in ("g0", "g7", "g36"):
        wanted = [each.path.split("/")[1] for each in entries if each.path.startswith(f"{group}/")]
        pages = client.pages("resources/directory/read", "resources", uri=f"skill://{group}")
        names = [item["name"] for page in pages for item in page]
        assert names == wanted
        assert len(names) > 100


def test_completion_of_a_short_text_gives_some_and_says_that_there_are_more(
    client: Client, entries: Sequence[Entry]
) -> None:
    argument = {"name": "path", "value": "g"}
    completion = client.ask("completion/complete", ref=REFERENCE, argument=argument)["completion"]
    every = {f"{each.path}/{item.path}" for each in public(entries) for item in each.resources}
    assert completion.keys() == {"values", "hasMore"}
    assert completion["hasMore"] is True
    assert len(set(completion["values"]) & every) == 100


@pytest.mark.parametrize("segment", ["a/", "g0/", "%2F", "x"])
@pytest.mark.nightly
def test_the_longest_uris_take_neither_time_nor_memory(large: Path, segment: str) -> None:
    text = segment * (16_300 // len(segment))
    with Stdio(large, NEW) as client:
        started = peak(client)
        for method in ("resources/metadata", "resources/read", "resources/directory/read"):
            assert client.fault(method, uri=f"skill://{text}b")["code"] == -32602
        argument = {"name": "path", "value": f"{text}b"}
        answer = client.ask("completion/complete", ref=REFERENCE, argument=argument)["completion"]
        assert answer["values"] == []
        assert peak(client) - started < 30_000


def peak(client: Stdio) -> int:
    """The most memory that a server has taken so far, in kB; 0 where the system does not tell."""
    client.ask("skills/list")
    status = Path(f"/proc/{client.process.pid}/status")
    if not status.exists():
        return 0
    line = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM"))
    return int(line.split()[1])


def damage(path: Path) -> None:
    """Other bytes, and no more of them: the size of each part is compared at the start."""
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data[:-2] + b" \n")


@pytest.mark.parametrize(("change", "reason"), [(damage, "wrong digest"), (Path.unlink, "missing")])
@pytest.mark.parametrize("era", ERAS)
def test_a_damaged_part_is_an_error_with_a_reason_and_other_parts_answer(
    copy: Path, entries: Sequence[Entry], change: Callable[[Path], None], reason: str, era: str
) -> None:
    number = len(parts_of(copy)) // 2
    path = part_file(copy, number)
    with Stdio(copy, era) as client:
        client.ask("tools/list")  # It has started.
        change(path)
        message = f"The release is damaged: record/{path.parent.name}/{path.name}: {reason}"
        wrong = {"code": -32603, "message": message, "data": {"code": "damaged-record"}}
        uri = entries_in(copy, number, entries)[3].uri
        for method in ("skills/get", "resources/read", "resources/metadata"):
            assert client.fault(method, uri=uri) == wrong
        with pytest.raises(AssertionError, match="damaged-record"):
            list(client.pages("resources/list", "resources"))
        for other in (number - 1, number + 1):
            first, *_, last = entries_in(copy, other, entries)
            for entry in (first, last):
                assert client.ask("skills/get", uri=entry.uri)["skill"]["uri"] == entry.uri
                assert client.ask("resources/read", uri=entry.uri)["contents"]
        assert client.ask("skills/list")["skills"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.nightly
def test_clients_connect_though_the_first_part_is_damaged(
    copy: Path, entries: Sequence[Entry], era: str
) -> None:
    damage(part_file(copy, 0))
    for client in (Stdio(copy, era), Stdio(copy, era, "--tools")):
        with client:
            hello = client.hello or client.ask("server/discover")
            assert hello["instructions"].endswith("has the files of a directory.")
            last = entries[-1].uri
            assert client.ask("skills/get", uri=last)["skill"]["uri"] == last
            assert client.fault("skills/list")["data"] == {"code": "damaged-record"}
    with HttpServer(copy) as server:
        assert Http(server, era).ask("resources/read", uri=entries[-1].uri)["contents"]


def test_a_damaged_index_costs_nothing_else(copy: Path, entries: Sequence[Entry]) -> None:
    path = copy / blob_path(outputs.record_of(copy).fixed.index.digest)
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data + b" ")
    size = f"{len(data):,}"
    with Stdio(copy, NEW) as client:
        error = client.fault("resources/read", uri="skill://index.json")
        assert error == {
            "code": -32603,
            "message": f"The content of skill://index.json is damaged: larger than {size} bytes",
            "data": {"code": "damaged-content", "uri": "skill://index.json"},
        }
        path.unlink()
        error = client.fault("resources/read", uri="skill://index.json")
        assert (error["code"], error["message"].endswith("is damaged: missing")) == (-32603, True)
        assert client.ask("resources/metadata", uri="skill://index.json")
        assert client.ask("skills/list")["skills"]
        assert len(client.ask("resources/list")["resources"]) == 100
        assert client.ask("resources/read", uri=entries[0].uri)["contents"]


# Parts and blobs of a release that is replaced may go before its last request is answered.


class PublishWhileAnswering(DirectoryWatcher):
    """At the first request after it was told to, it publishes when the release is chosen."""

    def __init__(self, out: Path, publish: Callable[[], None]) -> None:
        super().__init__(out)
        self.releases: list[Digest] = []
        self.is_told = False
        self._publish = publish

    async def answered(
        self, answer: Callable[[ServedRelease], Answer], *, is_search: bool = False
    ) -> Answer:
        def between(release: ServedRelease) -> Answer:
            if self.is_told:
                self.releases.append(release.head_digest)
                if len(self.releases) == 1:
                    self._publish()
            return answer(release)

        return await super().answered(between, is_search=is_search)


def text_in(answer: object) -> bytes:
    """The one text of a read."""
    assert isinstance(answer, mcp.types.ReadResourceResult)
    [item] = answer.contents
    assert isinstance(item, mcp.types.TextResourceContents)
    return item.text.encode()


def while_answering(
    out: Path, publish: Callable[[], None], ask: Callable[[mcp.Client], object]
) -> tuple[object, int]:
    """The answer to a request during which a release is published, and how many it was asked of.

    An error is an answer, too.
    """
    watcher = PublishWhileAnswering(out, publish)
    server = build_server(watcher, Subscriptions(watcher), Offer(duplex=True, tools=True))

    async def run() -> object:
        async with mcp.Client(server) as client:
            watcher.is_told = True
            answer = ask(client)
            assert hasattr(answer, "__await__")
            try:
                return await answer
            except MCPError as error:
                return error.error

    return anyio.run(run), len(set(watcher.releases))


def changed(entries: Sequence[Entry], digest: Digest, size: int) -> list[Entry]:
    """The entries with this content as every SKILL.md."""
    return [
        structs.replace(
            entry,
            resources=tuple(
                structs.replace(item, digest=digest, size=size) if item.path == "SKILL.md" else item
                for item in entry.resources
            ),
        )
        for entry in entries
    ]


def test_a_request_is_answered_from_the_release_that_replaced_its_own(
    copy: Path, entries: Sequence[Entry]
) -> None:
    text = b"# Another\n"
    digest = Digest.of(text)
    (copy / blob_path(digest)).write_bytes(text)
    newer = changed(entries, digest, len(text))
    uri = entries[COUNT // 2].uri
    answer, releases = while_answering(
        copy,
        lambda: republish(copy, newer),
        lambda client: client.read_resource(uri),
    )
    assert (text_in(answer), releases) == (text, 2)


def test_a_search_is_of_the_release_that_replaced_its_own(
    copy: Path, entries: Sequence[Entry]
) -> None:
    """The files of the index are not there any more when they are read."""
    newer = list(entries[::2])
    answer, releases = while_answering(
        copy,
        lambda: republish(copy, newer),
        lambda client: client.call_tool("search_skills", {"query": "g36"}),
    )
    assert isinstance(answer, mcp.types.CallToolResult)
    wanted = [entry.path for entry in public(newer) if entry.path.startswith("g36/")]
    paths = [skill["path"] for skill in (answer.structured_content or {})["skills"]]
    assert (paths, releases) == (wanted[: len(paths)], 2)
    assert len(paths) > 5


def test_a_file_whose_bytes_went_with_its_release_is_read_from_the_next(
    copy: Path, entries: Sequence[Entry]
) -> None:
    text = b"# Another\n"
    digest = Digest.of(text)
    (copy / blob_path(digest)).write_bytes(text)
    entry = entries[COUNT // 2]

    def publish() -> None:
        kept = {path: path.read_bytes() for path in (copy / "record").rglob("*.jsonl")}
        republish(copy, changed(entries, digest, len(text)))
        for path, data in kept.items():
            path.write_bytes(data)
        (copy / blob_path(entry.skill_md.digest)).unlink()

    answer, releases = while_answering(
        copy, publish, lambda client: client.read_resource(entry.uri)
    )
    assert (text_in(answer), releases) == (text, 2)


def test_a_skill_that_the_next_release_has_not_is_unknown(
    copy: Path, entries: Sequence[Entry]
) -> None:
    gone = entries[COUNT // 2].uri
    answer, releases = while_answering(
        copy,
        lambda: republish(copy, entries[: COUNT // 2]),
        lambda client: client.read_resource(gone),
    )
    assert isinstance(answer, mcp.types.ErrorData)
    assert (answer.message, releases) == (f"Nothing is served at {gone}", 2)


def test_a_release_that_is_damaged_and_not_replaced_is_an_error(
    copy: Path, entries: Sequence[Entry]
) -> None:
    def remove() -> None:
        for path in (copy / "record").rglob("*.jsonl"):
            path.unlink()

    answer, releases = while_answering(
        copy, remove, lambda client: client.read_resource(entries[-1].uri)
    )
    assert isinstance(answer, mcp.types.ErrorData)
    assert (answer.code, answer.data, releases) == (-32603, {"code": "damaged-record"}, 1)


def test_clients_are_told_of_changes_though_the_old_parts_are_gone(
    copy: Path, entries: Sequence[Entry]
) -> None:
    watched = entries[10].uri
    with Stdio(copy, OLD) as client:
        client.ask("resources/subscribe", uri=watched)
        assert len(list(client.pages("resources/list", "resources"))) > 20  # None of it is held.
        republish(copy, entries[5:])
        client.process.send_signal(signal.SIGHUP)
        client.notice("notifications/resources/list_changed")
        assert client.notice("notifications/resources/updated")["params"]["uri"] == watched
        assert client.ask("skills/get", uri=watched)["skill"]["uri"] == watched


def test_a_missing_part_is_refused_at_the_start_with_a_remedy(copy: Path) -> None:
    path = part_file(copy, len(parts_of(copy)) - 1)
    path.unlink()
    with Stdio(copy, NEW) as client:
        assert client.process.wait(20) == 2
        assert client.error_line().endswith(f"{path.name} is missing; run build again")


def test_a_release_with_a_missing_part_does_not_replace_a_whole_one(
    copy: Path, entries: Sequence[Entry]
) -> None:
    with Stdio(copy, NEW) as client:
        before = client.ask("skills/list")["skills"]
        old = {path: path.read_bytes() for path in (copy / "record").rglob("*.jsonl")}
        republish(copy, entries[1:])
        part_file(copy, 0).unlink()
        for path, data in old.items():
            path.write_bytes(data)
        assert client.ask("skills/list")["skills"] == before
        assert "is missing; run build again; still serving commit" in client.error_line()
        republish(copy, entries)


def test_the_record_says_the_same_to_another_reader(large: Path, entries: Sequence[Entry]) -> None:
    """The synthetic output is one that builds could have written: the parts as they are cut."""
    release = outputs.record_of(large)
    assert [entry["path"] for entry in outputs.entries_of(large)] == [each.path for each in entries]
    assert list(release.catalog.entries) == list(entries)
    stored = json.loads((large / blob_path(release.release_digest)).read_bytes())
    assert stored == outputs.head_of(large)["release"]
