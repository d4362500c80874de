"""Which mends a source needs: it is checked again with them, until nothing is left to mend.

Nothing is written. A mend can make room for the next: where a frontmatter could not be read, its
fields are checked only once it can.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from skillbuild.compile.check_only import SkillChecker
from skillbuild.compile.pool import Pool
from skillbuild.compile.request import Report, Request
from skillbuild.compile.result import Compiler, SkillResult
from skillbuild.compile.skills import check_source, compile_skills
from skillbuild.diagnostics import Finding
from skillbuild.fix.changes import Draft, Mend, Refusal, Rename, SetBit, Unmended
from skillbuild.fix.mending import answer_to, mend_text, unmended
from skillbuild.fix.overlay import MendedSource, Overlay
from skillbuild.fix.proof import declared
from skillbuild.fix.subject import SkillText, Subject
from skillbuild.fix.table import MENDS
from skillbuild.fix.whole import Whole
from skillbuild.paths import SKILL_FILE, base_name, collision_key, parent, prefixes
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.survey import DeclaredName
from skillbuild.source.tree import Leaf, Reader

NO_BITS = "git does not read executable bits here; use git update-index --chmod"
_MOST_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class NewText:
    """The text of a SKILL.md that has mends; paths are those of the source as it is."""

    path: str
    draft: Draft

    def mends(self) -> list[Mend]:
        return declared(self.draft, self.path)


@dataclass(frozen=True, slots=True)
class NewBit:
    """The executable bit of a file, for a finding of the rule `code`."""

    path: str
    executable: bool
    code: str

    def mends(self) -> list[Mend]:
        modes = ("100644", "100755") if self.executable else ("100755", "100644")
        return [Mend(self.code, self.path, None, *modes)]


@dataclass(frozen=True, slots=True)
class NewName:
    """A renaming; `old` is the path after the renamings before it."""

    old: str
    new: str
    code: str

    def mends(self) -> list[Mend]:
        return [Mend(self.code, self.old, None, self.old, self.new)]


Step = NewText | NewBit | NewName


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is to be mended, in the order in which it can be done."""

    steps: Sequence[Step]
    left: Sequence[Unmended]
    report: Report
    """How the source as it is was checked."""
    source: MendedSource
    """The source as it would be."""


def plan_mends(request: Request, *, unsafe: bool, with_bits: bool) -> Plan:
    """Check a source and plan its mends; `with_bits` says whether its bits are those on disk."""
    planner = _Planner(request, unsafe, with_bits)
    report = planned = check_source(request)
    for _ in range(_MOST_ROUNDS):
        changed = planner.take(planned)
        if not changed:
            break
        planned = _check_again(planner.request(), changed)
    return planner.plan(report)


def count_mends(request: Request, report: Report, *, with_bits: bool) -> int:
    """How many mends the findings of a report lead to at once, before anything is checked again."""
    planner = _Planner(request, unsafe=False, with_bits=with_bits)
    planner.take(report)
    return sum(len(step.mends()) for step in planner.plan(report).steps)


def _check_again(request: Request, changed: Set[str]) -> Report:
    """Check the skills that have something of these paths in them, or are below, and no others."""
    above = {"", *changed, *(folder for path in changed for folder in prefixes(path))}
    paths = (leaf.path for leaf in request.leaves if leaf.path.endswith(SKILL_FILE))
    directories = {
        parent(path)
        for path in paths
        if parent(path) in above or not changed.isdisjoint(prefixes(path))
    }
    checker = SkillChecker(request.config, request.options.strict)
    return compile_skills(request, _Some(Pool(request, checker), directories)).report()


@dataclass(frozen=True, slots=True)
class _Some:
    """A `Compiler` that passes over the skills in other directories than these."""

    compiler: Compiler
    directories: Set[str]

    def read_names(
        self, skill_files: Sequence[Leaf], reader: Reader
    ) -> Iterator[tuple[str, DeclaredName]]:
        return self.compiler.read_names(skill_files, reader)

    def compile(
        self, skills: Sequence[SkillTree], outline: Outline, reader: Reader
    ) -> Iterator[SkillResult]:
        wanted = [tree for tree in skills if tree.directory in self.directories]
        results = iter(self.compiler.compile(wanted, outline, reader))
        for tree in skills:
            is_wanted = tree.directory in self.directories
            yield next(results) if is_wanted else SkillResult(tree.directory, (), 0)


@dataclass(slots=True)
class _Planner:
    """What is planned so far; all paths but those in findings are of the source as it is."""

    asked: Request
    unsafe: bool
    with_bits: bool
    drafts: dict[str, Draft] = field(default_factory=dict)
    bits: dict[str, NewBit] = field(default_factory=dict)
    renames: list[NewName] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    """The new last segment of each file and directory that is renamed."""
    left: defaultdict[str, dict[Unmended, None]] = field(default_factory=lambda: defaultdict(dict))
    """By the file; what the last check of it leaves, as mends move lines and files."""

    def request(self) -> Request:
        """The request over the source with what is planned."""
        overlay = self.overlay()
        leaves = [overlay.leaf(leaf) for leaf in self.asked.leaves]
        source = MendedSource(self.asked.source, overlay)
        return replace(self.asked, source=source, leaves=leaves)

    def overlay(self) -> Overlay:
        contents = {path: draft.text.encode() for path, draft in self.drafts.items()}
        bits = {path: bit.executable for path, bit in self.bits.items()}
        return Overlay(contents, bits, dict(self.names))

    def take(self, report: Report) -> set[str]:
        """Plan the mends of what a check says; returns the paths that they change."""
        now = self.request()
        leaves = {leaf.path: old for leaf, old in zip(now.leaves, self.asked.leaves, strict=True)}
        by_path: defaultdict[str, list[Finding]] = defaultdict(list)
        for item in _with_copies(report):
            if item.rule.code in MENDS and item.path in leaves:
                by_path[item.path].append(item)
        whole = Whole(now.source, now.leaves, now.config)
        drafts = self._read({path: leaves[path] for path in by_path})
        changed: set[str] = set()
        renames: defaultdict[str, dict[NewName, Finding]] = defaultdict(dict)
        for path, items in by_path.items():
            draft, old_path = drafts.get(path), leaves[path].path
            self.left.pop(old_path, None)
            if draft is not None and self._mend_text(draft, old_path, items, whole):
                changed.add(old_path)
                continue
            text = SkillText(draft.text) if draft else None
            for item in items:
                match answer_to(Subject(item, text, whole), unsafe=self.unsafe):
                    case SetBit() as bit:
                        changed |= self._set_bits(item, bit, leaves)
                    case Rename(old, new):
                        renames[collision_key(new)][NewName(old, new, item.rule.code)] = item
                    case Refusal(reason):
                        self._leave(old_path, item, reason)
        changed |= self._rename(renames.values())
        later = self.overlay()
        return {later.new_path(path) for path in changed}

    def _leave(self, path: str, item: Finding, reason: str) -> None:
        self.left[path][unmended(item, reason)] = None

    def _rename(self, renames: Iterable[Mapping[NewName, Finding]]) -> set[str]:
        """Plan renamings, what lies deeper first; where several lead to one path, none of them."""
        now = self.overlay()
        steps: list[NewName] = []
        for rivals in renames:
            if len(rivals) == 1:
                steps += rivals
                continue
            for step, item in rivals.items():
                reason = f"several directories would get the path {step.new}"
                self._leave(now.old_path(item.path), item, reason)
        changed = set()
        for step in sorted(steps, key=lambda step: -step.old.count("/")):
            old = now.old_path(step.old)
            self.renames.append(step)
            self.names[old] = base_name(step.new)
            changed.add(old)
        return changed

    def _read(self, leaves: Mapping[str, Leaf]) -> dict[str, Draft]:
        """The drafts of SKILL.md files by the paths that findings have; only of those in UTF-8."""
        wanted = {path: leaf for path, leaf in leaves.items() if base_name(path) == SKILL_FILE}
        drafts = {}
        with self.asked.source.reader() as reader:
            contents = reader.read(list(wanted.values()))
            for (path, leaf), data in zip(wanted.items(), contents, strict=True):
                text = None if data is None else _decoded(data)
                if text is not None:
                    drafts[path] = self.drafts.get(leaf.path) or Draft(text)
        return drafts

    def _mend_text(
        self, draft: Draft, path: str, findings: Sequence[Finding], whole: Whole
    ) -> bool:
        """Plan the edits of one SKILL.md; whether there are any: then it is checked again."""
        mended, left = mend_text(draft, findings, whole, unsafe=self.unsafe)
        if mended.edits == draft.edits:
            self.left[path] |= dict.fromkeys(left)
            return False
        self.drafts[path] = mended
        return True

    def _set_bits(self, item: Finding, bit: SetBit, leaves: Mapping[str, Leaf]) -> set[str]:
        if not self.with_bits:
            self._leave(leaves[item.path].path, item, NO_BITS)
            return set()
        changed = {leaves[path].path for path in bit.paths} - self.bits.keys()
        for path in sorted(changed):
            self.bits[path] = NewBit(path, bit.executable, item.rule.code)
        return changed

    def plan(self, report: Report) -> Plan:
        texts = [NewText(path, self.drafts[path]) for path in sorted(self.drafts)]
        bits = [self.bits[path] for path in sorted(self.bits)]
        unsorted = [item for items in self.left.values() for item in items]
        left = sorted(unsorted, key=lambda item: (item.path, item.line or 0, item.code))
        source = MendedSource(self.asked.source, self.overlay())
        return Plan([*texts, *bits, *self.renames], left, report, source)


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _with_copies(report: Report) -> Iterator[Finding]:
    """The findings, and those about a skill once more for each directory that holds a copy."""
    copies: defaultdict[str, list[str]] = defaultdict(list)
    for copy, primary in report.copies.items():
        copies[primary].append(copy)
    for item in report.findings:
        yield item
        for primary in {"", *prefixes(item.path)} & copies.keys():
            for copy in copies[primary]:
                moved = [copy + path[len(primary) :] for path in (item.path, *item.others)]
                yield replace(item, path=moved[0], others=tuple(moved[1:]))
