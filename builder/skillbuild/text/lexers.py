"""The door to Pygments: the tokens of a text, about twice as quickly as its lexers give them.

A `RegexLexer` tries the rules of its state one by one, in Python. Here rules that follow each other
are joined to one alternation, so that the engine of regular expressions tries them, in that order.
Lexers that bring a loop of their own are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple, TypeAlias

from pygments.lexer import Lexer, RegexLexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Error, Text, Whitespace, _TokenType

Tokens: TypeAlias = Iterator[tuple[_TokenType, str]]
_Attempt: TypeAlias = Callable[[str, int], "re.Match[str] | None"]
_Callback: TypeAlias = Callable[[Lexer, "re.Match[str]"], Iterator[tuple[int, _TokenType, str]]]
_Change: TypeAlias = "str | int | tuple[str, ...]"

_ALONE = re.compile(r"\\[1-9]|\(\?P|\(\?\(")
"""A reference to a group, or a group with a name."""
_ALONE_FLAGS = re.ASCII | re.LOCALE | re.VERBOSE
_SCOPED_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}
"""Those that a part of an expression can have alone, by their letters."""
_FLAGS_OF_ALL = re.compile(r"\A\(\?[imsu]+\)")


class _LexerRule(NamedTuple):
    """A rule of a state. Without `kind` and `callback` the text that it matches is plain."""

    attempt: _Attempt
    kind: _TokenType | None
    callback: _Callback | None
    change: _Change | None
    """What becomes of the stack of states."""


class _Step(NamedTuple):
    """What is tried at once: one rule, or several by the last group of a match."""

    attempt: _Attempt
    rule: _LexerRule | None
    rules: Mapping[int | None, _LexerRule]


def tokens_of(language: str, is_plain: Callable[[_TokenType], bool]) -> Callable[[str], Tokens]:
    """A function that gives the tokens of texts in a language, known by its alias in Pygments.

    They are those of its lexer, but that plain ones which follow each other may be one. The code
    blocks of a Markdown text are plain: the lexer would try others on them.
    """
    options = {"handlecodeblocks": False, "stripnl": False, "ensurenl": False}
    return quick(get_lexer_by_name(language, **options), is_plain)


def quick(lexer: Lexer, is_plain: Callable[[_TokenType], bool]) -> Callable[[str], Tokens]:
    """What gives the tokens of texts that the lexer does not change; see `tokens_of`."""
    if type(lexer).get_tokens_unprocessed is not RegexLexer.get_tokens_unprocessed:
        return lexer.get_tokens
    return _QuickLexer(lexer, is_plain).tokens


class _QuickLexer:
    """One lexer; the rules of a state are joined when it is first met."""

    def __init__(self, lexer: Lexer, is_plain: Callable[[_TokenType], bool]) -> None:
        self._lexer, self._is_plain = lexer, is_plain
        self._states: dict[str, Sequence[_Step]] = {}

    def tokens(self, text: str) -> Tokens:
        """As `RegexLexer.get_tokens_unprocessed`; the text from `start` on is plain."""
        position = start = 0
        stack = ["root"]
        steps = self._steps("root")
        while True:
            match, rule = _first_match(steps, text, position)
            if match is None or rule is None:
                yield from _plain(text[start:position])
                if position == len(text):
                    return
                ends_line = text[position] == "\n"
                yield Whitespace if ends_line else Error, text[position]
                start = position = position + 1
                stack = ["root"] if ends_line else stack
                steps = self._steps(stack[-1])
                continue
            if rule.kind or rule.callback:
                yield from _plain(text[start:position])
                start = match.end()
            if rule.kind:
                yield rule.kind, match[0]
            elif rule.callback and (own := rule.attempt(text, position)):
                yield from ((kind, value) for _, kind, value in rule.callback(self._lexer, own))
            position = match.end()
            if rule.change is not None:
                _apply(rule.change, stack)
                steps = self._steps(stack[-1])

    def _steps(self, state: str) -> Sequence[_Step]:
        if state not in self._states:
            compiled = getattr(self._lexer, "_tokens")[state]  # noqa: B009
            self._states[state] = list(_joined(list(map(self._rule, compiled))))
        return self._states[state]

    def _rule(
        self, compiled: tuple[_Attempt, _TokenType | _Callback | None, _Change | None]
    ) -> _LexerRule:
        attempt, action, change = compiled
        if isinstance(action, _TokenType):
            return _LexerRule(attempt, None if self._is_plain(action) else action, None, change)
        return _LexerRule(attempt, None, action, change)


def _first_match(
    steps: Sequence[_Step], text: str, position: int
) -> tuple[re.Match[str], _LexerRule] | tuple[None, None]:
    for attempt, rule, rules in steps:
        match = attempt(text, position)
        if match is not None:
            return match, rule or rules[match.lastindex]
    return None, None


def _plain(text: str) -> Tokens:
    if text:
        yield Text, text


def _joined(rules: Sequence[_LexerRule]) -> Iterator[_Step]:
    """Steps that try rules in their order; each joined one ends with an empty group of its own."""
    for can_join, group in groupby(rules, _can_join):
        alike = list(group)
        if not can_join or len(alike) == 1:
            yield from (_Step(rule.attempt, rule, {}) for rule in alike)
            continue
        expressions = [_expression(rule) for rule in alike]
        joined = re.compile("|".join(f"{_scoped(each)}()" for each in expressions))
        ends = accumulate(each.groups + 1 for each in expressions)
        yield _Step(joined.match, None, dict(zip(ends, alike, strict=True)))


def _can_join(rule: _LexerRule) -> bool:
    expression = _expression(rule)
    return not (expression.flags & _ALONE_FLAGS or _ALONE.search(expression.pattern))


def _scoped(expression: re.Pattern[str]) -> str:
    """The same expression as a part of another, with flags of its own."""
    own = "".join(key for key, flag in _SCOPED_FLAGS.items() if expression.flags & flag)
    others = "".join(key for key in _SCOPED_FLAGS if key not in own)
    flags = f"{own}-{others}" if others else own
    return f"(?{flags}:{_FLAGS_OF_ALL.sub('', expression.pattern)})"


def _expression(rule: _LexerRule) -> re.Pattern[str]:
    """What a rule tries: Pygments holds the method `match` of it."""
    pattern: re.Pattern[str] = getattr(rule.attempt, "__self__")  # noqa: B009
    return pattern


def _apply(change: _Change, stack: list[str]) -> None:
    """Change the stack of states as Pygments does; at least one stays."""
    for each in change if isinstance(change, tuple) else (change,):
        if each == "#push":
            stack.append(stack[-1])
        elif isinstance(each, int):
            del stack[max(1, len(stack) + each) :]
        elif each != "#pop":
            stack.append(each)
        elif len(stack) > 1:
            stack.pop()
