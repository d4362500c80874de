"""Finds what a Python or JavaScript program does: hosts that it calls, commands that it starts,
code that it generates.

The module searches the strings of a program, and the code before each string. A Python parser would
find more, but its results depend on the Python version, and it cannot parse the code fragments in a
text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from skillbuild.check.facts.addresses import (
    HTTPX,
    NETWORK_PYTHON,
    NETWORK_SCRIPT,
    SOCKET,
    is_called,
    is_held,
    is_shown,
    starts_statement,
)
from skillbuild.check.facts.found import Found, lines_with, shown
from skillbuild.check.facts.hosts import HUB, LOCAL, host_name, host_of, is_local
from skillbuild.check.facts.keys import READ
from skillbuild.check.facts.removals import MARKS, deleting_calls
from skillbuild.check.facts.running import SIGNS, controlled
from skillbuild.check.facts.shell import commands_in
from skillbuild.check.facts.statements import CREDENTIALS, EVERYDAY
from skillbuild.model import RunKind

OF_LIBRARY = "the network ("
"""The start of what a fact says of a program that uses a library."""
LONGEST_PROGRAM = 400_000
"""Maximum characters of a program that are read."""
_MOST_BEFORE = 1000
"""Maximum characters before a string that are examined."""
_MOST_STRINGS = 300
"""Maximum number of strings with addresses, and started commands, that are examined."""
_MOST_LIBRARIES = 8
_MOST_CONSTANTS = 200
_MOST_WORDS = 40
"""Maximum number of words of a command that is given as a list."""
_LONGEST_COMMAND = 4000
_LONGEST_PATH = 200
_MOST_LINES_BACK = 24
_DOUBLE, _SINGLE = r"\"((?>(?:[^\"\\\n]++|\\.)*))\"?", r"'((?>(?:[^'\\\n]++|\\.)*))'?"
_PYTHON = re.compile(
    r"\#[^\n]*|\"\"\"((?>(?:[^\"\\]++|\\.|\"(?!\"\"))*))(?:\"\"\")?"
    rf"|'''((?>(?:[^'\\]++|\\.|'(?!''))*))(?:''')?|{_DOUBLE}|{_SINGLE}",
    re.DOTALL,
)
_SCRIPT = re.compile(
    rf"//[^\n]*|/\*(?>(?:[^*]++|\*(?!/))*)(?:\*/)?|{_DOUBLE}|{_SINGLE}|`((?>(?:[^`\\]++|\\.)*))`?",
    re.DOTALL,
)
"""A comment, or a string with its content as the only group."""
_PREFIXES, _LONGEST_PREFIX = frozenset("rRbBuUfF"), 2
"""The letters before a string in Python, as in `rb""`, and how many there can be."""

# Code that starts commands, and code that generates code.


_RUNS = (
    *("subprocess", "os.system", "os.popen", "os.exec", "os.spawn", "pexpect", "child_process"),
    *("execSync", "execa", "Bun.spawn", "$`", "run_command", "run_cmd"),
)
"""Substrings, at least one of which is in every program that starts commands."""
_CONSTANT = re.compile(
    r"^[ \t]*(?:(?:const|let|var)[ ])?([A-Za-z_]\w*)[ ]*=[ ]*[\"'](https?://[^\"'\s]{1,200})[\"']",
    re.MULTILINE,
)
"""A variable that is set to an address."""
_EMBEDDED = re.compile(r"\$?(\{\w+\})")
"""A variable in a string."""
_STARTER = (
    r"\b(?=[_cePoprs])"
    r"(?:subprocess\.(?:run|call|check_output|check_call|Popen|getoutput|getstatusoutput)"
    r"|os\.(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?)|pexpect\.(?:run|spawn)"
    r"|create_subprocess_(?:shell|exec)|Popen|check_output|check_call|system|popen|run_command"
    r"|run_cmd|execute_command|exec_command|execSync|exec|execFile|execFileSync|spawn|spawnSync"
    r"|execa|execaSync|execaCommand|execAsync|_?run|sh|shell)\("
)
_STARTS = re.compile(rf"(?:{_STARTER}|(?:cmd|command)[ \t]*=(?!=)|(?<![\w$])\$(?=\0))\s*")
"""A call that starts a command, or a variable for one, up to the string or the list of strings with
the command.
"""
_MAKES = (
    *("b64decode", "b32decode", "a85decode", "decompress", "fromhex", "unhexlify", "marshal.loads"),
    *("codecs.decode", "atob", "Buffer.from", "urlopen", "requests.get", "httpx.get", "fetch("),
)
"""Calls that decode or fetch something."""
_MAKER = "|".join(map(re.escape, _MAKES))
_CODE = re.compile(
    r"\b(?:exec|eval|Function|runIn\w{0,4}Context|__import__|system|popen|execSync|marshal\.loads)"
    rf"\s*\([^\n]{{0,120}}?(?:{_MAKER})"
)
_MADE = re.compile(
    rf"[ \t]*(?:(?:const|let|var)[ \t]+)?(\w+)[ \t]*=[^\n=][^\n]{{0,200}}?({_MAKER})"
)
_RUN_NAME = re.compile(
    r"\b(?:exec|eval|Function|system|popen|execSync)\s*\(\s*(?:compile\s*\(\s*)?"
    r"(?:\0[^\0\n]{0,80}\0\s*,\s*){0,4}(\w+)"
)
_RECEIVED = re.compile(r"\.on\(\s*\0[^\0\n]{0,20}\0\s*,[^\n;]{0,60}?\b(\w+)[ \t]*\+=")
"""A variable in which a JavaScript program collects the data that it receives."""
_EVALUATES_ANSWER = re.compile(r"\bfetch\([^\n]{0,200}?\.then\(\s*(?:eval|Function)\b")
_FETCHED = re.compile(r"urlopen|requests\.get|httpx\.get|fetch\(")
_SHELL_OPENED = re.compile(r"os\.dup2\(\s*(?!sys\b)\w+\.fileno\(\)\s*,\s*[012]\b|pty\.spawn\(")
_HOST_GIVEN = re.compile(
    r"\b(?:HTTPS?Connection|SMTP(?:_SSL)?|FTP(?:_TLS)?|IMAP4(?:_SSL)?|create_connection\(|connect\()"
    r"\(\s*(?=\0)"
)
"""A Python call that connects to the host named by the following string."""
_FROM_HUB = re.compile(
    r"\b(?:(?:from_pretrained|hf_hub_download|snapshot_download|load_dataset|SentenceTransformer"
    r"|CrossEncoder)\(\s*|repo_id=)[\"']"
    r"(?!(?:models?|checkpoints?|outputs?|results?|data|path|local|user(?:name)?|org|my\w*|your\w*)[/_-])"
    r"(?:\w[\w.-]*+/\w[\w.-]*+|(?:all|albert|bart|bert|clip|deberta|distil\w+|electra|flan|gpt2|msmarco"
    r"|multi|opt|paraphrase|roberta|t5|vit|xlm)(?:-\w{1,40}+){1,8}+)[\"']"
)
"""A Python call that downloads a model or data set of this name from Hugging Face."""
_TO_HUB = re.compile(r"\.push_to_hub\(|\bpush_to_hub[ \t]*=[ \t]*True\b")
"""A Python call or option that publishes a model or data set on Hugging Face."""
_HUB_CALLS = (
    *("_pretrained(", "_download(", "load_dataset(", "repo_id=", "Transformer(", "CrossEncoder("),
)
_CONNECTS = ("Connection(", "SMTP", "FTP", "IMAP4", "create_connection(", "connect((")
_ENVIRONMENT_SENT = re.compile(
    r"\b(?:post|put|patch|request|urlopen|Request|send|sendall|sendto|dumps|urlencode|b64encode)\("
    r"[^\n]{0,200}?\bos\.environ\b(?!\s*(?:\[|\.get|\.setdefault|\.pop))"
    r"|\b(?:stringify|from|send|write|post|body)\b[^\n]{0,80}?\bprocess\.env\b(?!\s*[.\[?])"
)
_DATA_IN_NAME = re.compile(
    r"\b(?:getaddrinfo|gethostbyname(?:_ex)?)\([^\n]{0,200}?(?:\benviron\b|\bgetenv\b|\.read\()"
)
_HOME_DELETED = re.compile(
    r"rmtree\(\s*(?:os\.path\.expanduser\(\s*\S?~/?\S?\s*\)|Path\.home\(\)\s*[,)]|\S/\S\s*[,)])"
)
_SERVED = re.compile(r"(?:https?|wss?)://")
_ADDRESS_READ = re.compile(
    rf"{READ}(?!JENKINS_|CI_|GITHUB_)"
    r"((?:[A-Z][A-Z0-9]*_)+(?:URL|URI|HOST|ENDPOINT|API_BASE|BASE|SERVER))(?![A-Za-z0-9_])"
)
"""An address that a program takes from the environment."""
_READS = ("environ", "getenv(", ".env.", ".env[")
_USUAL_ADDRESS = re.compile(
    r"^[ \t]*(?:#|//)[^\n]{0,80}?(https?://[^\s,;\"']{4,200})", re.MULTILINE
)
"""A comment with an address, above the line that takes one from the environment."""
_LONGEST_COMMENT = 300
_ASKS_WHETHER = re.compile(r"\b(?:if|elif|while|assert|bool)\b[^=]*\Z|\bnot\s+(?:os\.)?\Z|!!?\Z")
"""Code before a variable that only tests whether it is set."""
_FILES_SENT = re.compile(r"\b(?:post|put|patch)\([^\n]{0,200}?\bfiles\s*=")
_LOOKS_BAD = (
    *("exec", "eval", "dup2", "rmtree", ".ssh", ".aws", "netrc", "Function(", "process.env"),
    *_RUNS,
)
_LOOKS = (*_LOOKS_BAD, *("://", "import", "require", "fetch("), *_HUB_CALLS)
"""Substrings, at least one of which is in every program with a fact, or with one that is told even
of a sample.
"""
_IMPORTED = re.compile(r"[ \t]*import\b")
_FUNCTION = re.compile(r"([\w.$]+)\s*(?:<[\w\[\], |]{0,40}>)?\Z")
_LONGEST_FUNCTION = 80
_GLOBALS = ("window", "globalThis")
_KEY_BEFORE = re.compile(r"[\"']?([\w-]+)[\"']?\s*:\s*\Z")
_LONGEST_KEY = 60
_SURE_START = re.compile(
    r"subprocess|os\.|pexpect|create_sub|Popen|check_|execSync|execFile|spawn|execa|system\("
)
_INSTALLING = re.compile(
    r"\[\s*[\"'](?:npm|pnpm|yarn|bun|pip3?|uv|poetry|brew)[\"'],\s*[\"'](?:install|add|ci|sync)[\"']"
    r"(?:,\s*[\"'][^\"'\n]{1,60}[\"']){0,9}\s*\]"
)
"""A list of strings that is a command that installs packages, wherever it is."""
_IN_QUOTES = re.compile(r"[\"']([^\"']+)[\"']")
_WORDS_APART = re.compile(r"\s*,\s*(?:\[|\0)")
_JOINS_LISTS = re.compile(r"\]\s*\+(?:\s*[\w.]+\s*\+)?\s*\[")
"""The end of a list that goes on with the next one."""
_LIST_END = re.compile(r"[\])}]|\b(?:shell|check|capture_output|cwd)\b")
_BETWEEN_WORDS = " \n\t,[("
_NEEDS_QUOTES = re.compile(r"[\s|;&<>$`()\"]")


class _Literal(NamedTuple):
    """A string in a program: its start and end, including the quotes, and its content."""

    start: int
    end: int
    text: str


class Program:
    """A program, or a fragment of one in a text."""

    def __init__(self, text: str, first: int, *, is_python: bool, is_file: bool = False) -> None:
        """Read a program; `first` is the number of its first line, and `is_file` is false for a
        fragment.
        """
        self._text, self._first = text[:LONGEST_PROGRAM], first
        self._is_python, self._is_file = is_python, is_file

    @property
    def does_something(self) -> bool:
        """Whether the program may do something that is a fact.

        This test is fast, because it only searches for words and does not parse the program.
        """
        marks = _LOOKS if self._is_file or self._is_python else _LOOKS_BAD
        more = (*MARKS, *SIGNS) if self._is_file else ()
        return any(mark in self._text for mark in (*marks, *more))

    @cached_property
    def _split(self) -> tuple[str, Sequence[_Literal]]:
        """The code, and the strings in it."""
        text, parts, at = self._text, list[str](), 0
        strings: list[_Literal] = []
        for match in (_PYTHON if self._is_python else _SCRIPT).finditer(text):
            start, end = match.span()
            edge = " "
            if match.lastindex:
                lowest = max(at, start - _LONGEST_PREFIX) if self._is_python else start
                while start > lowest and text[start - 1] in _PREFIXES:
                    start -= 1
                strings.append(_Literal(start, end, match[match.lastindex]))
                edge = "\0"
            parts += [text[at:start], _blank(text[start:end], edge)]
            at = end
        parts.append(text[at:])
        return "".join(parts), strings

    @property
    def _code(self) -> str:
        """The program with comments and the content of strings replaced by spaces."""
        return self._split[0]

    @property
    def _strings(self) -> Sequence[_Literal]:
        return self._split[1]

    @cached_property
    def _line_ends(self) -> Sequence[int]:
        return [match.start() for match in re.finditer("\n", self._text)]

    def _line(self, index: int) -> int:
        """Return the line number of a character."""
        return self._first + bisect_right(self._line_ends, index - 1)

    def _shown(self, index: int) -> str:
        start, end = self._text.rfind("\n", 0, index) + 1, self._text.find("\n", index)
        return shown(self._text[start : end if end >= 0 else len(self._text)])

    @cached_property
    def _known(self) -> Mapping[str, int]:
        """The libraries that access the network, with the index of each name."""
        known: dict[str, tuple[str, int]] = {}
        for name, at in self._libraries():
            known.setdefault("azure" if name.startswith("azure.") else name, (name, at))
        return dict(known.values())

    def _libraries(self) -> Iterator[tuple[str, int]]:
        for match in (NETWORK_PYTHON if self._is_python else NETWORK_SCRIPT).finditer(self._text):
            name = match.lastindex or 0
            at = match.start(name) if self._is_python else match.start()
            is_used = self._is_file or not _IMPORTED.match(match[0]) or self._names(match[name])
            is_used = is_used and (match[name] != "httpx" or HTTPX.search(self._text) is not None)
            if is_used and self._code[at] == self._text[at]:  # It is not in a comment or string.
                yield match[name], match.start(name)
        if self._is_python and "connect" in self._text and (found := SOCKET.search(self._text)):
            yield "sockets", found.start()

    def _names(self, library: str) -> bool:
        """Return whether a program uses the library that it imports."""
        return self._text.count(library) > 1 or f"{library} as " in self._text

    @cached_property
    def _is_local(self) -> bool:
        """Whether the program names an address of this machine, and no other host.

        A Python script does not count, because it is often given its addresses.
        """
        if self._is_file:
            named = [each.text for each in self._strings if _SERVED.match(each.text)]
            is_local_only = bool(named) and all(map(is_local, named)) and not self._is_python
            return is_local_only and not _ADDRESS_READ.search(self._text)
        texts = [each.text[:_LONGEST_PATH] for each in self._strings]
        names = [text.partition("://")[2] or text for text in texts]
        return any(map(is_local, names)) and not any(map(host_name, names))

    @property
    def reaches_network(self) -> bool:
        """Whether the program uses a library that accesses the network."""
        return bool(self._known)

    def calls(self, *, reaches_network: bool) -> Iterator[Found]:
        """Yield the hosts that the program contacts, as facts about sample code."""
        for item in self._hosts(reaches_network=reaches_network):
            if item.kind == RunKind.REACHES:
                yield item._replace(kind=RunKind.SAMPLES)

    def found(self, *, reaches_network: bool) -> Iterator[Found]:
        """Yield the facts about a program that `does_something`.

        `reaches_network` says whether any program in the same text uses the network.
        """
        for name, at in islice(self._known.items(), _MOST_LIBRARIES):
            words, host = ("", LOCAL) if self._is_local else (f"{OF_LIBRARY}{name})", "")
            yield self._found(RunKind.REACHES, at, host)._replace(words=words)
        yield from self._hosts(reaches_network=reaches_network)
        if self._is_file and self._known:
            yield from self._addresses_read()
        if any(mark in self._text for mark in _RUNS):
            yield from self._commands()
        yield from self._made_code()
        if "dup2" in self._text or "pty." in self._text:
            yield from self._each(_SHELL_OPENED, RunKind.OPENS_SHELL, self._code)
        if "rmtree" in self._text:
            yield from self._each(_HOME_DELETED, RunKind.DELETES_ALL, self._text)
        for words, at in self._controlled():
            yield self._found(RunKind.CONTROLS, at)._replace(words=words)
        if self._is_file and any(mark in self._text for mark in MARKS):
            for kind, words, at in deleting_calls(self._text, self._code):
                yield self._found(kind, at)._replace(words=words)
        yield from self._sent(reaches_network=reaches_network)

    def _controlled(self) -> Iterator[tuple[str, int]]:
        """Yield what the program starts, ends or opens on this computer, and where."""
        found = controlled(self._text, is_python=self._is_python) if self._is_file else ()
        yield from ((words, at) for words, at in found if self._code[at] != " ")

    def _addresses_read(self) -> Iterator[Found]:
        """Yield the addresses that the program takes from the environment; tests whether one is set
        do not count.
        """
        names: set[str] = set()
        for start in lines_with(_READS, self._text):
            end = self._text.find("\n", start)
            match = _ADDRESS_READ.search(self._text, start, end if end >= 0 else len(self._text))
            if match is None or match[1] in names or self._code[match.start()] == " ":
                continue
            if not _ASKS_WHETHER.search(self._text[start : match.start()][-_LONGEST_PATH:]):
                names.add(match[1])
                item = self._found(RunKind.REACHES, match.start())
                yield item._replace(words=f"the address in {match[1]}")
                near = self._text[max(0, start - _LONGEST_COMMENT) : start]
                for comment in _USUAL_ADDRESS.finditer(near[near.find("\n") + 1 :]):
                    yield item._replace(
                        host=host_of(comment[1]) or LOCAL, command=shown(comment[0])
                    )

    def _sent(self, *, reaches_network: bool) -> Iterator[Found]:
        """Yield the data that the program sends to others, apart from requests."""
        if "gethost" in self._text or "getaddrinfo" in self._text:
            for match in _DATA_IN_NAME.finditer(self._code):
                item = self._found(RunKind.SENDS, match.start())
                yield item._replace(words="data in DNS queries")
        if reaches_network and ("os.environ" in self._text or "process.env" in self._text):
            for match in _ENVIRONMENT_SENT.finditer(self._code):
                item = self._found(RunKind.SENDS, match.start())
                yield item._replace(words="environment variables")
        if "push_to_hub" in self._text:
            for item in islice(self._each(_TO_HUB, RunKind.SENDS, self._code), 1):
                yield item._replace(words="models or data sets", host=HUB)
        if self._is_python and ("files=" in self._text or "files =" in self._text):
            found = self._each(_FILES_SENT, RunKind.SENDS, self._code)
            yield from (item for item in found if "example.com" not in item.command)

    def _each(self, pattern: re.Pattern[str], kind: RunKind, text: str) -> Iterator[Found]:
        for match in pattern.finditer(text):
            yield self._found(kind, match.start())

    def _found(self, kind: RunKind, index: int, host: str = "") -> Found:
        return Found(kind, "", self._line(index), self._shown(index), host)

    # Hosts that it calls.

    def _hosts(self, *, reaches_network: bool) -> Iterator[Found]:
        """Yield each host that the program calls once, and credential files that it uses."""
        hosts: set[str] = set()
        named = self._connections() if self._is_python else ()
        for name, start in named:
            if name not in hosts:
                hosts.add(name)
                yield self._found(RunKind.REACHES, start, name)
        has_names = "://" in self._text or ".ssh" in self._text or CREDENTIALS.search(self._text)
        if not has_names:
            return
        marked = (each for each in self._strings if "://" in each.text[:12] or "." in each.text[:3])
        for each in islice(marked, _MOST_STRINGS):
            if "://" in each.text[:12]:
                host = host_of(each.text)
                if host and host not in hosts and self._is_called(each, reaches=reaches_network):
                    hosts.add(host)
                    yield self._found(RunKind.REACHES, each.start, host)
            elif len(each.text) < _LONGEST_PATH and CREDENTIALS.search(each.text):
                function, before, _ = self._function(each.start)
                if not is_shown(function) and not before.strip().endswith(("==", "!=", "in")):
                    yield self._found(RunKind.CREDENTIALS, each.start)

    def _connections(self) -> Iterator[tuple[str, int]]:
        """Yield each host that a Python call names without an address, with its index."""
        if any(sign in self._text for sign in _CONNECTS):
            starts = {match.end() for match in _HOST_GIVEN.finditer(self._code)}
            for each in self._strings if starts else ():
                name = host_name(each.text) if each.start in starts else ""
                if name:
                    yield name, each.start
        if any(sign in self._text for sign in _HUB_CALLS):
            for match in _FROM_HUB.finditer(self._text):
                if self._code[match.start()] != " ":
                    yield HUB, match.start()

    def _is_called(self, each: _Literal, *, reaches: bool) -> bool:
        """Return whether the program calls the address in a string."""
        function, before, number = self._function(each.start)
        owner, dot, last = function.rpartition(".")
        if not self._is_python and last == "fetch" and dot and owner not in _GLOBALS:
            return False  # A handler of the program, or a server's address.
        called = is_called(function, before, number, each.text[:_LONGEST_PATH])
        if called is not None:
            return called
        key = _KEY_BEFORE.search(self._text, max(0, each.start - _LONGEST_KEY), each.start)
        return reaches and is_held(self._statement(each.start), before, key[1] if key else "")

    def _function(self, index: int) -> tuple[str, str, int]:
        """Return the function around an index, the code right before it, and the argument number.

        A bracket that is not a call is returned in place of a name; the name is empty without a
        bracket.
        """
        code, depth, commas = self._code, 0, 0
        lowest = max(0, index - _MOST_BEFORE)
        for at in range(index - 1, lowest - 1, -1):
            char = code[at]
            if char in ")]}":
                depth += 1
            elif char in "([{":
                if depth == 0:
                    before = code[at + 1 : index].rpartition(",")[2]
                    name = _FUNCTION.search(code, max(0, at - _LONGEST_FUNCTION), at)
                    is_call = char == "(" and name is not None
                    return name[1] if is_call and name else char, before, commas
                depth -= 1
            elif depth == 0 and char == ",":
                commas += 1
            elif depth == 0 and char == ";":
                return "", code[at + 1 : index], 0
        return "", code[lowest:index], 0

    def _statement(self, index: int) -> str:
        """Return the statement up to an index, from the start of its first line."""
        code = self._code
        start = code.rfind("\n", 0, index) + 1
        for _ in range(_MOST_LINES_BACK):
            line = code[start:index]
            above = code.rfind("\n", 0, max(start - 1, 0)) + 1
            is_blank = not code[above : max(start - 1, 0)].strip()
            if starts_statement(line) or is_blank or index - start > _MOST_BEFORE:
                break
            start = above
        return code[start:index]

    # Commands that it starts.

    def _commands(self) -> Iterator[Found]:
        """Yield the facts about the commands that the program starts, as a string or a list of
        words.
        """
        starts = [each.start for each in self._strings]
        for match in islice(_STARTS.finditer(self._code), _MOST_STRINGS):
            at = match.end()
            number = bisect_left(starts, at)
            if number == len(starts) or starts[number] > at + _MOST_BEFORE:
                continue
            first = self._strings[number]
            if self._code[at : at + 1] in ("[", "("):
                yield from self._read(self._list(number, at + 1), first, names_program=True)
            elif first.start == at:
                is_list = _WORDS_APART.match(self._code, first.end) is not None
                command = self._list(number, at) if is_list else _unescaped(first.text)
                is_sure = is_list or _SURE_START.match(match[0]) is not None
                yield from self._read(command[:_LONGEST_COMMAND], first, names_program=is_sure)
        for match in _INSTALLING.finditer(self._text):
            if self._code[match.start()] != " ":
                words = " ".join(_IN_QUOTES.findall(match[0]))
                yield from commands_in(words, self._line(match.start()))

    def _list(self, number: int, last: int) -> str:
        """Return the command in a list of strings and other values, which begins at `last`."""
        parts: list[str] = []
        for each in self._strings[number : number + _MOST_WORDS]:
            between = _JOINS_LISTS.sub(",", self._code[last : each.start])
            end = _LIST_END.search(between)
            if (between[: end.start()] if end else between).strip(_BETWEEN_WORDS):
                parts.append("$X" if parts else "$PYTHON")
            if end:
                return " ".join(parts)
            word = _unescaped(each.text)
            parts.append(f"'{word.replace(chr(39), '')}'" if _NEEDS_QUOTES.search(word) else word)
            last = each.end
        rest = _LIST_END.split(self._code[last : last + _LONGEST_KEY], maxsplit=1)[0]
        return " ".join([*parts, "$X"] if rest.strip(_BETWEEN_WORDS) else parts)

    @cached_property
    def _constants(self) -> Mapping[str, str]:
        """The address in each variable, by the form in which strings contain it."""
        found = islice(_CONSTANT.finditer(self._text), _MOST_CONSTANTS)
        return {f"{{{match[1]}}}": match[2] for match in found}

    def _read(self, command: str, each: _Literal, *, names_program: bool) -> Iterator[Found]:
        line, text = self._line(each.start), self._shown(each.start)
        if "}" in command:
            known = self._constants
            command = _EMBEDDED.sub(lambda match: known.get(match[1], f"${match[1]}"), command)
        for item in commands_in(command, line, names_programs=names_program):
            if item.kind == RunKind.PROGRAM and not (self._is_file or item.words in EVERYDAY):
                continue  # Samples make up the names of programs.
            yield item._replace(command=text if len(command) > len(text) else shown(command))

    # Code that it generates.

    def _made_code(self) -> Iterator[Found]:
        """Yield code that is executed after it was decoded or fetched."""
        made: dict[str, str] = {}
        for start in lines_with(_MAKES, self._text):
            if match := _MADE.match(self._code, start):
                made[match[1]] = match[2]
            end = self._code.find("\n", start)
            if match := _CODE.search(self._code, start, end if end >= 0 else len(self._code)):
                yield self._run(match.start(), match[0])
        if ".on(" in self._text and "http" in self._text and not self._is_python:
            made.update(dict.fromkeys(_RECEIVED.findall(self._code), "fetch("))
        for match in _EVALUATES_ANSWER.finditer(self._code) if "fetch(" in self._text else ():
            yield self._found(RunKind.DOWNLOAD, match.start())
        for match in _RUN_NAME.finditer(self._code) if made else ():
            if match[1] in made:
                yield self._run(match.start(), made[match[1]])

    def _run(self, index: int, maker: str) -> Found:
        kind = RunKind.DOWNLOAD if _FETCHED.search(maker) else RunKind.DECODED
        return self._found(kind, index)


def _blank(text: str, edge: str) -> str:
    """Replace a string or comment with spaces, keeping line endings and the edges of a string."""
    inner = "\n".join(" " * len(line) for line in text.split("\n"))
    return f"{edge}{inner[1:-1]}{edge}" if len(text) > 1 else edge


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return text.replace("\\n", "\n").replace('\\"', '"').replace("\\'", "'")
