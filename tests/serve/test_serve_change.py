"""A release is replaced while it is served: at once, whole, announced, or not at all."""

import json
import shutil
import signal
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from helpers import outputs, repos
from helpers.serving import FILES, built, rebuilt
from helpers.talk import NEW, OLD, Http, HttpServer, Json, Stdio

PDF_URI = "skill://pdf/SKILL.md"
EDITED: repos.Files = {
    **FILES,
    "skills/pdf/SKILL.md": str(FILES["skills/pdf/SKILL.md"]) + "More.\n",
    "skills/added/SKILL.md": repos.skill_md("added"),
}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return built(tmp_path, FILES)


def count(client: Stdio | Http) -> int:
    return len(client.ask("skills/list")["skills"])


@pytest.mark.parametrize("era", [OLD, NEW])
def test_the_next_answer_is_of_the_new_release(release: Path, era: str) -> None:
    with Stdio(release, era) as client:
        before = client.ask("resources/metadata", uri=PDF_URI)["resource"]["version"]
        assert count(client) == 5
        rebuilt(release, EDITED, day=1)
        assert count(client) == 6
        after = client.ask("resources/read", uri=PDF_URI)["contents"][0]
        assert after["text"] == EDITED["skills/pdf/SKILL.md"]
        assert after["version"] != before
        assert client.ask("skills/get", uri="skill://added/SKILL.md")["skill"]


def test_the_same_release_again_changes_nothing(release: Path) -> None:
    with Stdio(release, OLD) as client:
        data = (release / "catalog.json").read_bytes()
        (release / "catalog.json").unlink()
        (release / "catalog.json").write_bytes(data)
        assert count(client) == 5
        client.stdin.close()
        assert client.stderr.read() == b""


@pytest.mark.parametrize("data", [b"", b"{}\n", b'{"layout":99,\n"release":{}}\n', None])
def test_a_broken_release_is_reported_and_the_old_one_stays(
    release: Path, data: bytes | None
) -> None:
    with Stdio(release, NEW) as client:
        assert count(client) == 5
        record = release / "catalog.json"
        commit = outputs.head_of(release)["release"]["source"]["commit"]
        whole = record.read_bytes()
        record.unlink()
        if data is not None:
            record.write_bytes(data)
        assert count(client) == 5
        assert client.error_line().endswith(f"; still serving commit {commit}")
        assert count(client) == 5
        (release / "again").write_bytes(whole)
        (release / "again").replace(record)
        rebuilt(release, EDITED, day=1)
        assert count(client) == 6
        assert client.error_line().startswith("skillbuild: now serving commit ")


def test_a_cursor_of_the_release_before_is_refused(tmp_path: Path) -> None:
    files = {f"skills/s{n:03}/SKILL.md": repos.skill_md(f"s{n:03}") for n in range(101)}
    out = built(tmp_path, files)
    with Stdio(out, NEW) as client:
        cursor = client.ask("skills/list")["nextCursor"]
        assert len(client.ask("skills/list", cursor=cursor)["skills"]) == 1
        rebuilt(out, {**files, "skills/t/SKILL.md": repos.skill_md("t")}, day=1)
        assert client.fault("skills/list", cursor=cursor)["code"] == -32602


def test_an_old_era_client_is_notified_of_what_it_subscribed_to(release: Path) -> None:
    with Stdio(release, OLD) as client:
        client.ask("resources/subscribe", uri=PDF_URI)
        client.ask("resources/subscribe", uri="skill://house/SKILL.md")
        rebuilt(release, EDITED, day=1)
        client.process.send_signal(signal.SIGHUP)
        client.notice("notifications/resources/list_changed")
        params = client.notice("notifications/resources/updated")["params"]
        assert params["uri"] == PDF_URI
        assert client.notices == []


def test_several_resources_are_subscribed_to_at_once(release: Path) -> None:
    both = [PDF_URI, "skill://index.json"]
    with Stdio(release, OLD) as client:
        client.ask("resources/subscribe", uris=both)
        rebuilt(release, EDITED, day=1)
        client.process.send_signal(signal.SIGHUP)
        messages = [client.notice("notifications/resources/updated") for _ in both]
        assert sorted(message["params"]["uri"] for message in messages) == sorted(both)


def test_no_notification_comes_after_unsubscribing(release: Path) -> None:
    with Stdio(release, OLD) as client:
        client.ask("resources/subscribe", uris=[PDF_URI, "skill://index.json"])
        client.ask("resources/unsubscribe", uris=[PDF_URI])
        rebuilt(release, EDITED, day=1)
        client.process.send_signal(signal.SIGHUP)
        uri = client.notice("notifications/resources/updated")["params"]["uri"]
        assert uri == "skill://index.json"


@pytest.mark.parametrize("uris", [[], "x", [1], {}])
def test_uris_is_a_list_of_uris(old: Stdio, uris: object) -> None:
    assert old.fault("resources/subscribe", uris=uris)["code"] == -32602


def test_a_missing_resource_cannot_be_subscribed_to(old: Stdio) -> None:
    assert old.fault("resources/subscribe", uri="skill://nothing")["code"] == -32002
    assert old.fault("resources/subscribe", uris=[PDF_URI, "nothing"])["code"] == -32002


ACKNOWLEDGED = {"resourcesListChanged": True, "resourceSubscriptions": [PDF_URI]}
LISTEN = {**ACKNOWLEDGED, "toolsListChanged": True}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def check_stream(events: Iterator[Json], release: Path, identity: object) -> Json:
    """Read a whole stream around a publish; returns the last notification's parameters."""
    first = next(events)
    assert first["method"] == "notifications/subscriptions/acknowledged"
    assert first["params"]["notifications"] == ACKNOWLEDGED
    assert first["params"]["_meta"][SUBSCRIPTION] == identity
    rebuilt(release, EDITED, day=1)
    assert next(events)["method"] == "notifications/resources/list_changed"
    message = next(events)
    assert message["method"] == "notifications/resources/updated"
    params = message["params"]
    assert params["_meta"][SUBSCRIPTION] == identity
    assert isinstance(params, dict)
    return params


def test_a_new_era_client_listens_on_standard_streams(release: Path) -> None:
    with Stdio(release, NEW) as client:
        client.write(client.message("subscriptions/listen", {"notifications": LISTEN}))
        params = check_stream(iter(client.read, None), release, client.count)
        assert params["uri"] == PDF_URI


def test_a_new_era_client_listens_over_http(release: Path) -> None:
    with HttpServer(release) as server:
        client = Http(server, NEW)
        params = {"notifications": LISTEN}
        body = client.message("subscriptions/listen", params)
        connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
        connection.request("POST", "/mcp", body, client.headers("subscriptions/listen", params))
        answer = connection.getresponse()
        assert answer.headers["content-type"] == "text/event-stream"
        events = stream(answer)
        updated = check_stream(events, release, client.count)
        assert updated["uri"] == PDF_URI
        server.process.terminate()
        assert next(events)["result"]["resultType"] == "complete"
        connection.close()


def stream(answer: HTTPResponse) -> Iterator[Json]:
    for line in iter(answer.readline, b""):
        if line.startswith(b"data: "):
            yield json.loads(line[6:])


def test_every_answer_belongs_to_a_single_release(release: Path, tmp_path: Path) -> None:
    """Old blobs stay where they are, so a client in the middle of a release can finish it."""
    with Stdio(release, NEW) as client:
        skill = client.ask("skills/get", uri=PDF_URI)["skill"]
        shutil.copytree(release, tmp_path / "copy")
        rebuilt(release, EDITED, day=1)
        again = client.ask("skills/get", uri=PDF_URI)["skill"]
        changed = [file for file in again["resources"] if file not in skill["resources"]]
        assert [file["uri"] for file in changed] == [PDF_URI]
