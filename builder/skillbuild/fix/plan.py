"""Plans the fixes for the skills of a source; nothing is written.

Each skill is planned separately. The skill is edited and checked again until nothing is left to
fix. One round is not enough: if the frontmatter cannot be read, its fields can be checked only
after the frontmatter is repaired.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from skillbuild.check.skill import check_skill
from skillbuild.compile.request import Request
from skillbuild.compile.skills import Compiled
from skillbuild.diagnostics import Finding
from skillbuild.fix.edits import Draft, Edit, Refusal
from skillbuild.fix.fixers import EXECUTABLE, FIXABLE, FIXERS, NEVER_FIXED, Answer
from skillbuild.fix.proof import declared, fault_of
from skillbuild.fix.skill_text import Problem, SkillText
from skillbuild.paths import base_name, inside, is_skill_name
from skillbuild.report.json_reports import LeftFinding, ReportedFix
from skillbuild.source.outline import Outline
from skillbuild.source.skill_md import read_skill_md
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Leaf, Reader

NEEDS_UNSAFE = "needs --unsafe-fixes"
NO_BITS = "git ignores executable bits here; use git update-index --chmod"
_MOST_ROUNDS = 50
_MOST_STEPS = 100
"""Maximum number of repairs in a row that are tried on an unreadable frontmatter."""
_ORDER = {code: number for number, code in enumerate(FIXERS)}

Outcome = tuple[Draft, list[LeftFinding]]
_EditOf = tuple[Edit, Finding]
"""An edit and the finding that it fixes."""


@dataclass(frozen=True, slots=True)
class NewText:
    """The edited text of a SKILL.md."""

    path: str
    draft: Draft

    def fixes(self) -> list[ReportedFix]:
        return declared(self.draft, self.path)


@dataclass(frozen=True, slots=True)
class NewBit:
    """The new executable bit of a file. It fixes a finding of the rule `code`."""

    path: str
    executable: bool
    code: str

    def fixes(self) -> list[ReportedFix]:
        modes = ("100644", "100755") if self.executable else ("100755", "100644")
        return [ReportedFix(self.code, self.path, None, (), *modes, None)]


Step = NewText | NewBit


@dataclass(frozen=True, slots=True)
class Plan:
    """All planned fixes, and the findings that are not fixed. Both are sorted by path."""

    steps: Sequence[Step]
    left: Sequence[LeftFinding]
    after: Mapping[str, Sequence[Finding]]
    """What a check finds after the fixes, by the directory of each skill that the fixes change."""


def plan_fixes(request: Request, checked: Compiled, *, unsafe: bool, with_bits: bool) -> Plan:
    """Plan the fixes of a source that has been checked.

    If `unsafe` is true, edits that are guesses are planned too. `with_bits` says whether git reads
    executable bits from the disk; if not, these bits are not fixed.
    """
    plans: list[Plan] = []
    with request.source.reader() as reader:
        planner = _Planner(request, checked.outline, reader, unsafe, with_bits)
        for result in checked.results:
            if any(item.code in FIXABLE for item in result.findings):
                tree = checked.outline.by_directory[result.directory]
                plan = planner.plan(tree, result.findings)
                plans += _with_copies(plan, tree)
    steps = {(isinstance(step, NewBit), step.path): step for each in plans for step in each.steps}
    left = {item for each in plans for item in each.left}
    return Plan(
        [steps[key] for key in sorted(steps)],
        sorted(left, key=lambda item: (item.path, item.line or 0, item.code)),
        {directory: found for each in plans for directory, found in each.after.items()},
    )


def _with_copies(plan: Plan, tree: SkillTree) -> Iterator[Plan]:
    """Yield the plan of a skill, and the same plan for each copy of the skill."""
    yield plan
    start = len(tree.directory) + 1 if tree.directory else 0
    for copy in tree.copies:
        steps = [replace(step, path=inside(copy, step.path[start:])) for step in plan.steps]
        left = [replace(item, path=inside(copy, item.path[start:])) for item in plan.left]
        yield Plan(steps, left, {})


@dataclass(frozen=True)
class _Planner:
    request: Request
    outline: Outline
    reader: Reader
    unsafe: bool
    with_bits: bool

    def plan(self, tree: SkillTree, findings: Sequence[Finding]) -> Plan:
        """Plan the fixes of one skill, based on the findings of its check."""
        steps: list[Step] = []
        left: list[LeftFinding] = []
        draft = self._read(tree)
        if draft is not None:
            for _ in range(_MOST_ROUNDS):
                edited, left = self._edit(tree, draft, findings)
                if edited.edits == draft.edits:
                    break
                draft, findings = edited, self._check(tree, edited)
            if draft.edits:
                steps.append(NewText(tree.skill_file, draft))
        bits = [item for item in findings if item.code in EXECUTABLE]
        for code, path in ((item.code, each.path) for item in bits for each in item.places):
            if self.with_bits:
                steps.append(NewBit(path, EXECUTABLE[code], code))
            else:
                left.append(LeftFinding(code, path, None, NO_BITS))
        if self.with_bits:
            findings = [item for item in findings if item not in bits]
        return Plan(steps, left, {tree.directory: findings} if steps else {})

    def _read(self, tree: SkillTree) -> Draft | None:
        """Return the text of SKILL.md; None if it is missing or not UTF-8."""
        leaf = next(leaf for leaf in tree.leaves if leaf.path == tree.skill_file)
        data = next(iter(self.reader.read([leaf])))
        try:
            return None if data is None else Draft(data.decode())
        except UnicodeDecodeError:
            return None

    def _check(self, tree: SkillTree, draft: Draft) -> Sequence[Finding]:
        """Check a skill with the edits and return the findings."""
        reader = _DraftReader(self.reader, tree.skill_file, draft.text.encode())
        config, strict = self.request.config, self.request.options.strict
        return check_skill(tree, self.outline, reader, config, strict=strict).findings

    def _edit(self, tree: SkillTree, draft: Draft, findings: Sequence[Finding]) -> Outcome:
        """Return the draft with further edits of SKILL.md, and the findings that cannot be fixed.

        If the frontmatter is unreadable, only that is fixed, because it may hide other findings.
        """
        fixable = [
            replace(item, path=each.path, place=each.place, target=each.target, others=())
            for item in findings
            if item.code in FIXERS
            for each in item.places
        ]
        fixable.sort(key=lambda item: _ORDER[item.code])
        text = SkillText(draft.text)
        if not fixable:
            return draft, []
        if text.fields is None:
            return self._repair(tree, draft, fixable[0])
        left: list[LeftFinding] = []
        edits: list[_EditOf] = []
        for item in fixable:
            match self._answer(tree, item, text):
                case Edit() as edit:
                    _keep_apart(edits, (replace(edit, code=item.code), item))
                case Refusal(reason):
                    left.append(_unfixed(item, reason))
                case None:
                    left += self._never_fixed(item)
        draft, refused = _with_all(draft, edits)
        return draft, [*left, *refused]

    def _answer(self, tree: SkillTree, item: Finding, text: SkillText) -> Answer:
        """Return the answer of the rule's fixer; refuse an unsafe edit unless requested."""
        fixer = FIXERS.get(item.code)
        folder = base_name(self.request.config.paths.get(tree.directory, tree.directory))
        folder = folder if is_skill_name(folder) else ""
        answer = fixer(Problem(item, text, folder, self._claims[folder] > 1)) if fixer else None
        if isinstance(answer, Edit) and not answer.is_safe and not self.unsafe:
            return Refusal(NEEDS_UNSAFE)
        return answer

    def _never_fixed(self, item: Finding) -> list[LeftFinding]:
        """Return why this form of a problem is not fixed, for users who requested all fixes."""
        return [_unfixed(item, NEVER_FIXED[item.code])] if self.unsafe else []

    @cached_property
    def _claims(self) -> Counter[str]:
        """Return how many skills use each name as directory name or as the end of their path."""
        skills = self.outline.skills
        names = ({base_name(tree.directory), base_name(tree.path or "")} for tree in skills)
        return Counter(name for both in names for name in both)

    def _repair(self, tree: SkillTree, draft: Draft, item: Finding) -> Outcome:
        """Return the draft with a readable frontmatter, or unchanged if it cannot be repaired."""
        repaired = draft
        first = item
        for _ in range(_MOST_STEPS):
            answer = self._answer(tree, item, SkillText(repaired.text))
            edit = replace(answer, code=item.code) if isinstance(answer, Edit) else None
            further = repaired.add(edit) if edit else None
            if further is None:
                if isinstance(answer, Refusal):
                    return draft, [_unfixed(item, answer.reason)]
                is_first = repaired.edits == draft.edits
                return draft, self._never_fixed(item) if is_first else [_stuck(first, item)]
            repaired = further
            head = read_skill_md(repaired.text.encode(), item.path)
            if head.frontmatter is not None:
                break
            item = head.findings[0]
        fault = fault_of(repaired)
        return (draft, [_unfixed(first, fault)]) if fault else (repaired, [])


@dataclass(frozen=True, slots=True)
class _DraftReader:
    """A reader that returns the edited text for one SKILL.md."""

    reader: Reader
    path: str
    data: bytes

    def sizes(self, leaves: Sequence[Leaf]) -> list[int | None]:
        sizes = zip(leaves, self.reader.sizes(leaves), strict=True)
        return [len(self.data) if leaf.path == self.path else size for leaf, size in sizes]

    def read(self, leaves: Sequence[Leaf]) -> Iterator[bytes | None]:
        contents = zip(leaves, self.reader.read(leaves), strict=True)
        return (self.data if leaf.path == self.path else data for leaf, data in contents)

    def below(self, tree: str, directory: str, most: int) -> list[Leaf] | None:
        return self.reader.below(tree, directory, most)


def _keep_apart(edits: list[_EditOf], more: _EditOf) -> None:
    """Insert an edit into the list, sorted by position, unless it touches another one."""
    edit = more[0]
    number = bisect_left(edits, (edit.start, edit.end), key=lambda each: _span(each[0]))
    around = edits[max(number - 1, 0) : number + 1]
    if not any(edit.start <= other.end and other.start <= edit.end for other, _ in around):
        edits.insert(number, more)


def _span(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def _with_all(draft: Draft, edits: Sequence[_EditOf]) -> Outcome:
    """Return the draft with all edits that can be proved; if they fail together, try each half."""
    if not edits:
        return draft, []
    edited: Draft | None = draft
    for edit, _ in reversed(edits):  # From the end, so that other positions stay valid.
        edited = edited.add(edit) if edited else None
    fault = fault_of(edited) if edited else "another fix changes the same text"
    if edited is not None and not fault:
        return edited, []
    if len(edits) == 1:
        return draft, [_unfixed(edits[0][1], fault)]
    middle = len(edits) // 2
    draft, last = _with_all(draft, edits[middle:])
    draft, first = _with_all(draft, edits[:middle])
    return draft, [*first, *last]


def _unfixed(item: Finding, reason: str) -> LeftFinding:
    line = item.place.line if item.place else None
    return LeftFinding(item.code, item.path, line, reason)


def _stuck(first: Finding, last: Finding) -> LeftFinding:
    line = f" at line {last.place.line}" if last.place else ""
    return _unfixed(first, f"the frontmatter would still be invalid: {last.code}{line}")
