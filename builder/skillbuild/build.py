"""The build pipeline: compiles one commit into one release, or reports all errors that
prevent it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from skillbuild.cache.skills import Cache
from skillbuild.check.trust.evidence import read_evidence
from skillbuild.compile.branding import Branding, read_branding
from skillbuild.compile.catalog import catalog_of, stage_catalog
from skillbuild.compile.history import compile_with_history, plan_with_history
from skillbuild.compile.inputs import BuildInputs
from skillbuild.compile.request import Options, Progress, Request
from skillbuild.compile.skill import SkillCompiler
from skillbuild.compile.skills import Compiled, refuse_yanked
from skillbuild.diagnostics import has_errors
from skillbuild.emit import registry, web_files
from skillbuild.errors import GitError, OutputError
from skillbuild.model import NO_COMMIT, Catalog
from skillbuild.output import directory
from skillbuild.output.base import (
    Base,
    Empty,
    Remote,
    read_base,
    require_known_search,
)
from skillbuild.output.stage import BaseChangedError, Stage, staging
from skillbuild.release.entries import EntryLines
from skillbuild.release.lost import Losses, losses
from skillbuild.report.run import Report
from skillbuild.source import git
from skillbuild.source.git import Commit
from skillbuild.source.tree import CommitSource

__all__ = ["Options", "Progress", "Report", "Request", "build", "preview"]

_WORK_TREE = Commit(NO_COMMIT, NO_COMMIT)


def build(request: Request, out: Path, previous: Remote | None = None) -> Report:
    """Build one commit into `out`; write nothing if there are errors.

    With `skip_invalid`, invalid skills are left out; the other skills keep their paths. With
    `previous`, the build continues from that release instead of the release in `out`.
    """
    source = request.source
    if not isinstance(source, CommitSource):
        raise GitError("only a commit can be built; commit the working tree first")
    directory.require_usable(out)
    base = read_base(out, previous)
    _refuse_older(source, base, request.options)
    if request.config.keep:
        require_known_search(base, out)
    try:
        return _build(request, source.commit, out, base)
    except BaseChangedError:  # Another build published meanwhile: start again from its release.
        uncached = replace(request, options=replace(request.options, cache=False))
        return _build(uncached, source.commit, out, read_base(out, previous))


def preview(request: Request, out: Path) -> Report:
    """Build the working tree into `out` as if it were committed."""
    return _build(request, _WORK_TREE, out, Empty())


def _build(request: Request, commit: Commit, out: Path, base: Base) -> Report:
    """Compile one source into the release that follows `base`."""
    config, options = request.config, request.options
    with request.source.reader() as reader:
        branding = read_branding(config, request.leaves, reader)
        evidence = read_evidence(config, request.leaves, request.source, reader, request.roots)
    icons = tuple(branding.icons)
    emitters = registry.emitters(config, icons, branding.templates, request.source.prefix)
    inputs = BuildInputs.of(request, branding, emitters, evidence)
    cache = Cache(out, base, inputs, request)
    log = cache.read_log()
    changes = log.last_changes() if log else {}
    planned, lineage = plan_with_history(request, cache.read_names)
    planned = planned.with_general(evidence.findings)
    with staging(out, cache.base, cache.file_keys(), rewrite=options.recheck) as stage:
        step = SkillCompiler(
            config, options.strict, emitters, stage.writer, changes, evidence=evidence
        )
        compiled = compile_with_history(request, cache.run, step, planned, lineage, stage.scratch)
        report = compiled.report()
        if has_errors(compiled.findings()):
            return report
        skills = compiled.published()
        refuse_yanked(compiled, skills, request)
        catalog = catalog_of(commit, branding, compiled, skills, log, lineage)
        stage_catalog(stage, emitters, catalog, [*skills, *compiled.published_gone()])
        _add_shared_files(stage, branding)
        record = inputs.record(catalog, stage.fixed_files(catalog))
        moved = compiled.moved_since(_other_paths(cache.base, catalog))
        lost = _losses(cache.base, catalog, compiled)
        publication = stage.publish(record, config.keep, emitters)
        size = cache.size_after(publication) or directory.size_of(out)
        cache.save(publication, compiled, stage.keys, size)
    return replace(
        report,
        digest=publication.release.release_digest,
        index_size=publication.release.fixed.index.size,
        versions=publication.release.catalog.versions,
        release=publication.release,
        unchanged=publication.unchanged,
        size=size,
        moved=moved,
        gone=lost.gone,
        delisted=lost.delisted,
    )


def _other_paths(base: Base, catalog: Catalog) -> Mapping[str, str]:
    """Map the directories of skills whose entry has changed to their paths in the previous
    release.
    """
    if isinstance(base, Empty):
        return {}
    former = EntryLines.of(base.release.catalog.entries)
    return former.without(EntryLines.of(catalog.entries)).paths_by_directory()


def _losses(base: Base, catalog: Catalog, compiled: Compiled) -> Losses:
    """Return the skills and listings of the previous release that this one no longer has."""
    if isinstance(base, Empty):
        return Losses()
    rules = {
        key: tuple(sorted({item.code for item in items if item.is_error}))
        for key, items in compiled.skipped.items()
    }
    return losses(base.release.catalog, catalog, compiled.config.moved, rules)


def _add_shared_files(stage: Stage, branding: Branding) -> None:
    """Stage the catalog's own icons and the files that static hosts read."""
    stage.add({f"icons/{icon.file_name}": data for icon, data in branding.icons.items()})
    stage.write(web_files.host_files())


def _refuse_older(source: CommitSource, base: Base, options: Options) -> None:
    """Raise `OutputError` if the base was built from a newer commit, unless `--allow-older` is
    set.
    """
    if isinstance(base, Empty) or options.allow_older:
        return
    commit, published = source.commit.commit, base.release.catalog.commit
    if git.is_older(source.repository, commit, published):
        where = base.where if isinstance(base, Remote) else "the output"
        raise OutputError(
            f"{where} was built from the newer commit {published[:12]}; pass --rev"
            f" {commit[:12]} to publish the older commit"
        )
