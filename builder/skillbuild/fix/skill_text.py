"""The text of a SKILL.md with the positions of its parts, and findings about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from skillbuild.diagnostics import Finding
from skillbuild.fix.edits import Edit, Value
from skillbuild.model import Json, Place
from skillbuild.text.faults import TextFaultError
from skillbuild.text.frontmatter import FRONTMATTER_LINE, SplitText, split_frontmatter
from skillbuild.text.yaml.reader import KeyPath, parse_yaml
from skillbuild.text.yaml.written import Written, WrittenText, read_written


@dataclass(frozen=True)
class SkillText:
    """The text of a SKILL.md. Line numbers count from the start of the file, as in findings, not
    from the start of the frontmatter.
    """

    text: str

    @cached_property
    def split(self) -> SplitText | None:
        """The frontmatter and the body; None unless two `---` lines enclose the frontmatter."""
        try:
            return split_frontmatter(self.text)
        except TextFaultError:
            return None

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the frontmatter, without line endings."""
        return self.split.frontmatter.split("\n") if self.split else []

    @cached_property
    def written(self) -> WrittenText:
        """The positions of keys and values in the frontmatter."""
        frontmatter = self.split.frontmatter if self.split else ""
        return read_written(frontmatter, FRONTMATTER_LINE)

    @cached_property
    def fields(self) -> dict[str, Json] | None:
        """The fields of the frontmatter; None if it cannot be parsed."""
        return self._read[0]

    @cached_property
    def keys_at(self) -> dict[Place, KeyPath]:
        """The key path of the value at each position."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[dict[str, Json] | None, dict[Place, KeyPath]]:
        try:
            document = parse_yaml(self.split.frontmatter, FRONTMATTER_LINE) if self.split else None
        except TextFaultError:
            return None, {}
        if document is None or not isinstance(document.value, dict):
            return None, {}
        return document.value, {place: keys for keys, place in document.places.items()}

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        for line in self.text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @property
    def line_end(self) -> str:
        """The line ending of the first line."""
        return "\r\n" if self.text.partition("\n")[0].endswith("\r") else "\n"

    def index(self, place: Place) -> int:
        """Return the index in the text of a line and column. If the text has fewer lines, return
        the end of the text.
        """
        line = min(place.line, len(self._line_starts))
        return min(self._line_starts[line - 1] + place.column - 1, len(self.text))

    def raw(self, written: Written) -> str:
        """Return a value as written, without trailing whitespace."""
        return self.text[self.index(written.start) : self.index(written.end)].rstrip()

    def edit(self, written: Written, new: str, value: Value, *, is_safe: bool = True) -> Edit:
        """Return the edit that replaces a scalar with `new`. `value` is the value that YAML reads
        from `new`.
        """
        start = self.index(written.start)
        return Edit(start, start + len(self.raw(written)), new, value, is_safe=is_safe)


@dataclass(frozen=True)
class Problem:
    """A finding about a SKILL.md, with the data that is needed to fix it."""

    finding: Finding
    text: SkillText
    folder: str
    """The last segment of the skill's directory or of its mapped path; empty if it is not a valid
    name.
    """
    is_taken: bool
    """Whether another skill also has `folder` as its name or directory."""

    @property
    def value(self) -> Written | None:
        """The value at the position of the finding."""
        place = self.finding.place
        return self.text.written.values.get(place) if place else None

    @property
    def keys(self) -> KeyPath:
        """The key path of the value at the position of the finding."""
        place = self.finding.place
        return self.text.keys_at.get(place, ()) if place else ()
