"""Compile every skill of a source; with `--skip-invalid`, without the ones that have errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from skillbuild.check.levels import apply_levels
from skillbuild.compile import listing
from skillbuild.compile.batches import BatchCompiler
from skillbuild.compile.branding import read_branding
from skillbuild.compile.check_only import SkillChecker
from skillbuild.compile.request import Report, Request
from skillbuild.compile.result import Compiler, PublishedSkill, SkillResult
from skillbuild.config import Config
from skillbuild.diagnostics import Finding, finding, has_errors, in_order
from skillbuild.model import Unlisted
from skillbuild.paths import SKILL_FILE
from skillbuild.rules import source as rules
from skillbuild.source.outline import Outline, plan
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.survey import survey
from skillbuild.source.tree import Kind, Reader

_CROSS_RULES = frozenset([rules.SKILL_PATH_COLLISION.code, rules.SKILL_AT_ROOT.code])
"""Rules about two skills: one of the two may be as it should be."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The skills of a source, each with its result, and the ones that were left out."""

    outline: Outline
    general: tuple[Finding, ...]
    """Findings that concern no single skill."""
    results: tuple[SkillResult, ...]
    """In the order of the outline."""
    skipped: Mapping[str, tuple[Finding, ...]]
    """What was left out with `skip_invalid`: findings by directory, or by the path of a file."""
    config: Config

    def refused(self) -> dict[str, tuple[Finding, ...]]:
        """What is invalid and still there: findings by directory, or by the path of a file."""
        files = {item.path: (item,) for item in self.general if _is_refused_file(item)}
        skills = {each.directory: each.findings for each in self.results}
        return files | {key: items for key, items in skills.items() if has_errors(items)}

    def findings(self) -> Iterator[Finding]:
        """Findings about what is not left out."""
        yield from self.general
        for result in self.results:
            yield from result.findings

    def published(self) -> list[PublishedSkill]:
        """The skills that are part of the release, by skill path, listed as it lists them."""
        unlisted = self.unlisted()
        skills = [
            listing.as_settled(each.published, each.unlisted, unlisted[each.directory])
            for each in self.results
            if each.published is not None
        ]
        return sorted(skills, key=lambda skill: skill.path)

    def unlisted(self) -> Mapping[str, Unlisted]:
        """Where each skill that is not refused is not listed, by directory."""
        refused = self.refused()
        own = {
            each.directory: each.unlisted for each in self.results if each.directory not in refused
        }
        return listing.settled(own, self.config)

    def report(self) -> Report:
        """How it ended, if nothing is published."""
        refused = self.refused()
        skipped = (item for items in self.skipped.values() for item in items)
        valid = [each for each in self.results if each.directory not in refused]
        unlisted, internal = listing.count_unlisted(self.unlisted().values())
        return Report(
            findings=tuple(in_order([*self.findings(), *skipped])),
            skills=len(valid),
            files=sum(each.files for each in valid),
            invalid=tuple(sorted({*refused, *self.skipped})),
            ignored=self.outline.ignored,
            unlisted=unlisted,
            internal=internal,
        )


def _is_refused_file(item: Finding) -> bool:
    return item.is_error and item.rule is rules.SKILL_FILE_CASE


def check_source(request: Request) -> Report:
    """Every finding about the source; nothing is written."""
    with request.source.reader() as reader:
        read_branding(request.config, request.leaves, reader)
    checker = SkillChecker(request.config, request.options.strict)
    return compile_skills(request, BatchCompiler(request, checker)).report()


def compile_skills(request: Request, compiler: Compiler) -> Compiled:
    """Compile every skill of the source.

    With `skip_invalid`, invalid ones are left out, and the skills whose findings or files depended
    on one of those are compiled again; and so on, until no invalid one is left.
    """
    skipped: dict[str, tuple[Finding, ...]] = {}
    results: dict[str, SkillResult] = {}
    before = Outline({})
    with request.source.reader() as reader:
        read_names = partial(compiler.read_names, reader=reader)
        surveyed = survey(request.leaves, request.config, read_names, reader)
        while True:
            outline = plan(surveyed, request.config, skipped)
            stale = [tree for tree in outline.skills if _is_stale(tree, outline, before, results)]
            results |= _compile_all(request, compiler, stale, outline, reader)
            ordered = tuple(results[directory] for directory in outline.by_directory)
            general = _general_findings(outline, request)
            compiled = Compiled(outline, general, ordered, dict(skipped), request.config)
            refused = compiled.refused()
            if not request.options.skip_invalid or not refused:
                return compiled
            skipped |= _first_to_skip(refused)
            before = outline


def _compile_all(
    request: Request,
    compiler: Compiler,
    skills: Sequence[SkillTree],
    outline: Outline,
    reader: Reader,
) -> dict[str, SkillResult]:
    """Results by directory."""
    results: dict[str, SkillResult] = {}
    for result in compiler.compile(skills, outline, reader):
        results[result.directory] = result
        request.profile.worker_seconds += result.processor_seconds
        request.progress(len(results), len(skills))
    return results


def _is_stale(
    tree: SkillTree, outline: Outline, before: Outline, results: Mapping[str, SkillResult]
) -> bool:
    """True when a skill was not compiled yet, or under an outline that differs for it."""
    directory = tree.directory
    result = results.get(directory)
    if result is None or before.by_directory.get(directory) != tree:
        return True
    published = result.published
    if published and published.flat_name != outline.flat_names.get(published.path):
        return True
    same = before.findings.get(directory, ()) == outline.findings.get(directory, ())
    return not same or any(_path(outline, each) != _path(before, each) for each in result.linked)


def _path(outline: Outline, directory: str) -> str | None:
    tree = outline.by_directory.get(directory)
    return tree.path if tree else None


def _first_to_skip(
    refused: Mapping[str, tuple[Finding, ...]],
) -> Mapping[str, tuple[Finding, ...]]:
    """Skills with faults of their own go first, so that they take no other skill with them."""
    own = {key: findings for key, findings in refused.items() if _has_own_fault(findings)}
    return own or refused


def _has_own_fault(findings: Sequence[Finding]) -> bool:
    return any(item.is_error and item.rule.code not in _CROSS_RULES for item in findings)


def _general_findings(outline: Outline, request: Request) -> tuple[Finding, ...]:
    findings = apply_levels(outline.general, request.config, strict=request.options.strict)
    if not outline.by_directory and not findings and not request.options.allow_empty:
        hint = f"put a directory with {SKILL_FILE} into the source, or pass --allow-empty"
        if outline.ignored:
            reasons = ", ".join(sorted(set(outline.ignored.values())))
            unread = set(outline.ignored.values()) <= {Kind.LINK, Kind.SUBMODULE}
            remedy = "commit the files themselves" if unread else "set roots or exclude"
            hint = f"every {SKILL_FILE} is ignored ({reasons}): {remedy}"
        findings.append(finding(rules.NO_SKILLS, ".", None, "the source holds no skill", hint))
    return tuple(findings)
