"""What is answered without the SDK is answered as the SDK would, in both eras and transports."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import mcp_types
import pytest
from mcp_types import version as sdk_versions

from helpers.repos import Files, skill_md
from helpers.serving import FILES, built
from helpers.talk import (
    BY_THE_SDK,
    ERAS,
    HELLO,
    NEW,
    OLD,
    Client,
    Http,
    HttpServer,
    Json,
    SlowServer,
    SlowStdio,
    Stdio,
)
from skillbuild.serve import protocol
from skillbuild.serve.direct import DirectAnswers
from skillbuild.serve.methods.context import Offer
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.serve.transport.jsonrpc import ClientRequest

Pair = tuple[Client, Client]
PDF = "skill://pdf/SKILL.md"
VERSION = "io.github.skillbuild/version"
GIVEN: list[Json | None] = [
    *({"uri": uri} for uri in (PDF, "skill://acme/support/refunds/deep/SKILL.md")),
    *({"uri": f"skill://pdf/{path}"} for path in ("references/forms.md", "assets/logo.bin")),
    *({"uri": f"skill://pdf/{path}"} for path in ("large.txt", "empty.txt", "_manifest", "none")),
    *({"uri": uri} for uri in ("skill://pdf", "skill://index.json", "skill://none/SKILL.md", "")),
    *({"uri": uri} for uri in ("skill://odd/SKILL.md", "skill://house/SKILL.md", 3, None)),
    *({"cursor": cursor} for cursor in ("", "A" * 22, 3, None)),
    {},
    None,
    {"uri": PDF, "cursor": ""},
    {"uri": PDF, "version": "sha256:0"},
    {"uri": PDF, "more": [{}]},
    {"uri": PDF, "inputResponses": {}},
    {"uri": PDF, "_meta": {"progressToken": 7}},
    {"uri": PDF, "_meta": {"progressToken": []}},
    {"uri": PDF, "_meta": {VERSION: "sha256:0"}},
    {"uri": PDF, "_meta": {"x": {"y": None}}},
]
METHODS = [
    *("resources/read", "skills/get", "skills/list", "tools/list", "ping", "resources/metadata"),
]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files: Files = {
        **FILES,
        "skills/odd/SKILL.md": skill_md("odd").replace("---\n", "---\nlicense:\nx: {y: }\n", 1),
        "skills/pdf/large.txt": "large \u00fc\n" * 50_000,
    }
    return built(tmp_path_factory.mktemp("odd"), files)


@pytest.fixture(scope="module")
def pairs(odd: Path) -> Iterator[dict[str, Pair]]:
    with ExitStack() as stack:
        quick, slow = map(stack.enter_context, (HttpServer(odd), SlowServer(odd)))
        pairs: dict[str, Pair] = {
            f"http {era}": (Http(quick, era), Http(slow, era)) for era in ERAS
        }
        for era in ERAS:
            streams = stack.enter_context(Stdio(odd, era)), stack.enter_context(SlowStdio(odd, era))
            for client in streams:
                client.ask("skills/list")  # The first request of the new era is for the SDK.
            pairs[f"stdio {era}"] = streams
        yield pairs


@pytest.mark.parametrize("kind", [f"{kind} {era}" for kind in ("stdio", "http") for era in ERAS])
def test_each_answer_is_that_of_the_sdk(pairs: dict[str, Pair], kind: str) -> None:
    quick, slow = pairs[kind]
    version = quick.ask("resources/read", uri=PDF)["contents"][0]["version"]
    slow.ask("resources/read", uri=PDF)
    current = [{"uri": PDF, "version": version}, {"uri": PDF, "_meta": {VERSION: version}}]
    for method in METHODS:
        for params in [*GIVEN, *current]:
            answers = [(client.call(method, params), client.status) for client in (quick, slow)]
            assert answers[0] == answers[1], (method, params)


@pytest.mark.parametrize(
    "changes",
    [
        {"mcp-method": "skills/get"},
        {"mcp-name": "skill://none/SKILL.md"},
        {"mcp-name": ""},
        {"mcp-protocol-version": OLD},
        {"mcp-protocol-version": "2027-01-01"},
        {"accept": "text/event-stream"},
        {"accept": "*/*"},
        {"content-type": "text/plain"},
        {},
    ],
    ids=str,
)
def test_headers_are_judged_as_by_the_sdk(pairs: dict[str, Pair], changes: dict[str, str]) -> None:
    answers = []
    for client in pairs[f"http {NEW}"]:
        assert isinstance(client, Http)
        client.count = 0
        body, headers = (
            client.message("resources/read", {"uri": PDF}),
            client.headers("resources/read", {"uri": PDF}),
        )
        status, sent, data = client.server.request("POST", "/mcp", body, {**headers, **changes})
        is_json = sent.get("content-type") == "application/json"
        answers.append((status, sent.keys(), json.loads(data) if is_json else data))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("method", METHODS[:5])
def test_the_sdk_is_not_asked_for_what_is_plain(odd: Path, era: str, method: str) -> None:
    answers = DirectAnswers(ReleaseWatcher(odd), Offer(duplex=True))
    if (method, era) == ("ping", NEW):
        pytest.skip("2026-07-28 has no such method")
    params: Json = {"uri": PDF} if method in METHODS[:2] else {}
    if era == NEW:
        prefix = "io.modelcontextprotocol/"
        params["_meta"] = {f"{prefix}protocolVersion": NEW, f"{prefix}clientCapabilities": {}}
    request = ClientRequest(1, method, params)
    assert answers.result(request, era) is not None
    for other in ({**params, "x": 1}, {**params, "_meta": None}):
        request = ClientRequest(1, method, other)
        assert answers.result(request, era) is None


def test_a_client_without_a_handshake_gets_nothing_but_an_error(odd: Path) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "skills/get", "params": {"uri": PDF}}
    with Stdio(odd, NEW) as client:
        for _ in range(2):
            client.write(json.dumps(request).encode())
            assert client.read()["error"]["code"] == -32602
        client.era = OLD
        assert client.ask("initialize", **HELLO)["protocolVersion"] == OLD
        assert client.ask("skills/get", uri=PDF)["skill"]["uri"] == PDF


CLIENT: Json = {"name": "test", "version": "0"}
SPEAKS = {
    "roots": {"listChanged": True},
    "sampling": {},
    "elicitation": {"form": {}, "url": {}},
    "extensions": {"io.modelcontextprotocol/skills": {"x": 1}},
    "experimental": {"x": {}},
}
PLAIN: list[Json] = [
    *({**HELLO, "protocolVersion": version} for version in protocol.HANDSHAKE_VERSIONS),
    *({**HELLO, "capabilities": {key: value}} for key, value in SPEAKS.items()),
    {**HELLO, "clientInfo": {**CLIENT, "title": "T"}},
]
"""Parameters of `initialize`."""
CAPABILITIES: list[object] = [None, [], {"other": {}}, {"roots": None}]
ODD: list[Json] = [
    *({**HELLO, "protocolVersion": version} for version in (NEW, "1999", 3)),
    *({**HELLO, "capabilities": {key: {"x": 1}}} for key in SPEAKS),
    *({**HELLO, "capabilities": value} for value in CAPABILITIES),
    *({**HELLO, "clientInfo": {**CLIENT, "title": title}} for title in (3, None)),
    *({**HELLO, "clientInfo": value} for value in (None, {}, {**CLIENT, "icons": []})),
    {**HELLO, "_meta": {"progressToken": 1}},
    {**HELLO, "more": 1},
    {},
]
OFFERS = [(), ("--tools",), ("--prompts",)]


def opened(client: Stdio, method: str, params: Json) -> list[Json]:
    """What a client hears that begins so, and what to methods that the SDK answers."""
    answers = [client.call(method, params)]
    answers += [client.call(each) for each in ("resources/list", "nothing", "tools/list")]
    client.stdin.close()
    return [*answers, {"rest": client.stdout.read().decode()}]


class Silent(Stdio):
    """A client that has not begun."""

    def __init__(self, out: Path, era: str, *options: str) -> None:
        super().__init__(out, NEW, *options)
        self.era = era


class SlowSilent(Silent):
    """All requests are answered by the SDK."""

    program = ("-c", BY_THE_SDK)


@pytest.mark.parametrize("offer", OFFERS, ids=" ".join)
@pytest.mark.parametrize("version", [PLAIN[0]["protocolVersion"], OLD, NEW])
def test_a_greeting_is_answered_as_by_the_sdk(
    odd: Path, version: str, offer: tuple[str, ...]
) -> None:
    """And the SDK, which hears of it later, goes on from there."""
    answers = []
    for kind in (Silent, SlowSilent):
        with kind(odd, version if version == NEW else OLD, *offer) as client:
            hello = {**HELLO, "protocolVersion": version}
            first = ("server/discover", {}) if version == NEW else ("initialize", hello)
            answers.append(opened(client, *first))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("era", ERAS)
def test_what_comes_while_the_sdk_is_imported_is_answered_too(odd: Path, era: str) -> None:
    """More than may wait for it, in one write, and nothing twice."""
    with Silent(odd, era) as client:
        first = client.message("initialize", HELLO) if era == OLD else b""
        first = first or client.message("server/discover", {})
        methods = ["resources/list", "skills/list", "nothing"] * 20
        lines = [first, *(client.message(method, {}) for method in methods)]
        client.stdin.write(b"\n".join([*lines, b""]))
        client.stdin.flush()
        answers = [client.read() for _ in lines]
        client.stdin.close()
        assert client.stdout.read() == b""
    assert sorted(answer["id"] for answer in answers) == list(range(1, len(lines) + 1))
    errors = [answer["error"]["code"] for answer in answers if "error" in answer]
    assert errors == [-32601] * 20


@pytest.mark.parametrize("params", PLAIN, ids=str)
def test_a_plain_greeting_is_one_that_the_sdk_takes(odd: Path, params: Json) -> None:
    answer = DirectAnswers(ReleaseWatcher(odd), Offer(duplex=True)).greeting(
        ClientRequest(1, "initialize", params)
    )
    assert answer is not None
    assert answer[0] == answer[1]["protocolVersion"] == params["protocolVersion"]
    mcp_types.InitializeRequestParams.model_validate(params, by_name=False)


@pytest.mark.parametrize("params", ODD, ids=str)
def test_any_other_greeting_is_for_the_sdk(odd: Path, params: Json) -> None:
    answers = DirectAnswers(ReleaseWatcher(odd), Offer(duplex=True))
    assert answers.greeting(ClientRequest(1, "initialize", params)) is None


def test_a_discovery_that_is_not_plain_is_for_the_sdk(odd: Path) -> None:
    prefix = "io.modelcontextprotocol/"
    meta = {f"{prefix}protocolVersion": NEW, f"{prefix}clientCapabilities": {}}
    answers = DirectAnswers(ReleaseWatcher(odd), Offer(duplex=True))
    plain: Json = {"_meta": meta}
    assert answers.greeting(ClientRequest(1, "server/discover", plain)) is not None
    others: list[Json] = [{**plain, "x": 1}, {"_meta": {**meta, "progressToken": 1}}]
    for params in [*others, {"_meta": {}}, {"_meta": 3}, {}]:
        assert answers.greeting(ClientRequest(1, "server/discover", params)) is None
    assert answers.greeting(ClientRequest(1, "server/discover", None)) is None


def test_what_is_known_of_the_protocol_without_the_sdk_is_what_the_sdk_knows() -> None:
    assert protocol.HANDSHAKE_VERSIONS == sdk_versions.HANDSHAKE_PROTOCOL_VERSIONS
    assert protocol.MODERN_VERSIONS == sdk_versions.MODERN_PROTOCOL_VERSIONS
    assert protocol.VERSION_KEY == mcp_types.PROTOCOL_VERSION_META_KEY
    assert protocol.CLIENT_CAPABILITIES_KEY == mcp_types.CLIENT_CAPABILITIES_META_KEY
    assert protocol.SERVER_INFO_KEY == mcp_types.SERVER_INFO_META_KEY
    for name in ("PARSE_ERROR", "INVALID_REQUEST", "INVALID_PARAMS", "INTERNAL_ERROR"):
        assert getattr(protocol, name) == getattr(mcp_types.jsonrpc, name)
