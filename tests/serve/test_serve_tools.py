"""`--tools`: four of them, read-only, for hosts whose models read no resources."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.repos import Files, skill_md
from helpers.serving import LOGO, PDF, built
from helpers.talk import ERAS, NEW, OLD, Client, Json, Stdio
from skillbuild.serve.methods.tools import file_block


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
        "facts": "1 script (Python) · asks for no tools · MIT",
    }


def test_search_ranks_by_words(tooled: Client) -> None:
    hits = use(tooled, "search_skills", query="refunds pays")["structuredContent"]["skills"]
    assert [item["path"] for item in hits] == [
        "acme/billing/refunds",
        "acme/support/refunds",
        "acme/support/refunds/deep",
    ]
    assert use(tooled, "search_skills", query="zebra")["structuredContent"]["skills"] == []


def test_a_result_says_where_the_words_are_and_quotes_a_text_that_alone_has_them(
    tooled: Client,
) -> None:
    (one,) = use(tooled, "search_skills", query="guide")["structuredContent"]["skills"]
    assert (one["path"], one["fields"]) == ("pdf", ["body"])
    assert one["quote"] == "Read [the guide](references/forms.md)."
    (both,) = use(tooled, "search_skills", query="guide splitting")["structuredContent"]["skills"]
    assert both["fields"] == ["body", "description"]
    assert "quote" not in both


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
    text = "This is not a text file. Read its bytes from the resource skill://pdf/assets/logo.bin"
    assert result["content"] == [{"type": "text", "text": text}]


LINES = "".join(f"line {number}\n" for number in range(1, 2001))
LONG_FILES: Files = {
    "long/SKILL.md": skill_md("long") + LINES,
    "long/lines.md": LINES,
    "long/ends.md": "one\r\ntwo\u2028still two\nthree",
    "long/list.json": "[\n1,\n2]\n",
    "long/empty.md": "",
    "long/logo.bin": LOGO,
}


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with Stdio(built(tmp_path_factory.mktemp("long"), LONG_FILES), NEW, "--tools") as client:
        yield client


@pytest.mark.parametrize(
    ("file", "given", "text", "how"),
    [
        ("lines.md", {"offset": 1, "limit": 2}, "line 1\nline 2\n", "1 to 2 of 2000"),
        ("lines.md", {"limit": 1}, "line 1\n", "1 to 1 of 2000"),
        ("lines.md", {"offset": 1999}, "line 1999\nline 2000\n", "1999 to 2000 of 2000"),
        ("lines.md", {"offset": 2000, "limit": 9}, "line 2000\n", "2000 to 2000 of 2000"),
        ("ends.md", {"offset": 2, "limit": 1}, "two\u2028still two\n", "2 to 2 of 3"),
        ("ends.md", {"limit": 1}, "one\r\n", "1 to 1 of 3"),
        ("ends.md", {"offset": 3}, "three", "3 to 3 of 3"),
        ("list.json", {"limit": 2}, "list.json:\n[\n1,\n", "1 to 2 of 3"),
    ],
)
def test_lines_of_a_file_come_with_where_the_next_ones_are(
    long: Client, file: str, given: Json, text: str, how: str
) -> None:
    part, more = use(long, "read_skill_file", skill="long", file=file, **given)["content"]
    last, count = int(how.split()[2]), int(how.split()[4])
    follows = f" To read on, pass offset {last + 1}." if last < count else ""
    assert part == {"type": "text", "text": text}
    assert more == {"type": "text", "text": f"Lines {how} of {file}.{follows}"}


def test_the_parts_of_a_file_make_the_whole(long: Client) -> None:
    whole, how = use(long, "read_skill_file", skill="long", file="lines.md")["content"]
    assert whole["text"] == LINES
    assert how["text"] == (
        "lines.md has 2,000 lines. If this answer was cut off, read the rest with read_skill_file,"
        " using offset and limit."
    )
    parts = [
        use(long, "read_skill_file", skill="long", file="lines.md", offset=start, limit=300)
        for start in range(1, 2001, 300)
    ]
    assert "".join(part["content"][0]["text"] for part in parts) == LINES


def test_of_a_long_skill_it_is_told_how_to_read_a_part(long: Client) -> None:
    text, how, others = use(long, "read_skill", skill="long")["content"]
    assert text["text"] == LONG_FILES["long/SKILL.md"]
    assert how["text"].startswith("SKILL.md has 2,005 lines. If this answer was cut off")
    assert others["text"].startswith("Other files")
    part = use(long, "read_skill_file", skill="long", file="SKILL.md", offset=2005)["content"]
    assert part[0]["text"] == "line 2000\n"


@pytest.mark.parametrize(
    ("file", "given", "reason"),
    [
        ("lines.md", {"offset": 2001}, "offset 2001 is too large: lines.md has 2,000 lines"),
        ("empty.md", {"offset": 1}, "offset 1 is too large: empty.md has 0 lines"),
        *(
            ("lines.md", {"offset": each}, "offset must be a number of")
            for each in (0, -1, "1", True)
        ),
        ("lines.md", {"limit": 0}, "limit must be a number of lines, at least 1"),
        ("logo.bin", {"limit": 1}, "logo.bin is not a text file; read its bytes"),
    ],
)
def test_lines_that_there_are_not_are_explained(
    long: Client, file: str, given: Json, reason: str
) -> None:
    result = use(long, "read_skill_file", skill="long", file=file, **given)
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith(reason)


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


def test_what_a_query_has_too_much_of_is_told(tooled: Client) -> None:
    words = " ".join(f"w{number}" for number in range(30))
    result = use(tooled, "search_skills", query=f"refunds {words}")["structuredContent"]
    assert result["ignored"] == "15 more words"
    result = use(tooled, "search_skills", query="refunds" + " " * 9000)["structuredContent"]
    assert result["skills"][0]["path"] == "acme/billing/refunds"
    assert result["ignored"] == "all after 8,000 characters"


def test_synonyms_of_a_query_are_told(tooled: Client) -> None:
    result = use(tooled, "search_skills", query="k8s")["structuredContent"]
    assert result == {"skills": [], "total": 0, "also": ["k8s: kubernetes"]}


@pytest.mark.parametrize("query", ["", " ", "++"])
def test_a_query_without_a_word_finds_all_skills_by_path(tooled: Client, query: str) -> None:
    listed = use(tooled, "list_skills")["structuredContent"]["skills"]
    result = use(tooled, "search_skills", query=query)["structuredContent"]
    assert [item["path"] for item in result["skills"]] == [item["path"] for item in listed]


def test_a_search_is_read_a_page_at_a_time(tooled: Client) -> None:
    whole = use(tooled, "search_skills", query="refunds pays")["structuredContent"]
    pages: list[Json] = []
    cursor: str | None = ""
    while cursor is not None:
        more = {"cursor": cursor} if cursor else {}
        part = use(tooled, "search_skills", query="refunds pays", limit=2, **more)
        pages.append(part["structuredContent"]["skills"])
        cursor = part["structuredContent"].get("nextCursor")
    assert [len(page) for page in pages] == [2, 1]
    assert [*pages[0], *pages[1]] == whole["skills"]
    assert whole["total"] == 3


def test_a_search_within_a_group_and_a_tag(tmp_path: Path) -> None:
    tagged = skill_md("b").replace("---\nDo", "metadata:\n  tags: billing\n---\nDo")
    files = {
        "plugins/acme/a/SKILL.md": skill_md("a"),
        "plugins/acme/b/SKILL.md": tagged,
        "c/SKILL.md": skill_md("c"),
    }
    with Stdio(built(tmp_path, files), NEW, "--tools") as client:
        by_group = use(client, "search_skills", query="one thing", group="acme")
        by_tag = use(client, "search_skills", query="", tag="billing")
        neither = use(client, "search_skills", query="one", group="nothing")
    paths = [
        [item["path"] for item in result["structuredContent"]["skills"]]
        for result in (by_group, by_tag, neither)
    ]
    assert paths == [["acme/a", "acme/b"], ["acme/b"], []]


def test_a_search_of_a_part_of_the_catalog_knows_that_part_alone(out: Path) -> None:
    with Stdio(out, NEW, "--tools", "--only", "acme/billing/*") as client:
        result = use(client, "search_skills", query="refunds pays")["structuredContent"]
    assert [item["path"] for item in result["skills"]] == ["acme/billing/refunds"]


def test_a_long_description_is_cut_around_what_matches(tmp_path: Path) -> None:
    description = f"{'Begins so. ' * 30}Fills forms. {'Ends so. ' * 30}".strip()
    files = {"a/SKILL.md": skill_md("a", description)}
    with Stdio(built(tmp_path, files), NEW, "--tools") as client:
        results = [use(client, "search_skills", query=query) for query in ("form", "begin", "so")]
    lines = [result["structuredContent"]["skills"][0]["description"] for result in results]
    assert lines[0].startswith("…so. Begins so.")
    assert "Fills forms. Ends so." in lines[0]
    assert lines[1] == lines[2] == f"{'Begins so. ' * 21}Begins…"
    assert all(len(line) <= 242 for line in lines)


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
        ("list_skills", {"cursor": 1}, "cursor must be a string"),
        ("search_skills", {"query": 1}, "query must be a string"),
        ("search_skills", {"query": "a", "limit": 51}, "limit must be a number from 1 to 50"),
        ("search_skills", {"query": "a", "limit": True}, "limit must be a number from 1 to 50"),
        ("search_skills", {"query": "a", "cursor": "x"}, "another search or release"),
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
