"""Finds facts in the code blocks of a text, and in files such as Makefiles, manifests and client
settings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from skillbuild.check.facts.found import LONGEST_LINE, Found, shown
from skillbuild.check.facts.hosts import LOCAL, host_of
from skillbuild.check.facts.keys import NAME_OF_KEY, is_no_key
from skillbuild.check.facts.shell import commands_in, is_command
from skillbuild.check.facts.statements import EVERYDAY, PACKAGES_OF_R
from skillbuild.model import DANGERS, RunKind
from skillbuild.text.markdown.document import Fence

MAKEFILE, JUSTFILE, NOTEBOOK = r"\t[@+-]*", r"[ \t]+[@-]*", r"[!%](?=[a-z])"
NOTE = r"[ \t]*(?:#+|\"{3}|'{3})?[ \t]*(?:\$ )?(?=(?:uv )?pip3? install [\w\"'\[-])"
DOCKERFILE, _PROMPT = (
    r"(?i)\s*(?:RUN\s+(?:--\S+\s+)*|(?:ARG|ENV)\s+(?=\w+=))",
    r"(?=\s*(?:[$%\u276f\u279c#]|PS [^>\n]{0,60}>|C:\\[^>\n]{0,60}>)\s+\S)",
)
"""For each kind of text, a pattern for what is before a command on its line."""
_TO_RUN = (
    r"[ \t]*#+[ \t]*(?:(?i:run|usage|start|launch|then|terminal)\b[^:\n]{0,30}:[ \t]*)?(?:\$[ ])?"
    r"(?=(?:accelerate|deepspeed|docker|fastapi|gunicorn|llama-\w+|ollama|streamlit|torchrun|uvicorn"
    r"|vllm|python3?[ ]-m)[ ])"
)
"""What is before a command in a comment that says how to run the code."""
_GO_ON = ("\\", "|", "&&")
_ADDRESS = re.compile(r"\s*(https?://\S+)\s*(?:\n|\Z)")
_REQUEST = re.compile(r"\s*(?:GET|POST|PUT|PATCH|DELETE)\s+(https?://\S+)")
_SERVERS = re.compile(r"\"(?:mcpServers|mcp_servers|servers)\"\s*:\s*\{")
_SERVER = re.compile(
    r"\"(?:url|serverUrl|endpoint|httpUrl|[A-Z0-9_]{0,40}(?:HOST|URL|ENDPOINT))\"\s*:\s*"
    r"\"(https?://[^\"\n]{1,300})\""
)
_GIVEN = re.compile(
    rf"\"(?:(?P<key>{NAME_OF_KEY})\"\s*:|(?P<address>[A-Z][A-Z0-9]*_(?:HOST|URL|ENDPOINT))\"\s*:\s*"
    r"\"(?:\$|<|https?://(?:YOUR|your|<|\$)))"
)
"""A key, or an address of the user, in the environment of an MCP server."""
_STARTED = re.compile(
    r"\"command\"\s*:\s*\"([\w./+-]{1,100})\"(?:\s*,\s*\"args\"\s*:\s*\[([^\[\]]{0,600})\])?"
)
"""The program that starts an MCP server, and its arguments."""
_INLINE = re.compile(r"\binline\s*=\s*\[((?:\s*(?:\"(?:[^\"\\\n]|\\.)*\"|[,\s]|#[^\n]*)){1,200}+)")
_HCL_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"")
_HOOKS = re.compile(
    r"\"(?:(?:Pre|Post)ToolUse|SessionStart|UserPromptSubmit|Stop|SubagentStop|SessionEnd)\""
    r"\s*:\s*\["
)
"""The settings of an agent that name what it runs at each event."""
_HOOK_COMMAND = re.compile(r"\"command\"\s*:\s*\"((?:[^\"\\\n]|\\.){1,600})\"")
_WORD = re.compile(r"\"([^\"\s\\]{1,300})\"")
_SOURCE = re.compile(r"\"source\"\s*:\s*\[?\s*\"")
"""The start of the lines of a cell in a notebook."""
_MOST_SERVERS = 50
_MOST_ADDRESSES = 200
_PACKAGE = re.compile(r"[A-Za-z][\w.-]*(?:\[[\w,. -]*\])?(?=\s*(?:[=<>!~;#@]|\Z))")
_RUN_BY_NPM = ("preinstall", "install", "postinstall", "prepare")


def recipes(text: str, first: int, start: str, *, names_programs: bool = False) -> Iterator[Found]:
    """Yield the facts about the commands in a Makefile, Dockerfile, notebook or transcript.

    `start` is a pattern for the text in front of each command. This text is removed, and lines
    without it are skipped.
    """
    pattern = re.compile(start)
    is_image = start == DOCKERFILE
    names_programs |= is_image
    found = commands_in(_kept(text, pattern.match), first, names_programs=names_programs)
    if is_image:
        yield from _images(text, first)
        found = _in_image(found)
    yield from found


_IMAGE = re.compile(
    r"^[ \t-]*(?:FROM|image:)[ ](?:--platform=\S+[ ])?[\"']?((?:[\w-]+\.)+[a-z]{2,24})/\S+",
    re.MULTILINE,
)
"""A container image, and the host of its registry."""
_IMAGE_OF_HUB = re.compile(
    r"^[ \t-]*(?:FROM|image:)[ ](?:--platform=\S+[ ])?[\"']?"
    r"(?!(?:your|my|some)(?:[-_/]|app|org|image)|\w+\.)([a-z0-9][\w-]*(?:/[\w.-]+)?):[\w.-]+",
    re.MULTILINE,
)
"""A container image of Docker Hub, and its name."""


def _images(text: str, first: int) -> Iterator[Found]:
    """Yield the hosts and names of container images that a file starts from."""
    yield from _named(_IMAGE, "images from {}", text, first)
    yield from _named(_IMAGE_OF_HUB, "the image {}", text, first)


def _in_image(found: Iterator[Found]) -> Iterator[Found]:
    """Yield the facts about commands in an image, which have no rights on this machine."""
    return (item for item in found if item.kind != RunKind.ASKS)


def _kept(text: str, start: Callable[[str], re.Match[str] | None]) -> str:
    """Return the text with each line that is not a command left blank, and without the text in
    front of each command.
    """
    kept, goes_on = [], False
    for line in text.split("\n"):
        match = start(line)
        kept.append(line[match.end() :] if match else line if goes_on else "")
        goes_on = kept[-1].rstrip().endswith(_GO_ON)
    return "\n".join(kept)


def console(fence: Fence) -> Iterator[Found]:
    """Yield the facts about the commands in a console transcript.

    If any line has a prompt, lines without a prompt are treated as output.
    """
    has_prompt = any(map(re.compile(_PROMPT).match, fence.text.split("\n")))
    return recipes(fence.text, fence.line, _PROMPT if has_prompt else "", names_programs=True)


def notebook(fence: Fence) -> Iterator[Found]:
    """Yield the facts about a Python notebook: its shell commands, the packages that comments and
    docstrings say to install, and the commands in comments that run the code.
    """
    if "!" in fence.text or "%" in fence.text:
        yield from recipes(fence.text, fence.line, NOTEBOOK)
    if "pip" in fence.text and " install " in fence.text:
        found = recipes(fence.text, fence.line, NOTE)
        yield from (item for item in found if item.kind == RunKind.INSTALLS)
    if re.search(f"(?m)^{_TO_RUN}", fence.text):
        yield from as_sample(recipes(fence.text, fence.line, _TO_RUN, names_programs=True))


_SIGN = re.compile(r"(?=[ \t]*[$%] )")
_ANY = re.compile("")


def plain(fence: Fence) -> Iterator[Found]:
    """Yield the facts about a block without a language.

    Only lines with a prompt or a known command are treated as commands.
    """

    def start(line: str) -> re.Match[str] | None:
        return _ANY.match(line) if is_command(line.strip()) else _SIGN.match(line)

    kept = _kept(fence.text, start)
    if kept.strip():
        names_programs = any(map(re.compile(_PROMPT).match, fence.text.split("\n")))
        yield from commands_in(kept, fence.line, names_programs=names_programs)


def requests(fence: Fence) -> Iterator[Found]:
    """Yield the hosts of requests such as `GET https://...`.

    In a block that begins with an address, every line that is an address is treated as a request.
    """
    if "://" not in fence.text:
        return
    request = _ADDRESS if _ADDRESS.match(fence.text) else _REQUEST
    for number, line in enumerate(fence.text.split("\n"), fence.line):
        match = request.match(line[:LONGEST_LINE]) if "://" in line else None
        host = host_of(match[1]) if match else ""
        if host:
            yield Found(RunKind.REACHES, "", number, shown(line), host)


_OPEN_STRING = re.compile(r"[^\"']*+(?:\"[^\"]*+\"[^\"']*+|'[^']*+'[^\"']*+)*+[\"']")
"""The start of a line in which a string is open."""


def packages_of_r(text: str, first: int) -> Iterator[Found]:
    """Yield the packages that an R program installs."""
    for number, line in enumerate(text.split("\n") if "install" in text else (), first):
        match = PACKAGES_OF_R.search(line[:LONGEST_LINE]) if "install" in line else None
        if match and not _OPEN_STRING.match(line[: match.start()]):
            yield Found(RunKind.INSTALLS, "R", number, shown(match[0]))


_MANIFESTS: Mapping[str, tuple[str, str, str]] = {
    "pyproject.toml": (
        "pip",
        r"^(?:\[project\](?:\n(?!\[)[^\n]*)*?\n)?dependencies\s*=\s*\[([^\]]{1,3000})",
        r"[\"']([A-Za-z][\w.-]*)",
    ),
    "go.mod": ("Go", r"(?s)(.{1,20000})", r"^\s*(?:require\s+)?((?:[\w-]+\.)+[a-z]+/\S+)\s+v\d"),
    "gemfile": ("gem", r"(?s)(.{1,20000})", r"^\s*gem\s+[\"']([\w-]+)"),
    "package.swift": ("Swift", r"(?s)(.{1,20000})", r"\.package\([^)]{0,80}?url:\s*\"([^\"\n]+)"),
    "environment.yml": (
        "conda",
        r"^dependencies:\s*\n((?:\s*-[^\n]*\n?){1,100})",
        r"-\s+([a-z][\w.-]*)",
    ),
}
"""For manifests: the package manager, the part with the dependencies, and one of these."""


def manifest(name: str, text: str) -> Iterator[Found]:
    """Yield the packages that a manifest such as `go.mod` declares."""
    manager, part, dependency = _MANIFESTS[name]
    section = re.search(part, text, re.MULTILINE)
    names = re.findall(dependency, section[1], re.MULTILINE) if section else []
    if section and names:
        number = 1 + text.count("\n", 0, text.find(names[0], section.start(1)))
        yield Found(RunKind.INSTALLS, manager, number, shown(" ".join(names)))


def is_manifest(name: str) -> bool:
    """Return whether a lower-case file name is the name of a manifest that `manifest` can read."""
    return name in _MANIFESTS


def requirements(text: str, first: int) -> Iterator[Found]:
    """Yield the packages in a `requirements.txt`."""
    lines = enumerate(text.split("\n")[:_MOST_ADDRESSES], first)
    named = [(number, line.strip()) for number, line in lines if _PACKAGE.match(line.strip())]
    if named:
        yield Found(
            RunKind.INSTALLS, "pip", named[0][0], shown(" ".join(line for _, line in named))
        )


_SCRIPT_NEEDS = re.compile(
    r"^# /// script[ ]*\n(?:#[^\n]*\n){0,10}?#[ ]*dependencies[ ]*=[ ]*\[([^\]]{1,600})\]",
    re.MULTILINE,
)
"""The packages that a Python script declares; `uv run` installs them."""


def needs_of_script(text: str) -> Iterator[Found]:
    """Yield the packages that a Python script declares in its `# /// script` block."""
    match = _SCRIPT_NEEDS.search(text) if "# /// script" in text else None
    if match and (names := re.findall(r"[\"']([^\"'\n]+)[\"']", match[1])):
        line = 1 + text.count("\n", 0, match.start(1))
        yield Found(RunKind.INSTALLS, "pip", line, shown(" ".join(names)))


def package(text: str) -> Iterator[Found]:
    """Yield the dependencies in a `package.json`, and the scripts that `npm install` runs.

    The hosts of dependencies that do not come from the npm registry are yielded, too.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    fields: dict[object, object] = value if isinstance(value, dict) else {}
    scripts = _texts_in(fields.get("scripts"))
    for name in filter(scripts.__contains__, _RUN_BY_NPM):
        line = _line_of(text, "scripts", name)
        yield Found(RunKind.HOOK, f"the {name} script in package.json", line, shown(scripts[name]))
        yield from commands_in(scripts[name], line)
    if needed := _texts_in(fields.get("dependencies")):
        line = _line_of(text, "dependencies", next(iter(needed)))
        yield Found(RunKind.INSTALLS, "npm", line, shown(" ".join(needed)))
    for field in ("dependencies", "devDependencies", "optionalDependencies"):
        sources = _texts_in(fields.get(field))
        elsewhere = ((name, source) for name, source in sources.items() if "://" in source)
        for name, source in islice(elsewhere, _MOST_ADDRESSES):
            if host := host_of(source):
                line = _line_of(text, field, name)
                yield Found(RunKind.REACHES, "", line, shown(f"{name}: {source}"), host)


def _texts_in(value: object) -> Mapping[str, str]:
    """Return the string values of a JSON object by key."""
    entries = value.items() if isinstance(value, dict) else ()
    return {str(key): each for key, each in entries if isinstance(each, str)}


def _line_of(text: str, field: str, key: str) -> int:
    """Return the line of a key in the JSON object that is the value of a field."""
    at = text.find(f'"{key}"', max(0, text.find(f'"{field}"')))
    return 1 + text.count("\n", 0, max(0, at))


def cells(text: str) -> Iterator[Fence]:
    """Yield the code cells of a notebook, as blocks of Python."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    every = value.get("cells") if isinstance(value, dict) else None
    at = 0
    for cell in every if isinstance(every, list) else ():
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source")
        lines = source if isinstance(source, list) else [source]
        code = "".join(line for line in lines if isinstance(line, str))
        if code and (start := _SOURCE.search(text, text.find('"code"', at))):
            at = start.end()
            yield Fence("python", code, 1 + text.count("\n", 0, at))


_PROVIDER = re.compile(
    r"^\s*(?:provider\s+\"(?!my|example|type)([a-z][\w-]+)\""
    r"|(?:resource|data)\s+\"(?!null|terraform|example|my|your|provider|type|test|resource)([a-z][a-z0-9]+)_)"
    r"|^\s*source\s+\"(amazon|azure|googlecompute)\b"
    r"|^\s*source\s*=\s*\"(?!my|your|example|xxx)[\w-]+/(?!my|your|example|xxx)([\w-]+)\"\s*$",
    re.MULTILINE,
)
"""The service that a block of Terraform or Packer manages."""
_SECRET_VARIABLE = re.compile(
    r"^[ \t]*variable[ \t]+\"(\w*(?:password|secret|token|api_?key|private_key)\w*)\"", re.MULTILINE
)
"""A variable of Terraform with a secret."""
_DESTROYS = re.compile(r"^[ \t]*(destroy[ \t]*=[ \t]*true)\b", re.MULTILINE)
"""The setting that destroys everything of a deployment of Terraform."""
_SECRET = re.compile(r"\$\{\{[ ]*secrets\.([A-Z][A-Z0-9_]{2,60})[ ]*\}\}")
"""A secret of a repository that a workflow gets."""
_RUN = re.compile(
    r"^[ ]*(?:-[ ]+)?run:[ ]+(?![|>])([^\n]+)"
    r"|^(?P<own>[ ]*)run:[ ]*[|>][+-]?[ ]*\n((?:(?P=own)[ ][^\n]*\n?|[ ]*\n){1,80})"
    r"|^(?P<item>[ ]*)-[ ]+run:[ ]*[|>][+-]?[ ]*\n((?:(?P=item)[ ]{3}[^\n]*\n?|[ ]*\n){1,80})",
    re.MULTILINE,
)
"""A step of a workflow that runs a command on the line of `run:`, or commands below it."""
_SCRIPT = re.compile(
    r"^(?P<key>[ ]*)(?:-[ ]+)?(?:(?:before_|after_)?script|commands?):[ ]*+(?:[|>][+-]?[ ]*+)?\n"
    r"((?:(?P=key)[ ]*(?:-|[ ]{2})[^\n]*\n?|[ ]*\n){1,80})",
    re.MULTILINE,
)
"""The commands of a job of GitLab and other systems, below a key."""
_BULLET = re.compile(r"^[ ]*-[ ](?:[|>][+-]?[ ]*$)?[\"']?", re.MULTILINE)
_OF_DART = re.compile(r"^dependencies:[ ]*\n((?:[ ]+[^\n]*\n?){1,60})", re.MULTILINE)
"""The packages in a `pubspec.yaml`, one a line."""
_PACKAGE_OF_DART = re.compile(r"^[ ]{2}([a-z]\w*):[ ]*[\"']?(?:\^|>=?)?\d", re.MULTILINE)
_IS_JOB = re.compile(r"^[ ]*(?:stage|stages|image|pool|jobs|pipelines|steps):", re.MULTILINE)
"""A key of a file that tells a system for continuous integration what to run."""
_MOST_RUNS = 60
_ACTION = re.compile(r"^[ \t-]*uses:[ \t]*[\"']?([\w.-]+/[\w./-]+)@", re.MULTILINE)
"""An action of GitHub that a workflow runs."""


def _named(pattern: re.Pattern[str], words: str, text: str, first: int) -> Iterator[Found]:
    """Yield each name that a pattern finds in a sample once."""
    seen: set[str] = set()
    for match in islice(pattern.finditer(text), _MOST_SERVERS):
        name = next(filter(None, match.groups()))
        if name not in seen:
            seen.add(name)
            number = first + text.count("\n", 0, match.start(match.lastindex or 0))
            yield Found(RunKind.SAMPLES, words.format(name), number, shown(match[0]))


def as_sample(found: Iterable[Found]) -> Iterator[Found]:
    """Turn facts about commands into facts about sample code; dangers are yielded unchanged."""
    for item in found:
        if item.kind == RunKind.PROGRAM and item.words in EVERYDAY:
            continue
        form = _OF_SAMPLES.get(item.kind)
        if item.kind == RunKind.SAMPLES or item.kind in DANGERS:
            yield item
        elif form is not None and item.host != LOCAL:
            is_any = item.words.startswith("addresses you give")
            words = form.format(item.words) if item.words and not is_any else ""
            if words or item.host:
                yield item._replace(kind=RunKind.SAMPLES, words="" if item.host else words)


_OF_SAMPLES: Mapping[str, str] = {
    RunKind.REACHES: "{}",
    RunKind.INSTALLS: "{} packages",
    RunKind.PACKAGE: "{}",
    RunKind.PROGRAM: "{}",
    RunKind.USES_KEY: "{}",
    RunKind.REMOVES: "{} (deletes)",
    RunKind.CHANGES: "{} (changes resources)",
    RunKind.UNPROTECTS: "{}",
}
"""What is said of a sample that has such a fact."""


def workflow(text: str, first: int) -> Iterator[Found]:
    """Yield the actions, container images, commands and secrets in a YAML workflow, as facts about
    sample code.

    The packages in a `pubspec.yaml` are yielded, too.
    """
    if "uses:" in text:
        yield from _named(_ACTION, "the action {}", text, first)
    if "image:" in text:
        yield from _images(text, first)
    if "secrets." in text:
        yield from _named(_SECRET, "{}", text, first)
    for pattern in (_RUN, _SCRIPT) if _IS_JOB.search(text) else ():
        for match in islice(pattern.finditer(text), _MOST_RUNS):
            group = match.lastindex or 1
            number = first + text.count("\n", 0, match.start(group))
            commands = _BULLET.sub("", match[group])
            yield from as_sample(commands_in(commands, number, names_programs=True))
    packages = _OF_DART.search(text) if "dependencies:" in text else None
    if packages and (names := _PACKAGE_OF_DART.findall(packages[1])):
        number = first + text.count("\n", 0, packages.start(1))
        yield Found(RunKind.INSTALLS, "Dart", number, shown(" ".join(names)))


def provisioners(text: str, first: int) -> Iterator[Found]:
    """Yield the providers, modules, secret variables and `destroy` settings in a Packer or
    Terraform configuration, and the facts about the commands in its `inline` lists.
    """
    yield from _named(_PROVIDER, "the provider {}", text, first)
    if "variable" in text:
        yield from _named(_SECRET_VARIABLE, "{}", text, first)
    if match := _DESTROYS.search(text) if "destroy" in text else None:
        number = first + text.count("\n", 0, match.start(1))
        yield Found(RunKind.REMOVES, match[1], number, shown(match[1]))
    for match in islice(_INLINE.finditer(text), _MOST_SERVERS) if "inline" in text else ():
        for string in _HCL_STRING.finditer(match[1]):
            line = first + text.count("\n", 0, match.start(1) + string.start())
            command = string[1].replace('\\"', '"').replace("\\\\", "\\")
            yield from _in_image(commands_in(command, line, names_programs=True))


def client_hooks(text: str, first: int) -> Iterator[Found]:
    """Yield the hooks in a block of client settings, and the facts about the commands of these
    hooks.
    """
    match = _HOOKS.search(text) if '"command"' in text else None
    if match is None:
        return
    number = first + text.count("\n", 0, match.start())
    yield Found(RunKind.LATER, "", number, shown(text[match.start() :]))
    for command in islice(_HOOK_COMMAND.finditer(text, match.start()), _MOST_SERVERS):
        number = first + text.count("\n", 0, command.start())
        yield from commands_in(command[1].replace('\\"', '"'), number, names_programs=True)


def settings(text: str, first: int) -> Iterator[Found]:
    """Yield the MCP servers, hooks and allowed commands in a block of client settings, or the npm
    dependencies in a block from a `package.json`.
    """
    yield from servers(text, first)
    yield from client_hooks(text, first)
    allowed = _ALLOWED.search(text) if '"allow"' in text or "Bash(" in text else None
    packages = _OF_NPM.search(text) if '"dependencies"' in text else None
    if allowed:
        number = first + text.count("\n", 0, allowed.start(1))
        yield Found(RunKind.UNASKED, "allow rules in settings", number, shown(allowed[0]))
    if packages:
        number = first + text.count("\n", 0, packages.start())
        yield Found(RunKind.INSTALLS, "npm", number, shown(packages[1]))


_ALLOWED = re.compile(
    r"(?:\"allow\"\s*:|\A)\s*\[\s*\"((?:Bash|WebFetch|Edit|Write)\([^\"\n]{0,100})"
)
"""A rule that lets an agent run commands, change files or fetch pages without asking."""
_OF_NPM = re.compile(
    r"\"dependencies\"\s*:\s*\{\s*(\"@?[\w./-]+\"\s*:\s*\"[~^*\d>=<a-z][^\"\n]{0,60}\"[^{}]{0,600})"
)
"""The packages in a `package.json`."""


def servers(text: str, first: int) -> Iterator[Found]:
    """Yield the MCP servers in a block of client settings, and the hosts of these servers."""
    match = _SERVERS.search(text) if 'ervers"' in text else None
    if match is None or "mcp" not in text.lower():
        return
    number = first + text.count("\n", 0, match.start())
    yield Found(RunKind.MCP_SERVER, "", number, shown(match[0]))
    for started in islice(_STARTED.finditer(text, match.start()), _MOST_SERVERS):
        number = first + text.count("\n", 0, started.start())
        words = " ".join(_WORD.findall(started[2] or ""))
        yield from commands_in(f"{started[1]} {words}", number, names_programs=True)
    for given in islice(_GIVEN.finditer(text, match.start()), _MOST_SERVERS):
        number = first + text.count("\n", 0, given.start())
        if given["key"] and not is_no_key(given["key"]):
            yield Found(RunKind.USES_KEY, given["key"], number, shown(given[0]))
        elif given["address"]:
            words = f"the address in {given['address']}"
            yield Found(RunKind.REACHES, words, number, shown(given[0]))
    for server in islice(_SERVER.finditer(text, match.start()), _MOST_SERVERS):
        if host := host_of(server[1]):
            number = first + text.count("\n", 0, server.start())
            yield Found(RunKind.REACHES, "", number, shown(server[0]), host)
