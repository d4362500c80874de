"""`--tools`: four of them, read-only, for hosts whose models read no resources."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.serving import PDF
from helpers.talk import ERAS, Client, Json, Stdio


@pytest.fixture(scope="module", params=ERAS)
def tooled(request: pytest.FixtureRequest, out: Path) -> Iterator[Client]:
    with Stdio(out, request.param, "--tools") as client:
        yield client


def use(client: Client, name: str, **arguments: object) -> Json:
    return client.ask("tools/call", name=name, arguments=arguments)


def test_there_are_four_read_only_tools(tooled: Client) -> None:
    tools = tooled.ask("tools/list")["tools"]
    names = ["list_skills", "search_skills", "read_skill", "read_skill_file"]
    assert [tool["name"] for tool in tools] == names
    for tool in tools:
        hints = tool["annotations"]
        assert (hints["readOnlyHint"], hints["openWorldHint"]) == (True, False)
        assert tool["inputSchema"]["type"] == "object"


def test_listed_skills_with_their_descriptions(tooled: Client) -> None:
    result = use(tooled, "list_skills")
    assert result["structuredContent"] == json.loads(result["content"][0]["text"])
    assert result["structuredContent"]["skills"][-1] == {
        "skill": "pdf",
        "uri": "skill://pdf/SKILL.md",
        "description": "Fills forms and splits pages.",
    }


def test_search_ranks_by_words(tooled: Client) -> None:
    hits = use(tooled, "search_skills", query="refunds pays")["structuredContent"]["skills"]
    assert [item["skill"] for item in hits] == [
        "acme/billing/refunds",
        "acme/support/refunds",
        "acme/support/refunds/deep",
    ]
    assert use(tooled, "search_skills", query="zebra")["structuredContent"]["skills"] == []


@pytest.mark.parametrize("skill", ["pdf", "skill://pdf/SKILL.md"])
def test_a_skill_is_an_embedded_resource_with_inner_annotations(tooled: Client, skill: str) -> None:
    item, more = use(tooled, "read_skill", skill=skill)["content"]
    described = tooled.ask("resources/metadata", uri="skill://pdf/SKILL.md")["resource"]
    assert item == {"type": "resource", "resource": {**described, "text": PDF}}
    assert "annotations" in item["resource"]
    assert more["text"].splitlines()[1:] == [
        "assets/logo.bin",
        "empty.txt",
        "references/forms.md",
        "scripts/fill.py",
        "templates/invoice.md",
        "templates/regional/eu.md",
    ]


def test_a_file_of_a_skill(tooled: Client) -> None:
    result = use(tooled, "read_skill_file", skill="pdf", file="templates/invoice.md")
    assert result["content"][0]["resource"]["text"] == "# Invoice\n"
    blob = use(tooled, "read_skill_file", skill="pdf", file="assets/logo.bin")
    assert blob["content"][0]["resource"]["mimeType"] == "application/octet-stream"


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("read_skill", {}, "the argument skill is missing"),
        ("read_skill", {"skill": 1}, "the argument skill is missing"),
        ("read_skill", {"skill": "nothing"}, "there is no skill nothing"),
        ("read_skill", {"skill": "refunds"}, "acme/billing/refunds, acme/support/refunds"),
        ("read_skill_file", {"skill": "pdf", "file": "../x"}, "pdf has no file ../x"),
        ("list_skills", {"cursor": "x"}, "another release"),
        ("list_skills", {"cursor": 1}, "cursor is a text"),
        ("search_skills", {"query": ""}, "the argument query is missing"),
    ],
)
def test_a_wrong_call_is_explained_to_the_model(
    tooled: Client, name: str, arguments: Json, reason: str
) -> None:
    result = use(tooled, name, **arguments)
    assert result["isError"] is True
    assert reason in result["content"][0]["text"]


def test_an_unknown_tool_is_an_error(tooled: Client) -> None:
    assert tooled.fault("tools/call", name="write_skill", arguments={})["code"] == -32602
