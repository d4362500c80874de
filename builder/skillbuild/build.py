"""The pipeline: one commit in, one release out, or every reason why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from skillbuild.cache.history import walk_log_again
from skillbuild.cache.skills import SkillCache
from skillbuild.compile.batches import BatchCompiler
from skillbuild.compile.branding import Branding, read_branding
from skillbuild.compile.compiler import SkillCompiler
from skillbuild.compile.inputs import BuildInputs
from skillbuild.compile.request import Options, Progress, Report, Request
from skillbuild.compile.skills import Compiled, compile_skills
from skillbuild.config import Config
from skillbuild.diagnostics import has_errors, in_order
from skillbuild.emit import registry
from skillbuild.emit.emitter import Emitter, Unchanged
from skillbuild.errors import GitError, OutputError
from skillbuild.model import Catalog, Change, OutputFile
from skillbuild.output import contents, location
from skillbuild.output.base import Base, Empty, Published, is_complete, read_base
from skillbuild.output.remote import Remote
from skillbuild.output.stage import BaseChangedError, Stage, staging, sweep
from skillbuild.paths import SKILL_FILE, parent
from skillbuild.release.entry_lines import EntryLines
from skillbuild.release.layout import HISTORY_FILE, RECORD_FILE
from skillbuild.release.record import Record
from skillbuild.rules.registry import finding_of
from skillbuild.source import git, history
from skillbuild.source.git import Commit
from skillbuild.source.tree import CommitSource

__all__ = ["Options", "Progress", "Report", "Request", "build", "preview"]

_NO_COMMIT = Commit("0" * 40, "0" * 40)


def build(request: Request, out: Path, previous: Remote | None = None) -> Report:
    """Build one commit into `out`; on errors nothing is written.

    With `skip_invalid`, invalid skills are treated as if they were not in the source. With a
    `previous` release the output ends as if that one had been built there before.
    """
    source = request.source
    if not isinstance(source, CommitSource):
        raise GitError("only a commit can be built; commit the work tree first")
    location.require_usable(out)
    base = read_base(out, previous)
    _refuse_older(source, base, request.options)
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
    config, options, profile = request.config, request.options, request.profile
    with request.source.reader() as reader:
        branding = read_branding(config, request.leaves, reader)
    icons = tuple(branding.icons)
    emitters = registry.emitters(config, icons, branding.templates, request.source.prefix)
    inputs = BuildInputs.of(request, branding, emitters)
    if isinstance(base, Published) and _is_published(request, inputs, commit, out, base):
        sweep(out)
        return _unchanged(base.release)
    with profile.stage("history"):
        changes = _last_changes(request, emitters, out, base)
    with profile.stage("cache"):
        cache = SkillCache.open(out, base, inputs, changes, options)
    with staging(out, cache.base, rewrite=options.recheck) as stage:
        step = SkillCompiler(config, options.strict, emitters, stage.writer, changes)
        with profile.stage("skills", stage.size):
            compiled = compile_skills(request, cache.through(BatchCompiler(request, step)))
        report = compiled.report()
        if has_errors(compiled.findings()):
            return report
        with profile.stage("catalog", stage.size):
            catalog = _catalog(config, commit, branding, compiled, changes)
            _emit(stage, emitters, catalog, compiled, cache.pages(compiled))
            _add_shared_files(stage, branding)
        with profile.stage("publish"):
            record = inputs.record(catalog, stage.index_digest)
            publication = stage.publish(record, config.keep, emitters)
    size = cache.size_after(publication) or contents.size_of(out)
    with profile.stage("store"):
        cache.save(publication, compiled, size)
    return replace(report, release=publication.release, unchanged=publication.unchanged, size=size)


def _last_changes(
    request: Request, emitters: Sequence[Emitter], out: Path, base: Base
) -> Mapping[str, Change]:
    """The last change of each skill by directory; empty where no format shows it."""
    source, options = request.source, request.options
    is_wanted = any(emitter.needs_history for emitter in emitters)
    directories = _directories(request) if is_wanted else []
    if not isinstance(source, CommitSource) or not directories:
        return {}
    if len(request.leaves) > git.MOST_ENTRIES:
        return {}
    repository, commit = source.repository, source.commit.commit
    if options.cache:
        fresh = options.recheck or not isinstance(base, Published)
        walk = walk_log_again(out, repository, commit, directories, fresh=fresh)
    else:
        walk = history.walk_log(repository, commit, directories)
    return walk.last_changes() if walk else {}


def _directories(request: Request) -> list[str]:
    """Every directory with a SKILL.md."""
    return [parent(leaf.path) for leaf in request.leaves if leaf.path.endswith(SKILL_FILE)]


def _catalog(
    config: Config,
    commit: Commit,
    branding: Branding,
    compiled: Compiled,
    changes: Mapping[str, Change],
) -> Catalog:
    skills = compiled.published()
    return Catalog(
        commit=commit.commit,
        tree=commit.tree,
        title=config.title,
        tagline=config.tagline,
        base_url=config.base_url,
        website_url=config.website_url,
        icons=tuple(branding.icons),
        entries=EntryLines([skill.lines[RECORD_FILE] for skill in skills]),
        skipped=tuple(sorted(compiled.skipped)),
        ignored=compiled.outline.ignored,
        changes={
            result.published.path: changes[result.directory]
            for result in compiled.results
            if result.published is not None and result.directory in changes
        },
    )


def _emit(
    stage: Stage,
    emitters: Sequence[Emitter],
    catalog: Catalog,
    compiled: Compiled,
    unchanged: Unchanged,
) -> None:
    """Stage what every format publishes of all skills, beside what it has of each."""
    skills = compiled.published()
    for skill in skills:
        stage.include(skill.checksums)
    for emitter in emitters:
        lines = [skill.lines[emitter.path] for skill in skills if emitter.path in skill.lines]
        stage.write(emitter.emit_catalog(catalog, lines, unchanged))


def _add_shared_files(stage: Stage, branding: Branding) -> None:
    """The catalog's own icons, and what keeps GitHub Pages from leaving out files."""
    stage.add({f"icons/{icon.file_name}": data for icon, data in branding.icons.items()})
    stage.write([OutputFile(".nojekyll", b"")])


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


def _is_published(
    request: Request, inputs: BuildInputs, commit: Commit, out: Path, base: Published
) -> bool:
    """True when a build would write what the output holds already."""
    catalog, options = base.release.catalog, request.options
    return (
        not options.recheck
        and (catalog.commit, catalog.tree) == (commit.commit, commit.tree)
        and inputs.are_those_of(base.release)
        and not catalog.skipped
        and (bool(catalog.entries) or options.allow_empty)
        and _has_its_history(request, inputs, out)
        and not (options.strict and any(item.warns for item in catalog.findings))
        and is_complete(out, base)
    )


def _has_its_history(request: Request, inputs: BuildInputs, out: Path) -> bool:
    """False when the pages were built without the history that is at hand now."""
    source = request.source
    is_shown = any(emitter.needs_history for emitter in inputs.emitters)
    if not is_shown or not isinstance(source, CommitSource) or (out / HISTORY_FILE).exists():
        return True
    skills = len(_directories(request))
    return not history.is_at_hand(source.repository, source.commit.commit, skills)


def _unchanged(release: Record) -> Report:
    """The report of a build that found its release published."""
    entries = tuple(release.catalog.entries)
    findings = (finding_of(item) for entry in entries for item in entry.findings)
    return Report(
        findings=tuple(in_order(findings)),
        skills=len(entries),
        files=sum(len(entry.resources) for entry in entries),
        invalid=(),
        ignored=release.catalog.ignored,
        unlisted=sum(not entry.listed for entry in entries),
        release=release,
        unchanged=True,
    )
