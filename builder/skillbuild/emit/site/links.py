"""Resolves the links in a skill's files, and finds references to other skills.

References are found by pattern matching, so some are missed. Missed references do no harm, because
references are only a convenience for readers.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from urllib.parse import quote, unquote

from skillbuild.emit.site.addresses import between, file_pages, skill_page
from skillbuild.emit.site.sources import CUT, source_of
from skillbuild.media.types import decode
from skillbuild.model import Entry, File, Skill
from skillbuild.paths import SKILL_FILE, prefixes
from skillbuild.release.layout import blob_path
from skillbuild.source.documents import Documents
from skillbuild.source.outline import Outline
from skillbuild.text.markdown.render import Resolve

# Links.


_IMAGE_SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
_OUTSIDE = re.compile(r"(https?://|mailto:)", re.IGNORECASE)
_LEAVES_THE_SITE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|\\")
"""A target that may lead a browser to another origin. Browsers read a backslash as a slash (WHATWG
URL).
"""
_LINE = re.compile(r"L([1-9][0-9]{0,6})(?:-L?[0-9]{1,7})?")
_LONGEST_ADDRESS = 2048


def is_markdown(path: str) -> bool:
    return path.endswith((".md", ".markdown"))


def is_image(data: bytes) -> bool:
    """Return whether the data begins like a PNG, JPEG, GIF or WebP file. Pages may show such
    images.
    """
    is_webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    return is_webp or data.startswith(_IMAGE_SIGNATURES)


MOST_TO_READ = 256_000
"""Maximum bytes of a text file that has a page."""
_NOT_FOR_READING = re.compile(
    r"(?:.*/)?(?:[^/]*\.lock|[^/]*-lock\.(?:json|ya?ml)|npm-shrinkwrap\.json|go\.sum"
    r"|[^/]*\.(?:sig|asc|pem|crt|map|snap)|[^/]*\.min\.(?:js|css))"
    r"|(?:.*/)?(?:fixtures?|testdata|__snapshots__)/.*",
    re.IGNORECASE,
)
"""Generated files and test data, which have no page."""
_DATA = re.compile(
    r".*\.(?:json|jsonl|ndjson|geojson|ipynb|ya?ml|xml|xsd|svg|csv|tsv)", re.IGNORECASE
)
_MOST_DATA = 32_000
"""Maximum bytes of a data file that has a page."""


def _is_for_reading(file: File) -> bool:
    most = _MOST_DATA if _DATA.fullmatch(file.path) else MOST_TO_READ
    if len(file.data) > most or _NOT_FOR_READING.fullmatch(file.path):
        return False
    return decode(file.data) is not None


@dataclass(frozen=True, slots=True)
class PagePlace:
    """The path of a page in the output, and a fragment: empty, or `#` and an id on the page."""

    page: str
    fragment: str = ""

    def address(self, page: str) -> str:
        """Return the relative address of this place for a link on another page."""
        return between(page, self.page) + self.fragment


@dataclass(frozen=True)
class Links:
    """The links in one skill: to the web, to its own files, and to pages of other skills."""

    skill: Skill
    entry: Entry
    documents: Documents
    outline: Outline
    has_file_pages: bool = True
    """Whether files have pages. If not, a link to a file leads to its row on the skill's page."""
    other_page: str = ""
    """The path of the page that shows the skill, if it is not the page at the skill path."""

    @property
    def own_page(self) -> str:
        """The path of the page that shows the skill."""
        return self.other_page or skill_page(self.entry.path)

    @functools.cached_property
    def pages(self) -> Mapping[str, str]:
        """Map the path of each file in the skill to the path of the file's page.

        A file has a page if people read files of its kind, or if the skill's page links to the
        file.
        """
        if not self.has_file_pages:
            return {}
        cited = {SKILL_FILE, *self._cited, *self._linked()}
        files = self.skill.files
        shown = [file.path for file in files if file.path in cited or _is_for_reading(file)]
        return file_pages(self.entry.path, shown)

    @functools.cached_property
    def _cited(self) -> frozenset[str]:
        """Paths of the files with lines that facts or findings refer to."""
        facts, directory = self.entry.facts, self.entry.directory
        above = f"{directory}/" if directory else ""
        placed = (finding for finding in self.entry.findings if finding.line is not None)
        found = (finding.path.removeprefix(above) for finding in placed)
        return frozenset((*(fact.path for fact in facts.runs), *found))

    def has_lines(self, path: str) -> bool:
        """Return whether the page of a text file shows its source lines. The page of a Markdown
        file other than SKILL.md shows them only if a fact or finding refers to a line.
        """
        return path == SKILL_FILE or not is_markdown(path) or path in self._cited

    def _linked(self) -> Iterator[str]:
        """Yield the paths that SKILL.md links to."""
        document = self.documents.of(SKILL_FILE)
        for link in document.references() if document else ():
            yield posixpath.normpath(unquote(_END.split(link.target, maxsplit=1)[0]))

    @functools.cached_property
    def row_ids(self) -> Mapping[str, str]:
        """Map the path of each file to the id of its row in the table on the page of the skill."""
        return {item.path: f"file-{n}" for n, item in enumerate(self.entry.resources, 1)}

    @functools.cached_property
    def blobs(self) -> Mapping[str, str]:
        """Map the path of each file to the path of its content in the output."""
        return {item.path: blob_path(item.digest) for item in self.entry.resources}

    @functools.cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(part for path in self.row_ids for part in prefixes(path)) | {"."}

    @functools.cached_property
    def _contents(self) -> Mapping[str, bytes]:
        return {file.path: file.data for file in self.skill.files}

    def file_place(self, path: str, fragment: str = "") -> PagePlace:
        """Return the place that shows a file: the page of the file, or its row on the skill's page.
        If the file has no page, the fragment is ignored.
        """
        if path in self.pages:
            return PagePlace(self.pages[path], fragment)
        return PagePlace(self.own_page, f"#{self.row_ids[path]}")

    def line_place(self, path: str, line: int) -> PagePlace:
        """Return the place that shows a line. If the page leaves out this line, return the place of
        the note that says so. Line 0 stands for the whole file.
        """
        return self.file_place(path, self._line(path, line))

    def _line(self, path: str, line: int) -> str:
        """Return the fragment of a line, or of the note that it is left out; empty if there is
        none.
        """
        if not self.has_lines(path):
            return ""
        if path not in self._lines:
            self._lines[path] = self._count_lines(path)
        shown, count = self._lines[path]
        if not 0 < line <= count:
            return ""
        return f"#L{line}" if line <= shown else f"#{CUT}"

    @functools.cached_property
    def _lines(self) -> dict[str, tuple[int, int]]:
        """For each path, the number of lines that the file's page shows, and the number in
        total.
        """
        return {}

    def _count_lines(self, path: str) -> tuple[int, int]:
        text = decode(self._contents[path])
        source = source_of(text) if text is not None else None
        return (source.lines, source.all_lines) if source is not None else (0, 0)

    def resolver(self, page: str, file: str) -> Resolve:
        """Return a function that resolves the links in a file of the skill for use on `page`."""
        return functools.partial(self._address, page, posixpath.dirname(file))

    def _address(self, page: str, folder: str, kind: str, target: str) -> str | None:
        """Return the address, for a link on `page`, of a link or image in a text file in `folder`;
        None drops the link.
        """
        if len(target) > _LONGEST_ADDRESS:
            return None
        if kind == "link" and _OUTSIDE.match(target):
            return target
        if _LEAVES_THE_SITE.match(target):
            return None
        bare, _, fragment = target.partition("#")
        path = posixpath.normpath(posixpath.join(folder, unquote(bare.partition("?")[0])))
        if kind == "image":
            data = self._contents.get(path, b"")
            return between(page, self.blobs[path]) if is_image(data) else None
        place = self._place(path, unquote(fragment))
        return place.address(page) if place else None

    def _place(self, path: str, fragment: str) -> PagePlace | None:
        """Return the page for a path that is relative to the skill; None if there is no such
        page.
        """
        if path in self.row_ids:
            place = self._fragment(path, fragment)
            if path == "SKILL.md" and not place.startswith(("#L", f"#{CUT}")):
                return PagePlace(self.own_page, place)
            return self.file_place(path, place)
        if path in self._folders:
            return PagePlace(self.own_page, "#files")
        return self._place_outside(path) if path.startswith("..") else None

    def _place_outside(self, path: str) -> PagePlace | None:
        """Return the page of another skill, if the path is its directory or a file in it; else
        None.
        """
        absolute = posixpath.normpath(posixpath.join(self.entry.directory, path))
        other = None if absolute.startswith("..") else self.outline.skill_at(absolute)
        if other is None or other.path is None:
            return None
        absolute = self.outline.original(absolute)
        is_file = any(leaf.path == absolute for leaf in other.leaves)
        is_skill = is_file or absolute == other.directory
        return PagePlace(skill_page(other.path)) if is_skill else None

    def _fragment(self, path: str, fragment: str) -> str:
        """Return `#` and the id of a line or heading that exists in the file; empty for other
        fragments.
        """
        text = decode(self._contents[path]) if fragment else None
        if text is None:
            return ""
        line = _LINE.fullmatch(fragment)
        if line:
            return self._line(path, int(line[1]))
        name = fragment.lower()
        document = self.documents.of(path) if path.endswith(".md") else None
        is_heading = document is not None and name in document.anchors
        return f"#user-content-{quote(name)}" if is_heading else ""


# References.


_LINK_UP = re.compile(r"(?:\./)?\.\./[^#?]")
_END = re.compile("[#?]")
_NAME_IN_CODE = re.compile(r"`[/$@]?([a-z0-9]+(?:-[a-z0-9]+)+)`")
"""A skill name in a code span. It must contain a hyphen, because a single word may mean anything.
"""
_MOST = 50
_MOST_FILES = 400
"""A skill with more files is not searched for unreferenced files."""
_LONGEST = 4 * 1024 * 1024
_SELF_EVIDENT = re.compile(
    r"(?:.*/)?(?:SKILL\.md|README[^/]*|LICEN[CS]E[^/]*|NOTICE[^/]*|CHANGELOG[^/]*|[._][^/]*|__init__\.py"
    r"|requirements[^/]*\.txt|package(-lock)?\.json|pyproject\.toml|Makefile|Dockerfile)"
    r"|(?:agents|tests?|evals?|\.[^/]*)/.*",
    re.IGNORECASE,
)
"""Files that people and programs find by their usual name or folder."""


def refers(skill: Skill, documents: Documents, outline: Outline) -> tuple[str, ...]:
    """Return the paths of the skills that a skill links to, then the possible skill names in the
    code spans of SKILL.md. Each name has the prefix `?`, because it can be resolved only when all
    skills are known.
    """
    linked = dict.fromkeys(islice(_linked(skill, documents, outline), _MOST))
    names = dict.fromkeys(islice(_NAME_IN_CODE.findall(skill.body), _MOST))
    return (*linked, *(f"?{name}" for name in names))


def _linked(skill: Skill, documents: Documents, outline: Outline) -> Iterator[str]:
    for file in skill.files:
        if not file.path.endswith(".md") or b"../" not in file.data:
            continue
        document = documents.of(file.path)
        folder = posixpath.join(skill.directory, posixpath.dirname(file.path))
        for link in document.references() if document else ():
            target = unquote(_END.split(link.target, maxsplit=1)[0])
            path = posixpath.normpath(posixpath.join(folder, target))
            if not _LINK_UP.match(link.target) or path.startswith(("..", f"{skill.directory}/")):
                continue
            other = outline.skill_at(path)
            if other is not None and other.path and other.path != skill.path:
                yield other.path


def unreached(skill: Skill) -> Sequence[str]:
    """Return the files that are mentioned neither in SKILL.md nor in any file that can be reached
    from SKILL.md.

    A mention is the path of a file, its name with or without extension, or a folder that contains
    the file. A returned file is almost certainly unused. Other files may be unused too.
    """
    texts = {file.path: text for file in skill.files if (text := decode(file.data)) is not None}
    if len(skill.files) > _MOST_FILES or sum(map(len, texts.values())) > _LONGEST:
        return []
    missing = {file.path: _names(file.path) for file in skill.files if _is_asked(file.path)}
    waiting = [path for path in texts if path not in missing]
    while waiting and missing:
        text = texts.get(waiting.pop(), "")
        reached = [path for path, names in missing.items() if any(name in text for name in names)]
        for path in reached:
            del missing[path]
        waiting += reached
    return sorted(missing)


def _is_asked(path: str) -> bool:
    return not _SELF_EVIDENT.fullmatch(path)


def _names(path: str) -> Sequence[str]:
    """Return all strings by which a text may refer to a file."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    above = [f"{part}/" for part in folder.split("/") if part]
    return [name, *([stem] if len(stem) > 2 else []), *above]


def resolved_references(refers: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """Map the path of each skill to the paths of the skills that this skill refers to. `refers`
    contains the results of `refers()`. Names that several skills share are dropped.
    """
    by_name: dict[str, str] = {}
    for path in refers:
        name = path.rpartition("/")[2]
        by_name[name] = "" if name in by_name else path
    return {path: _targets(path, each, refers, by_name) for path, each in refers.items()}


def _targets(
    own: str, refers: Sequence[str], paths: Mapping[str, Sequence[str]], by_name: Mapping[str, str]
) -> Sequence[str]:
    every = (by_name.get(each[1:], "") if each[0] == "?" else each for each in refers)
    return sorted({path for path in every if path in paths and path != own})
