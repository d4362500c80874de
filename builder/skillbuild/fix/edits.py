"""Edits to a text. Each edit replaces one range of characters and leaves all other characters
unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

Value = str | bool | None
"""The value that a fix writes; None if it does not write one."""


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that replaces `text[start:end]` with `new`.

    If the edit changes the value of a field, `value` is the new value of this field. The value
    begins `value_at` characters after the start of `new`.
    """

    start: int
    end: int
    new: str
    value: Value = None
    value_at: int = 0
    is_safe: bool = True
    """Whether there is only one possible fix; otherwise it needs `--unsafe-fixes`."""
    code: str = ""
    """The code of the rule whose finding it fixes."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a finding is not fixed although its rule is fixable."""

    reason: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A text with edits. The edits are sorted, and their positions refer to the original text."""

    original: str
    edits: tuple[Edit, ...] = ()

    @property
    def text(self) -> str:
        """The text with all edits applied."""
        parts, end = [], 0
        for edit in self.edits:
            parts += [self.original[end : edit.start], edit.new]
            end = edit.end
        return "".join([*parts, self.original[end:]])

    def add(self, edit: Edit) -> Draft | None:
        """Return the draft with one more edit. The position of this edit refers to the edited
        `text`.

        The new edit replaces earlier edits that it covers completely, so a value that has been
        quoted can still be shortened. Returns None if the new edit covers only part of an earlier
        edit, or if both insert text at the same position.
        """
        shift = inner = 0
        kept: list[Edit] = []
        for number, earlier in enumerate(self.edits):
            start = earlier.start + shift + inner
            end, growth = start + len(earlier.new), _growth(earlier)
            if edit.end <= start:
                if edit.start == start and earlier.start == earlier.end:
                    return None  # Two insertions at one position have no defined order.
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
        """Return the positions in `text` where the values of the edits begin."""
        starts, shift = [], 0
        for edit in self.edits:
            starts.append(edit.start + shift + edit.value_at)
            shift += _growth(edit)
        return starts


def _growth(edit: Edit) -> int:
    """Return the number of characters that an edit adds to a text; negative if it shortens the
    text.
    """
    return len(edit.new) - (edit.end - edit.start)


def _by_place(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end
