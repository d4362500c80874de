"""Finds what each file of a skill does or says to do, judging by the commands and programs in the
file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from skillbuild.check.facts import blocks
from skillbuild.check.facts.dangers import dangers_in, suspects_in
from skillbuild.check.facts.found import Found, lines_with, marked_lines, one_of, shown
from skillbuild.check.facts.found import words as _words
from skillbuild.check.facts.hosts import host_of
from skillbuild.check.facts.keys import keys_in, logins_in
from skillbuild.check.facts.libraries import imports
from skillbuild.check.facts.others import other_program
from skillbuild.check.facts.programs import OF_LIBRARY, Program
from skillbuild.check.facts.prose import (
    FORBIDDEN,
    agent_files,
    declared,
    instructions,
    pages,
    said_to_install,
)
from skillbuild.check.facts.protection import may_turn_off, turned_off
from skillbuild.check.facts.removals import deleted_data
from skillbuild.check.facts.services import SERVICES, login_of, reached_by
from skillbuild.check.facts.shell import Shell, commands_in, is_command
from skillbuild.check.facts.statements import EVERYDAY, TOOLS
from skillbuild.check.passages import passage
from skillbuild.model import DANGERS, RunKind
from skillbuild.paths import SKILL_FILE, base_name
from skillbuild.text.commands import SHELLS
from skillbuild.text.markdown.document import Document, Fence, Reference

LONGEST_TEXT = 400_000
"""Maximum characters of a file that are read."""
MARKDOWN = (".md", ".mdx", ".markdown")

# Kinds of files.


_LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys(["py", "pyw"], "Python"),
    **dict.fromkeys(["sh", "bash", "bats"], "Bash"),
    **dict.fromkeys(["js", "mjs", "cjs", "jsx"], "JavaScript"),
    **dict.fromkeys(["ts", "mts", "cts", "tsx"], "TypeScript"),
    **dict.fromkeys(["ps1", "psm1"], "PowerShell"),
    **dict.fromkeys(["bat", "cmd"], "Batch"),
    **dict.fromkeys(["scpt", "applescript"], "AppleScript"),
    "r": "R",
    "zsh": "Zsh",
    "fish": "Fish",
    "rb": "Ruby",
    "pl": "Perl",
    "php": "PHP",
    "lua": "Lua",
    "jl": "Julia",
    "awk": "AWK",
    "vbs": "VBScript",
}
"""The programming language, by file extension in lower case."""
_COMPILED: Mapping[str, str] = {
    "swift": "Swift",
    "go": "Go",
    "rs": "Rust",
    "java": "Java",
    "kt": "Kotlin",
    "cs": "C#",
    "c": "C",
    **dict.fromkeys(["cpp", "cc", "cxx"], "C++"),
}
"""The same for languages that are compiled; most such files are samples of code."""
_IS_STARTED = re.compile(r"(?:.*/)?scripts/(?:[^/]+|.*/(?:main|program)\.\w+)", re.IGNORECASE)
"""Files of such a language that are programs, and not parts of one."""
_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?([\w.+-]+)")
_BY_PROGRAM = re.compile(
    r"(?P<Python>python|pypy|uv)|(?P<Bash>bash|sh|dash|ksh)|(?P<Zsh>zsh)|(?P<Fish>fish)"
    r"|(?P<TypeScript>tsx|ts-node|deno)|(?P<JavaScript>node|bun)|(?P<PowerShell>pwsh)|(?P<Ruby>ruby)"
    r"|(?P<Perl>perl)|(?P<PHP>php)|(?P<Lua>lua)|(?P<R>Rscript)|(?P<Julia>julia)"
    r"|(?P<AppleScript>osascript)|(?P<AWK>g?awk)"
)
_NO_PROGRAM = _words(
    "md markdown mdx txt rst json jsonl svg xsd xml css html htm yaml yml csv tsv toml ini cfg lock"
)
"""Extensions of texts that are not programs, even if they are executable."""
_OTHERS = _words("R Ruby Perl PHP Lua Julia")
_IN_SHELL = _words("Bash Zsh Fish PowerShell Batch")
_IN_SCRIPT = _words("JavaScript TypeScript")
COPIED = _IN_SCRIPT | {"Python"}
"""Languages whose files may be templates that users copy into their projects."""
_PROGRAMS = _IN_SHELL | _IN_SCRIPT | _OTHERS | {"Python"}
"""Languages whose files count as programs."""
_SETTINGS = (".json", ".yaml", ".yml", ".toml", ".hcl", ".ipynb")
"""Endings of files with settings."""


def language_of(path: str, data: bytes, *, executable: bool) -> str:
    """Return the language of a program file; empty if the file is not a program."""
    _, dot, extension = base_name(path).lower().rpartition(".")
    if base_name(path) == "__init__.py" and not data.strip():
        return ""
    if dot and extension in _LANGUAGES:
        return _LANGUAGES[extension]
    if dot and extension in _COMPILED and _IS_STARTED.fullmatch(path):
        return _COMPILED[extension]
    if data.startswith(b"#!") and (match := _SHEBANG.match(data[:200])):
        program = match[1].decode("ascii", "replace")
        kind = _BY_PROGRAM.match(program)
        return (kind.lastgroup if kind else None) or program
    return "executable" if executable and not (dot and extension in _NO_PROGRAM) else ""


# Facts of one file.


def found_in(
    path: str, text: str, language: str, document: Document | None, *, is_copied: bool
) -> Iterator[Found]:
    """Yield the facts about a file of a skill; `document` is the parsed text if the file is
    Markdown. `is_copied` says whether users copy a program instead of running it.
    """
    text = text[:LONGEST_TEXT]
    known: set[int] = set()
    code: list[range] = []
    shown_code = _samples(document) if document else []
    samples = [each.lines for each in shown_code]
    is_reference = document is not None and path != SKILL_FILE
    suspects = suspects_in(text)
    found = _of_text(document, code) if document else _of_file(path, text, language, code)
    for item in found:
        if item.kind in DANGERS:
            known.add(item.line)
        is_import = is_reference and item.words.startswith(OF_LIBRARY)
        is_shown = item.kind in _OF_SAMPLES and any(item.line in lines for lines in samples)
        if not is_import and not is_shown:
            yield item
    yield from dangers_in(text, suspects, known, code)
    yield from _calls_of(shown_code)
    kind = RunKind.SAMPLES if is_copied or document else RunKind.LIBRARY
    yield from _imports(path, text, language, document, kind)
    yield from keys_in(text, samples)
    yield from logins_in(text, samples)
    if document:
        yield from declared(document.text, document.first_line)
        texts = [each.lines for each in document.fences if _kind_of(each) in _TEXT_FENCES]
        for item in pages(document.text, document.first_line, samples):
            if item.kind != RunKind.OPENS_PAGE or not any(item.line in lines for lines in texts):
                yield item


def _imports(
    path: str, text: str, language: str, document: Document | None, kind: RunKind
) -> Iterator[Found]:
    """Yield the libraries that a program, or the blocks of a text, import."""
    blocks_of_code: Iterable[Fence] = [Fence(language, text, 1)] if language else ()
    if document is not None:
        blocks_of_code = () if document.is_too_long else document.fences
    elif path.endswith(".ipynb"):
        blocks_of_code = blocks.cells(text)
    for fence in blocks_of_code:
        yield from imports(fence.text, fence.line, _kind_of(fence), kind)


def _samples(document: Document) -> Sequence[Fence]:
    """Return the blocks with sample code for programs that users write."""
    return [fence for fence in document.fences if _kind_of(fence) in _SAMPLES]


def _calls_of(samples: Sequence[Fence]) -> Iterator[Found]:
    """Yield the hosts that samples of programs call."""
    named = [fence for fence in samples if _names_host(fence.text)]
    reaches = bool(named) and any(map(_reaches_network, samples))
    for fence in named:
        program = Program(fence.text, fence.line, is_python=False)
        yield from program.calls(reaches_network=reaches)


def _names_host(text: str) -> bool:
    """Return whether a sample has the address of a host that is not a placeholder."""
    return "://" in text and any(host_of(match[1]) for match in _QUOTED.finditer(text))


def _reaches_network(sample: Fence) -> bool:
    """Return whether a sample accesses the network."""
    return any(sign in sample.text for sign in _CLIENTS)


def _of_file(path: str, text: str, language: str, code: list[range]) -> Iterator[Found]:
    """Yield the facts about a file other than Markdown; lines of a program are added to `code`."""
    name = base_name(path).lower()
    if language or name.endswith(_SETTINGS):
        yield from turned_off(text, 1)
    if language in _PROGRAMS or name.endswith(".sql"):
        for what, number, line in deleted_data(text, 1):
            yield Found(RunKind.REMOVES, DELETED[what], number, shown(line))
    if language in _PROGRAMS:
        code.append(range(1, text.count("\n") + 2))
        yield from _loads_parts(text)
        yield from agent_files(text)
        yield from said_to_install(text, 1, is_shell=language in _IN_SHELL)
    if language in _IN_SHELL:
        yield from commands_in(text, 1, is_file=True, names_programs=True)
    elif language == "Python" or language in _IN_SCRIPT:
        yield from blocks.needs_of_script(text)
        program = Program(text, 1, is_python=language == "Python", is_file=True)
        if program.does_something:
            yield from program.found(reaches_network=program.reaches_network)
    elif language in _OTHERS:
        yield from other_program(text)
    elif name.endswith(".ipynb"):
        yield from _of_fences(blocks.cells(text), code)
    else:
        yield from _of_data(name, text)


def _of_data(name: str, text: str) -> Iterator[Found]:
    """Yield the facts about a file that is not a program but has commands or settings, judged by
    its name.
    """
    if blocks.is_manifest(name):
        yield from blocks.manifest(name, text)
        return
    reader = next((reader for names, reader in _BY_NAME if names.fullmatch(name)), None)
    yield from reader(text, 1) if reader else ()


# Markdown texts.


_PYTHON_FENCES = _words("python py python3 ipython pycon")
_SCRIPT_FENCES = _words("js javascript jsx ts typescript tsx mjs node html vue svelte")
_SAMPLES = _SCRIPT_FENCES | _words(
    """
    c c# c++ cpp cs csharp cuda dart elixir f# fsharp go golang groovy java kotlin kt lua matlab
    objc perl php rb rs ruby rust scala solidity sql swift vb zig
    """
)
"""Languages of blocks that show how the program of a user is written. An agent runs blocks of
Python and R, but not these.
"""
_QUOTED = re.compile(r"[\"'`]((?:https?|wss?)://[^\s\"'`]{1,300})")
_CLIENTS = (
    *("fetch(", "axios", "got(", "got.", "ky.", "XMLHttpRequest", "WebSocket", "https.request("),
    *("http.Get", "http.Post", "http.NewRequest", "http.Client", "HttpClient", "HttpRequest"),
    *("OkHttp", "URLSession", "reqwest", "Net::HTTP", "curl_init(", "Faraday", "RestTemplate"),
    *("WebClient", "Retrofit"),
)
"""Substrings of samples that access the network."""
_OF_SAMPLES = frozenset([RunKind.REACHES, RunKind.INSTALLS, RunKind.USES_KEY, RunKind.PROGRAM])
"""Kinds of facts that are not told of such a block."""
CODE_FENCES = _SAMPLES | _PYTHON_FENCES | {"r", "julia"}
"""Languages of blocks that are code."""
_PAGE_FENCES = _words("html htm vue svelte")
_LOADING = ("<script", "<link", "from ")
"""The starts of what loads code or style into a page; images are often of examples."""
_TEXT_FENCES = _words("markdown md mdx")
_PLAIN_FENCES = frozenset(["", "text", "txt", "plaintext", "plain"])
_CONSOLES = _words("console terminal shell-session shellsession sh-session")
_READERS: Mapping[str, Callable[[str, int], Iterator[Found]]] = {
    **dict.fromkeys(["r", "rscript"], blocks.packages_of_r),
    **dict.fromkeys(
        ["dockerfile", "docker", "containerfile"],
        partial(blocks.recipes, start=blocks.DOCKERFILE),
    ),
    **dict.fromkeys(["makefile", "make"], partial(blocks.recipes, start=blocks.MAKEFILE)),
    **dict.fromkeys(["hcl", "terraform", "tf", "packer"], blocks.provisioners),
    **dict.fromkeys(["json", "jsonc", "json5"], blocks.settings),
    **dict.fromkeys(["yaml", "yml"], blocks.workflow),
}
"""The reader of a block in other languages."""


def _of_text(document: Document, code: list[range]) -> Iterator[Found]:
    """Yield the facts about the blocks and code spans of a text; lines of programs are added to
    `code`.
    """
    if document.is_too_long:
        yield from blocks.plain(Fence("", document.text[:LONGEST_TEXT], document.first_line))
        return
    yield from _of_fences((*document.fences, *document.indented), code)
    if may_turn_off(document.text):
        for fence in (*document.fences, *document.indented):
            yield from turned_off(fence.text, fence.line)
    yield from _of_spans(document)
    yield from _tools(document)
    yield from instructions(document)


def _kind_of(fence: Fence) -> str:
    """Return the language of a block."""
    return fence.language.lower().strip("{}.`")


def _of_fences(fences: Iterable[Fence], code: list[range]) -> Iterator[Found]:
    """Yield the facts about blocks of one text; lines of programs are added to `code`."""
    programs: list[Program] = []
    addresses: dict[str, str] = {}
    deleted: dict[str, tuple[int, str]] = {}
    for fence in fences:
        kind = _kind_of(fence)
        # For commands, the client of the database is told instead.
        for what, number, line in () if kind in SHELLS else deleted_data(fence.text, fence.line):
            deleted.setdefault(what, (number, line))
        if kind in SHELLS or kind in _PYTHON_FENCES or kind in _SCRIPT_FENCES:
            code.append(fence.lines)
        if kind in _PYTHON_FENCES or kind in _SCRIPT_FENCES:
            is_python = kind in _PYTHON_FENCES
            programs.append(Program(fence.text, fence.line, is_python=is_python))
        yield from _of_fence(fence, kind, addresses)
    for what, (number, line) in deleted.items():
        yield Found(RunKind.SAMPLES, DELETED[what], number, shown(line))
    doing = [program for program in programs if program.does_something]
    reaches = bool(doing) and any(program.reaches_network for program in programs)
    for program in doing:
        yield from program.found(reaches_network=reaches)


DELETED = {
    "SQL": "SQL that deletes data",
    "Spark": "code that overwrites tables",
    "calls": "calls that delete data",
}
"""What is said of code that deletes or overwrites data, by what `deleted_data` returns."""


def _of_fence(fence: Fence, kind: str, addresses: dict[str, str]) -> Iterator[Found]:
    """Yield the facts about a block in this language, unless it is a program.

    `addresses` has the addresses in variables of the commands.
    """
    if kind in _PLAIN_FENCES or kind in ("http", "rest"):
        yield from blocks.requests(fence)
    if kind in SHELLS or kind in _PLAIN_FENCES:
        yield from blocks.packages_of_r(fence.text, fence.line)
    if kind in _PLAIN_FENCES:
        yield from blocks.plain(fence)
    elif kind in _CONSOLES:
        yield from blocks.console(fence)
    elif kind in SHELLS:
        shell = Shell(fence, names_programs=True, addresses=addresses)
        found = shell.read(fence.text, fence.line)
        yield from filter(_is_known, found) if "\nmain()" in fence.text else found
    elif kind in _TEXT_FENCES and "```" in fence.text:
        inner = Document(fence.text, fence.line)
        yield from blocks.as_sample(_of_fences(inner.fences, []))
    elif kind in _PYTHON_FENCES:
        yield from blocks.notebook(fence)
    elif kind in _PAGE_FENCES:
        loads = _loads(fence.text, fence.line)
        yield from (item for item in loads if item.command.startswith(_LOADING))
    elif kind in _READERS:
        yield from _READERS[kind](fence.text, fence.line)


def _is_known(item: Found) -> bool:
    """Return whether a fact is not about a program whose name a sample may have made up."""
    return item.kind != RunKind.PROGRAM or item.words in EVERYDAY


_SURE = (SERVICES - {"docker", "ssh"}) | _words(
    """
    xcode-select curl wget pip pip3 pipx uvx uv npm npx pnpm yarn bunx brew apt apt-get sudo chmod
    cargo gem conda mamba rm crontab dd launchctl systemctl irm iwr poetry dotnet winget choco
    claude pre-commit
    """
)
_SURE_OF_TWO = (
    r"python3? -m pip|go (?:install|get)|git (?:clone|push|reset|branch -D|worktree remove)"
    r"|docker (?:login|run|exec|compose|pull|build)"
    r"|(?:codex|gemini|qwen|copilot|opencode) mcp add"
)
"""Starts of code spans that are certainly commands if another word follows."""
_CD = r"(?:cd [^\s&`]{1,60} && )?"
_COMMAND = (
    rf" ?+\$?+ ?+{_CD}(?:(?:{one_of(_SURE)}|{_SURE_OF_TWO})\s+\S"
    r"|(?!(?:auth|user|admin|account) )[a-z][\w-]*+ (?:auth )?login\b)"
)
_LISTED = TOOLS | _words(
    """
    adb awk black buf bun bundle cargo cat chmod cmake composer cp ctest dart deno devlink diff
    dmesg docker docker-compose ethtool ffmpeg ffprobe find flutter go gofmt gradle grep grpcurl ip
    journalctl jq just kill launchctl ls lsof magick make md5sum meson mix mkdocs mv mvn nc ninja
    node npm openssl osascript pandoc pgrep ping pkg-config pkill playwright pnpm pod prisma ps
    python python3 rake rg rm rsync rustc rustup sed sqlite3 ss strace swift systemctl tar task
    turbo unzip uv vite xcode-select xcodebuild xcrun xxd yarn yq zip
    """
)
"""Programs whose commands in lists and tables are meant to be run if they are code spans."""
_LISTED_SPAN = re.compile(
    rf" ?+(?:Bash: )?+\$?+ ?+{_CD}(?!find --|go (?:func|deep|to|back|on|for|live|ahead)\b)"
    rf"(?:{one_of(_LISTED)}|git\s+[a-z]++|\./(?:gradlew|mvnw))\s+"
    r"(?:[\w./<\"'~-]|\$\{?\w)"
)
_IN_LIST = re.compile(r"[\s>]*(?:[-*+]\s|\d+[.)]\s|\|)")
_LEADS = re.compile(
    r"(?:^|[|:(,/>\u2013\u2014\u2192]|^[\s>]*[-*+]|\d[.)]|\[[ xX]\]"
    r"|\b(?:run|use|using|with|via|execute|and|or|then|through|try|check|invoke|rerun))"
    r"\s*[`*_(]*\Z",
    re.IGNORECASE,
)
"""Text in a list before a command that is meant to be run."""
_LEADS_IN_PROSE = re.compile(
    r"(?:\b(?:[Rr]un(?:ning)?|[Uu]s(?:e|ing)|with|via|[Ee]xecut(?:e|ing)|or|then|through|[Tt]ry"
    r"|[Cc]heck|[Ii]nvoke|[Rr]erun|e\.g\.,?)|[:(])\s*[`*_(]*\Z"
)
"""The same in a sentence."""
_AROUND = r"[a-z][\w-]*+(?: [\w-]++){0,3}+ [\"']?\$\("
"""The start of a command whose argument is the output of another."""
_SPAN = re.compile(rf"(?:{_AROUND})?{_COMMAND}")
_ORDERED = re.compile(
    r"\b(?:[Rr]un|[Ee]xecute|[Ii]nvoke|[Ll]aunch)(?:ning|ing)?:? (?:it with |the command )?\Z"
    r"|^\s*(?:[-*+]|\d+\.) [^`]{4,90}: \Z"
    r"|\bRun\b[^.:;`]{0,50}\((?:`[^`]+`(?: / |, | or ))*\Z"
)
"""Text before a code span that tells the reader to run it."""
_NAMES_PROGRAM = re.compile(
    r"(?:(?!(?:list|get|set|show|create|add|remove|delete|update|view|active|run|extract|test)-)"
    r"[a-z0-9]+(?:-[a-z0-9]+)+|[a-z][a-z0-9]+(?:_[a-z0-9]+)*(?= +--?[a-z])) +[^\s>\u2192-]?\S*[\w.]"
)
"""A code span that begins with the name of a program, not of a subcommand or step."""
_BEFORE = r"(?:(?<=(?:un|\we|ch|ng|nd|th|\w:|.\|) `)|(?<![^\n]`))"
"""The end of text before a code span, at which an order to run it may end."""
_WANTED = rf"(?:{_BEFORE} ?{_NAMES_PROGRAM.pattern}|{_COMMAND}|{_LISTED_SPAN.pattern}"
_WANTED_SPAN = re.compile(rf"`(?<!``)`*{_WANTED})")
_WANTED_AROUND = re.compile(rf"`(?<!``)`*{_WANTED}|{_AROUND})")
_MOST_SPANS, _MOST_AROUND, _MOST_BEFORE = 500, 300, 30


def _of_spans(document: Document) -> Iterator[Found]:
    wanted = _WANTED_AROUND if "$(" in document.text else _WANTED_SPAN
    for span in islice(document.code_spans(wanted), _MOST_SPANS):
        if span.in_label:
            continue
        number, start = span.place.line - document.first_line, span.place.column - 1
        line = document.lines[number]
        is_row = line.lstrip(" >").startswith("|")
        column = (
            passage(document.lines, number, span.place, len(span.target)).column if is_row else ""
        )
        is_allowed = _COMMANDS.search(column) is not None and _ALLOWS.search(column) is not None
        is_sure = _SPAN.match(span.target) is not None
        before = line[max(0, start - _MOST_AROUND) : start]
        is_quoted = line.count('"', 0, start) % 2 == 1 and '"' in line[start:]
        after = line[start + len(span.target) :][:_MOST_AROUND]
        names_program = _LISTED_SPAN.match(span.target)
        if not before.endswith("nvoke `"):  # Skills are invoked, too.
            names_program = names_program or _NAMES_PROGRAM.match(span.target)
        is_ordered = (is_sure or names_program is not None) and (
            _is_ordered(before, after)
            or (is_sure and _is_item(before, after))
            or _is_in_column(document, span)
        )
        is_listed = not is_ordered and _is_listed(line, before, span)
        if is_ordered or is_sure or is_listed:
            shell = Shell(span, is_span=not is_ordered, names_programs=is_ordered or is_listed)
            command = span.target.strip().removeprefix("Bash: ")
            found = shell.read(command, span.place.line)
            is_of_users = is_allowed or _DOC_COMMENT.match(before) is not None
            is_value = is_quoted or _IS_VALUE.search(before) is not None
            left_out = _OF_VALUES if is_value else _OF_USERS if is_of_users else ()
            yield from (item for item in found if item.kind not in left_out)


NAMES_TOOL = TOOLS | _words(
    """
    adb aws awk az brew cargo clang cmake curl docker docker-compose exiftool ffmpeg ffprobe gcc
    gcloud gh git glab gradle grep helm imagemagick jq kubectl lsof make mvn mysql ninja npm npx
    openssl osascript pandoc pdftoppm pip pnpm poetry pre-commit psql rg ripgrep rsync scp sed
    sqlite3 ssh tesseract tmux uv uvx wget xcodebuild xcrun yarn yq yt-dlp
    """
)
"""Programs whose names in code spans mean nothing else."""
_NAMED_TOOL = re.compile(
    rf"`({one_of(NAMES_TOOL | SERVICES)})`(?P<noun> (?:command(?! (?:for|line)\b)|CLI)\b)?"
)
_USES = re.compile(
    r"(?<!about to )(?<!installed )"
    r"\b(?:[Rr]un(?:ning)?|[Uu]s(?:e|es|ing)|[Vv]ia|[Ww]ith|[Ii]nvoke) (?:the )?`\Z"
)
"""Text before a program that a text says to use."""
_OFFERS = re.compile(r"\b(?:the|or) `\Z")
"""Text before a tool of a service that a text offers, as in `or the ... CLI`."""
_HEADS_TOOLS = re.compile(
    r"#+ .*\b[Tt]ool(?:s|ing)\b.*|[^|.]*\b[Tt]ools\b[^|.]*:\**\s*",
)
"""A line that heads a list of tools."""
_ITEMS = re.compile(r"\n+(?:[ \t]*[-*+] [^\n]*\n?){1,20}")
_TOOL_ITEM = re.compile(rf"^[ \t]*[-*+] [*`\[]*((?i:{one_of(TOOLS)}))\b(?![-./:])", re.MULTILINE)
_OF_R = re.compile(r"```\{?r\b|\bCRAN\b|\bR package|\bRscript\b|tidyverse", re.IGNORECASE)
"""A sign that a text is about R."""
_CALL_OF_R = re.compile(
    r"(?!#>).*?\b(?:[Rr]un|[Uu]se|(?<!f )[Uu]sing|[Cc]all|[Ee]xecute|with|via|then)(?: the)? `+"
    r"([a-zA-Z][\w.]*::(?!install)[\w.]+)\("
)
"""A line with an instruction to call a function of an R package."""


def _tools(document: Document) -> Iterator[Found]:
    """Yield the tools and R functions that a text says to run, and the tools in its lists."""
    text = document.text
    yield from _used(document)
    starts = lines_with(("::",), text)
    calls = [call for start in starts if (call := _CALL_OF_R.match(text, start))]
    if calls and _OF_R.search(text):
        for item in _named(document, iter(calls), "{}()"):
            yield item._replace(kind=RunKind.SAMPLES)
    for start, line in islice(marked_lines(("ools", "ooling"), text), _MOST_SPANS):
        items = _ITEMS.match(text, start + len(line)) if _HEADS_TOOLS.fullmatch(line) else None
        if items:
            tools = _TOOL_ITEM.finditer(text, items.start(), items.end())
            yield from _named(document, tools, "{}")


def _used(document: Document) -> Iterator[Found]:
    """Yield the programs in code spans that a text says to use, and the services that they reach if
    the text calls them commands.
    """
    for match in islice(_NAMED_TOOL.finditer(document.text), _MOST_SPANS):
        name, service = match[1], reached_by(match[1]) if match["noun"] else ""
        is_named = name in NAMES_TOOL or match["noun"] is not None
        before = (document.text, max(0, match.start() - _MOST_BEFORE), match.start(1))
        is_offered = name in SERVICES and match["noun"] is not None and _OFFERS.search(*before)
        if is_named and (is_offered or _USES.search(*before)):
            for item in _named(document, iter([match]), "{}"):
                yield item
                if service:
                    yield item._replace(kind=RunKind.REACHES, words=service)
                if service and (login := login_of(name)):
                    yield item._replace(kind=RunKind.USES_KEY, words=login)


_VALUE = re.compile(r"`? value\b")
"""Text after a name that is the value of a setting, such as the kind of packages."""


def _named(document: Document, named: Iterator[re.Match[str]], form: str) -> Iterator[Found]:
    """Yield the programs that the matches name, unless the text before a match forbids running the
    program.
    """
    for match in islice(named, _MOST_SPANS):
        number = document.text.count("\n", 0, match.start(1))
        line = document.lines[number]
        start = match.start(1) - document.text.rfind("\n", 0, match.start(1)) - 1
        is_value = _VALUE.match(line, start + len(match[1])) is not None
        if not (is_value or FORBIDDEN.search(line[max(0, start - _MOST_AROUND) : start])):
            name = match[1].lower() if form == "{}" else match[1]
            yield Found(
                RunKind.PROGRAM, form.format(name), document.first_line + number, shown(line)
            )


def _is_ordered(before: str, after: str) -> bool:
    """Return whether the text around a code span tells the reader to run it."""
    stripped = before.rstrip("`$ ")
    found = _ORDERED.search(stripped if stripped.endswith("(") else f"{stripped} ")
    return found is not None and (not found[0].endswith(": ") or _ENDS.match(after) is not None)


def _is_listed(line: str, before: str, span: Reference) -> bool:
    """Return whether a code span is a command of a well-known program in a list or table."""
    if not _LISTED_SPAN.match(span.target):
        return False
    leads = _LEADS if _IN_LIST.match(line) else _LEADS_IN_PROSE
    return leads.search(before) is not None and not FORBIDDEN.search(before)


def _is_item(before: str, after: str) -> bool:
    """Return whether a code span is a whole item of a list."""
    return _ITEM.fullmatch(before) is not None and _ENDS.match(after) is not None


def _is_in_column(document: Document, span: Reference) -> bool:
    """Return whether a code span fills a cell of a table in a column of commands."""
    number, start = span.place.line - document.first_line, span.place.column - 1
    line = document.lines[number]
    is_cell = line[:start].rstrip("` ").endswith("|")
    if not is_cell or not _CELL_ENDS.match(line, start + len(span.target)):
        return False
    column = passage(document.lines, number, span.place, len(span.target)).column
    return _COMMANDS.search(column) is not None


_CELL_ENDS = re.compile(r"[` ]*(?:\([^|()]{1,40}\)\s*)?\|")
_DOC_COMMENT = re.compile(r"\s*/\\?\*\\?\*\s")
"""The start of a comment that documents a part of a program."""
_OF_USERS = frozenset([RunKind.PACKAGE, RunKind.PROGRAM])
"""Kinds of facts that such a comment, or a column for settings, tells of users. No other kind is
hidden by what an author says of a command.
"""
_IS_VALUE = re.compile(
    r"\A(?!.{0,300}\b(?:[Rr]un|[Ee]xecute|[Uu]se)\b)"
    r".{0,300}\b(?:such as|tools like) (?:`[^`]{1,80}`(?:, | or | and |, or |, and )){0,4}`\Z"
    r"|\bExample:\W{0,3}`\Z"
)
"""Text before a code span that is only an example."""
_OF_VALUES = _OF_SAMPLES | {RunKind.PACKAGE, RunKind.CHANGES}
"""Kinds of facts that such a command is not told for."""
_ITEM = re.compile(r"\s*[-*+]\s+`")
"""The start of an item that is a code span."""
_ENDS = re.compile(r"`+[.)]?(?:\s*$|\s+\()")
_COMMANDS = re.compile(r"\bcommands?\b|\brun\b", re.IGNORECASE)
"""The head of a column of commands."""
_ALLOWS = re.compile(r"\b(?:add|allow\w*|permi\w+)\b", re.IGNORECASE)
"""The head of a column of commands for the settings of a client."""
_ON_LOAD = re.compile(r"(?<![\w!`\\])!`([^`\n]+)`")
_ON_LOAD_BLOCK = re.compile(r"^ {0,3}```![ \t]*\n(.*?)^ {0,3}```", re.MULTILINE | re.DOTALL)
_LONGEST_LINE = 4000


def on_load(body: str, first: int) -> Iterator[tuple[str, int]]:
    """Yield each command in a SKILL.md that some clients run when they load the skill, and its line
    number.
    """
    for number, line in enumerate(body.split("\n") if "!`" in body else (), first):
        if "!`" in line:
            for match in _ON_LOAD.finditer(line[:_LONGEST_LINE]):
                is_in_span = line.count("`", 0, match.start()) % 2 == 1
                is_text = line[match.start() - 1] not in " \t" or match[1][0] in ".,;:)"
                if not (is_in_span and is_text) or is_command(match[1].strip()):
                    yield match[1], number
    for match in _ON_LOAD_BLOCK.finditer(body) if "```!" in body else ():
        yield match[1].strip(), first + body.count("\n", 0, match.start(1))


# Pages, hooks and other files.


_LOADS = re.compile(
    r"<(?:script|iframe|img|link)\b(?=[^<>]{0,400}?(?:src|rel=[\"']?stylesheet))[^<>]{0,400}?"
    r"(?:src|href)\s*=\s*[\"']?((?:https?:)?//[^\"'\s<>]{1,300})"
    r"|\bfrom\s+[\"'](https?://[^\"'\s]{1,300})[\"']",
    re.IGNORECASE,
)
_MOST_LOADS = 100


def _loads(text: str, first: int = 1) -> Iterator[Found]:
    """Yield the hosts that a page loads from; `first` is the number of the first line."""
    for match in islice(_LOADS.finditer(text), _MOST_LOADS) if "//" in text else ():
        given = match[1] or match[2]
        address = given if ":" in given[:6] else f"https:{given}"
        if host := host_of(address):
            number = first + text.count("\n", 0, match.start())
            yield Found(RunKind.LOADS_PAGE, host, number, shown(match[0]), host)


_PARTS = re.compile(
    r"[\"'`(](https?://(?:fonts\.(?:googleapis|gstatic)\.com|cdn\.[\w.-]+|unpkg\.com|esm\.sh"
    r"|cdnjs\.cloudflare\.com)/[^\s\"'`)]{0,200})"
)
"""An address in a program from which the pages that it writes load fonts, styles and code."""


def _loads_parts(text: str) -> Iterator[Found]:
    """Yield the hosts from which pages that a program writes load what they need, once each."""
    seen: set[str] = set()
    for match in islice(_PARTS.finditer(text), _MOST_LOADS) if "//" in text else ():
        host = host_of(match[1])
        if host and host not in seen:
            seen.add(host)
            number = 1 + text.count("\n", 0, match.start())
            yield Found(RunKind.LOADS_PAGE, host, number, shown(match[0]), host)


_HOOK_FILE = re.compile(
    r"(?:.*/)?(?:hooks/[\w.-]*hooks?[\w.-]*|hooks|\.claude/settings|\.claude/settings\.local)\.json"
)
_MOST_HOOKS = 100


def hooks_in(value: object) -> Sequence[str]:
    """Return the commands of all hooks in a value from the frontmatter or from a settings file."""
    commands: list[str] = []
    waiting: list[object] = [value]
    while waiting and len(commands) < _MOST_HOOKS:
        match waiting.pop():
            case dict() as fields:
                command = fields.get("command")
                commands += [command] if isinstance(command, str) else []
                waiting += fields.values()
            case list() as items:
                waiting += items
            case _:
                pass
    return commands


def hooks_of_file(path: str, text: str) -> Sequence[str]:
    """Return the commands of the hooks in a client's settings file; empty for any other file."""
    if not _HOOK_FILE.fullmatch(path):
        return ()
    try:
        value = json.loads(text[:LONGEST_TEXT])
    except (ValueError, RecursionError):
        return ()
    return hooks_in(value.get("hooks") if isinstance(value, dict) else None)


_BY_NAME: Sequence[tuple[re.Pattern[str], Callable[[str, int], Iterator[Found]]]] = [
    (re.compile(pattern), reader)
    for pattern, reader in (
        (
            r"(?:docker|container)file.*|.*\.dockerfile",
            partial(blocks.recipes, start=blocks.DOCKERFILE),
        ),
        (r"(?:gnu)?makefile|.*\.mk", partial(blocks.recipes, start=blocks.MAKEFILE)),
        (r"\.?justfile", partial(blocks.recipes, start=blocks.JUSTFILE)),
        (r"requirements[\w.-]*\.txt", blocks.requirements),
        (r".*\.(?:tf|hcl)", blocks.provisioners),
        (r"package\.json", lambda text, _: blocks.package(text)),
        (r".*\.json", blocks.servers),
        (r".*\.ya?ml", blocks.workflow),
        (r".*\.html?", _loads),
    )
]
"""The reader of a file other than a program, by its name in lower case."""
