"""How the server describes itself in both eras, and the fields that the middleware restores."""

from pathlib import Path

import pytest

import skillbuild
from helpers.serving import FILES, built
from helpers.talk import NEW, OLD, Client, Http, HttpServer, Json, Stdio

EXTENSION = {"io.modelcontextprotocol/skills": {"directoryRead": True}}
SERVER_INFO = "io.modelcontextprotocol/serverInfo"


def hello(client: Client) -> Json:
    """The answer that opens a connection."""
    if client.era == NEW:
        return client.ask("server/discover")
    assert isinstance(client, Stdio | Http)
    return client.hello


def info(client: Client) -> Json:
    result = hello(client)
    server = result["_meta"][SERVER_INFO] if client.era == NEW else result["serverInfo"]
    assert isinstance(server, dict)
    return server


def test_the_extension_is_declared_in_both_eras(client: Client) -> None:
    capabilities = hello(client)["capabilities"]
    assert capabilities["extensions"] == EXTENSION
    assert "resources" in capabilities
    if client.era == NEW:
        versions = hello(client)["supportedVersions"]
        assert versions[0] == NEW
        assert OLD in versions


def test_the_server_has_a_name_a_version_and_a_website(client: Client) -> None:
    server = info(client)
    assert [icon["mimeType"] for icon in server.pop("icons", [])] in ([], ["image/svg+xml"])
    assert server == {
        "name": "skillbuild",
        "title": "Test Skills",
        "version": skillbuild.__version__,
        "description": "For tests",
        "websiteUrl": "https://example.org/skills",
    }


def test_changes_are_promised_only_where_they_are_announced(clients: dict[str, Client]) -> None:
    capabilities = {name: hello(client)["capabilities"] for name, client in clients.items()}
    assert {name: value["resources"] for name, value in capabilities.items()} == {
        f"stdio {OLD}": {"subscribe": True, "listChanged": True},
        f"stdio {NEW}": {"subscribe": True, "listChanged": True},
        f"http {OLD}": {"subscribe": False, "listChanged": False},
        f"http {NEW}": {"subscribe": True, "listChanged": True},
    }
    for value in capabilities.values():
        assert not value["tools"].get("listChanged")
        assert not value["prompts"].get("listChanged")


def test_subscribing_over_http_is_an_unknown_method(clients: dict[str, Client]) -> None:
    error = clients[f"http {OLD}"].fault("resources/subscribe", uri="skill://pdf/SKILL.md")
    assert error["code"] == -32601


def test_every_modern_result_carries_the_server(clients: dict[str, Client]) -> None:
    for method in ("skills/list", "resources/list", "tools/list"):
        assert clients[f"stdio {NEW}"].ask(method)["_meta"][SERVER_INFO]["title"] == "Test Skills"
        assert "_meta" not in clients[f"stdio {OLD}"].ask(method)


def test_only_the_greeting_has_icons_that_are_no_links(clients: dict[str, Client]) -> None:
    client = clients[f"stdio {NEW}"]
    assert len(info(client)["icons"]) == 1
    for method in ("skills/list", "resources/list", "tools/list"):
        assert "icons" not in client.ask(method)["_meta"][SERVER_INFO]


def test_instructions_name_the_skills(client: Client) -> None:
    text = hello(client)["instructions"]
    assert text.startswith("Test Skills: 5 Agent Skills.")
    assert text.endswith(
        "Paths: acme/billing/refunds, acme/support/refunds, acme/support/refunds/deep,"
        " manifested, pdf."
    )


def test_instructions_stay_short(tmp_path: Path) -> None:
    names = [f"a-rather-long-name-for-a-skill-number-{number}" for number in range(100)]
    files = {f"skills/{n}/SKILL.md": f"---\nname: {n}\ndescription: D.\n---\n" for n in names}
    with Stdio(built(tmp_path, files), NEW) as client:
        text = hello(client)["instructions"]
    assert 1900 < len(text) <= 2000
    assert text.endswith(" more.")


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2099-01-01"])
def test_other_versions_of_the_handshake_are_answered(server: HttpServer, version: str) -> None:
    me = {"name": "x", "version": "0"}
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": me}
    result = Http(server, OLD).ask("initialize", **hello)
    assert result["protocolVersion"] == (OLD if version == "2099-01-01" else version)
    assert result["capabilities"]["extensions"] == EXTENSION


def test_a_catalog_without_a_website_declares_none(tmp_path: Path) -> None:
    files = {path: content for path, content in FILES.items() if path != "skillbuild.toml"}
    with Stdio(built(tmp_path, files), NEW) as client:
        assert "websiteUrl" not in info(client)


def test_the_website_of_a_published_catalog_is_the_catalog(tmp_path: Path) -> None:
    config = 'base_url = "https://skills.example.org/c/"\n'
    with Stdio(built(tmp_path, {**FILES, "skillbuild.toml": config}), NEW) as client:
        assert info(client)["websiteUrl"] == "https://skills.example.org/c/"
