"""Every skill of a source, looked at until what is left stands by itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from skillbuild.check.levels import apply_levels
from skillbuild.compile.branding import read_branding
from skillbuild.compile.request import Report, Request
from skillbuild.compile.work import CHUNK, Press, Result, Work
from skillbuild.diagnostics import Finding, finding, has_errors, in_order
from skillbuild.paths import SKILL_FILE
from skillbuild.rules import source as rules
from skillbuild.source.outline import Outline, plan
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.survey import DeclaredName, read_names, survey
from skillbuild.source.tree import Leaf, Reader

_CROSS_RULES = frozenset([rules.SKILL_PATH_COLLISION.code, rules.SKILL_AT_ROOT.code])
_WORTH_A_WORKER = 50
"""Skills for which one more process is started."""
_HEADS_WORTH_A_WORKER = 2000
"""The same for headers of which only the names are read."""


@dataclass(frozen=True, slots=True)
class Looked:
    """Every skill of one outline, looked at; what was skipped on the way, with its findings."""

    work: Work
    general: tuple[Finding, ...]
    results: tuple[Result, ...]
    skipped: Mapping[str, tuple[Finding, ...]]

    @property
    def outline(self) -> Outline:
        return self.work.outline

    def refused(self) -> dict[str, tuple[Finding, ...]]:
        """Findings with errors, by the directory of the skill or the path of a stray file."""
        strays = {item.path: (item,) for item in self.general if item.is_error and _is_stray(item)}
        bad = {one.directory: one.findings for one in self.results if has_errors(one.findings)}
        return strays | bad

    def findings(self) -> Iterator[Finding]:
        """Findings about what is not skipped."""
        yield from self.general
        for one in self.results:
            yield from one.findings


def _is_stray(item: Finding) -> bool:
    return item.rule is rules.SKILL_FILE_CASE


class Known(Protocol):
    """What is remembered of a release."""

    def names(self) -> Mapping[str, DeclaredName]:
        """Names by the object id of the SKILL.md that they stand in."""

    def find(self, work: Work, placed: SkillTree) -> Result | None:
        """What looking at a skill would give, if that is known."""


def check_source(request: Request) -> Report:
    """Every finding about the source; nothing is written."""
    with request.source.reader() as reader:
        read_branding(request.config, request.leaves, reader)
    return report_of(compile_skills(request))


def report_of(looked: Looked) -> Report:
    """How it ended, if nothing is published."""
    refused = looked.refused()
    skipped = looked.skipped
    found = [*looked.findings(), *(item for items in skipped.values() for item in items)]
    good = [one for one in looked.results if one.directory not in refused]
    return Report(
        findings=tuple(in_order(found)),
        skills=len(good),
        files=sum(one.files for one in good),
        invalid=tuple(sorted({*refused, *skipped})),
        ignored=looked.outline.ignored,
        unlisted=sum(not one.listed for one in good),
    )


def compile_skills(
    request: Request, press: Press | None = None, known: Known | None = None
) -> Looked:
    """Look at every skill; with `skip_invalid`, until the rest stand by themselves.

    After skills were left out, only those are looked at again that could tell the difference.
    """
    skipped: dict[str, tuple[Finding, ...]] = {}
    results: dict[str, Result] = {}
    before = Outline({})
    with request.source.reader() as reader:
        read = partial(_names_in, request=request, press=press, reader=reader)
        surveyed = survey(request.leaves, request.config, read, known.names() if known else {})
        while True:
            now = plan(surveyed, request.config, skipped)
            work = Work(request.source, now, request.config, request.options.strict, press)
            stale = [one for one in now.skills if _is_stale(one, work, before, results)]
            same = {one.directory: known.find(work, one) for one in stale} if known else {}
            results |= {directory: one for directory, one in same.items() if one is not None}
            missing = [one for one in stale if same.get(one.directory) is None]
            for done, one in enumerate(
                _look_at(work, missing, reader, request.options.jobs), start=1
            ):
                results[one.directory] = one
                request.profile.workers += one.busy
                request.progress(done, len(missing))
            ordered = tuple(results[directory] for directory in now.by_directory)
            looked = Looked(work, _general(now, request), ordered, dict(skipped))
            refused = looked.refused()
            if not request.options.skip_invalid or not refused:
                return looked
            skipped |= _first_to_go(refused)
            before = now


def _names_in(
    heads: Sequence[Leaf], request: Request, press: Press | None, reader: Reader
) -> Iterator[tuple[str, DeclaredName]]:
    """As `read_names`, with workers where there are many headers."""
    most = request.options.jobs or os.cpu_count() or 1
    wanted = min(most, 1 + len(heads) // _HEADS_WORTH_A_WORKER)
    if wanted == 1:
        yield from read_names(heads, reader, request.config)
        return
    from skillbuild.compile import workers

    for found, busy in workers.read_names(request, press, heads, wanted):
        request.profile.workers += busy
        yield from found


def _is_stale(
    placed: SkillTree, work: Work, before: Outline, results: Mapping[str, Result]
) -> bool:
    """True when a skill was not looked at yet, or under a plan that differs for it."""
    directory = placed.directory
    result = results.get(directory)
    if result is None or before.by_directory.get(directory) != placed:
        return True
    if result.told is not None and result.told.flat_name != work.outline.flat.get(result.told.path):
        return True
    now = work.outline
    same = before.findings.get(directory, ()) == now.findings.get(directory, ())
    return not same or any(_path(now, one) != _path(before, one) for one in result.linked)


def _path(outline: Outline, directory: str) -> str | None:
    placed = outline.by_directory.get(directory)
    return placed.path if placed else None


def _first_to_go(
    refused: Mapping[str, tuple[Finding, ...]],
) -> Mapping[str, tuple[Finding, ...]]:
    """Skills with faults of their own go first, so that they take no other skill with them."""
    own = {key: found for key, found in refused.items() if _has_own_fault(found)}
    return own or refused


def _has_own_fault(found: Sequence[Finding]) -> bool:
    return any(item.is_error and item.rule.code not in _CROSS_RULES for item in found)


def _general(now: Outline, request: Request) -> tuple[Finding, ...]:
    general = apply_levels(now.general, request.config, strict=request.options.strict)
    if not now.by_directory and not general and not request.options.allow_empty:
        hint = f"put a directory with {SKILL_FILE} into the source, or pass --allow-empty"
        if now.ignored:
            reasons = ", ".join(sorted(set(now.ignored.values())))
            hint = f"every {SKILL_FILE} is ignored ({reasons}): set roots or exclude"
        general.append(finding(rules.NO_SKILLS, ".", None, "the source holds no skill", hint))
    return tuple(general)


def _look_at(
    work: Work, skills: Sequence[SkillTree], reader: Reader, jobs: int
) -> Iterator[Result]:
    """One result a skill, in the order given, whatever the number of workers."""
    wanted = jobs or min(os.cpu_count() or 1, 1 + len(skills) // _WORTH_A_WORKER)
    if wanted > 1:
        from skillbuild.compile import workers

        yield from workers.look_at(work, skills, wanted)
        return
    for i in range(0, len(skills), CHUNK):
        yield from work.do_all(skills[i : i + CHUNK], reader)
