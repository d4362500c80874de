"""The SDK's server on standard streams; whoever imports this module has imported the SDK."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from skillbuild.serve.methods.context import Offer
from skillbuild.serve.methods.subscriptions import Subscriptions
from skillbuild.serve.server import build_server, initialization
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.serve.transport.jsonrpc import (
    GREETING_ID,
    ClientRequest,
    IncomingMessage,
    write_result,
)


class SdkServer:
    """Answers the messages that are left to the SDK, and sends notifications."""

    def __init__(self, watcher: ReleaseWatcher, offer: Offer) -> None:
        self._subscriptions = Subscriptions(watcher, with_prompts=offer.prompts)
        self._server = build_server(watcher, self._subscriptions, offer)

    async def serve(
        self,
        messages: MemoryObjectReceiveStream[IncomingMessage],
        write: Callable[[bytes], None],
    ) -> None:
        """Serve until the stream of messages ends."""
        incoming, outgoing = _Incoming(messages), _Outgoing(write)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._subscriptions.run)
            await self._server.run(incoming, outgoing, initialization(self._server))
            tasks.cancel_scope.cancel()


class _ContextStream:
    """What the SDK wants of any stream: a context manager that closes it."""

    async def aclose(self) -> None:
        """By default there is nothing to close."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class _Incoming(_ContextStream):
    """The client's messages as the SDK's `ReadStream`."""

    def __init__(self, messages: MemoryObjectReceiveStream[IncomingMessage]) -> None:
        self._messages = messages

    async def receive(self) -> SessionMessage | Exception:
        return SessionMessage(_as_model(await self._messages.receive()))

    async def aclose(self) -> None:
        await self._messages.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return SessionMessage(_as_model(await anext(self._messages)))


def _as_model(message: IncomingMessage) -> JSONRPCRequest | JSONRPCNotification:
    method, params = message.method, message.params
    if isinstance(message, ClientRequest):
        return JSONRPCRequest(jsonrpc="2.0", id=message.id, method=method, params=params)
    return JSONRPCNotification(jsonrpc="2.0", method=method, params=params)


class _Outgoing(_ContextStream):
    """Responses and notifications to the client: the SDK's `WriteStream`."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        if isinstance(message, JSONRPCResponse) and message.id == GREETING_ID:
            return
        self._write(write_message(message))


def write_message(message: JSONRPCMessage) -> bytes:
    """A message as one line of JSON, without the end of the line."""
    if isinstance(message, JSONRPCResponse):
        return write_result(message.id, message.result)
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
