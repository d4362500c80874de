"""Lists of the server: what they hold, in which order, and how their pages continue."""

import base64
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers import outputs, repos
from helpers.serving import MANY, PDF, built
from helpers.talk import NEW, OLD, Client, Stdio
from skillbuild.serve.state.release import load_release

OURS = "io.github.skillbuild/"
LISTS = (
    "resources/list",
    "skills/list",
    "resources/templates/list",
    "tools/list",
    "prompts/list",
)


def uris(items: list[dict[str, object]]) -> list[object]:
    return [item["uri"] for item in items]


def test_listed_skills_come_sorted_by_path_and_unlisted_ones_not_at_all(client: Client) -> None:
    assert uris(client.ask("skills/list")["skills"]) == [
        "skill://acme/billing/refunds/SKILL.md",
        "skill://acme/support/refunds/SKILL.md",
        "skill://acme/support/refunds/deep/SKILL.md",
        "skill://manifested/SKILL.md",
        "skill://pdf/SKILL.md",
    ]


def test_an_entry_has_these_keys_and_no_other(client: Client, out: Path) -> None:
    entries = {entry["url"]: entry for entry in outputs.entries_of(out)}
    for skill in client.ask("skills/list")["skills"]:
        entry = entries[skill["uri"]]
        assert skill == {
            "uri": entry["url"],
            "frontmatter": entry["frontmatter"],
            "resources": [
                {key: item[key] for key in ("uri", "digest", "size")} for item in entry["resources"]
            ],
        }


def test_an_enclosing_skill_has_the_files_of_the_nested_one(client: Client) -> None:
    uri = "skill://acme/support/refunds/SKILL.md"
    skill = client.ask("skills/get", uri=uri)["skill"]
    assert uris(skill["resources"]) == [uri, "skill://acme/support/refunds/deep/SKILL.md"]


def test_get_describes_unlisted_skills_as_lists_describe_listed_ones(client: Client) -> None:
    listed = client.ask("skills/list")["skills"]
    assert [client.ask("skills/get", uri=skill["uri"])["skill"] for skill in listed] == listed
    hidden = client.ask("skills/get", uri="skill://house/SKILL.md")["skill"]
    assert hidden["frontmatter"]["name"] == "house"


def test_resources_are_skills_then_the_index(client: Client) -> None:
    resources = uris(client.ask("resources/list")["resources"])
    assert resources == [*uris(client.ask("skills/list")["skills"]), "skill://index.json"]


CHANGED = datetime.fromtimestamp(repos.FIRST_SECOND, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


SKILLS = (
    "acme/billing/refunds",
    "acme/support/refunds",
    "acme/support/refunds/deep",
    "house",
    "manifested",
    "pdf",
)


def dates(out: Path, history: bytes | None) -> set[str | None]:
    """The dates of all skills with these bytes as history, each once."""
    (out / "history.json").unlink(missing_ok=True)
    if history is not None:
        (out / "history.json").write_bytes(history)
    release = load_release(out)
    return {release.last_modified(path) for path in (*SKILLS, "nothing", "z")}


def row(seconds: str) -> bytes:
    return b'{"skills":[\n{"path":"pdf","seconds":%b}\n]}\n' % seconds.encode()


@pytest.fixture(scope="module")
def copied(out: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(out, tmp_path_factory.mktemp("history") / "out"))


@pytest.mark.parametrize(
    "history",
    [
        None,
        b"",
        b"\n",
        b"\n\n\n\n",
        b"[]",
        b"{",
        b'{"skills":[\n]}\n',
        b'{"skills":[7]}',
        b'{"skills":[\n7\n]}\n',
        b'{"skills":[\n"pdf"\n]}\n',
        b'{"skills":[\n{"path":"pdf\n]}\n',
        b'{"skills":[\n{"path":"p\\udf"}\n]}\n',
        b'{"skills":[\n{"path":"pdf"}\n]}\n',
        b'{"skills":[\n["path","pdf"]\n]}\n',
        b'{"skills":[\n{"seconds":1,"path":"pdf"}\n]}\n',
        b'{"skills":[{"path":"pdf","seconds":1}]}\n',
        b"\xff" * 300,
        b"\0\n" * 300,
        *map(row, ("null", '"x"', "1.5", "true", "[]", "{}", "NaN", "Infinity", "-Infinity")),
        *map(row, ("9" * 30, "-" + "9" * 30, "9" * 5000, "253402300800", "-62135596801")),
        row("[" * 100_000),
    ],
)
def test_without_a_readable_history_there_are_no_dates(history: bytes | None, copied: Path) -> None:
    assert dates(copied, history) == {None}


def test_a_history_that_is_no_file_gives_no_dates(copied: Path) -> None:
    (copied / "history.json").unlink(missing_ok=True)
    (copied / "history.json").mkdir()
    try:
        assert load_release(copied).last_modified("pdf") is None
    finally:
        (copied / "history.json").rmdir()


def test_a_history_with_a_part_missing_gives_true_dates_or_none(out: Path, copied: Path) -> None:
    whole = (out / "history.json").read_bytes()
    assert dates(copied, whole) == {CHANGED, None}
    for cut in range(0, len(whole), 7):
        assert dates(copied, whole[:cut]) <= {CHANGED, None}
        assert dates(copied, whole[cut:]) <= {CHANGED, None}
        assert dates(copied, whole[:cut] + whole[cut + 31 :]) <= {CHANGED, None}


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_history_of_other_bytes_is_no_error(out: Path, copied: Path, data: st.DataObject) -> None:
    whole = (out / "history.json").read_bytes()
    at = data.draw(st.integers(0, len(whole)))
    other = data.draw(st.binary(max_size=40) | st.sampled_from([b"\n", b'"', b"}", b"{", b"\\"]))
    for date in dates(copied, whole[:at] + other + whole[at + len(other) :]) - {None}:
        datetime.strptime(str(date), "%Y-%m-%dT%H:%M:%SZ")


def subscribable(client: Client) -> bool:
    """Notifications reach old clients on standard streams only."""
    return client.era == NEW or isinstance(client, Stdio)


def test_a_list_has_of_a_skill_what_it_is_chosen_by(client: Client) -> None:
    resources = client.ask("resources/list", filter={"name": "pdf", "kind": "skill"})["resources"]
    assert resources == [
        {
            "uri": "skill://pdf/SKILL.md",
            "name": "pdf",
            "description": "Fills forms and splits pages.",
            "mimeType": "text/markdown",
            "size": len(PDF),
            "annotations": {
                "audience": ["user", "assistant"],
                "priority": 1.0,
                "lastModified": CHANGED,
            },
            "capabilities": {"list": False, "subscribe": subscribable(client)},
        }
    ]


def test_metadata_has_all_of_a_skill(client: Client) -> None:
    resource = client.ask("resources/metadata", uri="skill://pdf/SKILL.md")["resource"]
    (listed,) = client.ask("resources/list", filter={"name": "pdf", "kind": "skill"})["resources"]
    entry = client.ask("skills/get", uri="skill://pdf/SKILL.md")["skill"]
    digest = next(item for item in entry["resources"] if item["uri"] == entry["uri"])["digest"]
    metadata = {"skill": "pdf", "file": "SKILL.md", "listed": True}
    more = {key: entry["frontmatter"][key] for key in ("license", "metadata")}
    resource.pop("icons")
    meta = resource.pop("_meta")
    assert meta.pop(f"{OURS}capabilities")["list"] is False
    assert resource == {
        **listed,
        "title": "pdf",
        "resourceType": "document",
        "kind": "skill",
        "version": digest,
        "metadata": metadata,
    }
    assert meta == {
        f"{OURS}kind": "skill",
        f"{OURS}version": digest,
        f"{OURS}metadata": metadata,
        f"{OURS}resourceType": "document",
        "io.modelcontextprotocol.skills/frontmatter": more,
    }


@pytest.mark.parametrize(
    ("uri", "capabilities"),
    [
        ("skill://pdf/SKILL.md", (False, True)),
        ("skill://pdf/empty.txt", (False, True)),
        ("skill://pdf/_manifest", (False, True)),
        ("skill://index.json", (False, True)),
        ("skill://pdf", (True, True)),
        ("skill://pdf/templates", (True, False)),
        ("skill://acme", (True, False)),
    ],
)
def test_a_resource_says_what_can_be_done_with_it(
    client: Client, uri: str, capabilities: tuple[bool, bool]
) -> None:
    can_list, can_change = capabilities
    resource = client.ask("resources/metadata", uri=uri)["resource"]
    subscribe = can_change and subscribable(client)
    assert resource["capabilities"] == {"list": can_list, "subscribe": subscribe}


def test_declared_icons_are_links_in_lists_and_drawn_ones_are_not_there(tmp_path: Path) -> None:
    picture = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M1 1h4"/></svg>'
    files: repos.Files = {
        "drawn/SKILL.md": repos.skill_md("drawn"),
        "own/SKILL.md": repos.skill_md("own"),
        "own/assets/icon.svg": picture,
    }
    for folder, config in (("local", ""), ("web", 'base_url = "https://example.org/c"\n')):
        (tmp_path / folder).mkdir()
        with Stdio(built(tmp_path / folder, {**files, "skillbuild.toml": config}), NEW) as client:
            resources = client.ask("resources/list")["resources"]
            icons = {item["name"]: item.get("icons", []) for item in resources}
            sources = {name: [icon["src"] for icon in each] for name, each in icons.items()}
            there = client.ask("resources/metadata", uri="skill://own/SKILL.md")["resource"]
            linked = [icon["src"] for icon in there["icons"]] if config else []
            assert sources == {"drawn": [], "own": linked, "index.json": []}
            assert all(source.startswith("https://example.org/c/icons/") for source in linked)


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({"name": "refu"}, 2),
        ({"tag": "documents"}, 1),
        ({"tag": "Documents"}, 1),
        ({"tag": "nothing"}, 0),
        ({"kind": "archive"}, 0),
        ({"kind": "index"}, 1),
        ({"kind": "skill", "name": "refunds"}, 2),
        ({}, 6),
    ],
)
def test_a_filter_narrows_the_list(new: Client, wanted: dict[str, str], count: int) -> None:
    assert len(new.ask("resources/list", filter=wanted)["resources"]) == count


def test_a_field_of_a_frontmatter_does_not_decide_where_a_skill_is_listed(tmp_path: Path) -> None:
    fields = 'listed: false\nreasons: ["internal"]\nunlisted: {mcp: [internal], site: [internal]}\n'
    head = f"---\nname: plain\ndescription: Does it.\n{fields}---\n"
    files: repos.Files = {
        "plain/SKILL.md": f"{head}Do it.\n",
        "long/SKILL.md": repos.skill_md("long", "x" * 1025),
    }
    with Stdio(built(tmp_path, files), NEW) as client:
        assert uris(client.ask("skills/list")["skills"]) == ["skill://plain/SKILL.md"]
        assert uris(client.ask("resources/list")["resources"]) == [
            "skill://long/SKILL.md",
            "skill://plain/SKILL.md",
            "skill://index.json",
        ]


@pytest.mark.parametrize("wanted", ["pdf", {"size": "1"}, {"name": 1}, []])
def test_a_wrong_filter_is_refused(new: Client, wanted: object) -> None:
    assert new.fault("resources/list", filter=wanted)["code"] == -32602


def test_a_directory_lists_its_direct_children(client: Client) -> None:
    children = client.ask("resources/directory/read", uri="skill://pdf")["resources"]
    assert [(item["uri"], item["name"], item["mimeType"]) for item in children] == [
        ("skill://pdf/SKILL.md", "pdf", "text/markdown"),
        ("skill://pdf/assets", "assets", "inode/directory"),
        ("skill://pdf/empty.txt", "empty.txt", "text/plain"),
        ("skill://pdf/references", "references", "inode/directory"),
        ("skill://pdf/scripts", "scripts", "inode/directory"),
        ("skill://pdf/templates", "templates", "inode/directory"),
    ]


def test_resources_list_of_a_directory_is_the_same(client: Client) -> None:
    for uri in ("skill://pdf", "skill://pdf/templates", "skill://acme"):
        read = client.ask("resources/directory/read", uri=uri)["resources"]
        assert client.ask("resources/list", uri=uri)["resources"] == read


@pytest.mark.parametrize(
    ("uri", "children"),
    [
        ("skill://acme", ["billing", "support"]),
        ("skill://acme/support", ["refunds"]),
        ("skill://acme/support/refunds", ["SKILL.md", "deep"]),
        ("skill://pdf/templates", ["invoice.md", "regional"]),
        ("skill://house", ["SKILL.md"]),
    ],
)
def test_every_level_is_a_directory(client: Client, uri: str, children: list[str]) -> None:
    resources = client.ask("resources/directory/read", uri=uri)["resources"]
    assert uris(resources) == [f"{uri}/{child}" for child in children]


@pytest.mark.parametrize(
    "uri",
    [
        "skill://pdf/SKILL.md",
        "skill://pdf/empty.txt",
        "skill://pdf/",
        "skill://pdf/templates/",
        "skill://nothing",
        "skill://index.json",
        "skill://pd",
        "skill://",
        "",
        "https://example.org",
    ],
)
def test_a_uri_that_is_no_directory_cannot_be_listed(client: Client, uri: str) -> None:
    for method in ("resources/directory/read", "resources/list"):
        assert client.fault(method, uri=uri)["code"] == -32602


def test_pages_hold_a_hundred_items_and_together_all_of_them(crowd: Client) -> None:
    pages = list(crowd.pages("skills/list", "skills"))
    assert [len(page) for page in pages] == [100, 100, 30]
    skills = [str(item["uri"]) for page in pages for item in page]
    assert skills == sorted(skills)
    assert len(set(skills)) == MANY
    resources = [item for page in crowd.pages("resources/list", "resources") for item in page]
    assert len({item["uri"] for item in resources}) == len(resources) == MANY + 1


def test_a_long_directory_comes_in_pages(crowd: Client) -> None:
    for method in ("resources/directory/read", "resources/list"):
        pages = list(crowd.pages(method, "resources", uri="skill://s000/parts"))
        assert [len(page) for page in pages] == [100, 100, 30]
        assert [item["name"] for page in pages for item in page] == [
            f"p{number:03}.txt" for number in range(MANY)
        ]


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("cursor", ["", "AAAA", "not a cursor", "\u00fc", "A" * 5000, "MQ=="])
def test_a_forged_cursor_is_refused_by_every_list(client: Client, method: str, cursor: str) -> None:
    assert client.fault(method, cursor=cursor)["code"] == -32602


def test_a_cursor_is_good_for_its_own_list_only(crowd: Client) -> None:
    cursor = crowd.ask("skills/list")["nextCursor"]
    assert crowd.fault("resources/list", cursor=cursor)["code"] == -32602
    parts = crowd.ask("resources/directory/read", uri="skill://s000/parts")["nextCursor"]
    error = crowd.fault("resources/directory/read", uri="skill://s000", cursor=parts)
    assert error["code"] == -32602
    narrowed = crowd.ask("resources/list", filter={"kind": "skill"})["nextCursor"]
    assert crowd.fault("resources/list", cursor=narrowed)["code"] == -32602


def test_a_cursor_with_another_offset_is_refused(crowd: Client) -> None:
    cursor = crowd.ask("skills/list")["nextCursor"]
    data = bytearray(base64.urlsafe_b64decode(cursor))
    data[3] += 1
    forged = base64.urlsafe_b64encode(data).decode()
    assert crowd.fault("skills/list", cursor=forged)["code"] == -32602


def test_there_is_one_template_and_its_path_is_completed(client: Client) -> None:
    (template,) = client.ask("resources/templates/list")["resourceTemplates"]
    assert template["uriTemplate"] == "skill://{+path}"
    assert template["capabilities"] == {"list": True, "subscribe": subscribable(client)}
    reference = {"type": "ref/resource", "uri": "skill://{+path}"}

    def values(start: str) -> object:
        argument = {"name": "path", "value": start}
        return client.ask("completion/complete", ref=reference, argument=argument)["completion"]

    assert values("pdf/t") == {
        "values": ["pdf/templates/invoice.md", "pdf/templates/regional/eu.md"],
        "total": 2,
        "hasMore": False,
    }
    assert values("house") == {"values": [], "total": 0, "hasMore": False}


def test_completion_gives_a_hundred_values_and_reports_more(crowd: Client) -> None:
    argument = {"name": "path", "value": "s"}
    reference = {"type": "ref/resource", "uri": "skill://{+path}"}
    completion = crowd.ask("completion/complete", ref=reference, argument=argument)["completion"]
    values = completion.pop("values")
    assert completion == {"hasMore": True}
    assert len(set(values)) == 100
    assert values == sorted(values)
    assert all(value.startswith("s") for value in values)


@pytest.mark.parametrize(("uri", "name"), [("skill://{+path}", "other"), ("file://{x}", "path")])
def test_nothing_else_is_completed(new: Client, uri: str, name: str) -> None:
    reference = {"type": "ref/resource", "uri": uri}
    error = new.fault("completion/complete", ref=reference, argument={"name": name, "value": ""})
    assert error["code"] == -32602


def test_without_tools_both_other_lists_are_empty(client: Client) -> None:
    assert client.ask("tools/list")["tools"] == []
    assert client.ask("prompts/list")["prompts"] == []


def test_results_carry_the_envelope_of_their_era_and_no_other(client: Client) -> None:
    calls: list[tuple[str, dict[str, str]]] = [(method, {}) for method in LISTS]
    calls += [
        ("resources/read", {"uri": "skill://pdf/SKILL.md"}),
        ("resources/metadata", {"uri": "skill://pdf/SKILL.md"}),
        ("resources/directory/read", {"uri": "skill://pdf"}),
        ("skills/get", {"uri": "skill://pdf/SKILL.md"}),
    ]
    for method, params in calls:
        result = client.ask(method, **params)
        envelope = {key: result.get(key) for key in ("resultType", "ttlMs", "cacheScope")}
        if client.era == NEW:
            assert envelope == {"resultType": "complete", "ttlMs": 60000, "cacheScope": "public"}
        else:
            assert client.era == OLD
            assert envelope == dict.fromkeys(envelope), method
