"""What the mend of a rule looks at: a finding, and the text of the SKILL.md that it is in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from skillbuild.diagnostics import Finding
from skillbuild.fix.changes import Edit
from skillbuild.fix.whole import Whole
from skillbuild.model import Json, Place
from skillbuild.paths import base_name, is_skill_name, parent
from skillbuild.text.faults import TextFaultError
from skillbuild.text.frontmatter import FRONTMATTER_LINE, SplitText, split_frontmatter
from skillbuild.text.yaml.reader import KeyPath, parse_yaml
from skillbuild.text.yaml.written import Written, WrittenText, read_written


@dataclass(frozen=True)
class SkillText:
    """The text of a SKILL.md; places are those of its file, as findings have them."""

    text: str

    @cached_property
    def split(self) -> SplitText | None:
        """None without two fences."""
        try:
            return split_frontmatter(self.text)
        except TextFaultError:
            return None

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the frontmatter, without line ends."""
        return self.split.frontmatter.split("\n") if self.split else []

    @cached_property
    def written(self) -> WrittenText:
        """Where the keys and values of the frontmatter stand."""
        frontmatter = self.split.frontmatter if self.split else ""
        return read_written(frontmatter, FRONTMATTER_LINE)

    @cached_property
    def fields(self) -> dict[str, Json] | None:
        """The fields of the frontmatter, None where it cannot be read."""
        return self._read[0]

    @cached_property
    def keys_at(self) -> dict[Place, KeyPath]:
        """The keys that lead to the value at a place."""
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
        """The line end of the first line."""
        return "\r\n" if self.text.partition("\n")[0].endswith("\r") else "\n"

    def index(self, place: Place) -> int:
        """The index of a place; that of the end if the file has become shorter meanwhile."""
        line = min(place.line, len(self._line_starts))
        return min(self._line_starts[line - 1] + place.column - 1, len(self.text))

    def raw(self, written: Written) -> str:
        """A value as it is written, without white space after it."""
        return self.text[self.index(written.start) : self.index(written.end)].rstrip()

    def edit(self, written: Written, new: str, value: Json, *, is_safe: bool = True) -> Edit:
        """The edit that writes `new`, which has this value, in the place of a scalar."""
        start = self.index(written.start)
        return Edit(start, start + len(self.raw(written)), new, value, is_safe=is_safe)


@dataclass(frozen=True)
class Subject:
    """One finding, with the text of its file if that is a SKILL.md in UTF-8."""

    finding: Finding
    skill_text: SkillText | None
    whole: Whole

    @property
    def directory(self) -> str:
        """The directory that the file is in."""
        return parent(self.finding.path)

    @property
    def folder(self) -> str:
        """The last segment of its place in the catalog, if the specification allows it as a name.

        `[paths]` decides; without an entry it is the name of the directory.
        """
        name = base_name(self.whole.config.paths.get(self.directory, self.directory))
        return name if is_skill_name(name) else ""

    def value(self) -> Written | None:
        """The value at the place of the finding."""
        text, place = self.skill_text, self.finding.place
        return text.written.values.get(place) if text and place else None

    def keys(self) -> KeyPath:
        """The keys that lead to it."""
        text, place = self.skill_text, self.finding.place
        return text.keys_at.get(place, ()) if text and place else ()
