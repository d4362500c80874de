"""Checks or compiles every skill of a source; `--skip-invalid` leaves out invalid ones.

Decisions that involve all skills are made here: which listings omit a skill, and which settings
have no effect.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from skillbuild.check.levels import apply_levels, counts, covers, silenced_by, without_silenced
from skillbuild.check.trust.evidence import read_evidence
from skillbuild.compile.branding import read_branding
from skillbuild.compile.check_only import SkillChecker
from skillbuild.compile.pool import Pool
from skillbuild.compile.request import Request
from skillbuild.compile.result import Compile, PublishedSkill, SkillResult
from skillbuild.config import CONFIG_FILE, Config
from skillbuild.diagnostics import Finding, Rule, Silenced, finding, has_errors, in_order
from skillbuild.model import Digest, Listing, Place, Unlisted, is_internal
from skillbuild.paths import SKILL_FILE, prefixes
from skillbuild.release.entry import summary_of, with_unlisted
from skillbuild.report.exclusion import exclusion
from skillbuild.report.run import Report, UnlistedSkills
from skillbuild.rules import source as rules
from skillbuild.rules.fields import DESCRIPTION_COVERED
from skillbuild.rules.registry import without_protection
from skillbuild.setting_lines import SettingError, place_of_entry, place_of_text
from skillbuild.source.conflicts import confusions
from skillbuild.source.discovery import DeclaredName, survey
from skillbuild.source.git import MOST_ENTRIES
from skillbuild.source.globs import unused_patterns
from skillbuild.source.outline import Outline, plan, refuse_unnamed
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Kind, Leaf, Reader, locating


@dataclass(frozen=True, slots=True)
class Compiled:
    """The skills of a source with their results, and the skills that were left out."""

    outline: Outline
    general: tuple[Finding, ...]
    """Findings about the whole source."""
    silenced: tuple[Finding, ...]
    """All findings that `[[ignore]]` silences, including those about skipped skills."""
    results: tuple[SkillResult, ...]
    """Results in the order of the outline."""
    skipped: Mapping[str, tuple[Finding, ...]]
    """Findings about the skills and files that `skip_invalid` left out, by path."""
    copies: Mapping[str, str]
    """Copies of skills; see `Report.copies`."""
    config: Config
    gone: tuple[SkillResult, ...] = ()
    """Results of removed skills; `published` is None for a skill that has no version left."""

    @property
    def withheld(self) -> frozenset[str]:
        """The hex skill digests of removed skills that have no published version."""
        return frozenset(digest for each in self.gone for digest in each.withheld)

    def refused(self) -> dict[str, tuple[Finding, ...]]:
        """Map the path of each invalid skill or file to its findings. Skipped skills are not
        included.
        """
        files = {item.path: (item,) for item in self.general if _is_refused_file(item)}
        skills = {each.directory: each.findings for each in self.results}
        return files | {key: items for key, items in skills.items() if has_errors(items)}

    def findings(self) -> Iterator[Finding]:
        """Yield findings about everything that was not skipped."""
        yield from self.general
        for result in self.results:
            yield from result.findings

    def published(self) -> list[PublishedSkill]:
        """Return the skills of the release, sorted by path, with their final listings."""
        unlisted = self.unlisted()
        skills = [
            as_settled(each.published, each.unlisted, unlisted[each.directory])
            for each in self.results
            if each.published is not None
        ]
        return sorted(skills, key=lambda skill: skill.path)

    def published_gone(self) -> list[PublishedSkill]:
        """Return the published versions of removed skills, sorted by skill path."""
        gone = [each.published for each in self.gone if each.published is not None]
        return sorted(gone, key=lambda skill: (skill.path, skill.entry))

    def unlisted(self) -> Mapping[str, Unlisted]:
        """Return which listings leave out each valid skill, by directory."""
        refused = self.refused()
        own = {
            each.directory: each.unlisted for each in self.results if each.directory not in refused
        }
        return settled(own, self.config)

    def moved_since(self, paths: Mapping[str, str]) -> int:
        """Return how many published skills have moved. `paths` maps the directory of each skill to
        its old path.
        """
        return sum(
            paths.get(each.directory, each.published.path) != each.published.path
            for each in self.results
            if each.published is not None
        )

    def report(self) -> Report:
        """Return the report of a run that publishes nothing."""
        refused = self.refused()
        skipped = (item for items in self.skipped.values() for item in items)
        valid = [each for each in self.results if each.directory not in refused]
        paths = self.outline.by_directory
        left_out = {paths[key].path or key: each for key, each in self.unlisted().items()}
        unlisted, internal = by_listing(left_out)
        return Report(
            findings=tuple(in_order([*self.findings(), *skipped])),
            skills=len(valid),
            files=sum(each.files for each in valid),
            invalid=tuple(sorted({*refused, *self.skipped})),
            ignored=self.outline.ignored,
            exclusion=exclusion(
                {**self.skipped, **refused}, (each.directory for each in valid), self.config
            ),
            unlisted=unlisted,
            internal=internal,
            copies=self.copies,
            excluded=self.outline.excluded,
            silenced=tuple(
                Silenced(item, entry.reason)
                for item in self.silenced
                if (entry := silenced_by(item, self.config))
            ),
        )


def _is_refused_file(item: Finding) -> bool:
    return item.is_error and item.code == rules.SKILL_FILE_CASE.code


ReadNames = Callable[[Sequence[Leaf], Reader], Iterable[tuple[str, DeclaredName]]]
"""A function that reads the names in SKILL.md files, like `discovery.read_names`."""


def check_source(request: Request) -> Report:
    """Check the source and report all findings; nothing is written."""
    return check_skills(request).report()


def check_skills(request: Request) -> Compiled:
    """Check the skills of the source without publishing them.

    If the request names files, only the skills that contain them are checked.
    """
    with request.source.reader() as reader:
        read_branding(request.config, request.leaves, reader)
        evidence = read_evidence(
            request.config, request.leaves, request.source, reader, request.roots
        )
        planned = plan_skills(request, Pool(request).read_names, reader)
    planned = planned.with_general(evidence.findings)
    step = SkillChecker(request.config, request.options.strict, evidence)
    checker = partial(Pool(request).run, step)
    if request.files is not None:
        return _check_files(request, checker, planned, request.files)
    return compile_skills(request, checker, planned)


def _check_files(
    request: Request, check_some: Compile, planned: Outline, files: Collection[str]
) -> Compiled:
    """Check the skills, or originals of copies, that contain these files.

    Findings about the files themselves are included, but none that need all skills, such as unused
    settings or skills with similar descriptions.
    """
    above = {"", *(directory for path in files for directory in prefixes(path))}
    copied = {planned.originals[copy] for copy in above & planned.originals.keys()}
    skills = [tree for tree in planned.skills if tree.directory in above | copied]
    with request.source.reader() as reader:
        results = tuple(check_some(skills, planned, reader))
    general = [item for item in planned.general if item.path in files]
    left, silenced = without_silenced(general, request.config)
    silenced = [item for item in silenced if counts(item, request.config)]
    silenced += [item for each in results for item in each.silenced]
    return Compiled(
        outline=replace(planned, ignored={}, excluded=()),
        general=tuple(_levelled(left, request)),
        silenced=tuple(in_order(silenced)),
        results=results,
        skipped={},
        copies={},
        config=request.config,
    )


def plan_skills(request: Request, read_names: ReadNames, reader: Reader) -> Outline:
    """Return the outline of the source; `read_names` reads the names of skills.

    Raises `ConfigError` if the settings name skills that do not exist.
    """

    def read(skill_files: Sequence[Leaf]) -> Iterable[tuple[str, DeclaredName]]:
        return read_names(skill_files, reader)

    planned = plan(survey(request.leaves, request.config, read, reader), request.config, reader)
    with locating(request.leaves, reader):
        refuse_unnamed(planned, request.config)
    return planned


def compile_skills(request: Request, compile_some: Compile, planned: Outline) -> Compiled:
    """Compile every skill of the source.

    With `skip_invalid`, invalid skills are left out, and all others keep their paths. Skills that
    linked to a skipped skill are compiled again. If this makes another skill invalid, that skill is
    skipped too, and so on.
    """
    skipped: dict[str, tuple[Finding, ...]] = {}
    with request.source.reader() as reader:
        results: dict[str, SkillResult] = {}
        outline, stale = planned, planned.skills
        while True:
            for result in compile_some(stale, outline, reader):
                results[result.directory] = result
                request.progress(len(results), len(planned.by_directory))
            ordered = tuple(results[directory] for directory in outline.by_directory)
            general, accepted = _general_findings(outline, request, skipped)
            left_out, silenced = _with_remains(skipped, planned, request)
            silenced += accepted
            silenced += [item for each in results.values() for item in each.silenced]
            compiled = Compiled(
                outline,
                general,
                (),  # Only the last round needs the findings.
                ordered,
                left_out,
                planned.originals,
                request.config,
            )
            refused = compiled.refused()
            if not request.options.skip_invalid or not refused:
                alike, accepted = _confusions(ordered, outline, request)
                silenced += accepted
                unused = unused_settings(request.leaves, request.config, silenced, reader)
                general = (*general, *alike, *_levelled(unused, request))
                return replace(compiled, general=general, silenced=tuple(in_order(silenced)))
            skipped |= refused
            gone = {tree.path for tree in outline.skills if tree.directory in refused}
            outline = outline.without(refused)
            stale = tuple(
                tree
                for tree in outline.skills
                if not refused.keys().isdisjoint(results[tree.directory].linked)
                or _successor(tree, request.config) in gone
            )


def _successor(tree: SkillTree, config: Config) -> str:
    """Return the path of the skill that replaces a deprecated one; empty if there is none."""
    deprecation = config.deprecated.get(tree.path or "")
    return deprecation.use if deprecation else ""


def refuse_yanked(compiled: Compiled, skills: Iterable[PublishedSkill], request: Request) -> None:
    """Raise `ConfigError` for an invalid entry of `[yanked]`.

    An entry is invalid if it names the current content of a skill in this release, or something
    that was never a version of any skill.
    """
    yanked = request.config.yanked
    for skill in skills if yanked else ():
        digest = summary_of(skill.entry).skill_digest
        if digest.hex in yanked:
            current = f"is the current version of {skill.path}; change or remove the skill first"
            message = f"[yanked] {digest} {current}"
            with request.source.reader() as reader, locating(request.leaves, reader):
                raise SettingError(message, "yanked", str(digest))
    _refuse_unused_yanks(compiled, request)


def _refuse_unused_yanks(compiled: Compiled, request: Request) -> None:
    """Raise `ConfigError` if `[yanked]` names a digest that no skill ever had.

    Nothing is raised if versions are not published, or if the digest of some state is unknown. It
    is unknown if files are missing, if the state is beyond the limit `keep`, or if the skill is
    internal or excluded now.
    """
    results = [*compiled.results, *compiled.gone]
    tallies = [each.published.versions for each in results if each.published is not None]
    is_partial = any(
        each.ended or sum(each.left_out.values()) > len(each.withheld) for each in tallies
    )
    is_partial |= any(is_internal(each.unlisted) for each in compiled.results)
    published = {digest for each in tallies for digest in each.published}
    unknown = any(not each.published and not each.withheld for each in compiled.gone)
    if is_partial or not published or unknown:
        return
    withheld = compiled.withheld.union(*(each.withheld for each in tallies))
    for digest in sorted(request.config.yanked.keys() - withheld - published):
        close = difflib.get_close_matches(digest, sorted(withheld | published), n=1)
        remedy = f"did you mean {Digest(close[0])}?" if close else "correct or remove the entry"
        message = f"[yanked] {Digest(digest)} is not a version of any skill; {remedy}"
        with request.source.reader() as reader, locating(request.leaves, reader):
            raise SettingError(message, "yanked", str(Digest(digest)))


def _with_remains(
    skipped: Mapping[str, tuple[Finding, ...]], planned: Outline, request: Request
) -> tuple[dict[str, tuple[Finding, ...]], list[Finding]]:
    """Add a finding to each skipped skill whose files an outer skill still publishes.

    Returns all skipped skills, and separately the silenced findings of this kind.
    """
    findings, remarks = dict(skipped), list[Finding]()
    for directory in skipped:
        outer = planned.by_directory.get(directory)
        while outer is not None and outer.directory in skipped:
            outer = planned.by_directory.get(outer.outer) if outer.outer is not None else None
        if outer is not None:
            remark = _remains(planned.by_directory[directory], outer)
            left, silenced = without_silenced([remark], request.config)
            findings[directory] += tuple(_levelled(left, request))
            remarks += [item for item in silenced if counts(item, request.config)]
    return findings, remarks


def _confusions(
    results: Iterable[SkillResult], outline: Outline, request: Request
) -> tuple[list[Finding], list[Finding]]:
    """Return notes about skills that agents may confuse, and separately the silenced notes."""
    files = {tree.directory: tree.skill_file for tree in outline.skills}
    described = {files[each.directory]: each.described for each in results if each.described}
    left, silenced = without_silenced(confusions(described), request.config)
    return _levelled(left, request), [item for item in silenced if counts(item, request.config)]


def _levelled(findings: Iterable[Finding], request: Request) -> list[Finding]:
    return apply_levels(findings, request.config, strict=request.options.strict)


def _remains(tree: SkillTree, outer: SkillTree) -> Finding:
    message = f"the skill is left out, but its files are published as files of {outer.path}"
    hint = f"fix the skill, or move its directory out of {outer.directory}"
    return finding(rules.NESTED_LEFT_OUT, tree.skill_file, None, message, hint)


def _general_findings(
    outline: Outline, request: Request, skipped: Collection[str]
) -> tuple[tuple[Finding, ...], list[Finding]]:
    """Return the findings about the whole source, and separately the silenced ones."""
    general = [item for item in outline.general if item.path not in skipped]
    left, silenced = without_silenced(general, request.config)
    findings = _levelled(left, request)
    if not outline.by_directory and not findings and not request.options.allow_empty:
        hint = f"add a directory with {SKILL_FILE} to the source, or pass --allow-empty"
        if outline.ignored:
            reasons = ", ".join(sorted(set(outline.ignored.values())))
            unread = set(outline.ignored.values()) <= {Kind.LINK, Kind.SUBMODULE}
            remedy = (
                "commit the files instead of links"
                if unread
                else "change roots or exclude in the settings"
            )
            hint = f"every {SKILL_FILE} is ignored ({reasons}): {remedy}"
        findings.append(finding(rules.NO_SKILLS, ".", None, "the source has no skills", hint))
    return tuple(findings), [item for item in silenced if counts(item, request.config)]


def settled(own: Mapping[str, Unlisted], config: Config) -> Mapping[str, Unlisted]:
    """Return the listings that omit each skill, by directory.

    `own` contains the listings that should omit each skill. Some listings omit a skill only because
    clients would otherwise drop other skills, too. Such a skill is listed anyway with `listing =
    "all"`, or if no skill would be left in the MCP list.
    """
    protected = any(Listing.MCP not in unlisted for unlisted in own.values())
    if protected and config.listing == "safe":
        return own
    return {key: without_protection(unlisted) for key, unlisted in own.items()}


def as_settled(skill: PublishedSkill, own: Unlisted, unlisted: Unlisted) -> PublishedSkill:
    """Return a copy of the skill with the final value of `unlisted`. The skill's line in the record
    is updated, too; `own` is the value that the line contains now.
    """
    if unlisted == own:
        return replace(skill, unlisted=unlisted)
    return replace(skill, unlisted=unlisted, entry=with_unlisted(skill.entry, unlisted))


def by_listing(skills: Mapping[str, Unlisted]) -> tuple[UnlistedSkills, tuple[str, ...]]:
    """Return the skills that each listing omits, with the reasons. Internal skills are returned
    separately, as sorted paths.

    `skills` maps the path of each skill to the listings that omit the skill.
    """
    internal = {path for path, unlisted in skills.items() if is_internal(unlisted)}
    left_out: UnlistedSkills = {
        str(listing): {
            path: tuple(skills[path][listing])
            for path in sorted(skills.keys() - internal)
            if listing in skills[path]
        }
        for listing in Listing
    }
    return {key: each for key, each in left_out.items() if each}, tuple(sorted(internal))


_COVERS_NO = {"exclude": "file"}
_OF_CHECKS = frozenset([DESCRIPTION_COVERED.code])
"""Rules that builds do not apply, so that `[[ignore]]` entries for them never count as unused."""


def unused_settings(
    leaves: Sequence[Leaf], config: Config, silenced: Collection[Finding], reader: Reader
) -> Iterator[Finding]:
    """Yield a warning for each glob and each `[[ignore]]` entry that has no effect.

    `leaves` are all files and links of the source. `silenced` are all findings that `[[ignore]]`
    silences.
    """
    if len(leaves) > MOST_ENTRIES:
        return
    patterns = list(unused_patterns(leaves, config))
    entries = [
        (number, entry)
        for number, entry in enumerate(config.ignore)
        if entry.rule not in _OF_CHECKS and not any(covers(entry, item) for item in silenced)
    ]
    text = _settings_text(leaves, reader) if patterns or entries else ""
    for key, pattern in patterns:
        place = place_of_text(text, key, pattern)
        message = f"{pattern} in {key} matches no {_COVERS_NO.get(key, 'SKILL.md')}"
        hint = "remove the glob, or correct it; paths are relative to skillbuild.toml"
        yield _about(rules.PATTERN_UNUSED, place, message, hint)
    for number, entry in entries:
        where = f" in {', '.join(entry.paths)}" if entry.paths else ""
        place = place_of_entry(text, "ignore", number, len(config.ignore))
        message = f"this entry silences no finding of the rule {entry.rule}{where}"
        hint = "remove the entry, or correct its rule, paths or fingerprint"
        yield _about(rules.IGNORE_UNUSED, place, message, hint)


def _about(rule: Rule, place: Place | None, message: str, hint: str) -> Finding:
    return finding(rule, CONFIG_FILE, place, message, hint)


def _settings_text(leaves: Sequence[Leaf], reader: Reader) -> str:
    """Return the content of skillbuild.toml; empty if settings come from elsewhere."""
    files = [leaf for leaf in leaves if leaf.path == CONFIG_FILE and leaf.is_file]
    data = next(iter(reader.read(files)), None)
    return (data or b"").decode(errors="replace").replace("\r\n", "\n")
