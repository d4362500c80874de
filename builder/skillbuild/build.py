"""The pipeline: one commit in, one release out, or every reason why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from skillbuild.cache.history import last_changes
from skillbuild.cache.published import is_published, unchanged_report
from skillbuild.cache.skills import NoCache, SkillCache
from skillbuild.compile.branding import Branding, read_branding
from skillbuild.compile.catalog import catalog_of
from skillbuild.compile.check_only import SkillChecker
from skillbuild.compile.compiler import SkillCompiler
from skillbuild.compile.emitting import stage_catalog
from skillbuild.compile.history import lineage_of
from skillbuild.compile.inputs import BuildInputs
from skillbuild.compile.lines import LinesOnDisk
from skillbuild.compile.pool import Pool
from skillbuild.compile.request import Options, Progress, Report, Request
from skillbuild.compile.result import Compiler, SkillResult
from skillbuild.compile.skills import Compiled, compile_skills, plan_skills, refuse_yanked
from skillbuild.compile.version_owners import States, with_one_owner
from skillbuild.diagnostics import has_errors
from skillbuild.emit import registry, web_files
from skillbuild.errors import GitError, OutputError
from skillbuild.model import Catalog, Change
from skillbuild.output import directory
from skillbuild.output.base import (
    Base,
    Empty,
    Published,
    Remote,
    read_base,
    require_known_search,
)
from skillbuild.output.stage import BaseChangedError, Stage, staging, sweep
from skillbuild.release.entries import EntryLines
from skillbuild.source import git
from skillbuild.source.git import Commit
from skillbuild.source.lineage import Lineage
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import CommitSource

__all__ = ["Options", "Progress", "Report", "Request", "build", "preview"]

_NO_COMMIT = Commit("0" * 40, "0" * 40)


def build(request: Request, out: Path, previous: Remote | None = None) -> Report:
    """Build one commit into `out`; on errors nothing is written.

    With `skip_invalid`, invalid skills are left out, and all others keep the places that they have
    beside them. With a `previous` release the output ends as if that one had been built there
    before.
    """
    source = request.source
    if not isinstance(source, CommitSource):
        raise GitError("only a commit can be built; commit the work tree first")
    directory.require_usable(out)
    base = read_base(out, previous)
    _refuse_older(source, base, request.options)
    if request.config.keep:
        require_known_search(base, out)
    try:
        return _build(request, source.commit, out, base)
    except BaseChangedError:  # Another build has published meanwhile: start over what is there now.
        uncached = replace(request, options=replace(request.options, cache=False))
        return _build(uncached, source.commit, out, read_base(out, previous))


def preview(request: Request, out: Path) -> Report:
    """Build a work tree as if it were a commit, for its author's eyes."""
    return _build(request, _NO_COMMIT, out, Empty())


def _build(request: Request, commit: Commit, out: Path, base: Base) -> Report:
    """Compile one source into one release after `base`."""
    config, options = request.config, request.options
    with request.source.reader() as reader:
        branding = read_branding(config, request.leaves, reader)
    icons = tuple(branding.icons)
    emitters = registry.emitters(config, icons, branding.templates, request.source.prefix)
    inputs = BuildInputs.of(request, branding, emitters)
    if isinstance(base, Published) and is_published(request, inputs, commit, out, base):
        sweep(out)
        return unchanged_report(base.release, request)
    changes = last_changes(request, emitters, out, base)
    cache = SkillCache.open(out, base, inputs, changes, options)
    with closing(cache):
        return _build_with(cache, request, commit, out, inputs, changes)


def _build_with(
    cache: SkillCache | NoCache,
    request: Request,
    commit: Commit,
    out: Path,
    inputs: BuildInputs,
    changes: Mapping[str, Change],
) -> Report:
    """Plan, compile and publish; `changes` are by directory of the skill."""
    config, options = request.config, request.options
    branding, emitters = inputs.branding, inputs.emitters
    planned, lineage = _plan(request, cache)
    with staging(out, cache.base, rewrite=options.recheck) as stage:
        step = SkillCompiler(config, options.strict, emitters, stage.writer, changes)
        compiled = _compile(request, step, stage, cache, planned, lineage)
        report = compiled.report()
        if has_errors(compiled.findings()):
            return report
        skills = compiled.published()
        refuse_yanked(compiled, skills, request)
        catalog = catalog_of(commit, branding, compiled, skills, changes, lineage)
        stage_catalog(stage, emitters, catalog, [*skills, *compiled.published_gone()])
        _add_shared_files(stage, branding)
        record = inputs.record(catalog, stage.index_digest, stage.search_digest)
        moved = compiled.moved_since(_other_paths(cache.base, catalog))
        publication = stage.publish(record, config.keep, emitters)
        size = cache.size_after(publication) or directory.size_of(out)
        cache.save(publication, compiled, size)
    return replace(
        report, release=publication.release, unchanged=publication.unchanged, size=size, moved=moved
    )


def _plan(request: Request, cache: SkillCache | NoCache) -> tuple[Outline, Lineage | None]:
    """Where the skills of the source are, and their states if versions are published."""
    checker = SkillChecker(request.config, request.options.strict)
    compiler = cache.through(Pool(request, checker))
    with request.source.reader() as reader:
        planned = plan_skills(request, compiler, reader)
        return planned, lineage_of(request, planned, reader)


def _compile(
    request: Request,
    step: SkillCompiler,
    stage: Stage,
    cache: SkillCache | NoCache,
    planned: Outline,
    lineage: Lineage | None,
) -> Compiled:
    """Compile every skill, and the versions of those that are no longer in the source."""

    def compiler(states: States) -> Compiler:
        versioned = replace(step, states=states, ends=ends, earlier=cache.earlier())
        lines = LinesOnDisk(Pool(request, versioned), stage.scratch)
        return cache.through(lines, states)

    states = lineage.all_states() if lineage else {}
    ends = lineage.ends() if lineage else {}
    compiled = compile_skills(request, compiler(states), planned)
    if lineage is None or has_errors(compiled.findings()):
        return compiled
    # What is left out for now keeps the addresses of its versions, as what is gone does.
    ends |= {each: states[each][0].change for each in compiled.skipped if states.get(each)}
    gone = {directory: SkillTree(directory, ()) for directory in ends}
    trees = {**compiled.outline.by_directory, **gone}

    def again(states: States, directories: Sequence[str]) -> list[SkillResult]:
        wanted = [trees[directory] for directory in directories]
        with request.source.reader() as reader:
            return list(compiler(states).compile(wanted, compiled.outline, reader))

    results = again(states, list(gone))
    published = tuple(each for each in results if each.published)
    rest = tuple(each for each in results if not each.published)
    compiled = replace(compiled, gone=published, gone_whole=rest)
    return with_one_owner(compiled, states, again)


def _other_paths(base: Base, catalog: Catalog) -> Mapping[str, str]:
    """Paths of skills in the release before, by directory; not of those that are the same now."""
    if isinstance(base, Empty):
        return {}
    former = EntryLines.of(base.release.catalog.entries)
    return former.without(EntryLines.of(catalog.entries)).paths_by_directory()


def _add_shared_files(stage: Stage, branding: Branding) -> None:
    """The catalog's own icons, and what hosts of static files read."""
    stage.add({f"icons/{icon.file_name}": data for icon, data in branding.icons.items()})
    stage.write(web_files.host_files())


def _refuse_older(source: CommitSource, base: Base, options: Options) -> None:
    """Raise `OutputError` when the base holds a newer commit, unless that was asked for."""
    if isinstance(base, Empty) or options.allow_older:
        return
    commit, published = source.commit.commit, base.release.catalog.commit
    if git.is_older(source.repository, commit, published):
        where = base.where if isinstance(base, Remote) else "the output"
        raise OutputError(
            f"{where} holds the newer commit {published[:12]}; pass --rev {commit[:12]} to"
            " publish the older one"
        )
