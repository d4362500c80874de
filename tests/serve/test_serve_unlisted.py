"""What the server says of skills that a listing leaves out: each answers, but is not everywhere."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import outputs
from helpers.repos import Files, skill_md
from helpers.serving import built
from helpers.talk import ERAS, NEW, Client, Stdio

MOST_READ = 16 * 2**20


def with_metadata(name: str, line: str) -> str:
    return f"---\nname: {name}\ndescription: Does it.\nmetadata:\n  {line}\n---\nDo it.\n"


FILES: Files = {
    "skillbuild.toml": 'formats = ["zip"]\n',
    "skills/clean/SKILL.md": skill_md("clean"),
    "skills/house/SKILL.md": with_metadata("house", "internal: true"),
    "skills/typed/SKILL.md": with_metadata("typed", "version: 1"),
}
EVERY = ("clean", "house", "typed")
SHOWN = ["clean", "typed"]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release without pages, with a skill of each kind."""
    return built(tmp_path_factory.mktemp("mixed"), FILES)


@pytest.fixture(scope="module", params=ERAS)
def client(request: pytest.FixtureRequest, mixed: Path) -> Iterator[Client]:
    with Stdio(mixed, request.param, "--tools") as running:
        yield running


def uri(name: str) -> str:
    return f"skill://{name}/SKILL.md"


def test_the_list_of_skills_leaves_out_what_typed_clients_cannot_read(client: Client) -> None:
    skills = client.ask("skills/list")["skills"]
    assert [skill["uri"] for skill in skills] == [uri("clean")]


@pytest.mark.parametrize("name", EVERY)
def test_every_skill_answers_by_its_uri(client: Client, name: str) -> None:
    assert client.ask("skills/get", uri=uri(name))["skill"]["frontmatter"]["name"] == name
    (content,) = client.ask("resources/read", uri=uri(name))["contents"]
    assert content["text"] == FILES[f"skills/{name}/SKILL.md"]
    resource = client.ask("resources/metadata", uri=uri(name))["resource"]
    assert resource["metadata"]["listed"] == (name == "clean")


def test_everything_else_shows_all_but_internal_skills(client: Client) -> None:
    resources = client.ask("resources/list", filter={"kind": "skill"})["resources"]
    assert [resource["name"] for resource in resources] == SHOWN
    every = client.ask("resources/list")["resources"]
    assert [each["uri"] for each in every] == [*map(uri, SHOWN), "skill://index.json"]
    template = {"type": "ref/resource", "uri": "skill://{+path}"}
    completion = client.ask(
        "completion/complete", ref=template, argument={"name": "path", "value": ""}
    )
    assert completion["completion"]["values"] == [f"{name}/SKILL.md" for name in SHOWN]
    for tool, arguments in (("list_skills", {}), ("search_skills", {"query": "does"})):
        result = client.ask("tools/call", name=tool, arguments=arguments)
        assert [each["path"] for each in result["structuredContent"]["skills"]] == SHOWN


def test_where_no_skill_is_to_be_protected_all_are_listed(tmp_path: Path) -> None:
    files = {path: data for path, data in FILES.items() if "clean" not in path}
    with Stdio(built(tmp_path, files), NEW) as client:
        assert [skill["uri"] for skill in client.ask("skills/list")["skills"]] == [uri("typed")]


def test_a_skill_whose_name_is_a_title_is_no_skill_to_the_protocol(tmp_path: Path) -> None:
    out = built(tmp_path, FILES)
    name, title = b'"frontmatter":{"name":"clean"', b'"frontmatter":{"name":"Clean Up"'
    outputs.rewrite_parts(out, lambda data: data.replace(name, title))
    with Stdio(out, NEW) as client:
        assert client.call("skills/get", {"uri": uri("clean")})["error"]["code"] == -32602
        assert client.ask("resources/read", uri=uri("clean"))["contents"]


def test_a_skill_over_the_limits_of_clients_is_files_and_no_skill_to_the_protocol(
    tmp_path: Path,
) -> None:
    data = random.Random(1).randbytes(MOST_READ + 1)
    files: Files = {
        "skills/clean/SKILL.md": skill_md("clean"),
        "skills/many/SKILL.md": skill_md("many"),
        **{f"skills/many/f{number}.txt": f"{number}\n" for number in range(512)},
        "skills/large/SKILL.md": skill_md("large"),
        "skills/large/most.bin": data[:MOST_READ],
        "skills/large/over.bin": data,
        "skillbuild.toml": 'listing = "all"\n',
    }
    out = built(tmp_path, files)
    entries = {entry["path"]: entry for entry in outputs.entries_of(out)}
    [archive] = entries["large"]["archives"]
    assert archive["size"] > MOST_READ
    with Stdio(out, NEW) as client:
        assert [skill["uri"] for skill in client.ask("skills/list")["skills"]] == [uri("clean")]
        for name in ("many", "large"):
            assert client.call("skills/get", {"uri": uri(name)})["error"]["code"] == -32602
            assert client.ask("resources/read", uri=uri(name))["contents"]
        [last] = client.ask("resources/read", uri="skill://many/f511.txt")["contents"]
        assert last["text"] == "511\n"
        [most] = client.ask("resources/read", uri="skill://large/most.bin")["contents"]
        assert most["size"] == MOST_READ
        for too_large in ("skill://large/over.bin", archive["url"]):
            error = client.call("resources/read", {"uri": too_large})["error"]
            assert error["code"] == -32602
            assert error["data"]["code"] == "too-large"
            assert "the limit for reading over MCP is 16,777,216" in error["message"]
            described = client.ask("resources/metadata", uri=too_large)
            assert described["resource"]["size"] > MOST_READ
        [index] = client.ask("resources/read", uri="skill://index.json")["contents"]
        names = [skill["name"] for skill in json.loads(index["text"])["skills"]]
        assert names == ["clean", "large", "many"]
