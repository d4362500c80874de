"""Builds the catalog of a release from its skills, and writes the catalog-wide files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from skillbuild.compile.branding import Branding
from skillbuild.compile.result import LinesOf, PublishedSkill
from skillbuild.compile.skills import Compiled
from skillbuild.config import moved_to
from skillbuild.emit.emitter import Emitter
from skillbuild.model import Catalog, Gone, SkillGroup, VersionTotals, changed
from skillbuild.output.stage import Stage
from skillbuild.release.entries import EntryLines
from skillbuild.release.versions import decode_gone
from skillbuild.source.git import Commit
from skillbuild.source.groups import plugin_tree
from skillbuild.source.history import Walk
from skillbuild.source.lineage import Lineage

_Value = TypeVar("_Value")


def catalog_of(
    commit: Commit,
    branding: Branding,
    compiled: Compiled,
    skills: Sequence[PublishedSkill],
    log: Walk | None = None,
    lineage: Lineage | None = None,
) -> Catalog:
    """Return the catalog of the published `skills`; it includes versions if `lineage` is given."""
    config = compiled.config
    catalog = Catalog(
        commit=commit.commit,
        tree=commit.tree,
        title=config.title,
        tagline=config.tagline,
        base_url=config.base_url,
        website_url=config.website_url,
        icons=tuple(branding.icons),
        entries=EntryLines([skill.entry for skill in skills]),
        skipped=tuple(sorted(compiled.skipped)),
        ignored=compiled.outline.ignored,
        changes=_by_path(compiled, log.last_changes() if log else {}),
        firsts=_by_path(compiled, log.first_changes() if log else {}),
        touched=_by_path(compiled, log.touched if log else {}),
        withheld=frozenset(config.yanked),
        groups=_groups(compiled),
        plugins=plugin_tree(config, compiled.outline.grouped.manifests),
    )
    return catalog if lineage is None else _with_versions(catalog, compiled, skills, lineage)


def _by_path(compiled: Compiled, changes: Mapping[str, _Value]) -> Mapping[str, _Value]:
    """Map the path of each published skill to its value in `changes`, which is by directory."""
    return {
        result.published.path: changes[result.directory]
        for result in compiled.results
        if result.published is not None and result.directory in changes
    }


def _groups(compiled: Compiled) -> tuple[SkillGroup, ...]:
    """Return the groups of published skills."""
    outline = compiled.outline
    published = {each.directory for each in compiled.results if each.published is not None}
    used = {outline.by_directory[directory].group for directory in published}
    return tuple(each for name, each in outline.grouped.groups.items() if name in used)


def _with_versions(
    catalog: Catalog, compiled: Compiled, skills: Sequence[PublishedSkill], lineage: Lineage
) -> Catalog:
    gone = compiled.published_gone()
    live = {skill.path for skill in skills}
    tallies = [skill.versions for skill in (*skills, *gone)]
    left_out = Counter[str]()
    for tally in tallies:
        left_out.update(tally.left_out)
    sizes: dict[str, int] = {}
    for tally in tallies:
        for digest, size in tally.published.items():
            sizes[digest] = min(size, sizes.get(digest, size))
    totals = VersionTotals(
        since=lineage.since,
        published=len(sizes),
        ended=sum(tally.ended for tally in tallies),
        left_out=dict(sorted(left_out.items())),
        size=sum(sizes.values()),
    )
    followed = {path: skill.path for skill in skills for path in skill.versions.former}
    settings = compiled.config.moved
    moved = followed | {path: moved_to(path, settings) for path in settings}
    moved = {path: to for path, to in moved.items() if path not in live and to in live}
    lines = _merged([decode_gone(skill.entry) for skill in gone if skill.path not in live], lineage)
    ended = [changed(each, successor=moved.pop(path, "")) for path, each in sorted(lines.items())]
    former = {path: skill.path for skill in gone for path in skill.versions.former}
    taken = live | lines.keys() | moved.keys()
    moved |= {path: to for path, to in former.items() if path not in taken and to in lines}
    refused = {*compiled.withheld, *(each for tally in tallies for each in tally.withheld)}
    # A version refused in one directory may pass in another, and is published then.
    withheld = catalog.withheld | (refused - sizes.keys())
    return replace(catalog, versions=totals, gone=tuple(ended), moved=moved, withheld=withheld)


def _merged(gone: Iterable[Gone], lineage: Lineage) -> Mapping[str, Gone]:
    """Map the paths of removed skills to their versions; skills with the same path are merged.

    The skill removed last comes first, followed by the versions of the others.
    """
    ranks = {each.directory: rank for rank, each in enumerate(lineage.gone)}
    merged: dict[str, Gone] = {}
    for each in sorted(gone, key=lambda item: (ranks.get(item.directory, -1), item.directory)):
        last = merged.setdefault(each.path, each)
        digests = {version.digest for version in last.versions}
        others = tuple(version for version in each.versions if version.digest not in digests)
        merged[each.path] = changed(last, versions=last.versions + others)
    return merged


def stage_catalog(
    stage: Stage,
    emitters: Sequence[Emitter],
    catalog: Catalog,
    skills: Sequence[PublishedSkill],
) -> None:
    """Stage the catalog-wide files, and add the files of each skill to the release."""
    for skill in skills:
        stage.include(skill.checksums)
    for emitter in emitters:
        listed = [
            skill.lines
            for skill in skills
            if emitter.path in skill.lines and emitter.listing not in skill.unlisted
        ]
        lines = LinesOf(emitter.path, listed)
        stage.write(emitter.emit_catalog(catalog, lines))
