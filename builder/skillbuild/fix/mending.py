"""Mends of one SKILL.md: findings in, a proved draft out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from skillbuild.diagnostics import Finding
from skillbuild.fix.changes import Answer, Draft, Edit, Refusal, Unmended
from skillbuild.fix.proof import fault_of
from skillbuild.fix.subject import SkillText, Subject
from skillbuild.fix.table import MENDS
from skillbuild.fix.whole import Whole
from skillbuild.source.skill_md import read_skill_md

NEEDS_UNSAFE = "needs --unsafe-fixes"
_MOST_STEPS = 100
"""Mends in a row of one frontmatter that cannot be read."""
_ORDER = {code: number for number, code in enumerate(MENDS)}

Outcome = tuple[Draft, list[Unmended]]
_EditOf = tuple[Edit, Finding]
"""An edit and the finding that it mends."""


def answer_to(subject: Subject, *, unsafe: bool) -> Answer:
    """What the mend of its rule says to a finding; nothing that is unsafe unless that is wanted."""
    mend = MENDS.get(subject.finding.rule.code)
    answer = mend(subject) if mend else None
    if answer is None or isinstance(answer, Refusal) or answer.is_safe or unsafe:
        return answer
    return Refusal(NEEDS_UNSAFE)


def mend_text(draft: Draft, findings: Sequence[Finding], whole: Whole, *, unsafe: bool) -> Outcome:
    """A draft with the edits that mend findings of one SKILL.md, and what is left of them.

    If the frontmatter cannot be read, that is mended alone: then there may be other findings.
    """
    text = SkillText(draft.text)
    findings = sorted(findings, key=lambda item: _ORDER.get(item.rule.code, len(_ORDER)))
    if text.fields is None:
        return _repaired(draft, findings[0], whole)
    left: list[Unmended] = []
    edits: list[_EditOf] = []
    for item in findings:
        match answer_to(Subject(item, text, whole), unsafe=unsafe):
            case Edit() as edit:
                _keep_apart(edits, (replace(edit, code=item.rule.code), item))
            case Refusal(reason):
                left.append(unmended(item, reason))
    draft, refused = _with_all(draft, edits)
    return draft, [*left, *refused]


def _keep_apart(edits: list[_EditOf], more: _EditOf) -> None:
    """Put an edit among others, which stay sorted by place; not if it meets one of them."""
    edit = more[0]
    number = bisect_left(edits, (edit.start, edit.end), key=lambda each: _span(each[0]))
    around = edits[max(number - 1, 0) : number + 1]
    if not any(edit.start <= other.end and other.start <= edit.end for other, _ in around):
        edits.insert(number, more)


def _span(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def _with_all(draft: Draft, edits: Sequence[_EditOf]) -> Outcome:
    """The draft with the edits that can be proved; each half apart, if they cannot together."""
    if not edits:
        return draft, []
    mended: Draft | None = draft
    for edit, _ in reversed(edits):  # From the end, so that the places of the others stay.
        mended = mended.add(edit) if mended else None
    fault = fault_of(mended) if mended else "another mend is in this place"
    if mended is not None and not fault:
        return mended, []
    if len(edits) == 1:
        return draft, [unmended(edits[0][1], fault)]
    middle = len(edits) // 2
    draft, last = _with_all(draft, edits[middle:])
    draft, first = _with_all(draft, edits[:middle])
    return draft, [*first, *last]


def unmended(item: Finding, reason: str) -> Unmended:
    line = item.place.line if item.place else None
    return Unmended(item.rule.code, item.path, line, reason)


def _repaired(draft: Draft, item: Finding, whole: Whole) -> Outcome:
    """The draft with everything mended that keeps the frontmatter from being read, or as it was."""
    mended = draft
    first = item
    for _ in range(_MOST_STEPS):
        answer = answer_to(Subject(item, SkillText(mended.text), whole), unsafe=False)
        edit = replace(answer, code=item.rule.code) if isinstance(answer, Edit) else None
        further = mended.add(edit) if edit else None
        if further is None:
            if isinstance(answer, Refusal):
                return draft, [unmended(item, answer.reason)]
            return draft, [_stuck(first, item)] if mended.edits != draft.edits else []
        mended = further
        head = read_skill_md(mended.text.encode(), item.path)
        if head.frontmatter is not None:
            break
        item = head.findings[0]
    fault = fault_of(mended)
    return (draft, [unmended(first, fault)]) if fault else (mended, [])


def _stuck(first: Finding, last: Finding) -> Unmended:
    line = f" at line {last.place.line}" if last.place else ""
    return unmended(first, f"the frontmatter would still not be readable: {last.rule.code}{line}")
