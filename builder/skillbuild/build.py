"""The pipeline: one commit in, one release out, or every reason why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from skillbuild.cache.skills import Cache
from skillbuild.compile.branding import Branding, read_branding
from skillbuild.compile.catalog import catalog_of
from skillbuild.compile.compiler import SkillCompiler
from skillbuild.compile.emitting import stage_catalog
from skillbuild.compile.history import lineage_of
from skillbuild.compile.inputs import BuildInputs
from skillbuild.compile.lines import on_disk
from skillbuild.compile.pool import Pool
from skillbuild.compile.request import Options, Progress, Report, Request
from skillbuild.compile.result import Compile, SkillResult
from skillbuild.compile.skills import Compiled, compile_skills, plan_skills, refuse_yanked
from skillbuild.compile.version_owners import States, with_one_owner
from skillbuild.diagnostics import has_errors
from skillbuild.emit import registry, web_files
from skillbuild.errors import GitError, OutputError
from skillbuild.model import Catalog
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
from skillbuild.source import git
from skillbuild.source.git import Commit
from skillbuild.source.lineage import Lineage
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import CommitSource, Reader

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
    cache = Cache(out, base, inputs, request)
    changes = cache.last_changes()
    planned, lineage = _plan(request)
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


def _plan(request: Request) -> tuple[Outline, Lineage | None]:
    """Where the skills of the source are, and their states if versions are published."""
    with request.source.reader() as reader:
        planned = plan_skills(request, reader)
        return planned, lineage_of(request, planned, reader)


def _compile(
    request: Request,
    step: SkillCompiler,
    stage: Stage,
    cache: Cache,
    planned: Outline,
    lineage: Lineage | None,
) -> Compiled:
    """Compile every skill, and the versions of those that are no longer in the source."""
    pool = Pool(request)

    def compile_with(states: States) -> Compile:
        versioned = replace(step, states=states, ends=ends)

        def compile_some(
            skills: Sequence[SkillTree], outline: Outline, reader: Reader
        ) -> Iterator[SkillResult]:
            return on_disk(cache.run(pool, versioned, skills, outline, reader), stage.scratch)

        return compile_some

    states = lineage.all_states() if lineage else {}
    ends = lineage.ends() if lineage else {}
    compiled = compile_skills(request, compile_with(states), planned)
    if lineage is None or has_errors(compiled.findings()):
        return compiled
    # What is left out for now keeps the addresses of its versions, as what is gone does.
    ends |= {each: states[each][0].change for each in compiled.skipped if states.get(each)}
    gone = {directory: SkillTree(directory, ()) for directory in ends}
    trees = {**compiled.outline.by_directory, **gone}

    def again(states: States, directories: Sequence[str]) -> list[SkillResult]:
        wanted = [trees[directory] for directory in directories]
        with request.source.reader() as reader:
            return list(compile_with(states)(wanted, compiled.outline, reader))

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
