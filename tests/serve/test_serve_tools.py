"""`--tools`: four of them, read-only, for hosts whose models read no resources."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.repos import skill_md
from helpers.serving import PDF, built
from helpers.talk import ERAS, NEW, OLD, Client, Json, Stdio
from skillbuild.serve.methods.content_blocks import file_block


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
        "name": "pdf",
        "path": "pdf",
        "uri": "skill://pdf/SKILL.md",
        "description": "Fills forms and splits pages.",
    }


def test_search_ranks_by_words(tooled: Client) -> None:
    hits = use(tooled, "search_skills", query="refunds pays")["structuredContent"]["skills"]
    assert [item["path"] for item in hits] == [
        "acme/billing/refunds",
        "acme/support/refunds",
        "acme/support/refunds/deep",
    ]
    assert use(tooled, "search_skills", query="zebra")["structuredContent"]["skills"] == []


@pytest.mark.parametrize("skill", ["pdf", "skill://pdf/SKILL.md"])
def test_a_skill_is_text_and_the_names_of_its_files(tooled: Client, skill: str) -> None:
    item, more = use(tooled, "read_skill", skill=skill)["content"]
    assert item == {"type": "text", "text": PDF}
    assert more["text"].splitlines()[1:] == [
        "assets/logo.bin",
        "empty.txt",
        "references/forms.md",
        "scripts/fill.py",
        "templates/invoice.md",
        "templates/regional/eu.md",
    ]


def test_a_file_of_a_skill_is_text(tooled: Client) -> None:
    result = use(tooled, "read_skill_file", skill="pdf", file="templates/invoice.md")
    assert result["content"] == [{"type": "text", "text": "# Invoice\n"}]


def test_of_a_file_that_is_no_text_there_is_the_uri(tooled: Client) -> None:
    result = use(tooled, "read_skill_file", skill="pdf", file="assets/logo.bin")
    text = "This file is no text. Its bytes are the resource skill://pdf/assets/logo.bin"
    assert result["content"] == [{"type": "text", "text": text}]


@pytest.mark.parametrize(
    "text", ['{"a": 1}', "\n[1, 2]", '"a"', "1.2\n", "-3", "true", "{{ name }}"]
)
def test_what_hosts_take_for_json_follows_its_path(text: str) -> None:
    assert file_block("a/b", text) == {"type": "text", "text": f"a/b:\n{text}"}


@pytest.mark.parametrize("text", ["", "1.2.3\n", "1, 2\n", "---\n", "# [a]\n", "1" * 70 + " a"])
def test_other_texts_stand_alone(text: str) -> None:
    assert file_block("a/b", text) == {"type": "text", "text": text}


def test_all_that_tools_take_and_give_is_described(tooled: Client) -> None:
    def undescribed(schema: Json, name: str) -> list[str]:
        parts = dict(schema.get("properties", {}))
        if "items" in schema:
            parts["items"] = schema["items"]
        names = [name] if "description" not in schema else []
        return [*names, *(each for key, part in parts.items() for each in undescribed(part, key))]

    for tool in tooled.ask("tools/list")["tools"]:
        for schema in (tool["inputSchema"], tool.get("outputSchema", {})):
            assert set(undescribed(schema, "")) <= {"", "items"}, tool["name"]


def test_a_list_is_short_and_paged(tmp_path: Path) -> None:
    long = "First line.\\n" + "word " * 100
    files = {f"s{n:03}/SKILL.md": skill_md(f"s{n:03}", f'"{long}"') for n in range(120)}
    with Stdio(built(tmp_path, files), NEW, "--tools") as client:
        skills: list[Json] = []
        cursor: Json = {}
        sizes = []
        while True:
            result = use(client, "list_skills", **cursor)["structuredContent"]
            sizes.append(len(result["skills"]))
            skills += result["skills"]
            if "nextCursor" not in result:
                break
            cursor = {"cursor": result["nextCursor"]}
    assert sizes == [50, 50, 20]
    assert [skill["name"] for skill in skills] == sorted(skill["name"] for skill in skills)
    assert {skill["description"] for skill in skills} == {"First line. " + "word " * 44 + "word…"}


def test_a_query_has_fifty_words_and_the_rest_is_told(tooled: Client) -> None:
    result = use(tooled, "search_skills", query="pays " * 50 + "fills")["structuredContent"]
    assert [item["path"] for item in result["skills"]] == ["acme/billing/refunds"]
    assert result["ignored"] == "all after the first 50 words"


def test_instructions_say_when_to_call_the_tools(out: Path) -> None:
    with Stdio(out, OLD) as plain, Stdio(out, OLD, "--tools") as tooled:
        texts = [client.hello["instructions"] for client in (plain, tooled)]
    names = ("list_skills", "search_skills", "read_skill", "read_skill_file")
    assert [[name in text for name in names] for text in texts] == [[False] * 4, [True] * 4]
    assert "At the start of a task, call search_skills" in texts[1]
    assert all(len(text) <= 2000 for text in texts)


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
