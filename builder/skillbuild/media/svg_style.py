"""The style sheet of an SVG icon, written into the `style` of the elements that it is about.

Drawing programs write `.st0{fill:#fff}` and `class="st0"`. Only selectors of a tag, classes and an
id are taken, so every rule can be applied here and no style sheet is published; at-rules,
combinators and escapes are errors. Section numbers are those of Selectors Level 4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillbuild.media.svg_allowed import (
    SvgError,
    declarations_in,
    references_in_style,
    shown,
)

MAX_SELECTORS = 256
MAX_WRITTEN = 256 * 1024
"""Characters that all elements together get from the style sheet, at most."""

_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
_RULE = re.compile(r"\s*+([^{}]*+)\{([^{}]*+)\}\s*+", re.ASCII)
_SELECTOR = re.compile(r"(?=.)(\*|[A-Za-z]\w*+)?((?:[.#][A-Za-z_][-\w]*+)*+)", re.ASCII)
_CLASS_OR_ID = re.compile(r"[.#][^.#]++")
_BLANKS = re.compile(r"[ \t\r\n\f]++")


@dataclass(frozen=True, slots=True)
class _Rule:
    """Declarations for one selector; `names` are its classes and ids, each with its sign."""

    tag: str | None
    names: frozenset[str]
    declarations: tuple[tuple[str, str], ...]

    @property
    def specificity(self) -> tuple[int, int, int]:
        """How much it outweighs other rules (17)."""
        ids = sum(name.startswith("#") for name in self.names)
        return ids, len(self.names) - ids, self.tag is not None


@dataclass(slots=True)
class StyleSheet:
    """All rules of an SVG, the weakest first, and the characters that they have given so far."""

    rules: Sequence[_Rule] = ()
    written: int = 0

    def declarations(self, tag: str, attributes: Mapping[str, str]) -> list[tuple[str, str]]:
        """What the rules say of an element, in the order in which later ones win."""
        if not self.rules:
            return []
        names = {f".{name}" for name in _BLANKS.split(attributes.get("class", ""))}
        names.add(f"#{attributes.get('id', '')}")
        matching = [each for each in self.rules if each.tag in (None, tag) and each.names <= names]
        declarations = [pair for each in matching for pair in each.declarations]
        self.written += sum(len(name) + len(value) for name, value in declarations)
        if self.written > MAX_WRITTEN:
            raise SvgError(f"the SVG's style sheet gives more than {MAX_WRITTEN} characters")
        return declarations


def read_style_sheet(text: str) -> StyleSheet:
    """The rules in the text of all `style` elements; `SvgError` for what cannot be applied here."""
    rules = []
    sheet, at = _COMMENT.sub(" ", text), 0
    while match := _RULE.match(sheet, at):
        at = match.end()
        declarations = tuple(declarations_in(match[2]))
        references_in_style("style", list(declarations))
        rules += [_rule(each.strip(" \t\r\n\f"), declarations) for each in match[1].split(",")]
    if rest := sheet[at:].strip():
        raise SvgError(f"the style sheet has {shown(rest)}, which is not allowed in an icon")
    if len(rules) > MAX_SELECTORS:
        raise SvgError(f"the SVG's style sheet has more than {MAX_SELECTORS} selectors")
    return StyleSheet(sorted(rules, key=lambda rule: rule.specificity))


def _rule(selector: str, declarations: tuple[tuple[str, str], ...]) -> _Rule:
    match = _SELECTOR.fullmatch(selector)
    if match is None:
        raise SvgError(f"the selector {shown(selector)} is not allowed in an icon")
    names = frozenset(_CLASS_OR_ID.findall(match[2]))
    return _Rule(None if match[1] == "*" else match[1], names, declarations)
