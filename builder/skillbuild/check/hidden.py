"""Finds text that agents read but that people do not see when the page is rendered.

Harmful instructions are not detected if readers can see them, if they are in an image, or if they
are spread over several files.
"""

from __future__ import annotations

import base64
import codecs
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from skillbuild.diagnostics import Finding, Rule, Severity, finding
from skillbuild.media.types import decode
from skillbuild.model import File, Json, Place, Skill
from skillbuild.paths import SKILL_FILE, inside
from skillbuild.rules import files as rules
from skillbuild.source.documents import Documents
from skillbuild.text.commands import is_shell
from skillbuild.text.invisible import count_runs, hidden
from skillbuild.text.markdown.document import Definition, Document
from skillbuild.text.wording import plural

MARKDOWN = (".md", ".mdx", ".markdown")
_SCRIPTS = (
    *(".py", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".ps1", ".rb", ".pl", ".php"),
)
_MOST = 100
"""Maximum number of places reported for one rule in one text."""
_MOST_NAMED = 5
"""Maximum number of invisible characters that one finding names."""


class Hidden(NamedTuple):
    """Hidden text in a file: the rendered page does not show the text, or shows it differently."""

    rule: Rule
    path: str
    """The path relative to the skill."""
    place: Place
    message: str
    hint: str
    target: str = ""
    """The part of the text that tells several findings of a file apart, if any."""
    is_note: bool = False

    def finding(self, directory: str) -> Finding:
        """Return the finding about this text; `directory` is the directory of the skill.

        Findings of the same rule in the same file are merged, because they have the same cause.
        """
        path = inside(directory, self.path)
        item = finding(self.rule, path, self.place, self.message, self.hint)
        severity = Severity.NOTE if self.is_note else item.severity
        return replace(item, cause=self.path, target=self.target, severity=severity)


def hidden_in(skill: Skill, documents: Documents) -> Iterator[Hidden]:
    """Yield all hidden text in the files of a skill, in order."""
    yield from _in_values(skill)
    for file in skill.files:
        yield from _mixed_path(file)
        text = decode(file.data)
        if text is None:
            continue
        is_markdown = file.path.lower().endswith(MARKDOWN)
        document = documents.of(file.path) if is_markdown else None
        if not text.isascii():
            yield from _invisible(text, file.path)
            yield from _mixed(text, file.path, document)
        if document is not None:
            yield from _in_markdown(document, file.path)
            yield from _packed(document.lines, document.first_line, file.path)
        elif file.path.lower().endswith(_SCRIPTS):
            yield from _packed(text.split("\n"), 1, file.path)


# Invisible characters.


_VALUE = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u061c\\u200e\\u200f]")
"""Characters that no frontmatter value needs, besides the characters of `text.invisible`."""
_ENTITY = re.compile(
    r"&(?:#(?:8203|820[45]|823[4-8]|829[4-7]|8288|65279|173)"
    r"|#x(?:200[b-f]|202[a-e]|206[0-9]|feff|ad|e00[0-7][0-9a-f])"
    r"|zwj|zwnj|ZeroWidthSpace|NoBreak|lrm|rlm|shy|InvisibleTimes|InvisibleComma);",
    re.IGNORECASE,
)


def _invisible(text: str, path: str) -> Iterator[Hidden]:
    matches = list(hidden(text))
    if matches:
        start = matches[0].start()
        place = Place(text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))
        yield _of_characters(path, place, count_runs(text), (match[0][0] for match in matches))


def _of_characters(path: str, place: Place, count: int, characters: Iterator[str]) -> Hidden:
    names = sorted({f"U+{ord(char):04X}" for char in characters})
    message = f"{plural(count, 'place')} with invisible text ({', '.join(names[:_MOST_NAMED])})"
    return Hidden(rules.INVISIBLE_TEXT, path, place, message, "remove the characters")


def _in_values(skill: Skill) -> Iterator[Hidden]:
    """Yield invisible characters that escapes in the frontmatter produce, in values and in keys."""
    source = next((file.data for file in skill.files if file.path == SKILL_FILE), b"")
    if b"\\" not in source:
        return
    written = decode(source) or ""
    places = skill.frontmatter.places
    for keys, value in _values(skill.frontmatter.value):
        found = [match[0] for match in (*hidden(value), *_VALUE.finditer(value))]
        made = [char for char in found if char not in written]
        if made:
            place = places.get(keys) or places.get(keys[:1]) or Place(1, 1)
            yield _of_characters(SKILL_FILE, place, len(made), (char[0] for char in made))


_Keys = tuple[str | int, ...]


def _values(value: Json, keys: _Keys = ()) -> Iterator[tuple[_Keys, str]]:
    """Yield every string in a value, with the keys that lead to it."""
    if isinstance(value, str):
        yield keys, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield (*keys, key), key
            yield from _values(inner, (*keys, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _values(inner, (*keys, number))


# Markdown.


_ORDERS = re.compile(
    r"(?<![\w:-])(?:ignore|disregard|secretly|execute|curl|wget|upload|system prompt"
    r"|do not (?:tell|mention|show)|without (?:asking|telling|mentioning))(?![\w-])"
    r"|\b(?:send|post|forward|submit|e-?mail|transmit)\b.{0,80}\bto\b.{0,60}(?:://|@|\w\.[a-z]{2,}\b)"
    r"|\b(?:read|cat|open|copy|print|include|collect)\b.{0,60}"
    r"(?:~/\.|\.(?:ssh|aws|env)\b|\bcredentials?\b|\bpasswords?\b|\bid_rsa\b|\bprivate keys?\b)",
    re.IGNORECASE | re.DOTALL,
)
"""Orders that a maintainer would not write into a comment except to hide them."""
_ADDRESSED = re.compile(
    r"^(?:always|never|send|you must)\b|\bas an? (?:ai|agent|assistant)\b"
    r"|^(?:(?:(?:note|instructions?) )?(?:for|to) )?(?:the |all )?(?:ai )?"
    r"(?:agents?|assistant|claude|llms?)\s*[:,]",
    re.IGNORECASE,
)
"""Sentences that address an agent."""
_INSTRUCTS = re.compile(r"\b(?:must|always|never|send)\b", re.IGNORECASE)
"""Words that give orders, although the order may concern only the text of the skill."""
_NOTICE = re.compile(
    r"\bcopyright\b|SPDX-License|\blicensed under\b|\b(?:TODO|FIXME|synced|sourced|referenced)\b"
    r"|\b[A-Z]{2,5}-\d+:|\bgenerated (?:by|from)\b|\b(?:based|adapted) (?:on|from)\b",
    re.IGNORECASE,
)
"""Marks comments for maintainers: licenses, sources, tickets, to-do notes."""
_ABOUT_USE = re.compile(
    r"\b(?:users?|agents?|assistant|claude|llms?|you|answers?|repl(?:y|ies)|responses?|requests?"
    r"|conversations?|tools?|commands?|keys?|tokens?|secrets?)\b|://",
    re.IGNORECASE,
)
"""Words that, in such a comment, mark a sentence about the use of the skill, not about its text."""
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n\s*[-*+]\s+")
_FEWEST_WORDS = 3
"""Minimum number of words in a sentence; shorter sentences are labels, or marks of generated
parts.
"""
_NOT_SHOWN = re.compile(
    r"<\w[^<>]*?(?:\shidden(?=[\s>/=])|style\s*=\s*[\"'][^\"'<>]*?(?:display\s*:\s*none"
    r"|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d])|font-size\s*:\s*0(?![.\d])"
    r"|(?<![-\w])color\s*:\s*(?:#fff(?:fff)?\b|white\b)|(?:left|top|text-indent)\s*:\s*-\d{3,}))",
    re.IGNORECASE,
)
_NO_SIZE = re.compile(
    r"<img\b[^<>]*?\s(?:width|height)\s*=\s*[\"']?[01](?:px)?[\"']?(?=[\s/>])", re.IGNORECASE
)
_COMMENT = re.compile(r"<!--[^\x00]{0,4000}?-->")
_LONGEST_HTML = 4000
_BLANK_LINES, _BLANKS_BEFORE = 30, 150
_BLANKS = re.compile(rf"(?<![ \t\u00a0\u3000])[ \t\u00a0\u3000]{{{_BLANKS_BEFORE},}}(?=\S)")
_BROKEN_FENCE = re.compile(r"\s{0,3}`{1,2}(?!`)[\w+-]*\s*\Z")
"""The first line of code between one or two backticks, with its language, or the last line."""
_LONGEST_LABEL = 40
_DEFINITION = re.compile(rf"(\[[^\]]{{1,{_LONGEST_LABEL}}}\]):\s*(\[[^\]]*\][.,;]?\s*$)?")
"""The label of a definition, and its target if that is a placeholder in brackets."""
_COMMENTS = ("//", "COMMENT", "#", "_", "NOTE")


def _in_markdown(document: Document, path: str) -> Iterator[Hidden]:
    text = document.text
    if "&" in text:
        yield from _entities(document, path)
    for definition in islice(document.unused_definitions, _MOST):
        place = Place(definition.line, 1)
        if definition.is_address:
            continue  # An unused definition, as in a list of sources.
        if definition.label in _COMMENTS or definition.target in ("", "#"):
            message = "a comment that is written as a link definition is hidden from people"
            hint = "write the comment as visible text, or remove it"
            yield Hidden(rules.HIDDEN_COMMENT, path, place, message, hint)
        else:
            yield from _unused(document, definition, path)
    if "<!--" in text:
        yield from _comments(document, path)
    if "<" in text and (_NOT_SHOWN.search(text) or _NO_SIZE.search(text)):
        yield from _elements(document, path)
    yield from _after_space(document, path)


def _unused(document: Document, definition: Definition, path: str) -> Iterator[Hidden]:
    """Yield a line that Markdown reads as a definition, unless it is full of placeholders."""
    line = document.lines[definition.line - document.first_line]
    match = _DEFINITION.search(line)
    if match is not None and match[2]:
        return
    label = match[1] if match else f"[{definition.label[:_LONGEST_LABEL].lower()}]"
    message = f"the line that starts with {label} is hidden, because Markdown reads it as a link"
    message += " definition"
    hint = "write \\[ instead of [, or remove the line"
    stray = next((each for each in document.stray_fences if each > definition.line), None)
    if stray is not None:
        hint = f"add the missing opening ``` for the closing ``` on line {stray}"
    place = Place(definition.line, 1)
    is_unsure = stray is not None
    yield Hidden(rules.UNUSED_DEFINITION, path, place, message, hint, label, is_unsure)


def _entities(document: Document, path: str) -> Iterator[Hidden]:
    """Yield invisible characters that are written as HTML entities outside of code."""
    for match in islice(_ENTITY.finditer(document.text), _MOST):
        line = document.text.count("\n", 0, match.start())
        column = match.start() - document.text.rfind("\n", 0, match.start())
        place = Place(document.first_line + line, column)
        if not _is_code(document, place):
            characters = iter(html.unescape(match[0]))
            yield _of_characters(path, place, 1, characters)
            return


def _is_code(document: Document, place: Place) -> bool:
    """Return whether a position is in a code block, or seems to be in a code span."""
    blocks = (*document.fences, *document.indented)
    if any(place.line in each.lines for each in blocks):
        return True
    line = document.lines[place.line - document.first_line]
    return line[: place.column].count("`") % 2 == 1


def _comments(document: Document, path: str) -> Iterator[Hidden]:
    text = document.text
    is_open = text.rfind("<!--") > text.rfind("-->")
    instructs = path == SKILL_FILE and any(map(_instructs, _COMMENT.findall(text)))
    for comment in islice(document.comments if is_open or instructs else (), _MOST):
        inner, end, _ = _text_of(document, comment.start, comment.end).partition("-->")
        if not end:
            message = "an HTML comment that is never closed hides the rest of the file"
            yield Hidden(rules.HIDDEN_COMMENT, path, comment.start, message, "close it with -->")
        elif instructs and _instructs(inner[:_LONGEST_HTML]):
            message = "an HTML comment gives agents instructions that people do not see"
            hint = "write the comment as visible text, or remove it"
            yield Hidden(rules.HIDDEN_COMMENT, path, comment.start, message, hint)


def _instructs(comment: str) -> bool:
    """Return whether any sentence of a comment tells an agent what to do."""
    if _ORDERS.search(comment):
        return True
    inner = comment.removeprefix("<!--").removesuffix("-->")
    is_notice = _NOTICE.search(inner) is not None
    sentences = (sentence.strip() for sentence in _SENTENCES.split(inner))
    return any(
        len(sentence.split()) >= _FEWEST_WORDS
        and (
            (_ADDRESSED.search(sentence) is not None and not is_notice)
            or (_INSTRUCTS.search(sentence) is not None and _ABOUT_USE.search(sentence) is not None)
        )
        for sentence in sentences
    )


def _text_of(document: Document, start: Place, end: Place) -> str:
    first, last = start.line - document.first_line, end.line - document.first_line
    lines = document.lines[first : last + 1]
    return "\n".join(lines)[start.column - 1 :]


def _elements(document: Document, path: str) -> Iterator[Hidden]:
    for element in islice(document.html, 10 * _MOST):
        tag = element.text[:_LONGEST_HTML]
        if tag.startswith("<!--"):
            continue
        if _is_in_broken_fence(document, element.start):
            continue
        if _NOT_SHOWN.search(tag):
            message = "this HTML hides text from people"
            hint = "write the text without this HTML, or remove the text"
            yield Hidden(rules.HIDDEN_HTML, path, element.start, message, hint)
        elif _NO_SIZE.search(tag):
            message = "an invisible image tells its server who opened the file"
            hint = "remove the image"
            yield Hidden(rules.HIDDEN_HTML, path, element.start, message, hint)


def _is_in_broken_fence(document: Document, place: Place) -> bool:
    """Return whether a position is in code between lines of one or two backticks, which are not
    fences.
    """
    lines = document.lines[: place.line - document.first_line]
    marks = [line.strip("` \t") for line in lines if _BROKEN_FENCE.match(line)]
    return bool(marks and marks[-1])


def _after_space(document: Document, path: str) -> Iterator[Hidden]:
    lines, hint = document.lines, "remove the gap"
    if [*map(str.strip, lines)].count("") >= _BLANK_LINES:
        blank = 0
        for number, line in enumerate(lines, document.first_line):
            is_blank = not line.strip()
            if not is_blank and blank >= _BLANK_LINES:
                message = f"people do not see the text after {_BLANK_LINES} blank lines"
                yield Hidden(rules.HIDDEN_BY_SPACE, path, Place(number, 1), message, hint)
                break
            blank = blank + 1 if is_blank else 0
    for number, line in _longer(lines, _BLANKS_BEFORE):
        if "|" not in line and (match := _BLANKS.search(line)):
            place = Place(document.first_line + number, match.end() + 1)
            message = f"people do not see the text after {_BLANKS_BEFORE} spaces"
            yield Hidden(rules.HIDDEN_BY_SPACE, path, place, message, hint)
            break


def _longer(lines: Sequence[str], most: int) -> Sequence[tuple[int, str]]:
    """Return the lines with more than `most` characters, with their index."""
    if max(map(len, lines), default=0) <= most:
        return ()
    return [(number, line) for number, line in enumerate(lines) if len(line) > most]


# Base64.


_LONGEST_PLAIN = 200
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/]{200,}={0,2}")
_UTF8 = codecs.getincrementaldecoder("utf-8")
_DECODED = 160
"""Number of characters of base64 that are decoded for inspection."""
_PACKED = (b"\x1f\x8b", b"x\x9c", b"x\xda", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x7fELF", b"MZ")
"""The first bytes of gzip, zlib, zip, bzip2 and xz files, and of executables."""
_UNWRITTEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Characters that do not occur in text."""
_BEFORE_DATA = re.compile(r"(?:data:[\w/+.-]{0,40};base64,|integrity=\W{0,2}sha\d{3}-)\Z")
_LONGEST_BEFORE = 64


def _packed(lines: Sequence[str], first: int, path: str) -> Iterator[Hidden]:
    for number, line in _longer(lines, _LONGEST_PLAIN):
        match = _BASE64.search(line)
        holds = _holds(match[0]) if match else ""
        if match is None or not holds:
            continue
        if _BEFORE_DATA.search(line[max(0, match.start() - _LONGEST_BEFORE) : match.start()]):
            continue
        place = Place(first + number, match.start() + 1)
        message = f"{len(match[0]):,} characters of base64 that contain {holds}"
        hint = "write the decoded content instead, or put it into a separate file"
        yield Hidden(rules.PACKED_TEXT, path, place, message, hint)
        return


def _holds(text: str) -> str:
    """Return what base64 contains: `text`, or `a program or an archive`; empty for anything else.

    Pictures and keys count as anything else.
    """
    start = base64.b64decode(text[:_DECODED])
    if start.startswith(_PACKED):
        return "a program or an archive"
    try:
        # The last character may be cut; UTF-16 has zero bytes between letters.
        plain = _UTF8().decode(start.replace(b"\0", b""))
    except UnicodeDecodeError:
        return ""
    is_markup = plain.lstrip("\ufeff \r\n").startswith("<")
    return "text" if not is_markup and _UNWRITTEN.search(plain) is None else ""


# Letters that look like Latin ones.


_OTHERS = "\u0400-\u04ff\u0531-\u058f\u13a0-\u13ff"
"""Cyrillic, Armenian and Cherokee letters."""
_MIXED_WORD = re.compile(rf"\b(?=\w{{0,60}}[A-Za-z])(?=\w{{0,60}}[{_OTHERS}])\w+")
_OTHER = re.compile(rf"[{_OTHERS}]")
_SHELLS = (".sh", ".bash", ".zsh", ".ps1")
_ADDRESS = re.compile(r"\bhttps?://[^\s/<>\"')\]]+")
_FIX = "use letters of only one alphabet in this word"


def _mixed_path(file: File) -> Iterator[Hidden]:
    if not file.path.isascii() and (match := _MIXED_WORD.search(file.path)):
        yield _mixed_word(file.path, Place(1, 1), match[0], "the path")


def _mixed(text: str, path: str, document: Document | None) -> Iterator[Hidden]:
    """Yield words that mix two scripts in addresses and commands."""
    if _OTHER.search(text) is None:
        return
    commands = _command_lines(document) if document else range(path.endswith(_SHELLS) << 30)
    for number, line in enumerate(text.split("\n"), 1):
        if line.isascii() or (word := _MIXED_WORD.search(line)) is None:
            continue
        addresses = (_MIXED_WORD.search(line, *each.span()) for each in _ADDRESS.finditer(line))
        where = "an address"
        match = next(filter(None, addresses), None)
        if match is None and number in commands:
            match, where = word, "a command"
        if match is not None:
            yield _mixed_word(path, Place(number, match.start() + 1), match[0], where)
            return


def _command_lines(document: Document) -> set[int]:
    """Return the line numbers of the blocks with commands."""
    blocks = (fence for fence in document.fences if is_shell(fence))
    return set().union(*(each.lines for each in blocks))


def _mixed_word(path: str, place: Place, word: str, where: str) -> Hidden:
    other = _OTHER.search(word)
    name = f"U+{ord(other[0]):04X}" if other else ""
    message = f"{where} contains a word that mixes letters of two alphabets ({name})"
    return Hidden(rules.MIXED_SCRIPT, path, place, message, _FIX)
