"""The texts of the documentation: their blocks of code, and the parts that are generated.

`commands.md`, `configure.md` and `rules.md` have a heading for each command, setting and rule. What
follows it comes from the parser, the JSON Schema of the settings, and the registry of rules with
its case files; examples that somebody wrote into the first two are kept. `serve.md` has a section
for each client that pages know.
"""

from __future__ import annotations

import argparse
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from helpers import TESTS, case_files
from skillbuild import assets
from skillbuild.cli.grammar import parser
from skillbuild.config import config_schema
from skillbuild.emit.site.clients import ANY_HOST, CLIENTS, Client
from skillbuild.model import Listing, label
from skillbuild.rules.registry import RULES
from skillbuild.text.wording import joined

FOLDER = TESTS.parent / "site_src" / "docs"
CASES = TESTS / "cases" / "check"

_BLOCK = re.compile(r"^(`{3,})([^\n]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"^\| (?:option|argument) \|.*\n(?:\|.*\n)+", re.MULTILINE)
_FACTS = re.compile(r"\A.*?^- Default: [^\n]*\n", re.MULTILINE | re.DOTALL)
_MOST_LINES = 14
_MOST_COLUMNS = 250


class Block(NamedTuple):
    """A block of code of a text."""

    page: str
    language: str
    marks: Sequence[str]
    """Words after the language, such as `not-run`."""
    text: str


def blocks(page: str, *languages: str) -> list[Block]:
    """The blocks of code of a text, in order; all of them without languages."""
    found = []
    for match in _BLOCK.finditer(assets.documentation_text(page)):
        language, *marks = match[2].split() or [""]
        if not languages or language in languages:
            found.append(Block(page, language, marks, match[3]))
    return found


def sections(text: str, level: int = 2) -> tuple[str, dict[str, str]]:
    """What stands before the first heading of a level; then the text below each, by its words."""
    start, *rest = re.split(rf"^{'#' * level} (.+)\n", text, flags=re.MULTILINE)
    return start, dict(zip(rest[::2], rest[1::2], strict=True))


# Commands.


def commands() -> Mapping[str, argparse.ArgumentParser]:
    top = parser()
    action = next(each for each in top._actions if isinstance(each, argparse._SubParsersAction))
    return dict(action.choices)


def commands_page(old: str) -> str:
    start, kept = sections(old)
    pieces = [start]
    for name, command in commands().items():
        title = f"skillbuild {name}"
        _, _, written = kept.get(title, "").partition("\n\n")
        written = _TABLE.sub("", written.partition("\n\n")[2]).strip()
        pieces.append(f"## {title}\n\n{command.description}\n\n")
        pieces.append(f"`{_usage(title, command)}`\n\n")
        pieces.append(f"{written}\n\n" if written else "")
        pieces.append("\n".join(_arguments(command)) + "\n\n")
    return "".join(pieces).rstrip() + "\n"


def _usage(title: str, command: argparse.ArgumentParser) -> str:
    words = [title, "[OPTIONS]"]
    for each in command._get_positional_actions():
        word = str(each.metavar) if each.metavar else "|".join(map(str, each.choices or ()))
        optional = each.nargs in ("?", "*")
        words.append(f"[{word}{' ...' if each.nargs == '*' else ''}]" if optional else word)
    return " ".join(words)


def _arguments(command: argparse.ArgumentParser) -> Iterator[str]:
    yield "| argument | meaning |"
    yield "|---|---|"
    for each in command._get_positional_actions():
        yield f"| `{each.metavar or each.dest.upper()}` | {_words(each)} |"
    for each in command._get_optional_actions():
        value = each.metavar or ""
        if each.choices:
            value = "|".join(map(str, each.choices))
        spelled = [f"{name} {value}".strip() for name in each.option_strings[-1:]]
        spelled += each.option_strings[:-1]
        yield f"| {', '.join(f'`{_cell(name)}`' for name in spelled)} | {_words(each)} |"


def _words(argument: argparse.Action) -> str:
    words = str(argument.help or "")
    return _cell("print help and exit" if argument.dest == "help" else words)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


# Settings.


def configure_page(old: str) -> str:
    start, kept = sections(old)
    return start + "".join(_settings(kept)).rstrip() + "\n"


def settings() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The heading of each setting, its key with those of its table in front, and its schema."""
    schema = json.loads(config_schema())
    for key, value in schema["properties"].items():
        table = _table(value, schema)
        listed = value.get("type") == "array" and "$ref" in value.get("items", {})
        is_table = table is not None or "additionalProperties" in value
        heading = f"[[{key}]]" if listed else f"[{key}]" if is_table else key
        yield heading, key, value
        for name, inner in (table or {}).items():
            yield f"{key}.{name}", f"{key}.{name}", inner


def _table(value: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The keys of a table of the file; of a list of tables, those of each."""
    kinds = [value, value.get("items", {}), value.get("additionalProperties", {})]
    kinds += value.get("anyOf", [])
    for kind in kinds:
        if isinstance(kind, dict) and "$ref" in kind:
            name = kind["$ref"].rpartition("/")[2]
            properties: Mapping[str, Any] = schema["$defs"][name]["properties"]
            return properties
    return None


def _settings(kept: Mapping[str, str]) -> Iterator[str]:
    every = list(settings())
    for heading, key, value in every:
        if "." in key:
            continue
        inner = [each for each in every if each[1].startswith(f"{key}.")]
        own = kept.get(heading, "")
        first, more = sections(own, 3)
        yield f"## {heading}\n\n{_facts(value)}\n{_written(first)}"
        for name, _, part in inner:
            yield f"### {name}\n\n{_facts(part)}\n{_written(more.get(name, ''))}"


def _written(section: str) -> str:
    rest = _FACTS.sub("", section).strip()
    return f"{rest}\n\n" if rest else ""


def _facts(value: Mapping[str, Any]) -> str:
    default = value.get("default")
    no_limit = default == 0 and default is not False
    said = "none" if no_limit or default in (None, "", [], {}) or isinstance(default, dict) else ""
    said = said or f"`{json.dumps(default)}`"
    said = said if "default" in value else "none; the setting is required"
    return f"{value['description']}\n\n- Type: {_type(value)}\n- Default: {said}\n"


def _type(value: Mapping[str, Any]) -> str:
    options = [each for each in value.get("anyOf", ()) if each.get("type") != "null"]
    if options and value.get("type") is None:
        return " or ".join(map(_type, options))
    if choices := value.get("enum"):
        if len(choices) > 10:
            return "code of a rule"
        return joined([f"`{json.dumps(each)}`" for each in choices], "or")
    if value.get("type") == "array":
        items = value["items"]
        if "enum" in items:
            return f"list of {_type(items)}"
        return "list of tables" if "$ref" in items else "list of strings"
    if value.get("type") == "integer" and "maximum" in value:
        return f"integer from {value['minimum']:,} to {value['maximum']:,}"
    return {"object": "table", None: "table"}.get(value.get("type"), str(value.get("type")))


# Rules.


def rules_page(old: str) -> str:
    start, _ = sections(old)
    pieces = [start.rstrip() + "\n\n"]
    for code, rule in RULES.items():
        pieces += [f"## {code}\n\n", f"{_outcome(code)}: {rule.summary}.\n\n"]
        pieces += [f"{rule.explanation}\n\n", _example(code)]
    return "".join(pieces).rstrip() + "\n"


def _outcome(code: str) -> str:
    rule = RULES[code]
    lists = dict.fromkeys("MCP" if each is Listing.MCP else label(each) for each in rule.unlists)
    names = f", not listed in {joined(list(lists), 'or')}" if lists else ""
    return f"**{str(rule.severity).capitalize()}**{names}"


def _example(code: str) -> str:
    """A short file that meets the rule with what is said of it, and one that does not."""
    case_file = CASES / f"{code}.txt"
    if not case_file.exists():
        return ""
    case = case_files.read(case_file)
    files = case.files.files
    bad = min(
        _findings(code, case.want), key=lambda each: _length(files.get(each[0])), default=None
    )
    if bad is None:
        return ""
    path, said = bad
    shown = files.get(path) if path != "." else None
    text = _shown(path, shown, said) if _length(shown) <= _MOST_LINES else _fence("", said)
    good = files.get(f"fixed/{path.rpartition('/')[2]}")
    if _length(good) > _MOST_LINES or _length(shown) > _MOST_LINES:
        return f"For example:\n\n{text}"
    return f"Bad:\n\n{text}Good:\n\n{_shown('', good, '')}"


def _findings(code: str, want: str) -> Iterator[tuple[str, str]]:
    """Path and message of each finding of a rule, with its hint."""
    for match in re.finditer(rf"^\S.*\[{code}\].*\n(?:    .*\n)*", want, re.MULTILINE):
        path = re.match(r"(.*?)(?::\d+)*: (?:error|warning|note)\[", match[0])
        if path is not None and max(map(len, match[0].splitlines())) <= _MOST_COLUMNS:
            yield path[1], match[0]


def _length(data: bytes | None) -> int:
    """Lines of a file; more than are shown if it cannot be shown."""
    if data is None:
        return _MOST_LINES + 1
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _MOST_LINES + 1
    lines = text.split("\n")[:-1] or [text]
    plain = all(
        line.replace("\t", "").isprintable() and len(line) <= _MOST_COLUMNS for line in lines
    )
    return len(lines) if plain and lines else _MOST_LINES + 1


def _shown(path: str, data: bytes | None, said: str) -> str:
    kind = {"md": "markdown", "toml": "toml", "json": "json"}.get(
        Path(path or "a.md").suffix[1:], ""
    )
    text = (data or b"").decode()
    return _fence(kind, text) + (_fence("", said) if said else "")


def _fence(language: str, text: str) -> str:
    text = text if text.endswith("\n") else f"{text}\n"
    marks = "`" * max(3, *(len(run) + 1 for run in re.findall("`{3,}", text)), 3)
    return f"{marks}{language}\n{text}{marks}\n\n"


# Hosts.


def serve_page(old: str) -> str:
    start, own = sections(old)
    own["Connect a host"] = "\n" + "".join(map(_host, [*CLIENTS, ANY_HOST]))
    own["Folders that clients read"] = "\n".join(["", _FOLDERS, "", *_folders(), "", ""])
    return start + "".join(f"## {title}\n{text}" for title, text in own.items())


def _host(client: Client) -> str:
    name = "Other hosts" if client is ANY_HOST else client.name
    file, _, more = client.mcp_place.partition(", ")
    where = "In a shell" if file == "shell" else f"In `{file}`" + (f", {more[:-1]}" if more else "")
    local, remote = map(_pretty, (client.mcp, client.http("https://skills.example/mcp")))
    return f"### {name}\n\n{where}:\n\n{local}For a server at a URL:\n\n{remote}"


def _pretty(config: str) -> str:
    """A block with a configuration of one line as a file would have it, with one key a line."""
    if config.startswith("{"):
        text = json.dumps(json.loads(config), indent=2)
        # Lists stay on one line.
        lists = re.compile(r"\[[^\[\]{}]*\]")
        return _fence("json", lists.sub(lambda own: json.dumps(json.loads(own[0])), text))
    if " = {" in config:
        [(table, servers)] = tomllib.loads(config).items()
        [(name, values)] = servers.items()
        rows = (f"{key} = {json.dumps(value)}\n" for key, value in values.items())
        return _fence("toml not-run", f"[{table}.{name}]\n{''.join(rows)}")
    name, brace, values = config.partition(": {")
    if brace:
        lines = re.sub(r", (?=\w+: )", "\n  ", values.removesuffix("}"))
        return _fence("", f"{name}:\n  {lines}")
    return _fence("", config)


_FOLDERS = (
    "Without MCP, clients look for skills in these folders of the project and of the user's home"
    " directory:"
)


def _folders() -> Iterator[str]:
    yield "| client | project | user | tested with |"
    yield "|---|---|---|---|"
    for each in CLIENTS:
        tried = each.tried or "not tested"
        yield f"| {each.name} | `{each.project}` | `{each.personal}` | {tried} |"


GENERATED = {
    "commands": commands_page,
    "configure": configure_page,
    "rules": rules_page,
    "serve": serve_page,
}
"""By page, a function from its text to what it should be."""
