"""`--prompts`: each skill as a prompt, for hosts that offer prompts as slash commands."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.repos import Files, skill_md
from helpers.serving import FILES, PDF, built, rebuilt
from helpers.talk import ERAS, NEW, OLD, Client, Json, Process, Stdio

HINTED = """\
---
name: review
description: Reviews.
argument-hint: "[number]"
---
Review the change $ARGUMENTS now.
"""
PLAIN = HINTED.replace("review", "last").replace("$ARGUMENTS ", "")
MORE: Files = {
    **FILES,
    "skills/review/SKILL.md": HINTED,
    "skills/last/SKILL.md": PLAIN,
}


@pytest.fixture(scope="module")
def hinted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("prompts"), MORE)


@pytest.fixture(scope="module", params=ERAS)
def prompted(request: pytest.FixtureRequest, hinted: Path) -> Iterator[Client]:
    with Stdio(hinted, request.param, "--prompts") as client:
        yield client


def text_of(result: Json) -> object:
    return result["messages"][0]["content"]["text"]


def test_all_skills_but_internal_ones_are_prompts_with_names_of_their_own(prompted: Client) -> None:
    argument = {"name": "arguments", "description": "[number]", "required": False}
    assert prompted.ask("prompts/list")["prompts"] == [
        {
            "name": "acme-billing-refunds",
            "title": "acme/billing/refunds",
            "description": "Pays back.",
        },
        {
            "name": "acme-support-refunds",
            "title": "acme/support/refunds",
            "description": "Talks about it.",
        },
        {"name": "deep", "title": "acme/support/refunds/deep", "description": "Nested."},
        {"name": "last", "description": "Reviews.", "arguments": [argument]},
        {"name": "manifested", "description": "Has its own file of that name."},
        {"name": "pdf", "description": "Fills forms and splits pages."},
        {"name": "review", "description": "Reviews.", "arguments": [argument]},
    ]


def test_a_prompt_is_the_skill_as_a_message_and_where_its_files_are(prompted: Client) -> None:
    result = prompted.ask("prompts/get", name="pdf")
    where = "The other files of this skill are resources below skill://pdf/"
    assert result["description"] == "Fills forms and splits pages."
    assert result["messages"] == [
        {"role": "user", "content": {"type": "text", "text": PDF}},
        {"role": "user", "content": {"type": "text", "text": where}},
    ]


def test_a_prompt_is_got_by_its_flat_name(prompted: Client) -> None:
    for name, path in (("acme-billing-refunds", "acme/billing"), ("deep", "acme/support/refunds")):
        skill = f"skills/{path}/{'refunds' if path == 'acme/billing' else 'deep'}/SKILL.md"
        assert text_of(prompted.ask("prompts/get", name=name)) == FILES[skill]


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("review", {"arguments": "12"}, HINTED.replace("$ARGUMENTS", "12")),
        ("review", {}, HINTED),
        ("last", {"arguments": "12"}, f"{PLAIN}\nARGUMENTS: 12\n"),
    ],
)
def test_what_follows_a_slash_command_comes_where_the_skill_wants_it(
    prompted: Client, name: str, arguments: Json, text: str
) -> None:
    assert text_of(prompted.ask("prompts/get", name=name, arguments=arguments)) == text


@pytest.mark.parametrize("name", ["nothing", "house", "refunds", "", "pdf/SKILL.md", "\ud7ff"])
def test_an_unknown_prompt_is_an_error(prompted: Client, name: str) -> None:
    assert prompted.fault("prompts/get", name=name)["code"] == -32602


def test_prompts_come_in_pages(many: Path) -> None:
    with Stdio(many, NEW, "--prompts") as client:
        pages = list(client.pages("prompts/list", "prompts"))
        assert [len(page) for page in pages] == [100, 100, 30]
        assert client.fault("prompts/list", cursor="x")["code"] == -32602


def test_without_the_option_there_is_no_prompt(new: Client) -> None:
    assert new.fault("prompts/get", name="pdf")["code"] == -32601


def test_skills_with_names_that_are_titles_are_prompts_too(tmp_path: Path) -> None:
    files: Files = {"tidy/SKILL.md": skill_md("Clean Up"), "pdf/SKILL.md": skill_md("pdf")}
    with Stdio(built(tmp_path, files), NEW, "--prompts") as client:
        names = [prompt["name"] for prompt in client.ask("prompts/list")["prompts"]]
        assert names == ["pdf", "tidy"]
        assert text_of(client.ask("prompts/get", name="tidy")) == files["tidy/SKILL.md"]


def test_changes_of_prompts_are_promised_and_told(tmp_path: Path) -> None:
    files: Files = {"pdf/SKILL.md": skill_md("pdf")}
    changed = "notifications/prompts/list_changed"
    out = built(tmp_path, files)
    with Stdio(out, OLD, "--prompts") as old, Stdio(out, NEW, "--prompts") as new:
        assert old.hello["capabilities"]["prompts"] == {"listChanged": True}
        assert new.ask("server/discover")["capabilities"]["prompts"] == {"listChanged": True}
        wanted = {"notifications": {"promptsListChanged": True, "toolsListChanged": True}}
        new.write(new.message("subscriptions/listen", wanted))
        acknowledged = new.notice("notifications/subscriptions/acknowledged")["params"]
        assert acknowledged["notifications"] == {"promptsListChanged": True}
        rebuilt(out, {**files, "more/SKILL.md": skill_md("more")}, day=1)
        for client in (old, new):
            client.process.send_signal(signal.SIGHUP)
            assert client.notice(changed)["method"] == changed


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.nightly
def test_long_names_that_nobody_has_are_not_remembered(out: Path) -> None:
    with Stdio(out, NEW, "--prompts") as client:

        def ask(number: int) -> None:
            for text in (f"{number}-{'x' * 120_000}", "y"):
                assert client.fault("prompts/get", name=text)["code"] == -32602
                uri = f"skill://-/archives/{text}-0123456789abcdef.zip"
                assert client.fault("resources/metadata", uri=uri)["code"] == -32602

        ask(0)
        before = resident(client)
        for number in range(200):
            ask(number)
        assert resident(client) - before < 20


def resident(server: Process) -> int:
    """MiB in memory."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) >> 10
