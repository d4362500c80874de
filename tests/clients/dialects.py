"""The four APIs by which hosts speak with models: what a request holds, and how to answer it.

OpenAI's chat completions and responses, Anthropic's messages, and Gemini's content generation,
each as one JSON object or as a stream of events. An answer is one call of a tool, or a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a host offers to the model; responses may group tools in namespaces."""

    name: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A request: the tools on offer, and how many calls are answered in the conversation."""

    tools: tuple[Tool, ...]
    answered: int
    streamed: bool


@dataclass(frozen=True, slots=True)
class Call:
    """What the model answers: a call of a tool, the one of this number in the conversation."""

    tool: Tool
    arguments: Json
    number: int

    @property
    def id(self) -> str:
        return f"call_{self.number:04}"


Answer = Call | str


class Dialect(Protocol):
    """One API. Each event of a stream is written as `data:`, after its `type` as `event:`."""

    def turn(self, path: str, body: Json) -> Turn: ...

    def whole(self, answer: Answer) -> Json: ...

    def events(self, answer: Answer) -> Iterator[Json]: ...


def dialect_of(path: str) -> Dialect | None:
    """The API that a path belongs to, whatever stands before it."""
    ends: Sequence[tuple[str, Dialect]] = (
        ("/chat/completions", ChatCompletions()),
        ("/responses", Responses()),
        ("/messages", Messages()),
        (":generateContent", Gemini()),
        (":streamGenerateContent", Gemini()),
    )
    return next((dialect for end, dialect in ends if path.partition("?")[0].endswith(end)), None)


class ChatCompletions:
    """`POST /v1/chat/completions`."""

    def turn(self, path: str, body: Json) -> Turn:
        tools = [tool.get("function", {}).get("name") for tool in body.get("tools") or ()]
        results = [item for item in body["messages"] if item["role"] == "tool"]
        return Turn(_tools(tools), len(results), body.get("stream") is True)

    def whole(self, answer: Answer) -> Json:
        message = {"role": "assistant", **self._message(answer)}
        return self._object("chat.completion", {"message": message}, answer)

    def events(self, answer: Answer) -> Iterator[Json]:
        message = self._message(answer)
        for index, call in enumerate(message.get("tool_calls", ())):
            call["index"] = index
        delta = {"role": "assistant", **message}
        chunk = self._object("chat.completion.chunk", {"delta": delta}, answer)
        yield {**chunk, "choices": [{**chunk["choices"][0], "finish_reason": None}]}
        yield self._object("chat.completion.chunk", {"delta": {}}, answer)

    def _message(self, answer: Answer) -> Json:
        if isinstance(answer, str):
            return {"content": answer}
        function = {"name": answer.tool.name, "arguments": json.dumps(answer.arguments)}
        call = {"id": answer.id, "type": "function", "function": function}
        return {"content": None, "tool_calls": [call]}

    def _object(self, kind: str, part: Json, answer: Answer) -> Json:
        reason = "stop" if isinstance(answer, str) else "tool_calls"
        return {
            "id": "chatcmpl-1",
            "object": kind,
            "created": 1,
            "model": "scripted",
            "choices": [{"index": 0, **part, "finish_reason": reason}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }


class Responses:
    """`POST /v1/responses`. A host may send what is new alone, and name the answer before."""

    _FIRST = "resp_"

    def turn(self, path: str, body: Json) -> Turn:
        items = body["input"] if isinstance(body["input"], list) else []
        results = [item for item in items if str(item.get("type")).endswith("call_output")]
        before = str(body.get("previous_response_id") or self._FIRST).removeprefix(self._FIRST)
        answered = len(results) + int(before or 0)
        return Turn(tuple(_nested(body.get("tools") or ())), answered, body.get("stream") is True)

    def whole(self, answer: Answer) -> Json:
        return self._response(answer, "completed", [self._item(answer)])

    def events(self, answer: Answer) -> Iterator[Json]:
        item, at = self._item(answer), {"output_index": 0, "item_id": "item_1"}
        started = self._response(answer, "in_progress", [])
        yield {"type": "response.created", "sequence_number": 0, "response": started}
        empty: Json = {"content": []} if isinstance(answer, str) else {"arguments": ""}
        begun: Json = {**item, "status": "in_progress", **empty}
        yield {"type": "response.output_item.added", "sequence_number": 1, **at, "item": begun}
        if isinstance(answer, str):
            part, place = item["content"][0], {**at, "content_index": 0}
            added = {**part, "text": ""}
            yield {"type": "response.content_part.added", **place, "part": added}
            yield {"type": "response.output_text.delta", **place, "delta": answer, "logprobs": []}
            yield {"type": "response.output_text.done", **place, "text": answer, "logprobs": []}
            yield {"type": "response.content_part.done", **place, "part": part}
        else:
            arguments = "response.function_call_arguments"
            yield {"type": f"{arguments}.delta", **at, "delta": item["arguments"]}
            done = {"name": item["name"], "arguments": item["arguments"]}
            yield {"type": f"{arguments}.done", **at, **done}
        yield {"type": "response.output_item.done", "sequence_number": 8, **at, "item": item}
        whole = self.whole(answer)
        yield {"type": "response.completed", "sequence_number": 9, "response": whole}

    def _item(self, answer: Answer) -> Json:
        state = {"id": "item_1", "status": "completed"}
        if isinstance(answer, str):
            text = {"type": "output_text", "text": answer, "annotations": []}
            return {**state, "type": "message", "role": "assistant", "content": [text]}
        call = {"call_id": answer.id, "name": answer.tool.name}
        if answer.tool.namespace:
            call["namespace"] = answer.tool.namespace
        return {**state, "type": "function_call", **call, "arguments": json.dumps(answer.arguments)}

    def _response(self, answer: Answer, status: str, output: list[Json]) -> Json:
        number = "" if isinstance(answer, str) else str(answer.number - 1)
        none: Json = dict.fromkeys(("error", "incomplete_details", "instructions"))
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        details = {"cached_tokens": 0, "cache_write_tokens": 0}
        return {
            "id": f"{self._FIRST}{number}",
            "object": "response",
            "created_at": 1,
            "status": status,
            "model": "scripted",
            "output": output,
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
            **none,
            "usage": {
                **usage,
                "input_tokens_details": details,
                "output_tokens_details": {"reasoning_tokens": 0},
            },
        }


class Messages:
    """`POST /v1/messages`."""

    def turn(self, path: str, body: Json) -> Turn:
        contents = [item["content"] for item in body["messages"]]
        blocks = [block for content in contents if isinstance(content, list) for block in content]
        results = [block for block in blocks if block["type"] == "tool_result"]
        tools = [tool.get("name") for tool in body.get("tools") or ()]
        return Turn(_tools(tools), len(results), body.get("stream") is True)

    def whole(self, answer: Answer) -> Json:
        content = {"content": [self._block(answer)], "stop_reason": self._reason(answer)}
        return {**self._message(), **content}

    def events(self, answer: Answer) -> Iterator[Json]:
        yield {"type": "message_start", "message": self._message()}
        block, index = self._block(answer), {"index": 0}
        if isinstance(answer, str):
            begun, delta = {**block, "text": ""}, {"type": "text_delta", "text": answer}
        else:
            begun = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(answer.arguments)}
        yield {"type": "content_block_start", **index, "content_block": begun}
        yield {"type": "content_block_delta", **index, "delta": delta}
        yield {"type": "content_block_stop", **index}
        end = {"stop_reason": self._reason(answer), "stop_sequence": None}
        yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}}
        yield {"type": "message_stop"}

    def _message(self) -> Json:
        start = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted"}
        usage = {"input_tokens": 1, "output_tokens": 1}
        return {**start, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}

    def _block(self, answer: Answer) -> Json:
        if isinstance(answer, str):
            return {"type": "text", "text": answer}
        call = {"id": answer.id, "name": answer.tool.name, "input": answer.arguments}
        return {"type": "tool_use", **call}

    def _reason(self, answer: Answer) -> str:
        return "end_turn" if isinstance(answer, str) else "tool_use"


class Gemini:
    """`POST /v1beta/models/MODEL:generateContent`, or `:streamGenerateContent`."""

    def turn(self, path: str, body: Json) -> Turn:
        groups = [tool.get("functionDeclarations") or () for tool in body.get("tools") or ()]
        tools = [function["name"] for group in groups for function in group]
        parts = [part for content in body["contents"] for part in content.get("parts") or ()]
        results = [part for part in parts if "functionResponse" in part]
        return Turn(_tools(tools), len(results), ":stream" in path)

    def whole(self, answer: Answer) -> Json:
        if isinstance(answer, str):
            part: Json = {"text": answer}
        else:
            part = {"functionCall": {"name": answer.tool.name, "args": answer.arguments}}
        content = {"role": "model", "parts": [part]}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        candidate = {"index": 0, "content": content, "finishReason": "STOP"}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}

    def events(self, answer: Answer) -> Iterator[Json]:
        yield self.whole(answer)


def _tools(names: Sequence[str | None]) -> tuple[Tool, ...]:
    return tuple(Tool(name) for name in names if name)


def _nested(tools: Sequence[Json], namespace: str = "") -> Iterator[Tool]:
    for tool in tools:
        if "tools" in tool:
            yield from _nested(tool["tools"], tool["name"])
        elif "name" in tool:
            yield Tool(tool["name"], namespace)
