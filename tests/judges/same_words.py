"""Do the MCP servers of two checkouts of this project say the same words?

    python tests/judges/same_words.py BEFORE AFTER [--output OUT] [--messages N] [--show N]

BEFORE and AFTER are checkouts; both run with this Python. Each builds the same repository (the
example of BEFORE with `[versions]` and 120 small skills besides, in two commits) and serves its own
output with `--tools --prompts`; with `--output` both serve that one. Each server is then sent the
same N messages (1,000 unless told; the seed is fixed) in both protocol versions, on standard
streams and over HTTP, and 300 requests for files of the catalog. Answers are compared as JSON with
sorted keys. Prints one row for each conversation, below it how many answers differ by method and by
what differs, and with `--show` N examples of each kind. Exit status 1 if an answer differs.

Cursors belong to a release. Where the two releases differ, each server is sent its own cursors, and
those in answers are not compared.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import os
import random
import re
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import IO

_OLD, _NEW = "2025-11-25", "2026-07-28"
_OPTIONS = ("--tools", "--prompts")
_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": _NEW,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "judge", "version": "0"},
}
_HELLO = {
    "protocolVersion": _OLD,
    "capabilities": {},
    "clientInfo": {"name": "judge", "version": "0"},
}
_VERSION = "io.github.skillbuild/version"
_NAME_HEADERS = {"resources/read": "uri", "tools/call": "name", "prompts/get": "name"}
_SECONDS = 20.0
_FILES = 300

Json = dict[str, object]


@dataclass(frozen=True)
class Message:
    """What is sent: a request that the transport completes, or bytes as they are."""

    label: str
    """The method, or what is odd about the bytes: differences are counted by it."""
    params: Json | None = None
    raw: bytes | None = None
    headers: tuple[tuple[str, str | None], ...] = ()
    """Headers of HTTP that are set or, with None, left out."""


@dataclass(frozen=True)
class Vocabulary:
    """What there is to ask for in a release, as its server says."""

    uris: Sequence[str]
    """Of files, documents, versions and archives."""
    directories: Sequence[str]
    versions: Mapping[str, str]
    """The version of what is at a URI."""
    paths: Sequence[str]
    prompts: Sequence[str]
    cursors: Mapping[str, str] = field(default_factory=dict)
    """By the method that gave them."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_Formatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--output", type=Path, metavar="OUT")
    parser.add_argument("--messages", type=int, default=1000, metavar="N")
    parser.add_argument("--show", type=int, default=0, metavar="N")
    options = parser.parse_args()
    checkouts = [options.before.resolve(), options.after.resolve()]
    with tempfile.TemporaryDirectory() as folder:
        outs = _outputs(checkouts, options.output, Path(folder))
        same = len({(out / "catalog.json").read_bytes() for out in outs}) == 1
        sides = [Side(*each) for each in zip(checkouts, outs, strict=True)]
        rows = list(_compared(sides, options.messages, same_cursors=same))
    for name, answers in rows:
        _print(name, answers, options.show)
    return int(any(one != other for _, answers in rows for _, one, other in answers))


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """The text above as it is written."""


Answers = list[tuple[Message, object, object]]
"""Each message with the answers of both."""


class Side:
    """A checkout that serves an output."""

    def __init__(self, checkout: Path, out: Path) -> None:
        self._environment = {**os.environ, "PYTHONPATH": str(checkout / "builder")}
        self.out = out

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "skillbuild", "serve", str(self.out), *options]
        pipe = subprocess.PIPE
        errors = pipe if "--http" in options else None
        return subprocess.Popen(
            [*command, *_OPTIONS], env=self._environment, stdin=pipe, stdout=pipe, stderr=errors
        )


def _outputs(checkouts: Sequence[Path], given: Path | None, folder: Path) -> list[Path]:
    if given is not None:
        return [given.resolve()] * 2
    repository = _repository(folder / "repository", checkouts[0] / "tests/example")
    outs = [folder / name for name in ("before", "after")]
    for checkout, out in zip(checkouts, outs, strict=True):
        command = [sys.executable, "-m", "skillbuild", "build", str(repository), "--out", str(out)]
        command += ["--base-url", "https://example.org/c/"]
        environment = {**os.environ, "PYTHONPATH": str(checkout / "builder")}
        subprocess.run(command, env=environment, check=True, capture_output=True)
    return outs


def _repository(folder: Path, example: Path) -> Path:
    """The example and many small skills; the second commit changes some of them."""
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "main")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=example, capture_output=True, check=True
    ).stdout
    for path in filter(None, listed.decode().split("\0")):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((example / path).read_bytes())
        place.chmod((example / path).stat().st_mode)
    settings = folder / "skillbuild.toml"
    settings.write_text(f"{settings.read_text()}\n[versions]\n")
    for number in range(120):
        _small_skill(folder, number, "first")
    for number in range(120):
        (folder / f"skills/group/s000/n{number:03}.txt").write_text(f"{number}\n")
    _commit(folder, 1)
    for number in range(0, 120, 7):
        _small_skill(folder, number, "second")
    _commit(folder, 2)
    return folder


def _small_skill(folder: Path, number: int, state: str) -> None:
    place = folder / f"skills/group/s{number:03}"
    (place / "references").mkdir(parents=True, exist_ok=True)
    front = f"name: s{number:03}\ndescription: Does thing {number}, {state}. Use it for {number}.\n"
    (place / "SKILL.md").write_text(f"---\n{front}---\n# {state}\n\nText of {number}.\n")
    (place / "references/more.md").write_text(f"# More\n\n{state} über {number}\n")
    (place / "data.bin").write_bytes(bytes(range(256)))


def _commit(folder: Path, number: int) -> None:
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "-m", f"Commit {number}", day=number)


def _git(folder: Path, *arguments: str, day: int = 0) -> None:
    when = f"{1_700_000_000 + day * 86_400} +0000"
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_NAME": "Ada" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "ada@example.org" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_DATE": when for who in ("AUTHOR", "COMMITTER")},
    }
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True)


def _compared(
    sides: Sequence[Side], count: int, *, same_cursors: bool
) -> Iterator[tuple[str, Answers]]:
    """Each conversation with both; the messages are made from what the first server has."""
    words = [_vocabulary(side) for side in sides]
    with ExitStack() as stack:
        servers = [stack.enter_context(closing(HttpServer(side))) for side in sides]
        for era in (_OLD, _NEW):
            messages = list(_messages(words[0], era, count, random.Random(f"{era} 7")))
            for kind in ("stdio", "http"):
                answers = []
                for index, side in enumerate(sides):
                    with closing(_client(kind, side, servers[index], era)) as client:
                        own = [_with_cursors(each, words[0], words[index]) for each in messages]
                        answers.append([client.answer(each) for each in own])
                if not same_cursors:
                    answers = [list(map(_without_cursors, each)) for each in answers]
                yield f"{kind} {era}", list(zip(messages, *answers, strict=True))
        requests = list(_file_requests(sides[0].out, random.Random(7)))
        files = [[server.file(each) for each in requests] for server in servers]
        yield "files", list(zip(requests, *files, strict=True))


def _vocabulary(side: Side) -> Vocabulary:
    cursors: dict[str, str] = {}
    with closing(Stdio(side, _NEW)) as client:
        skills = client.pages("skills/list", "skills", cursors)
        listed = client.pages("resources/list", "resources", cursors)
        client.pages("prompts/list", "prompts", cursors)
        client.pages("resources/directory/read", "resources", cursors, uri=_largest(skills))
        prompts = [str(each["name"]) for each in client.pages("prompts/list", "prompts", {})]
        for name, arguments in (("list_skills", {}), ("search_skills", {"query": "thing"})):
            result = client.ask("tools/call", name=name, arguments=arguments)
            structured = result["structuredContent"]
            assert isinstance(structured, dict)
            if "nextCursor" in structured:
                cursors[name] = structured["nextCursor"]
        uris = {str(each["uri"]) for each in listed}
        for skill in skills:
            resources = skill["resources"]
            assert isinstance(resources, list)
            uris |= {str(each["uri"]) for each in resources}
            result = client.ask("skills/get", uri=skill["uri"])
            uris |= set(re.findall(r'"uri": "(skill://-/versions/[^"]*)"', json.dumps(result)))
        index = client.ask("resources/read", uri="skill://index.json")["contents"]
        uris |= set(re.findall(r"skill://-/archives/[^\"\\]*", json.dumps(index)))
        versions = {}
        for uri in sorted(uris)[::5]:
            resource = client.ask("resources/metadata", uri=uri)["resource"]
            assert isinstance(resource, dict)
            versions[uri] = str(resource.get("version"))
    folders = {uri.rpartition("/")[0] for uri in uris}
    folders |= {folder.rpartition("/")[0] for folder in folders}
    paths = [str(each["uri"]).removeprefix("skill://").rpartition("/")[0] for each in skills]
    return Vocabulary(sorted(uris), sorted(folders), versions, paths, prompts, cursors)


def _largest(skills: Sequence[Json]) -> str:
    """The directory of the skill with the most files."""
    sizes = {str(each["uri"]): len(json.dumps(each["resources"])) for each in skills}
    return max(sizes, key=lambda uri: sizes[uri]).removesuffix("/SKILL.md")


_ODD: list[object] = [None, 3, "", [], {}, True, "x" * 300, "skill://%2e%2e/SKILL.md", "ü\u2028"]
_ODD_URIS = [
    *("skill://none/SKILL.md", "skill://", "skill:///", "file:///etc/passwd", "SKILL://index.json"),
    *("skill://group/../group", "skill://-/versions/0123456789abcdef/s000/SKILL.md", "skill://-"),
    *("skill://-/archives/s000-0123456789abcdef.zip", "skill://index.json/", "skill://_manifest"),
]
_ODD_META: list[object] = [
    *(None, 3, [], "x", {"progressToken": 7}, {"progressToken": []}, {_VERSION: "sha256:0"}),
    {"x": {"y": None}},
]
_ODD_ENVELOPES: list[Json] = [
    {"io.modelcontextprotocol/clientCapabilities": []},
    {"io.modelcontextprotocol/clientCapabilities": None},
    {"io.modelcontextprotocol/clientInfo": 3},
    {"io.modelcontextprotocol/clientInfo": None},
    {"io.modelcontextprotocol/protocolVersion": "2099-01-01"},
    {"io.modelcontextprotocol/protocolVersion": 3},
    {"io.modelcontextprotocol/protocolVersion": None},
]
_LINES = {
    "no JSON": b"{",
    "no UTF-8": b'{"jsonrpc":"2.0","id":3,"method":"\xff"}',
    "not a number": b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
    "batch": b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    "id null": b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    "id 1.5": b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    "id true": b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
    "params a list": b'{"jsonrpc":"2.0","id":"one","method":"ping","params":[1]}',
    "jsonrpc 1.0": b'{"jsonrpc":"1.0","id":"one","method":"ping"}',
    "no jsonrpc": b'{"id":-1,"method":"ping"}',
    "no method": b'{"jsonrpc":"2.0","id":1}',
    "lone surrogate": b'{"jsonrpc":"2.0","id":3,"method":"\\ud800"}',
    "deep": b"[" * 60_000,
    "long": b'{"jsonrpc":"2.0","id":8,"method":"ping","params":{"a":"%b"}}' % (b"x" * 300_000),
    "a response": b'{"jsonrpc":"2.0","id":1,"result":{}}',
    "a notification": b'{"jsonrpc":"2.0","method":"notifications/unknown"}',
}


def _messages(words: Vocabulary, era: str, count: int, chance: random.Random) -> Iterator[Message]:
    """The same for the same words: a third with something odd about them."""
    methods = [
        *("resources/read", "resources/read", "resources/read", "resources/list", "skills/list"),
        *("skills/get", "resources/metadata", "resources/directory/read", "prompts/get"),
        *("completion/complete", "tools/call", "tools/call", "tools/list", "prompts/list"),
        *("resources/templates/list", "subscriptions/listen", "resources/subscribe", "odd"),
        *("resources/unsubscribe", "initialize", "server/discover", "ping", "nothing/such"),
    ]
    for _ in range(count):
        method = chance.choice(methods)
        if method == "odd":
            label = chance.choice(list(_LINES))
            yield Message(f"bytes: {label}", raw=_LINES[label])
            continue
        params = _params(method, words, chance)
        headers: tuple[tuple[str, str | None], ...] = ()
        if chance.random() < 0.2:
            params = _spoiled(params, era, chance)
        elif chance.random() < 0.1:
            headers = (chance.choice(_ODD_HEADERS),)
        yield Message(method, params, headers=headers)


_ODD_HEADERS: list[tuple[str, str | None]] = [
    *(("mcp-method", "skills/get"), ("mcp-method", None), ("mcp-name", "x"), ("mcp-name", None)),
    *(("accept", "text/event-stream"), ("accept", "application/json"), ("accept", None)),
    *(("content-type", "text/plain"), ("mcp-protocol-version", "2025-06-18")),
    *(("mcp-protocol-version", "2099-01-01"), ("mcp-protocol-version", None)),
]


def _spoiled(params: Json, era: str, chance: random.Random) -> Json:
    """Parameters one of which is odd, or `_meta`, or with one more."""
    match chance.randrange(4):
        case 0 if params:
            return {**params, chance.choice(list(params)): chance.choice(_ODD)}
        case 1 if era == _NEW:
            return {**params, "_meta": chance.choice(_ODD_ENVELOPES)}
        case 2:
            return {**params, "_meta": chance.choice(_ODD_META)}
        case _:
            return {**params, chance.choice(["more", "cursor", "uri"]): chance.choice(_ODD)}


def _params(method: str, words: Vocabulary, chance: random.Random) -> Json:
    uri = chance.choice([*words.uris, *_ODD_URIS])
    directory = chance.choice([*words.directories, *_ODD_URIS])
    cursor: Json = {}
    if chance.random() < 0.3:
        cursor = {"cursor": chance.choice([*words.cursors.values(), "A" * 22, "?"])}
    reference = {"type": "ref/resource", "uri": "skill://{+path}"}
    choices: dict[str, Sequence[Mapping[str, object]]] = {
        "resources/read": [
            *({"uri": each} for each in (uri, uri, uri, directory)),
            *_conditional(words, chance),
        ],
        "resources/list": [
            *(cursor, {"uri": directory, **cursor}, {"uri": uri}),
            *({"filter": {"name": name}} for name in ("s0", "re", "index", "none")),
            {"filter": {"kind": chance.choice(["skill", "index", "archive", "x"])}, **cursor},
            {"filter": {"tag": chance.choice(["git", "SQL", "data", "none"]), "name": "s"}},
            {"filter": chance.choice([{"other": "x"}, {"name": 3}, [], "x", {}])},
            {"filter": {"name": "s"}, "uri": directory},
        ],
        "skills/list": [cursor, {}],
        "skills/get": [{"uri": uri}, {"uri": uri.rpartition("/")[0] + "/SKILL.md"}],
        "resources/metadata": [{"uri": uri}, {"uri": directory}],
        "resources/directory/read": [{"uri": directory, **cursor}, {"uri": directory}],
        "prompts/get": [
            {"name": chance.choice([*words.prompts, "none"])},
            {"name": chance.choice(words.prompts), "arguments": {"arguments": "a b"}},
        ],
        "completion/complete": [
            {"ref": reference, "argument": {"name": "path", "value": value}}
            for value in ("", "gr", uri.removeprefix("skill://")[:12], "thing", "git/", "%")
        ]
        + [{"ref": {**reference, "uri": "x"}, "argument": {"name": "path", "value": ""}}],
        "tools/call": _calls(words, chance),
        "subscriptions/listen": [{"notifications": each} for each in _filters(uri)],
        "resources/subscribe": [{"uri": uri}, {"uris": [uri, words.uris[0]]}, {"uris": []}],
        "resources/unsubscribe": [{"uri": uri}, {"uris": [uri]}, {"uris": "x"}],
        "initialize": [_HELLO, {**_HELLO, "protocolVersion": "1999"}],
    }
    return dict(chance.choice(choices.get(method, [cursor])))


def _conditional(words: Vocabulary, chance: random.Random) -> Sequence[Mapping[str, object]]:
    uri = chance.choice(list(words.versions))
    version = words.versions[uri]
    return [
        {"uri": uri, "version": version},
        {"uri": uri, "version": "sha256:0"},
        {"uri": uri, "_meta": {_VERSION: version}},
    ]


def _calls(words: Vocabulary, chance: random.Random) -> Sequence[Mapping[str, object]]:
    path = chance.choice([*words.paths, "none", "s001", "review"])
    cursors = {name: words.cursors.get(name, "?") for name in ("list_skills", "search_skills")}
    query = chance.choice(["thing 7", "git bisect", "sql", "", "nothing of this"])
    return [
        {"name": "list_skills"},
        {"name": "list_skills", "arguments": {"cursor": cursors["list_skills"]}},
        {"name": "search_skills", "arguments": {"query": query}},
        {"name": "search_skills", "arguments": {"query": query, "limit": 3, "tag": "git"}},
        {"name": "search_skills", "arguments": {"query": "thing", "cursor": "?", "limit": 0}},
        {
            "name": "search_skills",
            "arguments": {"query": "thing", "cursor": cursors["search_skills"]},
        },
        {"name": "read_skill", "arguments": {"skill": path}},
        {"name": "read_skill_file", "arguments": {"skill": path, "file": "references/more.md"}},
        {"name": "read_skill_file", "arguments": {"skill": path, "file": "data.bin"}},
        {
            "name": "read_skill_file",
            "arguments": {"skill": path, "file": "SKILL.md", "offset": 2, "limit": 3},
        },
        {"name": "other", "arguments": {}},
    ]


def _filters(uri: str) -> list[object]:
    return [
        {"resourcesListChanged": True},
        {"resourceSubscriptions": [uri], "promptsListChanged": True},
        {"resourceSubscriptions": "x"},
        {},
        3,
    ]


def _with_cursors(message: Message, given: Vocabulary, own: Vocabulary) -> Message:
    """The message with the cursors of this server in the places of those of the other."""
    if message.params is None or given is own:
        return message
    text = json.dumps(message.params)
    for name, cursor in given.cursors.items():
        text = text.replace(json.dumps(cursor), json.dumps(own.cursors.get(name, "")))
    return Message(message.label, json.loads(text), message.raw, message.headers)


def _without_cursors(answer: object) -> object:
    if isinstance(answer, list):
        return list(map(_without_cursors, answer))
    if isinstance(answer, dict):
        return {
            key: "" if key == "nextCursor" else _without_cursors(value)
            for key, value in answer.items()
        }
    if isinstance(answer, str) and '"nextCursor"' in answer:
        return re.sub(r'"nextCursor":"[^"]*"', "", answer)
    return answer


class Client:
    """One conversation; answers are what came back, as plain values."""

    def __init__(self, era: str) -> None:
        self._era, self._count = era, 0

    def answer(self, message: Message) -> object:
        raise NotImplementedError

    def close(self) -> None:
        """By default there is nothing to close."""

    def _body(self, message: Message) -> bytes:
        if message.raw is not None:
            return message.raw
        self._count += 1
        params = dict(message.params or {})
        if self._era == _NEW:
            meta = params.get("_meta", {})
            params["_meta"] = {**_ENVELOPE, **meta} if isinstance(meta, dict) else meta
        body = {"jsonrpc": "2.0", "id": self._count, "method": message.label, "params": params}
        return json.dumps(body).encode()


class Stdio(Client):
    """A server on standard streams."""

    def __init__(self, side: Side, era: str) -> None:
        super().__init__(era)
        self._process = side.start()
        self._buffer = b""
        if era == _OLD:
            self.answer(Message("initialize", dict(_HELLO)))
            self._write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        else:
            self.answer(Message("tools/list"))

    def ask(self, method: str, **params: object) -> Json:
        [answer] = self._asked(Message(method, params))
        result = answer["result"]
        assert isinstance(result, dict), answer
        return result

    def pages(self, method: str, key: str, cursors: dict[str, str], **params: object) -> list[Json]:
        """All items of a list; notes the first cursor."""
        items: list[Json] = []
        more: Json = {}
        while True:
            result = self.ask(method, **params, **more)
            page = result[key]
            assert isinstance(page, list)
            items += page
            if "nextCursor" not in result:
                return items
            cursors.setdefault(method, str(result["nextCursor"]))
            more = {"cursor": result["nextCursor"]}

    def answer(self, message: Message) -> object:
        return self._asked(message)

    def _asked(self, message: Message) -> list[Json]:
        """What the server says to a message, before it answers to one that is sent after it."""
        self._write(self._body(message))
        own = self._count if message.raw is None else None
        answers: list[Json] = []
        if own is not None:
            while not any(_ends(each, own) for each in answers):
                answers.append(self._read())
        if message.label == "subscriptions/listen" and "method" in answers[-1]:
            cancelled: Json = {"requestId": own}
            if self._era == _NEW:
                cancelled["_meta"] = _ENVELOPE
            body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}
            self._write(json.dumps(body).encode())
        if own is None:
            self._write(self._body(Message("tools/list", {})))
            while (last := self._read()).get("id") != self._count:
                answers.append(last)
        return answers

    def _write(self, line: bytes) -> None:
        stdin = self._pipe(self._process.stdin)
        stdin.write(line + b"\n")
        stdin.flush()

    def _read(self) -> Json:
        stdout = self._pipe(self._process.stdout)
        while b"\n" not in self._buffer:
            if not select.select([stdout], [], [], _SECONDS)[0]:
                return {"id": self._count, "silence": True}
            piece = os.read(stdout.fileno(), 1 << 16)
            if not piece:
                return {"id": self._count, "ended": self._process.wait(_SECONDS)}
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: Json = json.loads(line)
        return message

    @staticmethod
    def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
        assert stream is not None
        return stream

    def close(self) -> None:
        self._pipe(self._process.stdin).close()
        self._process.wait(_SECONDS)
        self._pipe(self._process.stdout).close()


def _ends(message: Json, own: int) -> bool:
    """Whether a message is the answer, or the first of a stream."""
    return message.get("id") == own or "acknowledged" in str(message.get("method"))


class HttpServer:
    """A server over HTTP, for clients of both protocol versions."""

    def __init__(self, side: Side) -> None:
        self._process = side.start("--http", "127.0.0.1:0")
        assert self._process.stderr is not None
        line = self._process.stderr.readline().decode()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", line)
        assert match is not None, line
        self.port = int(match[1])

    def request(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body; of a stream the first event."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            sent = {name.lower(): value for name, value in answer.getheaders()}
            sent.pop("date", None)
            if sent.get("content-type") == "text/event-stream":
                lines = iter(answer.readline, b"")
                return answer.status, sent, next(line for line in lines if line[:5] == b"data:")[5:]
            return answer.status, sent, answer.read()
        except (OSError, http.client.HTTPException) as error:
            return 0, {"error": type(error).__name__}, b""
        finally:
            connection.close()

    def file(self, message: Message) -> object:
        method, _, path = message.label.partition(" ")
        headers = {name: value for name, value in message.headers if value is not None}
        status, sent, body = self.request(method, path, None, headers)
        return {"status": status, "headers": sent, "body": base64.b64encode(body).decode()}

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(_SECONDS)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()


class Http(Client):
    """One client of a server over HTTP."""

    def __init__(self, server: HttpServer, era: str) -> None:
        super().__init__(era)
        self._server = server

    def answer(self, message: Message) -> object:
        body, headers = self._body(message), self._headers(message)
        for name, value in message.headers:
            headers.pop(name, None)
            if value is not None:
                headers[name] = value
        status, sent, data = self._server.request("POST", "/mcp", body, headers)
        sent.pop("content-length", None)
        try:
            answer = json.loads(data)
        except ValueError:
            answer = data.decode(errors="replace")
        return {"status": status, "headers": sent, "body": answer}

    def _headers(self, message: Message) -> dict[str, str]:
        headers = {"content-type": "application/json"}
        headers["accept"] = "application/json, text/event-stream"
        if self._era == _OLD:
            is_hello = message.label == "initialize"
            return headers | ({} if is_hello else {"mcp-protocol-version": _OLD})
        headers |= {"mcp-protocol-version": _NEW, "mcp-method": message.label.replace(" ", "-")}
        name = (message.params or {}).get(_NAME_HEADERS.get(message.label, ""))
        if isinstance(name, str):
            headers["mcp-name"] = f"=?base64?{base64.b64encode(name.encode()).decode()}?="
        return headers


def _client(kind: str, side: Side, server: HttpServer, era: str) -> Client:
    return Stdio(side, era) if kind == "stdio" else Http(server, era)


def _file_requests(out: Path, chance: random.Random) -> Iterator[Message]:
    lines = (out / "SHA256SUMS").read_text().splitlines()
    digests = {line[66:]: line[:64] for line in lines}
    paths = sorted(digests)
    odd = ["", "none", "skills", "skills/", "../x", "blobs", "%2e%2e/x", "SHA256SUMS", "index.json"]
    for _ in range(_FILES):
        path = chance.choice([*paths, *odd * (len(paths) // 40 + 1)])
        digest = digests.get(path, "0" * 64)
        headers = chance.choice(
            [
                (),
                (("if-none-match", f'"{digest}"'),),
                (("if-none-match", f'W/"{digest}", "x"'),),
                (("range", "bytes=0-9"),),
                (("range", f"bytes={chance.randrange(400)}-"),),
                (("range", "bytes=-7"),),
                (("range", "bytes=5-2"),),
                (("range", "bytes=0-1,3-4"),),
                (("range", "bytes=0-9"), ("if-range", f'"{digest}"')),
                (("range", "bytes=0-9"), ("if-range", '"x"')),
            ]
        )
        method = chance.choice(["GET", "GET", "GET", "HEAD", "POST"])
        yield Message(f"{method} /{path}", headers=headers)


def _print(name: str, answers: Answers, show: int) -> None:
    differing = [each for each in answers if each[1] != each[2]]
    print(f"{name}: {len(answers)} messages, {len(differing)} differ")
    kinds: dict[str, Answers] = {}
    for message, one, other in differing:
        label = message.label.partition(" /")[0]
        kinds.setdefault(f"{label}: {_difference(one, other)}", []).append((message, one, other))
    for kind, some in sorted(kinds.items()):
        print(f"  {kind}: {len(some)}")
        for message, one, other in some[:show]:
            raw = (message.raw or b"")[:80].decode(errors="replace")
            print(f"    {message.label} {json.dumps(message.params)[:200]} {raw} {message.headers}")
            for sign, answer in (("-", one), ("+", other)):
                print(f"      {sign} {_around(answer, other if sign == '-' else one)}")


def _difference(one: object, other: object, place: str = "") -> str:
    """Where two values differ first."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}, key=_importance):
            if key not in one or key not in other:
                return f"{place}.{key} {'new' if key in other else 'gone'}"
            if one[key] != other[key]:
                return _difference(one[key], other[key], f"{place}.{key}")
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = (pair for pair in zip(one, other, strict=True) if pair[0] != pair[1])
        first, second = next(pairs)
        return _difference(first, second, f"{place}[]")
    if isinstance(one, list) and isinstance(other, list):
        return f"{place} has {len(other)} in place of {len(one)}"
    if place.endswith(("status", "code")):
        return f"{place} {one} -> {other}"
    return place


def _importance(key: str) -> tuple[bool, str]:
    return key not in ("status", "code"), key


def _around(answer: object, other: object) -> str:
    """An answer as text, from a little before it differs from the other one."""
    texts = [json.dumps(each, sort_keys=True, ensure_ascii=False) for each in (answer, other)]
    pairs = zip(*texts, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return texts[0][max(0, same - 60) : same + 200]


if __name__ == "__main__":
    raise SystemExit(main())
