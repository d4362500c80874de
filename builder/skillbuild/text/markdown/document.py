"""A Markdown text in GitHub's dialect, parsed once for rules, facts, search and pages."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.parser_inline import RuleFuncInlineType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, backtick, html_inline, image, link
from markdown_it.token import Token
from mdit_py_plugins.gfm import gfm_plugin

from skillbuild.model import Place

LONGEST_TEXT = 256 * 1024
"""Maximum characters of a text that is parsed, because some inputs take quadratic time."""
_ROOM = LONGEST_TEXT
"""Characters of HTML that are always allowed, so that short texts may grow by any factor."""
_MOST_GROWTH = 4
_TAG = 20
"""Estimated number of HTML characters for one token, without its content."""
_LINK = "]("
"""Characters that every block with a link or image contains, unless the link or image refers to a
definition.
"""
_DEFINITION = re.compile(
    r"(?<![^\r\n])(?:[ \t>*+\d.)-]|\[\^[^\]\r\n]{1,99}\]:)*\[(?:[^\[\]\\]|\\.){1,999}\]:"
)
"""Matches every text that defines a link, also inside lists and quotes."""
_FENCE_SIGNS, _FRONTMATTER_SIGN = ("```", "~~~"), "---"
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: `level` is its level on the page (2 to 6); `line` is the number of its first line
    in the file.
    """

    level: int
    id: str
    text: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block of code; `line` is the line number of its first line of code in the file."""

    language: str
    """The first word after the fence, as written."""
    text: str
    line: int

    @property
    def lines(self) -> range:
        """The line numbers of the code in the file."""
        return range(self.line, self.line + self.text.count("\n") + 1)


@dataclass(frozen=True, slots=True)
class Reference:
    """A `link`, an `image` or a `code` span.

    `target` is the address as written, or the code. `place` is the position of the target in the
    file. If the target contains escapes or comes from a definition, `place` is the position of the
    whole link.
    """

    kind: str
    target: str
    place: Place
    in_label: bool = False
    """Whether it is inside the text of a link."""


@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of a link, as in `[label]: target`, and the line where it begins."""

    label: str
    target: str
    line: int
    title: str = ""

    @property
    def is_address(self) -> bool:
        """Whether the target is a web address, and the title is either empty or the same as the
        target.
        """
        is_web = self.target.startswith(("http://", "https://"))
        return is_web and self.title in ("", self.target)


@dataclass(frozen=True, slots=True)
class Html:
    """A piece of raw HTML, which is either tags or a comment, and the position where it begins."""

    text: str
    start: Place


@dataclass(frozen=True, slots=True)
class Comment:
    """An HTML comment, from the position of `<!--` to the position after `-->`."""

    start: Place
    end: Place


class Document:
    """A text that is parsed on demand: first its blocks, then the inline content of each block.

    Raw HTML is treated as text, as on the pages. A text longer than `LONGEST_TEXT` is only split
    into lines.
    """

    def __init__(self, text: str, first_line: int = 1) -> None:
        """Use a text; `first_line` is the number of its first line in its file."""
        self.text = text
        self.first_line = first_line

    @functools.cached_property
    def lines(self) -> list[str]:
        """The lines without their line endings, which can be LF, CRLF or CR as in CommonMark."""
        return _LINE_END.split(self.text)

    @property
    def is_too_long(self) -> bool:
        """Whether the text is too long to be parsed."""
        return len(self.text) > LONGEST_TEXT

    @functools.cached_property
    def is_plain(self) -> bool:
        """Whether pages must show the Markdown source instead of rendering it.

        This is the case if the text is too long to parse, or if the HTML would be far too long.
        """
        most = _MOST_GROWTH * len(self.text) + _ROOM
        return self.is_too_long or (self._blocks.may_outgrow(most) and _weight(self.tokens) > most)

    @functools.cached_property
    def headings(self) -> tuple[Heading, ...]:
        """All headings that contain words, with their levels and ids on a page."""
        return tuple(_headings(self._blocks))

    @functools.cached_property
    def anchors(self) -> frozenset[str]:
        """The URL fragments of the headings on a page, without `#`."""
        return frozenset(heading.id.removeprefix(ID_PREFIX) for heading in self.headings)

    @functools.cached_property
    def fences(self) -> tuple[Fence, ...]:
        """The fenced code blocks, including those in lists and block quotes."""
        has_sign = any(sign in self.text for sign in _FENCE_SIGNS)
        if not has_sign and not self.text.startswith(_FRONTMATTER_SIGN):
            return ()
        return tuple(
            Fence(_first_word(token.info), token.content, self.first_line + token.map[0] + 1)
            for token in self._blocks.tokens
            if token.type == "fence" and token.map
        )

    @functools.cached_property
    def indented(self) -> tuple[Fence, ...]:
        """The code blocks that are indented instead of fenced."""
        return tuple(
            Fence("", token.content, self.first_line + token.map[0])
            for token in self._blocks.tokens
            if token.type == "code_block" and token.map
        )

    def references(self, code: re.Pattern[str] | None = None) -> Iterator[Reference]:
        """Yield the links and images in order, and all code spans of each block that matches
        `code`.

        Autolinks (`<https://...>`) and bare URLs are not included.
        """
        text = self.text
        if _LINK in text or _defines(text) or (code is not None and code.search(text)):
            yield from self._blocks.references(code)

    def code_spans(self, code: re.Pattern[str]) -> Iterator[Reference]:
        """Yield all code spans of each block that matches `code`, in order."""
        if code.search(self.text):
            yield from self._blocks.code_spans(code)

    @functools.cached_property
    def comments(self) -> tuple[Comment, ...]:
        """The HTML comments outside of code; to find them, the text is parsed with HTML enabled."""
        return tuple(self._html_blocks.comments()) if "<!--" in self.text else ()

    @functools.cached_property
    def html(self) -> tuple[Html, ...]:
        """The raw HTML outside of code. Pages show this HTML as text."""
        return tuple(self._html_blocks.html())

    @functools.cached_property
    def unused_definitions(self) -> tuple[Definition, ...]:
        """The link definitions that no link refers to; readers of a page do not see them."""
        if self.is_too_long or not _defines(self.text):
            return ()
        return tuple(self._blocks.unused_definitions())

    @functools.cached_property
    def stray_fences(self) -> tuple[int, ...]:
        """The line numbers of fences that seem to end a code block, although no code block is open.

        Markdown parses such a fence as the start of a new block. The fence is included if the new
        block has no end, or if another fence with a language begins inside it.
        """
        return tuple(_stray_fences(self)) if "```" in self.text else ()

    @functools.cached_property
    def _cut_samples(self) -> tuple[range, ...]:
        """The ranges of lines that belong to a Markdown sample although its fence has ended."""
        return tuple(_cut_samples(self)) if "```" in self.text else ()

    def is_aside(self, place: Place) -> bool:
        """Whether a position in the file is in an HTML comment, or in the rest of a Markdown sample
        whose fence ended too early.

        A sample that contains fences needs an outer fence of four marks. With three, the end of the
        first inner fence also ends the outer one, and the rest of the sample becomes normal text.
        """
        at = (place.line, place.column)
        return any(place.line in lines for lines in self._cut_samples) or any(
            (each.start.line, each.start.column) <= at < (each.end.line, each.end.column)
            for each in self.comments
        )

    @functools.cached_property
    def tokens(self) -> Sequence[Token]:
        """All tokens of the text for the renderer, which must not change them."""
        return self._blocks.finished()

    @functools.cached_property
    def _blocks(self) -> _Blocks:
        return _Blocks(self, html=False)

    @functools.cached_property
    def _html_blocks(self) -> _Blocks:
        """The blocks of a second parse that recognizes HTML."""
        return _Blocks(self, html=True)


ID_PREFIX = "user-content-"
"""The prefix of all ids that come from a text, so that no id becomes a variable in a script."""


def _defines(text: str) -> bool:
    """Whether a text may define a link; most texts lack the end of a label."""
    return "]:" in text and _DEFINITION.search(text) is not None


class _Blocks:
    """The blocks of a text, and the inline content of blocks, parsed on demand."""

    def __init__(self, document: Document, *, html: bool) -> None:
        self.document = document
        self.parser = _parser(html=html)
        self.environment = environment()
        text = "" if document.is_too_long else document.text
        self.tokens = self.parser.parse(text, self.environment)
        self._has_all_marks = False
        self._has_marks = [token.type != "inline" for token in self.tokens]

    def marks(self, number: int) -> Sequence[Token]:
        """Return the inline tokens of the block at index `number` in `tokens`.

        Footnotes are numbered in the order in which the parser finds them. So if the text has
        footnotes, all blocks are parsed at once.
        """
        if "footnotes" in self.environment and not self._has_all_marks:
            self._has_all_marks = True
            for each in range(len(self.tokens)):
                self._parse_marks(each)
        self._parse_marks(number)
        return self.tokens[number].children or ()

    def _parse_marks(self, number: int) -> None:
        if not self._has_marks[number]:
            self._has_marks[number] = True
            token, marks = self.tokens[number], list[Token]()
            self.parser.inline.parse(token.content, self.parser, self.environment, marks)
            token.children = marks

    def may_outgrow(self, most: int) -> bool:
        """Return whether the estimated length of the HTML could exceed `most` characters.

        The check uses an upper bound, so that inline content need not be parsed.
        """
        weight = sum(
            _TAG + len(token.content) * (_TAG if token.type == "inline" else 1)
            for token in self.tokens
        )
        return weight > most or "references" in self.environment

    def finished(self) -> Sequence[Token]:
        """Return all tokens with their inline content; footnotes come at the end."""
        for number in range(len(self.tokens)):
            self.marks(number)
        state = StateCore(self.document.text, self.parser, self.environment, list(self.tokens))
        _finisher().core.process(state)
        return state.tokens

    def references(self, code: re.Pattern[str] | None) -> Iterator[Reference]:
        has_names = bool(self.environment.get("references"))

        def may_refer(content: str) -> bool:
            return (
                _LINK in content
                or (has_names and "[" in content)
                or (code is not None and code.search(content) is not None)
            )

        for number, places in self._placed(may_refer):
            yield from _references(places, self.marks(number))

    def code_spans(self, code: re.Pattern[str]) -> Iterator[Reference]:
        for number, places in self._placed(lambda text: code.search(text) is not None):
            for each in _references(places, self.marks(number)):
                if each.kind == "code":
                    yield each

    def unused_definitions(self) -> Iterator[Definition]:
        defined = self.environment.get("references")
        if not isinstance(defined, dict):
            return
        inlines = [number for number, token in enumerate(self.tokens) if "[" in token.content]
        marks = [mark for number in inlines for mark in _every(self.marks(number))]
        used = {mark.meta.get("label") for mark in marks}
        for label, definition in defined.items():
            if label not in used:
                line = self.document.first_line + definition["map"][0]
                target, title = str(definition["href"]), str(definition.get("title", ""))
                yield Definition(label, target, line, title)

    def html(self) -> Iterator[Html]:
        first = self.document.first_line
        for token in self.tokens:
            if token.type == "html_block":
                yield Html(token.content, Place(first + (token.map or [0])[0], 1))
        for number, places in self._placed(lambda content: "<" in content):
            for mark in self.marks(number):
                if mark.type == "html_inline":
                    yield Html(mark.content, places.at(mark.meta[_SPAN][0]))

    def comments(self) -> Iterator[Comment]:
        first = self.document.first_line
        for token in self.tokens:
            if token.type == "html_block" and token.content.lstrip().startswith("<!--"):
                start, end = token.map or (0, 0)
                yield Comment(Place(first + start, 1), Place(first + end, 1))
        for number, places in self._placed(lambda content: "<!--" in content):
            for mark in self.marks(number):
                if mark.type == "html_inline" and mark.content.startswith("<!--"):
                    start, end = mark.meta[_SPAN]
                    yield Comment(places.at(start), places.at(end))

    def _placed(self, is_wanted: Callable[[str], bool]) -> Iterator[tuple[int, _ContentPlaces]]:
        """Yield the index of each block with wanted content, and the positions of its
        characters.
        """
        ends: dict[int, int] = {}
        for number, token in enumerate(self.tokens):
            if token.type == "inline" and token.map and is_wanted(token.content):
                yield number, _places(self.document, token.content, token.map[0], ends)


_MARKS = re.compile(r"[ \t>]*```(?!`)[ \t]*(\w*)(?!.*```)")
"""The beginning of a line that opens or closes a fence of three marks, and its language."""
_LANGUAGES_OF_SAMPLES = frozenset(["", "md", "markdown", "mdx", "text", "txt"])
_LONGEST_SAMPLE = 400
"""Maximum lines between the end of a fence and the end of the sample that it cut short."""


def _cut_samples(document: Document) -> Iterator[range]:
    lines, first = document.lines, document.first_line
    for fence in document.fences:
        number = fence.line - first
        opening = _MARKS.match(lines[number - 1])
        if opening is None or opening[1].lower() not in _LANGUAGES_OF_SAMPLES:
            continue
        end = number + fence.text.count("\n")
        depth = sum(map(_opens, lines[number:end]))
        for after in range(end + 1, min(len(lines), end + 1 + _LONGEST_SAMPLE) if depth else 0):
            if match := _MARKS.match(lines[after]):
                depth += 1 if match[1] else -1
            if depth == 0:
                yield range(first + end + 1, first + after + 1)
                break


def _stray_fences(document: Document) -> Iterator[int]:
    lines, first = document.lines, document.first_line
    for fence in document.fences:
        number = fence.line - first
        mark = _MARKS.match(lines[number - 1])
        end = number + fence.text.count("\n")
        has_end = end < len(lines) and _MARKS.match(lines[end]) is not None
        is_odd = not has_end or any(map(_opens, lines[number:end]))
        if mark is not None and not mark[1] and is_odd:
            yield fence.line - 1


def _opens(line: str) -> bool:
    """Whether a line opens a fence with a language."""
    match = _MARKS.match(line)
    return match is not None and match[1] != ""


@dataclass(frozen=True, slots=True)
class _ContentPlaces:
    """The positions in the file of the characters in a block."""

    content: str
    first_line: int
    columns: Sequence[int]
    """The column of the first character of each line of the content."""
    is_escaped: bool
    """Whether it is a table cell that had a backslash before each `|`."""

    def at(self, index: int) -> Place:
        start = self.content.rfind("\n", 0, index) + 1
        number = self.content.count("\n", 0, index)
        column = self.columns[number] + index - start
        if self.is_escaped:
            column += self.content.count("|", start, index + 1)
        return Place(self.first_line + number, column)


def _places(document: Document, content: str, first: int, ends: dict[int, int]) -> _ContentPlaces:
    """Return the positions of a block whose content begins in line `first` of the text, counted
    from 0.

    A line of the content is a line of the text without the prefixes of the blocks around it. `ends`
    maps a line to the end of the last content in it, because the cells of a row share a line.
    """
    columns, is_escaped = [], False
    for number, part in enumerate(content.split("\n"), first):
        words, line, end = part.strip(), document.lines[number], ends.get(number, 0)
        at = line.find(words, end)
        if at < 0 and "|" in words:
            words, is_escaped = words.replace("|", "\\|"), True
            at = line.find(words, end)
        at = max(at, 0)
        ends[number] = at + len(words)
        columns.append(at - (len(part) - len(part.lstrip())) + 1)
    return _ContentPlaces(content, document.first_line + first, columns, is_escaped)


def _references(places: _ContentPlaces, marks: Sequence[Token]) -> Iterator[Reference]:
    """Yield the references in one block; a link comes after the references inside its text."""
    opened: list[Token] = []
    for mark in marks:
        if mark.type == "link_open":
            opened.append(mark)
            continue
        token = opened.pop() if mark.type == "link_close" else mark
        kind, target = _target(token)
        if target and _SPAN in token.meta:
            start, end = token.meta[_SPAN]
            at = _index(places.content, kind, target, start, end)
            yield Reference(kind, target, places.at(at), bool(opened))


def _target(token: Token) -> tuple[str, str]:
    """Return the kind and target of a reference; both are empty if the token is not a reference."""
    match token.type:
        case "link_open":
            return "link", str(token.attrGet("href") or "")
        case "image":
            return "image", str(token.attrGet("src") or "")
        case "code_inline":
            return "code", token.content
        case _:
            return "", ""


def _index(content: str, kind: str, target: str, start: int, end: int) -> int:
    """Return the index of a target in `content[start:end]`, the whole link or code span."""
    if kind == "code":
        at = content.find(target, start, end)
        return at if at >= 0 else end - len(content[start:end].lstrip("`"))
    for prefix in ("](", "](<"):
        at = content.rfind(prefix + target, start, end)
        if at >= 0:
            return at + len(prefix)
    return start


def _headings(blocks: _Blocks) -> Iterator[Heading]:
    """Yield the headings that have words, in order; each is noted on its token, for the renderer.

    They are one level lower than written, and at most one level below the previous heading.
    """
    level = 1
    anchors: set[str] = set()
    repeated: Counter[str] = Counter()
    for number, token in enumerate(blocks.tokens):
        if token.type != "heading_open":
            continue
        text = text_of(blocks.marks(number + 1)).strip()
        if not text:
            continue
        level = min(6, int(token.tag[1]) + 1, level + 1)
        slug = anchor = slug_of(text)
        while anchor in anchors:
            repeated[slug] += 1
            anchor = f"{slug}-{repeated[slug]}"
        anchors.add(anchor)
        line = blocks.document.first_line + (token.map or [0])[0]
        heading = Heading(level, f"{ID_PREFIX}{anchor}", text, line)
        token.meta[HEADING] = heading
        yield heading


def slug_of(text: str) -> str:
    """Return the anchor that GitHub gives to a heading, without the numeric suffix of a repeated
    heading.
    """
    return _NOT_IN_ANCHOR.sub(_mark, text.lower()).replace(" ", "-") or "section"


_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")


def _mark(match: re.Match[str]) -> str:
    """Return the character of a match if it is an accent or a vowel sign; otherwise nothing."""
    return match[0] if unicodedata.category(match[0]).startswith("M") else ""


def _first_word(info: str) -> str:
    return info.strip().partition(" ")[0]


def text_of(marks: Sequence[Token]) -> str:
    """Return the inline content of a block as plain text, with line breaks as spaces."""
    parts = []
    for mark in marks:
        if mark.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif mark.type == "image":
            parts.append(text_of(mark.children or []))
        else:
            parts.append(mark.content)
    return "".join(parts)


def _weight(tokens: Sequence[Token]) -> int:
    """Return the estimated length of the HTML: the content of the tokens, and `_TAG` characters
    each.
    """
    every = list(_every(tokens))
    values = (value for token in every if token.attrs for value in token.attrs.values())
    return sum(len(token.content) + _TAG for token in every) + sum(map(len, map(str, values)))


def _every(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _every(token.children or ())


@functools.cache
def _parser(*, html: bool) -> MarkdownIt:
    """Return a parser of blocks; its `inline` parses their inline content."""
    parser = markdown(["normalize", "block"], html=html)
    for name, rule in _SPANNED.items():
        parser.inline.ruler.at(name, _noting_span(rule))
    return parser


@functools.cache
def _finisher() -> MarkdownIt:
    """Return the steps to run on the tokens after all inline content is parsed."""
    return markdown(["footnote_tail", "text_join"])


def markdown(steps: Sequence[str], *, html: bool = False) -> MarkdownIt:
    """Return a parser for our dialect of Markdown. The parser runs only `steps`, and leaves
    addresses as written.
    """
    dialect = MarkdownIt("commonmark", {"html": html, "typographer": False, "store_labels": True})
    gfm_plugin(dialect)
    dialect.block.ruler.before("table", "frontmatter", _frontmatter)
    dialect.core.ruler.enableOnly(steps)
    dialect.inline.terminator_re = _STOP
    dialect.normalizeLink = lambda url: url  # type: ignore[method-assign]
    dialect.validateLink = lambda url: True  # type: ignore[method-assign]
    return dialect


_FRONTMATTER = re.compile(r"[A-Za-z_][\w .-]{0,99}:(?:\s|$)")
_MOST_FRONTMATTER = 200
"""Maximum lines of frontmatter."""


def _frontmatter(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Parse frontmatter at the start of a text as a YAML block, so that `---` does not make a
    heading.
    """
    if line or state.parentType != "root" or state.getLines(0, 1, 0, False).rstrip() != "---":
        return False
    if not _FRONTMATTER.match(state.getLines(1, min(2, end), 0, False)):
        return False
    for last in range(2, min(end, _MOST_FRONTMATTER)):
        if state.getLines(last, last + 1, 0, False).rstrip() == "---":
            if not silent:
                token = state.push("fence", "code", 0)
                token.info, token.markup, token.map = "yaml", "---", [0, last + 1]
                token.content = state.getLines(1, last, 0, True)
            state.line = last + 1
            return True
    return False


def environment() -> dict[str, object]:
    """Return the initial parser state for one text.

    With this state, footnote ids get the same prefix as all other ids that come from a text:
    `fn-user-content-1`.
    """
    return {"docId": ID_PREFIX.rstrip("-")}


_STOP = re.compile(r"[\n\\`\[\]<&*_~@]|!(?=\[)|(?<=[pso]):|w(?=ww\.)")
"""Matches where an inline rule may begin; the parser's own set also stops at every `w` and for
unused rules."""
_SPAN, HEADING = "span", "heading"
"""Keys in the `meta` of tokens, for the start and end of an inline element in its block, and for a
`Heading`."""
_SPANNED = {"backticks": backtick, "link": link, "image": image, "html_inline": html_inline}


def _noting_span(rule: RuleFuncInlineType) -> RuleFuncInlineType:
    """Return a rule that also notes where the inline element that it finds begins and ends."""

    def noting(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        is_found = rule(state, silent)
        if is_found and not silent and len(state.tokens) > count:
            # The text before the element may have become a token, too.
            own = count + (state.tokens[count].type == "text")
            state.tokens[own].meta[_SPAN] = (start, state.pos)
        return is_found

    return noting
