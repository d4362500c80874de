"""Reads: the published bytes or an error, with all metadata of a resource."""

import base64
import hashlib
import io
import json
import shutil
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

from helpers import outputs
from helpers.repos import Files, skill_md
from helpers.serving import FILES, LOGO, PDF, built
from helpers.talk import ERAS, NEW, OLD, Client, Json, Stdio
from skillbuild.model import Digest
from skillbuild.release.layout import blob_path
from skillbuild.serve.methods.describe import PAGE, PAGES, about_skills, skill_meta
from skillbuild.serve.state.release import load_release

PREFIX = "io.github.skillbuild/"
BASE = "https://skills.example.org/c/"
PDF_URI = "skill://pdf/SKILL.md"
HOSTILE = (
    "skill://pdf/../pdf/SKILL.md",
    "skill://pdf/./SKILL.md",
    "skill://pdf//SKILL.md",
    "skill://pdf/%2e%2e/pdf/SKILL.md",
    "skill://pdf%2fSKILL.md",
    "skill://pdf/%53KILL.md",
    "skill://pdf\\SKILL.md",
    "skill://pdf/SKILL.md\0",
    "skill://pdf/SKILL.md ",
    "skill://pdf/SKILL.md?x",
    "skill://pdf/SKILL.md#f",
    "SKILL://pdf/SKILL.md",
    "skill://PDF/SKILL.md",
    "skill:pdf/SKILL.md",
    "pdf/SKILL.md",
    "skill:///pdf/SKILL.md",
    "skill://pdf/skill.md",
    "skill://pdf/",
    "skill://-/archives/pdf.zip",
    "skill://-/catalog.json",
    "skill://-/archives/../catalog.json",
    "skill://-/archives/nothing-0123456789abcdef.zip",
    "skill://-/archives/0123456789abcdef.zip",
    "skill://index.json/",
    "file:///etc/passwd",
    "/etc/passwd",
    "",
    "\u2028",
    "x" * 5000,
)


def content(client: Client, uri: str) -> Json:
    """The one item of a document."""
    (item,) = client.ask("resources/read", uri=uri)["contents"]
    assert item["uri"] == uri
    assert isinstance(item, dict)
    return item


def bytes_of(item: Json) -> bytes:
    assert ("text" in item) != ("blob" in item)
    return item["text"].encode() if "text" in item else base64.b64decode(item["blob"])


def test_every_file_has_the_size_and_digest_of_its_entry(client: Client) -> None:
    skills = client.ask("skills/list")["skills"]
    skills.append(client.ask("skills/get", uri="skill://house/SKILL.md")["skill"])
    for file in (file for skill in skills for file in skill["resources"]):
        data = bytes_of(content(client, file["uri"]))
        assert len(data) == file["size"]
        assert f"sha256:{hashlib.sha256(data).hexdigest()}" == file["digest"]


def test_a_path_that_is_not_encoded_is_read_as_well(tmp_path: Path) -> None:
    names = ("[slug] & co.md", "100%.md", "\u00e4'$.md")
    files = {f"pdf/references/{name}": name for name in names}
    with Stdio(built(tmp_path, {"pdf/SKILL.md": PDF, **files}), NEW) as client:
        for name in names:
            assert content(client, f"skill://pdf/references/{name}")["text"] == name
        encoded = "skill://pdf/references/%5Bslug%5D%20%26%20co.md"
        assert content(client, encoded)["text"] == names[0]


def test_text_comes_as_text_and_bytes_as_a_blob(client: Client) -> None:
    assert content(client, PDF_URI)["text"] == PDF
    forms = content(client, "skill://pdf/references/forms.md")
    assert forms["text"] == FILES["skills/pdf/references/forms.md"]
    assert content(client, "skill://pdf/empty.txt")["text"] == ""
    logo = content(client, "skill://pdf/assets/logo.bin")
    assert (base64.b64decode(logo["blob"]), logo["mimeType"]) == (LOGO, "application/octet-stream")


def test_the_index_is_the_published_one(client: Client, out: Path) -> None:
    item = content(client, "skill://index.json")
    assert (item["mimeType"], item["text"].encode()) == (
        "application/json",
        (out / "index.json").read_bytes(),
    )


def test_the_index_is_that_of_the_release_being_served(out: Path, tmp_path: Path) -> None:
    """A publish writes the next index before `catalog.json`."""
    copied = Path(shutil.copytree(out, tmp_path / "out"))
    published = (copied / "index.json").read_text()
    with Stdio(copied, NEW) as client:
        assert content(client, "skill://index.json")["text"] == published
        (copied / "index.json").unlink()
        assert content(client, "skill://index.json")["text"] == published
        (copied / "index.json").write_text("{}\n")
        assert content(client, "skill://index.json")["text"] == published


def test_archives_have_the_type_and_digest_of_the_index(client: Client) -> None:
    index = json.loads(content(client, "skill://index.json")["text"])
    for archive in (item for skill in index["skills"] for item in skill["archives"]):
        item = content(client, archive["url"])
        digest = hashlib.sha256(base64.b64decode(item["blob"])).hexdigest()
        assert (item["mimeType"], f"sha256:{digest}") == (archive["mimeType"], archive["digest"])


def test_a_read_has_the_same_metadata_as_the_lists(client: Client) -> None:
    listed = client.ask("resources/list")["resources"]
    listed += client.ask("resources/directory/read", uri="skill://pdf")["resources"]
    for brief in listed:
        uri = brief["uri"]
        described = client.ask("resources/metadata", uri=uri)["resource"]
        assert {key: described[key] for key in brief} == brief
        if described["resourceType"] == "document":
            item = content(client, uri)
            del item["text" if "text" in item else "blob"]
            assert item == described


def test_a_directory_is_a_collection_of_its_text_children(client: Client) -> None:
    described = client.ask("resources/metadata", uri="skill://pdf/templates")["resource"]
    assert (described["mimeType"], described["resourceType"]) == ("inode/directory", "collection")
    contents = client.ask("resources/read", uri="skill://pdf")["contents"]
    assert [item["uri"] for item in contents] == [PDF_URI, "skill://pdf/empty.txt"]
    assert [item["name"] for item in contents] == ["pdf", "empty.txt"]
    assert client.ask("resources/read", uri="skill://pdf/assets")["contents"] == []


def test_a_collection_stays_small(crowd: Client) -> None:
    assert len(crowd.ask("resources/read", uri="skill://s000/parts")["contents"]) == 32


def test_for_a_collection_no_binaries_are_read(tmp_path: Path) -> None:
    """They are taken away: whoever reads one of them gets an error."""
    pictures = [LOGO + bytes([number]) for number in range(40)]
    types = ("png", "bin", "pdf", "docx")
    binaries: Files = {
        f"skills/many/{number:02}.{types[number % 4]}": data for number, data in enumerate(pictures)
    }
    texts: Files = {"skills/many/SKILL.md": skill_md("many"), "skills/many/z.svg": "<svg/>\n"}
    files = {**binaries, **texts}
    out = built(tmp_path, files)
    for data in pictures:
        (out / blob_path(Digest.of(data))).unlink()
    with Stdio(out, NEW) as client:
        contents = client.ask("resources/read", uri="skill://many")["contents"]
    assert [item["name"] for item in contents] == ["many", "z.svg"]


@pytest.mark.nightly
def test_what_is_read_for_a_collection_is_bounded_even_if_types_are_wrong(tmp_path: Path) -> None:
    """`.md` files that are no text count as well."""
    wrong: Files = {f"skills/many/{name}.md": bytes(100_000) + name.encode() for name in "012"}
    texts: Files = {"skills/many/SKILL.md": skill_md("many"), "skills/many/z.md": "x" * 70_000}
    files = {**wrong, **texts}
    with Stdio(built(tmp_path, files), NEW) as client:
        contents = client.ask("resources/read", uri="skill://many")["contents"]
    assert [item["name"] for item in contents] == ["many"]


@pytest.mark.parametrize("uri", HOSTILE)
@pytest.mark.parametrize("method", ["resources/read", "resources/metadata"])
def test_an_unpublished_uri_is_not_found(client: Client, method: str, uri: str) -> None:
    error = client.fault(method, uri=uri)
    assert error["code"] == {OLD: -32002, NEW: -32602}[client.era]
    assert error["data"]["uri"].isascii()
    assert len(error["data"]["uri"]) <= 200


def test_a_file_on_disk_that_no_catalog_names_is_not_found(client: Client, out: Path) -> None:
    digest = hashlib.sha256(b"planted").hexdigest()
    planted = out / "blobs" / "sha256" / digest
    planted.write_bytes(b"planted")
    try:
        for uri in (f"skill://-/blobs/sha256/{digest}", f"skill://blobs/sha256/{digest}"):
            assert client.fault("resources/read", uri=uri)["code"] in (-32002, -32602)
    finally:
        planted.unlink()


@pytest.mark.parametrize("uri", ["skill://pdf/references/forms.md", "skill://pdf", "nothing", ""])
def test_skills_get_takes_a_skill_only(client: Client, uri: str) -> None:
    error = client.fault("skills/get", uri=uri)
    assert (error["code"], error["message"]) == (-32602, f"No skill is served at {uri}")


@pytest.mark.parametrize("params", [{}, {"uri": 1}, {"uri": None}, {"uri": ["x"]}])
@pytest.mark.parametrize("method", ["skills/get", "resources/metadata", "resources/directory/read"])
def test_parameters_of_another_shape_are_refused(client: Client, method: str, params: Json) -> None:
    assert client.call(method, params)["error"]["code"] == -32602


@pytest.mark.parametrize(
    "method",
    [
        *("resources/write", "resources/delete", "skills/put", "tools/call", "prompts/get", "x"),
        *("logging/setLevel", "skillbuild/resources/list", "skillbuild/resources/read"),
    ],
)
def test_there_is_no_other_method(client: Client, method: str) -> None:
    error = client.fault(method, name="x", level="info")
    assert (error["code"], error["data"]) == (-32601, method)


def test_a_version_that_is_still_right_is_not_sent_again(client: Client) -> None:
    version = client.ask("resources/metadata", uri=PDF_URI)["resource"]["version"]
    for condition in ({"version": version}, {"_meta": {f"{PREFIX}version": version}}):
        error = client.fault("resources/read", uri=PDF_URI, **condition)
        assert (error["code"], error["data"]) == (-32010, {"uri": PDF_URI, "version": version})
    other = client.ask("resources/read", uri=PDF_URI, version="sha256:0")
    assert other["contents"][0]["version"] == version


def test_a_version_is_a_text(new: Client) -> None:
    assert new.fault("resources/read", uri=PDF_URI, version=1)["code"] == -32602


def test_older_clients_read_a_manifest_of_each_skill(client: Client) -> None:
    skill = client.ask("skills/get", uri=PDF_URI)["skill"]
    manifest = json.loads(content(client, "skill://pdf/_manifest")["text"])
    assert manifest == {
        "skill": "pdf",
        "files": [
            {
                "path": file["uri"].removeprefix("skill://pdf/"),
                "size": file["size"],
                "hash": file["digest"],
            }
            for file in skill["resources"]
        ],
    }
    listed = client.ask("resources/list", uri="skill://pdf")["resources"]
    assert "skill://pdf/_manifest" not in [item["uri"] for item in listed]


def test_a_file_named_like_the_manifest_is_read_instead_of_it(client: Client) -> None:
    assert content(client, "skill://manifested/_manifest")["text"] == "mine\n"
    assert client.fault("resources/read", uri="skill://nothing/_manifest")["code"] < 0


def damage(out: Path, uri: str, data: bytes | None) -> None:
    items = [item for entry in outputs.entries_of(out) for item in entry["resources"]]
    digest = next(item["digest"] for item in items if item["uri"] == uri)
    blob = out / "blobs" / "sha256" / digest.removeprefix("sha256:")
    blob.unlink()
    if data is not None:
        blob.write_bytes(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "missing"),
        (b"short", "5 bytes instead of 169"),
        (PDF.lower().encode(), "wrong digest"),
    ],
)
@pytest.mark.parametrize("era", [OLD, NEW])
def test_damaged_content_is_an_error_with_its_name_and_other_content_is_read(
    out: Path, tmp_path: Path, data: bytes | None, reason: str, era: str
) -> None:
    copy = tmp_path / "out"
    shutil.copytree(out, copy)
    damage(copy, PDF_URI, data)
    with Stdio(copy, era) as client:
        error = client.fault("resources/read", uri=PDF_URI)
        assert error["code"] == -32603
        assert error["data"] == {"code": "damaged-content", "uri": PDF_URI}
        assert reason in error["message"]
        assert content(client, "skill://pdf/empty.txt")["text"] == ""
        assert len(client.ask("skills/list")["skills"]) == 5


def test_a_large_file_is_read_whole(tmp_path: Path) -> None:
    big = bytes(range(256)) * 4096
    files = {"big/SKILL.md": FILES["skills/pdf/SKILL.md"], "big/data.bin": big}
    files["big/SKILL.md"] = "---\nname: big\ndescription: Large.\n---\nSee data.bin.\n"
    with Stdio(built(tmp_path, files), NEW) as client:
        assert base64.b64decode(content(client, "skill://big/data.bin")["blob"]) == big


def icon_source(client: Client) -> Json:
    icons = client.ask("resources/metadata", uri=PDF_URI)["resource"]["icons"]
    icon = icons[0]
    assert isinstance(icon, dict)
    return icon


def test_an_icon_is_a_small_data_uri_without_a_base_url(new: Client, out: Path) -> None:
    icon = icon_source(new)
    kind, _, encoded = icon["src"].partition(",")
    digest = hashlib.sha256(base64.b64decode(encoded)).hexdigest()
    (file,) = (out / "icons").glob(f"{digest[:16]}.*")
    assert kind == f"data:{icon['mimeType']};base64"
    assert isinstance(icon["sizes"], list)
    assert len(icon["src"]) <= 4096
    assert file.is_file()


@pytest.fixture(scope="module")
def at_an_address(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output that says where it is published."""
    spaced = skill_md("two words").replace("name: two words", "name: two")
    files = {"skillbuild.toml": f'base_url = "{BASE}"\n', "skills/a b/two/SKILL.md": spaced}
    return built(tmp_path_factory.mktemp("published"), {**FILES, **files})


def test_an_icon_is_a_link_where_the_catalog_is_published(at_an_address: Path) -> None:
    with Stdio(at_an_address, NEW) as client:
        source = icon_source(client)["src"]
    assert (at_an_address / "icons" / source.removeprefix(f"{BASE}icons/")).is_file()


@pytest.mark.parametrize("era", ERAS)
def test_results_about_a_skill_have_the_address_of_its_page(at_an_address: Path, era: str) -> None:
    page, pages = f"{BASE}skills/pdf/", f"{BASE}skills/{{+path}}/"
    with Stdio(at_an_address, era, "--tools") as client:

        def meta(method: str, **params: object) -> Json:
            result = client.ask(method, **params)
            item: Json = (result.get("contents") or [result.get("resource") or result])[0]
            own: Json = item["_meta"]
            return own

        for uri in (PDF_URI, "skill://pdf/references/forms.md", "skill://pdf/_manifest"):
            assert meta("resources/read", uri=uri)[PAGE] == page
        for method in ("resources/metadata", "skills/get"):
            assert meta(method, uri=PDF_URI)[PAGE] == page
        assert meta("resources/metadata", uri="skill://pdf")[PAGE] == page
        spaced = meta("skills/get", uri="skill://a%20b/two/SKILL.md")[PAGE]
        assert (at_an_address / unquote(spaced.removeprefix(BASE)) / "index.html").is_file()
        for method in ("resources/list", "skills/list"):
            assert meta(method)[PAGES] == pages
        for uri in ("skill://house/SKILL.md", "skill://index.json"):
            assert PAGE not in meta("resources/metadata", uri=uri)
        read = {"name": "read_skill", "arguments": {"skill": "pdf"}}
        assert meta("tools/call", **read)[PAGE] == page
        said = client.ask("tools/call", **read)["content"][-1]["text"]
        assert said == f"The page of this skill, for people: {page}"
        listed = client.ask("tools/call", name="list_skills", arguments={})
        assert listed["structuredContent"]["pages"] == pages


def test_without_pages_there_is_no_address_of_one(at_an_address: Path) -> None:
    release = load_release(at_an_address)
    bare = replace(release, record=replace(release.record, renderers={}))
    entry = bare.skill_at(PDF_URI)
    assert entry is not None
    assert skill_meta(release, entry)
    assert skill_meta(bare, entry) == about_skills(bare) == {}


def test_a_large_icon_is_left_out(tmp_path: Path) -> None:
    noise = "".join(f'<path d="M{n} {n * 7 % 64}h1"/>' for n in range(300))
    view = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"'
    files = {**FILES, "skills/pdf/assets/icon.svg": f"<svg {view}>{noise}</svg>"}
    with Stdio(built(tmp_path, files), NEW) as client:
        assert "icons" not in client.ask("resources/metadata", uri=PDF_URI)["resource"]


def test_http_answers_errors_as_each_era_wants(clients: dict[str, Client]) -> None:
    statuses = {}
    for era in (OLD, NEW):
        client = clients[f"http {era}"]
        client.fault("resources/read", uri="skill://nothing")
        statuses[era] = client.status
    assert statuses == {OLD: 200, NEW: 400}


def unpacked(item: Json) -> dict[str, bytes]:
    """Members of an archive by path; directories have none."""
    data = io.BytesIO(base64.b64decode(item["blob"]))
    if item["mimeType"] == "application/zip":
        with zipfile.ZipFile(data) as archive:
            return {name: archive.read(name) for name in archive.namelist() if name[-1] != "/"}
    with tarfile.open(fileobj=data, mode="r:gz") as archive:
        members = [member for member in archive.getmembers() if not member.isdir()]
        assert all(member.isfile() for member in members)
        files = {member.name: archive.extractfile(member) for member in members}
        return {name: file.read() for name, file in files.items() if file is not None}


def test_an_archive_unpacks_to_the_files_that_can_be_read(new: Client) -> None:
    index = json.loads(content(new, "skill://index.json")["text"])
    skill = next(item for item in index["skills"] if item["url"] == PDF_URI)
    files = new.ask("skills/get", uri=PDF_URI)["skill"]["resources"]
    read = {
        file["uri"].removeprefix("skill://pdf/"): bytes_of(content(new, file["uri"]))
        for file in files
    }
    kinds = [archive["mimeType"] for archive in skill["archives"]]
    assert sorted(kinds) == ["application/gzip", "application/zip"]
    for archive in skill["archives"]:
        assert unpacked(content(new, archive["url"])) == read


def test_the_index_describes_the_listed_skills(new: Client) -> None:
    index = json.loads(content(new, "skill://index.json")["text"])
    listed = new.ask("skills/list")["skills"]
    digests = {file["uri"]: file["digest"] for skill in listed for file in skill["resources"]}
    assert [item["url"] for item in index["skills"]] == [skill["uri"] for skill in listed]
    assert [item["frontmatter"] for item in index["skills"]] == [
        skill["frontmatter"] for skill in listed
    ]
    for item in index["skills"]:
        assert item["digest"] == digests[item["url"]]
        assert item["url"].split("/")[-2] == item["frontmatter"]["name"]
