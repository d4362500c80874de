"""`--only GLOB`: a part of a catalog is served, and nobody can tell that there is more."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.outputs import record_of
from helpers.repos import Files, skill_md
from helpers.serving import built, rebuilt
from helpers.talk import ERAS, NEW, Client, Http, HttpServer, Stdio
from skillbuild.release.entries import EntryLines

ACME = ["acme/billing/refunds", "acme/support/refunds", "acme/support/refunds/deep"]
OPTIONS = ("--only", "acme/*", "--only", "p?f", "--tools", "--prompts")


@pytest.fixture(scope="module", params=ERAS)
def part(request: pytest.FixtureRequest, out: Path) -> Iterator[Client]:
    with Stdio(out, request.param, *OPTIONS) as client:
        yield client


def uris(paths: list[str]) -> list[str]:
    return [f"skill://{path}/SKILL.md" for path in paths]


def test_every_list_has_the_part_alone(part: Client) -> None:
    chosen = [*ACME, "pdf"]
    assert [item["uri"] for item in part.ask("skills/list")["skills"]] == uris(chosen)
    resources = part.ask("resources/list")["resources"]
    assert [item["uri"] for item in resources] == [*uris(chosen), "skill://index.json"]
    names = ["acme-billing-refunds", "acme-support-refunds", "deep", "pdf"]
    assert [prompt["name"] for prompt in part.ask("prompts/list")["prompts"]] == names
    assert part.ask("resources/list", filter={"name": "m"})["resources"] == []


def test_tools_and_completion_have_the_part_alone(part: Client) -> None:
    for name, arguments in (
        ("list_skills", {}),
        ("search_skills", {"query": "pay refund pdf form"}),
    ):
        result = part.ask("tools/call", name=name, arguments=arguments)["structuredContent"]
        assert sorted(skill["path"] for skill in result["skills"]) == [*ACME, "pdf"]
    reference = {"type": "ref/resource", "uri": "skill://{+path}"}
    argument = {"name": "path", "value": "m"}
    completion = part.ask("completion/complete", ref=reference, argument=argument)["completion"]
    assert completion == {"values": [], "total": 0, "hasMore": False}


def test_what_is_not_in_it_is_unknown(part: Client) -> None:
    for uri in ("skill://manifested/SKILL.md", "skill://manifested", "skill://house/SKILL.md"):
        assert part.fault("resources/read", uri=uri)["code"] in (-32002, -32602)
        assert part.fault("resources/metadata", uri=uri)["code"] in (-32002, -32602)
    assert part.fault("skills/get", uri="skill://manifested/SKILL.md")["code"] == -32602
    assert part.fault("resources/directory/read", uri="skill://manifested")["code"] == -32602
    assert part.fault("prompts/get", name="manifested")["code"] == -32602
    use = {"name": "read_skill", "arguments": {"skill": "manifested"}}
    assert part.ask("tools/call", **use)["isError"] is True


def test_its_index_and_archives_are_those_of_the_part(part: Client, new: Client) -> None:
    def index(client: Client) -> list[dict[str, object]]:
        (content,) = client.ask("resources/read", uri="skill://index.json")["contents"]
        assert content["size"] == len(content["text"].encode())
        skills: list[dict[str, object]] = json.loads(content["text"])["skills"]
        return skills

    whole = index(new)
    assert [skill["url"] for skill in index(part)] == uris([*ACME, "pdf"])
    assert index(part) == [skill for skill in whole if "manifested" not in str(skill["url"])]
    for skill in whole:
        archives = skill["archives"]
        assert isinstance(archives, list)
        for archive in archives:
            answer = part.call("resources/read", {"uri": archive["url"]})
            assert ("result" in answer) == ("manifested" not in archive["url"])


def test_the_instructions_count_the_part(part: Client) -> None:
    hello = part.ask("server/discover") if part.era == NEW else getattr(part, "hello", {})
    assert "Test Skills: 4 Agent Skills." in hello["instructions"]
    assert "manifested" not in hello["instructions"]


def test_many_parts_of_the_record_are_passed_over(many: Path) -> None:
    with Stdio(many, NEW, "--only", "s000", "--only", "s22?") as client:
        expected = uris(["s000", *(f"s{number}" for number in range(220, 230))])
        assert [item["uri"] for item in client.ask("skills/list")["skills"]] == expected
        children = client.ask("resources/directory/read", uri="skill://s220")["resources"]
        assert [child["uri"] for child in children] == ["skill://s220/SKILL.md"]


def test_the_static_catalog_stays_whole(out: Path) -> None:
    with HttpServer(out, "--only", "pdf") as server:
        status, _, data = server.request("GET", "/index.json")
        assert (status, data) == (200, (out / "index.json").read_bytes())
        assert len(Http(server, NEW).ask("skills/list")["skills"]) == 1


def test_a_new_release_is_served_in_part_as_well(tmp_path: Path) -> None:
    files: Files = {f"{name}/SKILL.md": skill_md(name) for name in ("aa", "bb")}
    out = built(tmp_path, files)
    with Stdio(out, NEW, "--only", "a*") as client:
        assert [skill["uri"] for skill in client.ask("skills/list")["skills"]] == uris(["aa"])
        more: Files = {f"{name}/SKILL.md": skill_md(name) for name in ("ab", "bc")}
        rebuilt(out, {**files, **more}, day=1)
        listed = client.ask("skills/list")["skills"]
        assert [skill["uri"] for skill in listed] == uris(["aa", "ab"])


@pytest.mark.parametrize(
    ("globs", "reason"),
    [
        (["x*", "PDF"], "matches --only x* PDF"),
        (["acme"], "matches --only acme"),
        ([""], "--only takes a glob of skill paths, for example 'acme/*'"),
    ],
)
def test_a_part_without_skills_is_not_served(out: Path, globs: list[str], reason: str) -> None:
    options = [text for glob in globs for text in ("--only", glob)]
    command = [sys.executable, "-m", "skillbuild", "serve", str(out), *options]
    result = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert result.stderr.rstrip().endswith(reason)
    assert len(result.stderr.splitlines()) == 1


def test_a_new_release_with_a_damaged_part_is_not_served(tmp_path: Path) -> None:
    files: Files = {"aa/SKILL.md": skill_md("aa")}
    out = built(tmp_path, files)
    with Stdio(out, NEW, "--only", "a*") as client:
        assert len(client.ask("skills/list")["skills"]) == 1
        os.kill(client.process.pid, signal.SIGSTOP)
        rebuilt(out, {**files, "ab/SKILL.md": skill_md("ab")}, day=1)
        (part,) = EntryLines.of(record_of(out).catalog.entries).parts
        path = out / part.path
        path.chmod(0o644)
        path.write_bytes(bytes(part.size))
        os.kill(client.process.pid, signal.SIGCONT)
        assert client.error_line().startswith(
            f"skillbuild: {out} is damaged: {part.path}: wrong digest; "
        )
        assert len(client.ask("resources/list")["resources"]) == 2
