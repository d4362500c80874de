"""What the server says of a deprecated skill: it answers as any other, and comes after it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.repos import Files, skill_md
from helpers.serving import built
from helpers.talk import ERAS, Client, Stdio

OURS = "io.github.skillbuild/"
FILES: Files = {
    "skillbuild.toml": '[deprecated]\nold = { reason = "replaced.", use = "new" }\n',
    "new/SKILL.md": skill_md("new"),
    "old/SKILL.md": skill_md("old"),
}
DEPRECATED = {"reason": "replaced.", "use": "new"}


@pytest.fixture(scope="module")
def deprecating(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("deprecating"), FILES)


@pytest.fixture(scope="module", params=ERAS)
def client(request: pytest.FixtureRequest, deprecating: Path) -> Iterator[Client]:
    with Stdio(deprecating, request.param, "--tools", "--prompts") as running:
        yield running


def uri(name: str) -> str:
    return f"skill://{name}/SKILL.md"


def test_its_resource_says_so_and_has_a_low_priority(client: Client) -> None:
    listed = client.ask("resources/list", filter={"kind": "skill"})["resources"]
    assert [(each["annotations"]["priority"], each.get("deprecated")) for each in listed] == [
        (1.0, None),
        (0.2, DEPRECATED),
    ]
    for name, expected in (("new", None), ("old", DEPRECATED)):
        resource = client.ask("resources/metadata", uri=uri(name))["resource"]
        (content,) = client.ask("resources/read", uri=uri(name))["contents"]
        for each in (resource, content):
            assert each.get("deprecated") == expected
            assert each["_meta"].get(f"{OURS}deprecated") == expected
            assert each["_meta"][f"{OURS}version"] == each["version"]
        assert resource["description"] == "Does one thing."


def test_it_is_listed_and_given_as_any_other(client: Client) -> None:
    skills = client.ask("skills/list")["skills"]
    assert [set(skill) for skill in skills] == [{"uri", "frontmatter", "resources"}] * 2
    for name, expected in (("new", None), ("old", DEPRECATED)):
        given = client.ask("skills/get", uri=uri(name))
        assert given["skill"] in skills
        assert given.get("_meta", {}).get(f"{OURS}deprecated") == expected


def test_tools_and_prompts_say_so(client: Client) -> None:
    for tool, arguments in (("list_skills", {}), ("search_skills", {"query": "thing"})):
        result = client.ask("tools/call", name=tool, arguments=arguments)["structuredContent"]
        assert [(each["path"], each.get("deprecated")) for each in result["skills"]] == [
            ("new", None),
            ("old", "replaced; use new"),
        ]
    prompts = client.ask("prompts/list")["prompts"]
    assert [(each["name"], each.get("_meta")) for each in prompts] == [
        ("new", None),
        ("old", {f"{OURS}deprecated": DEPRECATED}),
    ]
