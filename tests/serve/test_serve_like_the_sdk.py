"""The server takes and refuses messages as a bare server of the SDK does, with the same status and
error code; every difference is in a table here, with its reason.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ListResourcesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextResourceContents,
)
from mcp_types.jsonrpc import INVALID_PARAMS

from helpers.talk import ERAS, NEW, OLD, Json
from skillbuild.serve.methods.describe import UriParams
from skillbuild.serve.transport.application import Application, AppOptions

URI = "skill://pdf/SKILL.md"
KEY = "io.modelcontextprotocol"
ME = {"name": "test", "version": "0"}
Context = ServerRequestContext[object]
Outcome = tuple[int, int | None]
"""The status of HTTP, and the code of the error if it is one."""

NO_MESSAGE = "bytes that are no message get the codes of JSON-RPC, in all versions the same"
UNANSWERED = "a request whose id is none is no notification: its client waits for an answer"
SURROGATE = "half a character cannot be repeated in an error, so no part of a message may have one"
CONSTANT = "JSON has no NaN, so this is no JSON"
DIFFERENCES: dict[tuple[str, str], tuple[Outcome, Outcome, str]] = {
    (OLD, "a batch"): ((400, -32602), (400, -32600), NO_MESSAGE),
    (OLD, "a number"): ((400, -32602), (400, -32600), NO_MESSAGE),
    (OLD, "jsonrpc 1.0"): ((400, -32602), (400, -32600), NO_MESSAGE),
    (OLD, "jsonrpc 2"): ((400, -32602), (400, -32600), NO_MESSAGE),
    (OLD, "method a number"): ((400, -32602), (400, -32600), NO_MESSAGE),
    (OLD, "params a list"): ((400, -32602), (400, -32600), NO_MESSAGE),
    (OLD, "params a text"): ((400, -32602), (400, -32600), NO_MESSAGE),
    (OLD, "id 1.5"): ((202, None), (400, -32600), UNANSWERED),
    (OLD, "id a list"): ((202, None), (400, -32600), UNANSWERED),
    (OLD, "id null"): ((202, None), (400, -32600), UNANSWERED),
    (OLD, "id true"): ((202, None), (400, -32600), UNANSWERED),
    (OLD, "a lone surrogate"): ((400, -32700), (400, -32600), SURROGATE),
    (NEW, "a lone surrogate"): ((400, -32602), (400, -32600), SURROGATE),
    (OLD, "not a number"): ((202, None), (400, -32700), CONSTANT),
    (NEW, "not a number"): ((400, -32600), (400, -32700), CONSTANT),
}
"""By version and what is odd, the outcomes of the bare server and ours, and the reason."""


async def list_resources(ctx: Context, params: PaginatedRequestParams) -> ListResourcesResult:
    return ListResourcesResult(resources=[])


async def read_resource(ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    if params.uri != URI:
        raise MCPError(INVALID_PARAMS if ctx.protocol_version == NEW else -32002, "unknown")
    text = TextResourceContents(uri=params.uri, text="text")
    return ReadResourceResult(contents=[text])


async def get_skill(ctx: Context, params: UriParams) -> dict[str, object]:
    if params.uri != URI:
        raise MCPError(INVALID_PARAMS, "unknown")
    return {"skill": {"uri": params.uri}}


def bare_server() -> StreamableHTTPSessionManager:
    server: Server[object] = Server("bare", version="0")
    server.add_request_handler("resources/list", PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/read", ReadResourceRequestParams, read_resource)
    server.add_request_handler("skills/get", UriParams, get_skill)
    return StreamableHTTPSessionManager(server, json_response=True, stateless=True)


@dataclass(frozen=True)
class Message:
    """One request over HTTP, and what is odd about it."""

    era: str
    odd: str
    body: bytes
    headers: Mapping[str, str]


ODD_VALUES: list[object] = [None, 3, 1.5, True, "", [], {}, ["x"], {"x": None}, "x" * 400]
ODD_BYTES = {
    "no JSON": b"{",
    "no UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
    "not a number": b'{"jsonrpc":"2.0","id":NaN,"method":"resources/list"}',
    "a batch": b'[{"jsonrpc":"2.0","id":1,"method":"resources/list"}]',
    "a lone surrogate": b'{"jsonrpc":"2.0","id":1,"method":"resources/list","x":"\\ud800"}',
    "deep": b"[" * 60_000,
    "a number": b"1",
    "a response": b'{"jsonrpc":"2.0","id":1,"result":{}}',
    "a notification": b'{"jsonrpc":"2.0","method":"notifications/unknown"}',
}
ODD_MEMBERS: dict[str, Json] = {
    "id null": {"id": None},
    "id 1.5": {"id": 1.5},
    "id true": {"id": True},
    "id a list": {"id": [1]},
    "id a text": {"id": "ü\u2028"},
    "id huge": {"id": 10**40},
    "jsonrpc 1.0": {"jsonrpc": "1.0"},
    "jsonrpc 2": {"jsonrpc": 2},
    "params a list": {"params": [1]},
    "params a text": {"params": "x"},
    "params null": {"params": None},
    "method a number": {"method": 3},
    "one more member": {"more": {"x": [None]}},
}
ODD_META: dict[str, object] = {
    "_meta null": None,
    "_meta a list": [],
    "_meta a text": "x",
    "progressToken 7": {"progressToken": 7},
    "progressToken a list": {"progressToken": []},
    "another key": {"example.org/x": {"y": None}},
    "clientCapabilities a list": {f"{KEY}/clientCapabilities": []},
    "clientCapabilities null": {f"{KEY}/clientCapabilities": None},
    "clientCapabilities of roots 3": {f"{KEY}/clientCapabilities": {"roots": 3}},
    "clientInfo a number": {f"{KEY}/clientInfo": 3},
    "clientInfo without a version": {f"{KEY}/clientInfo": {"name": "x"}},
    "clientInfo null": {f"{KEY}/clientInfo": None},
    "protocolVersion 2099": {f"{KEY}/protocolVersion": "2099-01-01"},
    "protocolVersion old": {f"{KEY}/protocolVersion": OLD},
    "protocolVersion a number": {f"{KEY}/protocolVersion": 3},
    "protocolVersion null": {f"{KEY}/protocolVersion": None},
}
ODD_HEADERS: dict[str, tuple[str, str | None]] = {
    "another mcp-method": ("mcp-method", "tools/list"),
    "no mcp-method": ("mcp-method", None),
    "another mcp-name": ("mcp-name", "x"),
    "no mcp-name": ("mcp-name", None),
    "mcp-name that is no base64": ("mcp-name", "=?base64?%%?="),
    "accept events": ("accept", "text/event-stream"),
    "accept JSON": ("accept", "application/json"),
    "accept all": ("accept", "*/*"),
    "accept nothing": ("accept", ""),
    "content-type text": ("content-type", "text/plain"),
    "content-type with a charset": ("content-type", "application/json; charset=utf-8"),
    "no content-type": ("content-type", None),
    "version 2025-06-18": ("mcp-protocol-version", "2025-06-18"),
    "version 2099": ("mcp-protocol-version", "2099-01-01"),
    "no version": ("mcp-protocol-version", None),
    "a session": ("mcp-session-id", "x"),
}
METHODS: dict[str, Json] = {
    "resources/list": {},
    "resources/read": {"uri": URI},
    "skills/get": {"uri": URI},
    "nothing/such": {},
    "logging/setLevel": {"level": "info"},
    "tasks/list": {},
    "server/discover": {},
    "ping": {},
    "initialize": {"protocolVersion": OLD, "capabilities": {}, "clientInfo": ME},
}


def messages(count: int) -> Iterator[Message]:
    chance = random.Random(1)
    for _ in range(count):
        era, method = chance.choice(ERAS), chance.choice(list(METHODS))
        params = dict(METHODS[method])
        meta: object = {}
        members: Json = {}
        header: tuple[str, str | None] | None = None
        odd, body = "", None
        match chance.choice(["plain", "value", "bytes", "members", "meta", "header", "header"]):
            case "value" if params:
                key = chance.choice(list(params))
                params[key] = chance.choice(ODD_VALUES)
                odd = f"{method} {key} {params[key]!r:.12}"
            case "bytes":
                odd = chance.choice(list(ODD_BYTES))
                body = ODD_BYTES[odd]
            case "members":
                odd = chance.choice(list(ODD_MEMBERS))
                members = ODD_MEMBERS[odd]
            case "meta":
                odd = chance.choice(list(ODD_META))
                meta = ODD_META[odd]
            case "header":
                odd = chance.choice(list(ODD_HEADERS))
                header = ODD_HEADERS[odd]
            case _:
                odd = method
        whole = _envelope(era, meta)
        if whole is not None or odd == "_meta null":
            params["_meta"] = whole
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **members}
        headers = _headers(era, method, params)
        if header is not None:
            headers.pop(header[0], None)
            headers |= {} if header[1] is None else {header[0]: header[1]}
        yield Message(era, odd, body or json.dumps(message).encode(), headers)


def _envelope(era: str, meta: object) -> object:
    if era == OLD or not isinstance(meta, dict):
        return meta or None
    return {
        f"{KEY}/protocolVersion": NEW,
        f"{KEY}/clientCapabilities": {},
        f"{KEY}/clientInfo": ME,
        **meta,
    }


def _headers(era: str, method: str, params: Json) -> dict[str, str]:
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "host": "localhost",
    }
    if era == OLD:
        return headers if method == "initialize" else {**headers, "mcp-protocol-version": OLD}
    headers |= {"mcp-protocol-version": NEW, "mcp-method": method}
    uri = params.get("uri")
    if method == "resources/read" and isinstance(uri, str):
        headers["mcp-name"] = f"=?base64?{base64.b64encode(uri.encode()).decode()}?="
    return headers


async def outcome(client: httpx2.AsyncClient, message: Message) -> Outcome:
    answer = await client.post(
        "http://localhost/mcp", content=message.body, headers=message.headers
    )
    try:
        error = answer.json().get("error")
    except ValueError:
        return int(answer.status_code), None
    return int(answer.status_code), error and error["code"]


async def outcomes(out: Path, count: int) -> list[tuple[Message, Outcome, Outcome]]:
    application = Application.of(AppOptions(f"{out}"))
    manager = bare_server()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(manager.run())
        await stack.enter_async_context(application.running())
        transports = (
            httpx2.ASGITransport(StreamableHTTPASGIApp(manager)),
            httpx2.ASGITransport(application),
        )
        bare, ours = [
            await stack.enter_async_context(httpx2.AsyncClient(transport=each))
            for each in transports
        ]
        return [
            (each, await outcome(bare, each), await outcome(ours, each)) for each in messages(count)
        ]


@pytest.mark.parametrize("count", [500, pytest.param(7500, marks=pytest.mark.nightly)])
def test_each_message_has_the_outcome_that_a_bare_server_gives_it(out: Path, count: int) -> None:
    compared = anyio.run(outcomes, out, count)
    assert len(compared) == count
    differing = {
        (message.era, message.odd): (bare, ours) for message, bare, ours in compared if bare != ours
    }
    assert differing == {key: outcomes[:2] for key, outcomes in DIFFERENCES.items()}
