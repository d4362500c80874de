"""Edits of a text, and what is said of each to the user.

A text is changed in places and never written anew: every character outside of them stays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from skillbuild.text.yaml.reader import KeyPath

Value = str | bool | None
"""A value that a fix writes; None where it writes none."""


@dataclass(frozen=True, slots=True)
class Edit:
    """`text[start:end]` becomes `new`. If that gives a field another value, it is `value`.

    The value begins `value_at` characters into `new`.
    """

    start: int
    end: int
    new: str
    value: Value = None
    value_at: int = 0
    is_safe: bool = True
    """Whether it has one meaning; else only `--unsafe-fixes` does it."""
    code: str = ""
    """The rule whose finding it fixes."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a finding of a rule that can be fixed is not."""

    reason: str


@dataclass(frozen=True, slots=True)
class Fix:
    """One change as it is told: `old` became `new`, both as they are written in the file.

    Of an executable bit they are modes.
    """

    code: str
    path: str
    line: int | None
    old: str
    new: str
    field: KeyPath = ()
    """The keys that lead to the value, if one was changed."""
    value: Value = None
    """What parsers read there now."""


@dataclass(frozen=True, slots=True)
class Unfixed:
    """A finding that is left although its rule can be fixed, and the reason."""

    code: str
    path: str
    line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A text with edits; `edits` are sorted and their places are those of the original."""

    original: str
    edits: tuple[Edit, ...] = ()

    @property
    def text(self) -> str:
        """The text as the edits leave it."""
        parts, end = [], 0
        for edit in self.edits:
            parts += [self.original[end : edit.start], edit.new]
            end = edit.end
        return "".join([*parts, self.original[end:]])

    def add(self, edit: Edit) -> Draft | None:
        """The draft with one more edit, whose place is one of `text`.

        It stands for the earlier edits that are within it: a value that was quoted can be cut.
        None if it replaces a part of what another wrote.
        """
        shift = inner = 0
        kept: list[Edit] = []
        for number, earlier in enumerate(self.edits):
            start = earlier.start + shift + inner
            end, growth = start + len(earlier.new), _growth(earlier)
            if edit.end <= start:
                if edit.start == start and earlier.start == earlier.end:
                    return None  # Two insertions at one place: nothing says which is first.
                kept += self.edits[number:]
                break
            if end <= edit.start:
                kept.append(earlier)
                shift += growth
            elif edit.start <= start and end <= edit.end:
                inner += growth
            else:
                return None
        moved = replace(edit, start=edit.start - shift, end=edit.end - shift - inner)
        return Draft(self.original, tuple(sorted([*kept, moved], key=_by_place)))

    def starts(self) -> list[int]:
        """Where the value of each edit begins in `text`."""
        starts, shift = [], 0
        for edit in self.edits:
            starts.append(edit.start + shift + edit.value_at)
            shift += _growth(edit)
        return starts


def _growth(edit: Edit) -> int:
    """How many characters longer a text is with an edit."""
    return len(edit.new) - (edit.end - edit.start)


def _by_place(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end
