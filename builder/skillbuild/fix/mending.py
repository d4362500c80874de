"""Mends of one SKILL.md: findings in, a proved draft out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from skillbuild.diagnostics import Finding
from skillbuild.fix.changes import Answer, Draft, Edit, Refusal, Unmended
from skillbuild.fix.proof import fault_of
from skillbuild.fix.subject import SkillText, Subject
from skillbuild.fix.table import MENDS
from skillbuild.source.skill_md import read_skill_md

NEEDS_UNSAFE = "needs --unsafe-fixes"
_MOST_STEPS = 100
"""Mends in a row of one frontmatter that cannot be read."""
_ORDER = {code: number for number, code in enumerate(MENDS)}

Outcome = tuple[Draft, list[Unmended]]


def answer_to(subject: Subject, *, unsafe: bool) -> Answer:
    """What the mend of its rule says to a finding; nothing that is unsafe unless that is wanted."""
    mend = MENDS.get(subject.finding.rule.code)
    answer = mend(subject) if mend else None
    if answer is None or isinstance(answer, Refusal) or answer.is_safe or unsafe:
        return answer
    return Refusal(NEEDS_UNSAFE)


def mend_text(
    draft: Draft, findings: Sequence[Finding], paths: Collection[str], *, unsafe: bool
) -> Outcome:
    """A draft with the edits that mend findings of one SKILL.md, and what is left of them.

    If the frontmatter cannot be read, that is mended alone: then there may be other findings.
    """
    text = SkillText(draft.text)
    if text.fields is None:
        return _repaired(draft, findings[0], paths)
    left: list[Unmended] = []
    edits: list[tuple[Edit, Finding]] = []
    for item in sorted(findings, key=lambda item: _ORDER.get(item.rule.code, len(_ORDER))):
        match answer_to(Subject(item, text, paths), unsafe=unsafe):
            case Edit() as edit if not any(_meet(edit, other) for other, _ in edits):
                edits.append((replace(edit, code=item.rule.code), item))
            case Refusal(reason):
                left.append(unmended(item, reason))
    for edit, item in sorted(edits, key=lambda pair: -pair[0].start):
        mended = draft.add(edit)
        fault = fault_of(mended) if mended else "it was mended already"
        if mended is None or fault:
            left.append(unmended(item, fault))
        else:
            draft = mended
    return draft, left


def _meet(edit: Edit, other: Edit) -> bool:
    return edit.start <= other.end and other.start <= edit.end


def unmended(item: Finding, reason: str) -> Unmended:
    line = item.place.line if item.place else None
    return Unmended(item.rule.code, item.path, line, reason)


def _repaired(draft: Draft, item: Finding, paths: Iterable[str]) -> Outcome:
    """The draft with everything mended that keeps the frontmatter from being read, or as it was."""
    mended = draft
    first = item
    for _ in range(_MOST_STEPS):
        answer = answer_to(Subject(item, SkillText(mended.text), frozenset(paths)), unsafe=False)
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
