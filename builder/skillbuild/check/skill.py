"""Checks one skill against all rules, and returns the skill if there are no errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from skillbuild.check import fields, files, icons, texts
from skillbuild.check.causes import by_cause
from skillbuild.check.files import with_exclude
from skillbuild.check.hidden import Hidden, hidden_in
from skillbuild.check.levels import apply_levels, counts, silenced_by, without_silenced
from skillbuild.check.symlinks import check_links
from skillbuild.check.trust.evidence import NOTHING, Evidence
from skillbuild.check.trust.signatures import Judge, Others, check_signatures
from skillbuild.check.trust.verdicts import MOST_VERDICTS, check_verdicts, verdicts_about
from skillbuild.config import Config
from skillbuild.diagnostics import Finding, Severity, has_errors
from skillbuild.model import File, Icon, ScannerVerdict, Signature, Skill, Trust, Unlisted
from skillbuild.paths import SKILL_FILE, inside
from skillbuild.release.frontmatter import is_internal
from skillbuild.rules.files import SECRET, SKILL_TOO_LARGE, TOO_MANY_FILES
from skillbuild.rules.registry import unlisted_by
from skillbuild.rules.source import SKILL_AT_ROOT
from skillbuild.source.backups import backup_around
from skillbuild.source.documents import Documents
from skillbuild.source.globs import matcher
from skillbuild.source.outline import Outline
from skillbuild.source.skill_md import read_skill_md
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Kind, Leaf, Reader

_UNREAD = (TOO_MANY_FILES.code, SKILL_TOO_LARGE.code, SKILL_AT_ROOT.code)
"""Rules that, if broken, prevent reading the files. In the last case the files belong to other
skills.
"""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking one skill; `skill` is None if there was an error."""

    skill: Skill | None
    findings: tuple[Finding, ...]
    silenced: tuple[Finding, ...] = ()
    """Findings that `[[ignore]]` silences, one for each place."""
    unlisted: Unlisted = field(default_factory=dict)
    """Which listings should leave out the skill, and why."""
    linked: frozenset[str] = frozenset()
    """Directories of other skills that the skill's links lead to."""
    icons: Mapping[Icon, bytes] = field(default_factory=dict)
    """Its icons in order, with the bytes to publish."""
    documents: Documents = field(default_factory=lambda: Documents(()))
    """The texts of the skill, as far as the check parsed them."""
    hidden: tuple[Hidden, ...] = ()
    """Text that agents read but readers of the pages do not see."""
    trust: Trust | None = None
    """The statements of signers and scanners about the skill; None if there are none."""


def check_skill(
    tree: SkillTree,
    outline: Outline,
    reader: Reader,
    config: Config,
    *,
    strict: bool = False,
    evidence: Evidence = NOTHING,
) -> Checked:
    """Read one skill and apply every rule.

    At most SKILL.md is read if the skill is too large, or if the skill is at the root of a source
    that contains other skills. The findings have their final severities, which depend on the
    settings and on `strict`. A skill with errors gets no notes.
    """
    leaves = files.leaves_of(tree)
    own = leaves.own
    plain = [leaf for leaf in own if leaf.is_file]
    sizes = reader.sizes(plain)
    findings = list(outline.findings.get(tree.directory, ()))
    findings += files.check_listing(tree, own, leaves.junk, sizes, config)
    if any(item.code in _UNREAD for item in findings):
        wanted = [leaf for leaf in plain if leaf.path == tree.skill_file]
        wanted = [leaf for leaf in wanted if sizes[plain.index(leaf)] in range(config.limits.bytes)]
    else:
        wanted = [leaf for leaf, size in zip(plain, sizes, strict=True) if size is not None]
    contents = _read(tree, wanted, reader)
    findings += files.check_web_safety(tree, own, contents)
    findings += files.check_large(tree, plain, sizes, contents, config)
    findings += check_links(tree, leaves.links, contents, reader)
    checked = _check_contents(tree, contents, outline, reader, config)
    findings += checked.findings
    if len(contents) < len(wanted):
        findings += files.unreadable(tree, wanted, contents)
    elif len(contents) == len(plain):
        others, judge = (
            _others(tree, leaves.junk, reader, config),
            Judge(config.trust, evidence.roots),
        )
        signatures, faults = check_signatures(contents, others, tree.directory, judge)
        paths = [file.path for file in contents]
        verdicts = verdicts_about(evidence.verdicts, tree.directory, paths)
        if signatures:
            findings = list(map(_with_signing, findings))
        findings += [*faults, *check_verdicts(verdicts, tree.directory, config.trust)]
        checked = replace(checked, trust=_trust(signatures, verdicts))
    findings = [with_exclude(item, outline.by_directory) for item in findings]
    if backup_around(tree.directory):
        findings = list(map(_noted, findings))
    together = partial(
        by_cause,
        directory=tree.directory,
        contents={file.path: file.data for file in contents},
    )
    return _judged(checked, findings, together, config, strict=strict)


def _trust(signatures: tuple[Signature, ...], verdicts: Sequence[ScannerVerdict]) -> Trust | None:
    if not signatures and not verdicts:
        return None
    most = tuple(verdicts[:MOST_VERDICTS])
    return Trust(signatures, most, len(verdicts) - len(most))


def _others(tree: SkillTree, junk: Sequence[Leaf], reader: Reader, config: Config) -> Others:
    """Return access to files in the skill's directory that are not part of the skill."""
    leaves = {tree.relative(leaf): leaf for leaf in junk if leaf.is_file}
    is_excluded = matcher(config.exclude)

    def is_left_out(path: str) -> bool:
        # If signatures are required, a committer must not remove signed files from a skill.
        is_allowed = not config.trust.required and is_excluded(inside(tree.directory, path))
        return path in leaves or is_allowed

    def content(path: str) -> bytes | None:
        return next(iter(reader.read([leaves[path]]))) if path in leaves else None

    return Others(is_left_out, content)


def _with_signing(item: Finding) -> Finding:
    """Return the finding about a signed skill; a hint to edit a line says to sign it again."""
    if item.place is None or not item.hint:
        return item
    return replace(item, hint=f"{item.hint}; then have the skill signed again")


def _noted(item: Finding) -> Finding:
    """Return the finding as a note, because it is better to exclude the skill; errors stay
    errors.
    """
    return item if item.is_error else replace(item, severity=Severity.NOTE)


def _read(tree: SkillTree, leaves: Sequence[Leaf], reader: Reader) -> list[File]:
    contents = zip(leaves, reader.read(leaves), strict=True)
    return [
        File(tree.relative(leaf), data, leaf.kind is Kind.EXECUTABLE)
        for leaf, data in contents
        if data is not None
    ]


def _check_contents(
    tree: SkillTree, contents: Sequence[File], outline: Outline, reader: Reader, config: Config
) -> Checked:
    """Apply the rules about contents, and create the skill if its frontmatter can be read.

    If a file has a secret, the remaining checks get the file with the secret blanked, so that no
    finding can repeat it. A secret that `[[ignore]]` accepts is published unchanged.
    """
    findings = [*files.check_pointers(tree, contents)]
    findings += [item for file in contents for item in files.check_content(tree, file)]
    if any(item.code == SECRET.code and not silenced_by(item, config) for item in findings):
        contents = [replace(file, data=files.blanked(file)) for file in contents]
    skill_md = next((file for file in contents if file.path == SKILL_FILE), None)
    head = read_skill_md(skill_md.data, tree.skill_file) if skill_md else None
    if head is None or head.frontmatter is None:
        findings += files.check_bits(tree.directory, contents, Documents(contents))
        return Checked(None, (*findings, *(head.findings if head else ())))
    documents = Documents(contents, head.body, head.body_line)
    findings += files.check_bits(tree.directory, contents, documents)
    findings += fields.check_frontmatter(tree, head.frontmatter, head.findings, config)
    path = tree.path or tree.directory
    skill = Skill(
        path,
        tree.directory,
        head.frontmatter,
        head.body,
        head.body_line,
        tuple(contents),
        tree.flat_name or "",
        tree.copies,
    )
    findings += texts.check_body(skill, config)
    findings += texts.check_rendering(skill, documents, config)
    unseen = tuple(hidden_in(skill, documents))
    findings += [each.finding(skill.directory) for each in unseen]
    in_texts, linked = texts.check_texts(skill, documents, tree, outline)
    pictures, faults = icons.find(skill, outline, reader)
    whole = skill if tree.path else None
    every = (*findings, *in_texts, *faults)
    return Checked(whole, every, linked=linked, icons=pictures, documents=documents, hidden=unseen)


def _judged(
    checked: Checked,
    findings: list[Finding],
    together: Callable[[list[Finding]], list[Finding]],
    config: Config,
    *,
    strict: bool,
) -> Checked:
    """Return the check with all findings at their final severities, without a skill if one is an
    error.

    `together` merges findings with one cause. Findings are silenced before that, so each place can
    be silenced separately. A rule that removes the skill from a listing does so even if its finding
    is silenced.
    """
    frontmatter = checked.skill.frontmatter.value if checked.skill else {}
    codes = {item.code for item in findings}
    unlisted = unlisted_by(codes, config.listings, internal=is_internal(frontmatter))
    left, silenced = without_silenced(findings, config)
    levelled = tuple(apply_levels(together(left), config, strict=strict))
    skill = None if has_errors(levelled) else checked.skill
    if skill is None:
        levelled = tuple(item for item in levelled if not item.is_note)
    return replace(
        checked,
        skill=skill,
        findings=levelled,
        silenced=tuple(item for item in silenced if counts(item, config)),
        unlisted=unlisted,
    )
