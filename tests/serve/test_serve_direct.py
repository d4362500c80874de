"""What is answered without the SDK is answered as the SDK would, in both eras and transports."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from mcp_types import JSONRPCRequest

from helpers.repos import Files, skill_md
from helpers.serving import FILES, built
from helpers.talk import ERAS, HELLO, NEW, OLD, Client, Http, HttpServer, Json, Stdio
from skillbuild.serve.direct import DirectAnswers
from skillbuild.serve.methods.context import Offer
from skillbuild.serve.state.watch import ReleaseWatcher

_BY_THE_SDK = """
import sys
from skillbuild.cli.main import main
from skillbuild.serve.direct import DirectAnswers
DirectAnswers.result = lambda *given: None
sys.exit(main())
"""


class SlowStdio(Stdio):
    """All requests are answered by the SDK."""

    program = ("-c", _BY_THE_SDK)


class SlowServer(HttpServer):
    """The same over HTTP."""

    program = ("-c", _BY_THE_SDK)


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
METHODS = ["resources/read", "skills/get", "skills/list", "resources/metadata"]


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
@pytest.mark.parametrize("method", METHODS[:3])
def test_the_sdk_is_not_asked_for_what_is_plain(odd: Path, era: str, method: str) -> None:
    answers = DirectAnswers(ReleaseWatcher(odd), Offer(duplex=True))
    params: Json = {} if method == "skills/list" else {"uri": PDF}
    if era == NEW:
        prefix = "io.modelcontextprotocol/"
        params["_meta"] = {f"{prefix}protocolVersion": NEW, f"{prefix}clientCapabilities": {}}
    request = JSONRPCRequest(jsonrpc="2.0", id=1, method=method, params=params)
    assert answers.result(request, era) is not None
    for other in ({**params, "x": 1}, {**params, "_meta": None}):
        request = JSONRPCRequest(jsonrpc="2.0", id=1, method=method, params=other)
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
