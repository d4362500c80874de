"""Versions over MCP: each state of a skill by its address, and what became of those that are gone.

The release has a skill in every state of its life: changed often, moved by the settings and by
itself, removed, deprecated, and one of which a version is yanked.
"""

import hashlib
import json
import shutil
from base64 import b64decode
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import outputs, repos
from helpers.repos import Files, Program, skill_md
from helpers.talk import (
    ERAS,
    NEW,
    OLD,
    Client,
    Http,
    HttpServer,
    Json,
    Stdio,
)
from skillbuild.model import Digest, Entry, Version
from skillbuild.release.entry import digest_of_files
from skillbuild.serve.state.entries import read_version
from skillbuild.storage.files import DamagedError

PREFIX = "io.github.skillbuild/"
BASE = 'base_url = "https://example.org/repo/"\n[versions]\nsince = "first"\n'
STATES = 22
SECRET = skill_md("told", body="Ask Mrs. Example.\n")
DATA = SECRET.encode()
YANKED = digest_of_files([("SKILL.md", Digest.of(DATA), len(DATA), False)])
LAST = f"""{BASE}
[moved]
"billing/refund" = "billing/refunds"
"former" = "house"
[deprecated]
csv = {{ reason = "replaced", use = "pdf" }}
[yanked]
"{YANKED}" = "contained a customer name"
"""
HOUSE = skill_md("house").replace("\n---\n", '\nmetadata:\n  internal: "true"\n---\n', 1)


def pdf(number: int) -> Files:
    text = skill_md("pdf", body=f"State {number}.\n")
    if number == STATES - 1:
        text = text.replace("\n---\n", "\nmetadata:\n  version: 3.0.0\n---\n", 1)
    return {
        "skills/pdf/SKILL.md": text,
        "skills/pdf/references/the guide.md": "# Guide\n",
        "skills/pdf/scripts/run.sh": Program(f"echo {number}\n"),
        "skills/pdf/logo.bin": bytes(range(256)),
        **{f"skills/pdf/parts/{part}.txt": f"{part}\n" for part in range(8)},
    }


FIRST: Files = {
    "skillbuild.toml": BASE,
    **pdf(0),
    "skills/billing/refund/SKILL.md": skill_md("refund", body="Old.\n"),
    "skills/billing/refund/terms.md": "Terms.\n",
    "skills/former/SKILL.md": skill_md("former"),
    "skills/pack/SKILL.md": skill_md("pack", body="Packs.\n"),
    "skills/csv/SKILL.md": skill_md("csv"),
    "skills/txt/SKILL.md": skill_md("txt", body="Gone soon.\n"),
    "skills/told/SKILL.md": SECRET,
}
NOW: Files = {
    "skillbuild.toml": LAST,
    **pdf(STATES - 1),
    "skills/billing/refunds/SKILL.md": skill_md("refunds", body="New.\n"),
    "skills/house/SKILL.md": HOUSE,
    "skills/office/pack/SKILL.md": skill_md("pack", body="Packs.\n"),
    "skills/csv/SKILL.md": skill_md("csv"),
    "skills/told/SKILL.md": skill_md("told", body="Ask nobody.\n"),
}


@dataclass(frozen=True)
class Published:
    """An output with versions, and what its record says of them."""

    out: Path

    @property
    def entries(self) -> dict[str, Entry]:
        return {entry.path: entry for entry in outputs.record_of(self.out).catalog.entries}

    def versions(self, path: str) -> tuple[Version, ...]:
        """Those of a skill, whether it is in the source or gone; the newest first."""
        gone = {each.path: each.versions for each in outputs.record_of(self.out).catalog.gone}
        return gone[path] if path in gone else self.entries[path].versions

    def json(self, version: Version) -> Json:
        value: Json = json.loads((self.out / version.address / "version.json").read_bytes())
        return value

    def uri(self, version: Version) -> str:
        """Of its SKILL.md."""
        files = self.json(version)["resources"]
        return next(str(file["uri"]) for file in files if file["path"] == "SKILL.md")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    folder = tmp_path_factory.mktemp("versions")
    repo = repos.empty(folder / "repo")
    repos.commit(repo, FIRST)
    for number in range(1, STATES - 1):
        repos.commit(repo, {**FIRST, **pdf(number)}, day=number)
    repos.commit(repo, NOW, day=STATES - 1)
    report = repos.build(repo, folder / "out")
    assert report.release is not None, report.findings
    return Published(folder / "out")


@pytest.fixture(scope="module")
def server(published: Published) -> Iterator[HttpServer]:
    with HttpServer(published.out, "--tools") as running:
        yield running


@pytest.fixture(scope="module")
def all_clients(published: Published, server: HttpServer) -> Iterator[dict[str, Client]]:
    with ExitStack() as stack:
        clients: dict[str, Client] = {f"http {era}": Http(server, era) for era in ERAS}
        for era in ERAS:
            clients[f"stdio {era}"] = stack.enter_context(Stdio(published.out, era, "--tools"))
        yield clients


@pytest.fixture(params=[f"{kind} {era}" for kind in ("stdio", "http") for era in ERAS])
def client(request: pytest.FixtureRequest, all_clients: dict[str, Client]) -> Client:
    return all_clients[request.param]


def unknown_code(client: Client) -> int:
    return -32602 if client.era == NEW else -32002


def refusals(client: Client, uri: str) -> list[Json]:
    """The errors of every method that takes a URI; their codes are asserted."""
    faults = {
        method: client.fault(method, uri=uri)
        for method in (
            *("resources/read", "resources/metadata"),
            *("skills/get", "resources/directory/read", "resources/list"),
        )
    }
    unknown = unknown_code(client)
    codes = [fault["code"] for fault in faults.values()]
    assert codes == [unknown, unknown, -32602, -32602, -32602], uri
    return list(faults.values())


def call(client: Client, tool: str, **arguments: object) -> Json:
    return client.ask("tools/call", name=tool, arguments=arguments)


def test_a_version_is_given_and_read_by_its_address(client: Client, published: Published) -> None:
    for number in (0, 1, STATES - 1):
        version = published.versions("pdf")[STATES - 1 - number]
        recorded, uri = published.json(version), published.uri(version)
        assert uri == f"skill://-/{version.address}/pdf/SKILL.md"
        given = client.ask("skills/get", uri=uri)
        files = [
            {key: file[key] for key in ("uri", "digest", "size")} for file in recorded["resources"]
        ]
        frontmatter = recorded["frontmatter"]
        assert given["skill"] == {"uri": uri, "frontmatter": frontmatter, "resources": files}
        declared = {"version": "3.0.0"} if number == STATES - 1 else {}
        metadata = {"skillVersion": {"digest": str(version.digest), **declared}}
        assert given["_meta"][f"{PREFIX}metadata"] == metadata
        assert f"{PREFIX}versions" not in given["_meta"]
        expected = {path.removeprefix("skills/pdf/"): data for path, data in pdf(number).items()}
        assert len(files) == len(expected)
        for file in recorded["resources"]:
            (content,) = client.ask("resources/read", uri=file["uri"])["contents"]
            data = content["text"].encode() if "text" in content else b64decode(content["blob"])
            wanted = expected[file["path"]]
            text = wanted.content if isinstance(wanted, Program) else wanted
            assert data == (text.encode() if isinstance(text, str) else text)
            assert file["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
            described = client.ask("resources/metadata", uri=file["uri"])["resource"]
            assert {key: content[key] for key in described} == described
            assert described["metadata"].items() >= metadata.items()
            assert described["version"] == file["digest"]


def test_the_resource_of_a_version_says_which_it_is(
    all_clients: dict[str, Client], published: Published
) -> None:
    old, newest = published.versions("pdf")[1], published.versions("pdf")[0]
    assert newest.label == "3.0.0"
    client = all_clients[f"stdio {OLD}"]
    resource = client.ask("resources/metadata", uri=published.uri(old))["resource"]
    assert (resource["name"], resource["title"]) == ("pdf", f"pdf {old.digest.hex[:8]}")
    assert "lastModified" not in resource["annotations"]
    assert resource["metadata"]["listed"] is False
    directory = published.uri(newest).removesuffix("/SKILL.md")
    script = client.ask("resources/metadata", uri=f"{directory}/scripts/run.sh")["resource"]
    assert script["title"] == "pdf 3.0.0/scripts/run.sh"
    assert script["_meta"][f"{PREFIX}page"] == f"https://example.org/repo/{newest.address}/"


def test_directories_of_a_version_are_read(client: Client, published: Published) -> None:
    version = published.versions("pdf")[1]
    address = f"skill://-/{version.address}"

    def inside(uri: str) -> list[tuple[str, str]]:
        children = client.ask("resources/directory/read", uri=uri)["resources"]
        assert client.ask("resources/list", uri=uri)["resources"] == children
        return [(child["uri"].removeprefix(f"{uri}/"), child["mimeType"]) for child in children]

    assert inside(address) == [("pdf", "inode/directory")]
    assert inside(f"{address}/pdf") == [
        ("SKILL.md", "text/markdown"),
        ("logo.bin", "application/octet-stream"),
        ("parts", "inode/directory"),
        ("references", "inode/directory"),
        ("scripts", "inode/directory"),
    ]
    assert inside(f"{address}/pdf/references") == [("the%20guide.md", "text/markdown")]
    contents = client.ask("resources/read", uri=f"{address}/pdf")["contents"]
    assert [content["uri"] for content in contents] == [f"{address}/pdf/SKILL.md"]
    collection = client.ask("resources/metadata", uri=f"{address}/pdf")["resource"]
    assert (collection["resourceType"], collection["version"]) == (
        "collection",
        str(version.digest),
    )


def test_a_version_is_in_no_list(client: Client, published: Published) -> None:
    lists = ("skills", "resources")
    pages = [page for each in lists for page in client.pages(f"{each}/list", each)]
    argument = {"name": "path", "value": "-"}
    reference = {"type": "ref/resource", "uri": "skill://{+path}"}
    completed = client.ask("completion/complete", ref=reference, argument=argument)
    tools = [call(client, "list_skills"), call(client, "search_skills", query="pdf state")]
    text = json.dumps([pages, completed, tools])
    assert "skill://pdf/SKILL.md" in text
    assert "-/versions" not in text
    for uri in ("skill://-", "skill://-/versions"):
        assert all("successor" not in fault["data"] for fault in refusals(client, uri))


def test_tools_read_a_version_as_any_skill(client: Client, published: Published) -> None:
    uri = published.uri(published.versions("pdf")[STATES - 1])
    content = call(client, "read_skill", skill=uri)["content"]
    assert content[0]["text"] == pdf(0)["skills/pdf/SKILL.md"]
    assert "references/the guide.md" in content[1]["text"]
    script = call(client, "read_skill_file", skill=uri, file="scripts/run.sh")
    assert script["content"] == [{"type": "text", "text": "echo 0\n"}]


def test_what_is_no_version_is_unknown(client: Client, published: Published) -> None:
    version = published.versions("pdf")[1]
    digits = version.digest.short
    wrong = [YANKED.short, "0" * 16, digits.upper(), digits[:-1], f"{digits}0", "..", ""]
    names = [f"{digits}/{name}" for name in ("other", "pdf/none.md", "pdf//SKILL.md", "PDF")]
    for address in (*wrong, *names):
        for end in ("", "/told/SKILL.md", "/pdf/SKILL.md"):
            uri = f"skill://-/versions/{address}{end}"
            for fault in refusals(client, uri):
                assert fault["data"] == {"uri": uri}
    assert call(client, "read_skill", skill=f"skill://-/versions/{YANKED.short}/told/SKILL.md")[
        "isError"
    ]


def test_a_yanked_version_is_refused_though_its_file_is_there(
    published: Published, tmp_path: Path
) -> None:
    out = shutil.copytree(published.out, tmp_path / "out")
    name = f"versions/{YANKED.short}/version.json"
    version = published.versions("told")[0]
    text = (out / version.address / "version.json").read_text()
    (out / name).write_text(text.replace(version.digest.short, YANKED.short))
    with Stdio(out, NEW) as client:
        assert client.ask("skills/get", uri=published.uri(version))
        refusals(client, f"skill://-/versions/{YANKED.short}/told/SKILL.md")


def test_a_removed_skill_is_unknown_and_its_versions_are_read(
    client: Client, published: Published
) -> None:
    for fault in refusals(client, "skill://txt/SKILL.md"):
        assert fault["data"] == {"uri": "skill://txt/SKILL.md"}
    (version,) = published.versions("txt")
    (content,) = client.ask("resources/read", uri=published.uri(version))["contents"]
    assert content["text"] == FIRST["skills/txt/SKILL.md"]
    assert client.ask("skills/get", uri=published.uri(version))["skill"]


@pytest.mark.parametrize(
    ("path", "to"), [("billing/refund", "billing/refunds"), ("pack", "office/pack")]
)
def test_a_moved_skill_is_unknown_with_its_successor(client: Client, path: str, to: str) -> None:
    successor = f"skill://{to}/SKILL.md"
    for end in ("/SKILL.md", "/terms.md", "/a/b.md", ""):
        uri = f"skill://{path}{end}"
        for fault in refusals(client, uri):
            assert fault["data"] == {"uri": uri, "successor": successor}
            assert fault["message"].endswith(f"; the skill has moved to {successor}")
    for arguments in ({"skill": f"skill://{path}/SKILL.md"}, {"skill": path}):
        for tool, more in (("read_skill", {}), ("read_skill_file", {"file": "SKILL.md"})):
            answer = call(client, tool, **arguments, **more)
            if answer.get("isError"):
                (content,) = answer["content"]
                assert content["text"] == f"{arguments['skill']} has moved; ask for {to}"
            else:  # Its name is still the one of the skill that it is now.
                assert arguments["skill"] == "pack"
                assert answer["content"][0]["text"] == NOW["skills/office/pack/SKILL.md"]


def test_a_successor_that_is_internal_is_not_named(client: Client) -> None:
    for fault in refusals(client, "skill://former/SKILL.md"):
        assert fault["data"] == {"uri": "skill://former/SKILL.md"}
    assert client.ask("skills/get", uri="skill://house/SKILL.md")["skill"]


def test_the_versions_of_a_moved_skill_stay_where_they_were(
    client: Client, published: Published
) -> None:
    version = published.versions("billing/refunds")[-1]
    assert version.path == "billing/refund"
    uri = published.uri(version)
    assert uri.endswith("/refund/SKILL.md")
    (content,) = client.ask("resources/read", uri=uri)["contents"]
    assert content["text"] == FIRST["skills/billing/refund/SKILL.md"]
    assert content["metadata"]["skillVersion"] == {"digest": str(version.digest)}


def test_a_skill_names_its_newest_versions(client: Client, published: Published) -> None:
    def meta_of(path: str) -> Json:
        meta: Json = client.ask("skills/get", uri=f"skill://{path}/SKILL.md").get("_meta", {})
        return meta

    def listed(path: str) -> list[Json]:
        return [
            {
                "digest": str(version.digest),
                "date": version.change.date,
                "label": version.label,
                "uri": published.uri(version),
            }
            for version in published.versions(path)
        ]

    meta = meta_of("pdf")[f"{PREFIX}versions"]
    assert meta == {"count": STATES, "newest": listed("pdf")[:20]}
    meta = meta_of("csv")
    assert meta[f"{PREFIX}deprecated"] == {"reason": "replaced", "use": "pdf"}
    assert meta[f"{PREFIX}versions"] == {"count": 1, "newest": listed("csv")}
    assert meta_of("told")[f"{PREFIX}versions"] == {"count": 1, "newest": listed("told")}
    assert f"{PREFIX}versions" not in meta_of("house")


@pytest.mark.parametrize("era", ERAS)
def test_a_part_has_the_versions_that_its_skills_list(published: Published, era: str) -> None:
    only = [part for path in ("pdf", "billing/refunds", "txt") for part in ("--only", path)]
    with Stdio(published.out, era, *only) as client:
        for version in (published.versions("pdf")[5], *published.versions("txt")):
            assert client.ask("skills/get", uri=published.uri(version))
        for version in published.versions("csv"):
            refusals(client, published.uri(version))
        for fault in refusals(client, "skill://pack/SKILL.md"):
            assert "successor" not in fault["data"]
        both = published.versions("billing/refunds")
        assert [each.path for each in both] == ["", "billing/refund"]
        meta = client.ask("skills/get", uri="skill://billing/refunds/SKILL.md")["_meta"]
        uris = [each.get("uri") for each in meta[f"{PREFIX}versions"]["newest"]]
        assert uris == [published.uri(version) for version in both]


@pytest.mark.parametrize("era", ERAS)
def test_a_damaged_version_is_an_error_and_all_else_is_answered(
    published: Published, tmp_path: Path, era: str
) -> None:
    out = shutil.copytree(published.out, tmp_path / "out")
    changed, lost, blob, sound = published.versions("pdf")[1:5]
    path = out / changed.address / "version.json"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b'"executable":false', b'"executable":true'))
    (out / lost.address / "version.json").unlink()
    script = published.uri(blob).replace("SKILL.md", "scripts/run.sh")
    digests = {file["uri"]: file["digest"] for file in published.json(blob)["resources"]}
    (out / "blobs/sha256" / digests[script].removeprefix("sha256:")).unlink()
    with Stdio(out, era, "--tools") as client:
        for version, reason in (
            (changed, "wrong digest"),
            (lost, "missing"),
        ):
            where = f"{version.address}/version.json"
            for method in ("resources/read", "resources/metadata", "skills/get"):
                fault = client.fault(method, uri=published.uri(version))
                assert fault["code"] == -32603
                assert fault["message"] == f"The release is damaged: {where}: {reason}"
                assert fault["data"] == {"code": "damaged-record"}
            directory = f"skill://-/{version.address}/pdf"
            assert client.fault("resources/directory/read", uri=directory)["code"] == -32603
        fault = client.fault("resources/read", uri=script)
        assert (fault["code"], fault["data"]["code"]) == (-32603, "damaged-content")
        assert client.ask("resources/read", uri=published.uri(sound))
        meta = client.ask("skills/get", uri="skill://pdf/SKILL.md")["_meta"]
        newest = meta[f"{PREFIX}versions"]["newest"]
        assert [index for index, each in enumerate(newest) if "uri" not in each] == [1, 2]


@given(st.data())
def test_a_file_of_a_version_is_right_or_damaged(published: Published, data: st.DataObject) -> None:
    version = published.versions("csv")[0]
    where = f"{version.address}/version.json"
    whole = (published.out / where).read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    inserted = data.draw(st.binary(max_size=2) | st.sampled_from([b"null", b"1e9", b'"', b"-9"]))
    removed = data.draw(st.integers(0, 12))
    try:
        entry = read_version(whole[:at] + inserted + whole[at + removed :], where)
    except DamagedError:
        return
    assert entry.version == str(version.digest)
    assert [file.uri for file in entry.files] == [published.uri(version)]
    assert isinstance(entry.description, str)
    assert entry.is_version


def test_without_versions_there_are_no_addresses(out: Path, published: Published) -> None:
    version = published.versions("pdf")[0]
    with Stdio(out, NEW) as client:
        refusals(client, published.uri(version))
        given = client.ask("skills/get", uri="skill://pdf/SKILL.md")
        assert f"{PREFIX}versions" not in given["_meta"]


@pytest.mark.parametrize("era", ERAS)
def test_a_subscriber_of_a_skill_hears_of_a_new_version(tmp_path: Path, era: str) -> None:
    """Also where its SKILL.md stays as it is."""
    files: Files = {"skillbuild.toml": BASE, **pdf(0)}
    repo = repos.repository(tmp_path / "repo", files)
    repos.build(repo, tmp_path / "out")
    published = Published(tmp_path / "out")
    first = published.versions("pdf")[0]
    uris = ["skill://pdf/SKILL.md", "skill://pdf/references/the%20guide.md"]
    with Stdio(tmp_path / "out", era) as client:
        listening: Json = {"notifications": {"resourceSubscriptions": uris}}
        if era == OLD:
            client.ask("resources/subscribe", uris=uris)
        else:
            client.write(client.message("subscriptions/listen", listening))
            client.notice("notifications/subscriptions/acknowledged")
        repos.commit(repo, {**files, "skills/pdf/logo.bin": b"\0"}, day=1)
        repos.build(repo, tmp_path / "out")
        params = client.notice("notifications/resources/updated")["params"]
    assert published.versions("pdf")[0] != first
    assert params["uri"] == uris[0]
    assert client.notices == []


def test_a_subscriber_of_a_version_hears_that_it_is_yanked(tmp_path: Path) -> None:
    files: Files = {"skillbuild.toml": BASE, "told/SKILL.md": SECRET}
    repo = repos.repository(tmp_path / "repo", files)
    now: Files = {**files, "told/SKILL.md": skill_md("told", body="Ask nobody.\n")}
    repos.commit(repo, now, day=1)
    repos.build(repo, tmp_path / "out")
    uri = f"skill://-/versions/{YANKED.short}/told/SKILL.md"
    with Stdio(tmp_path / "out", OLD) as client:
        assert client.ask("resources/read", uri=uri)["contents"][0]["text"] == SECRET
        client.ask("resources/subscribe", uri=uri)
        yank = f'{BASE}[yanked]\n"{YANKED}" = "contained a customer name"\n'
        repos.commit(repo, {**now, "skillbuild.toml": yank}, day=2)
        repos.build(repo, tmp_path / "out")
        params = client.notice("notifications/resources/updated")["params"]
        assert params["uri"] == uri
        refusals(client, uri)


def test_a_moved_resource_cannot_be_subscribed_to(all_clients: dict[str, Client]) -> None:
    client = all_clients[f"stdio {OLD}"]
    fault = client.fault("resources/subscribe", uri="skill://pack/SKILL.md")
    assert fault["code"] == -32002
    assert fault["data"]["successor"] == "skill://office/pack/SKILL.md"


def test_http_has_the_files_of_versions_as_they_are(
    server: HttpServer, published: Published
) -> None:
    version = published.versions("pdf")[1]
    archive = published.json(version)["archives"][0]
    forever = "public, max-age=31536000, immutable"
    for name, kind, caching in (
        ("", "text/html; charset=utf-8", "no-cache"),
        ("version.json", "application/json", "no-cache"),
        (".well-known/agent-skills/index.json", "application/json", "no-cache"),
        (f"../../{archive['path']}", "application/zip", forever),
    ):
        path = archive["path"] if name.startswith("../") else f"{version.address}/{name}"
        file = published.out / (f"{path}index.html" if path.endswith("/") else path)
        status, headers, data = server.request("GET", f"/{path}")
        assert (status, data) == (200, file.read_bytes())
        assert (headers["content-type"], headers["cache-control"]) == (kind, caching)
        again = server.request("GET", f"/{path}", headers={"if-none-match": headers["etag"]})
        assert again[0] == 304
    yanked = f"/versions/{YANKED.short}"
    assert server.request("GET", f"{yanked}/")[0] == 200
    for name in ("version.json", ".well-known/agent-skills/index.json"):
        assert server.request("GET", f"{yanked}/{name}")[0] == 404
