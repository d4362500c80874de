"""The pipeline: one commit in, one release out, or every reason why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path

from skillbuild import (
    __version__,
    brand,
    git,
    history,
    jsontext,
    looking,
    places,
    publish,
    recall,
    record,
    retention,
)
from skillbuild.archive import ARCHIVE_FORMAT
from skillbuild.config import Config
from skillbuild.diagnostics import has_errors, in_order
from skillbuild.discover import SKILL_FILE, parent
from skillbuild.emit import discovery, index, llms, marketplace, plain, site
from skillbuild.errors import GitError, OutputError
from skillbuild.git import Commit
from skillbuild.jobs import Job, Options, Progress, Report
from skillbuild.model import Catalog, Change, Digest, OutputFile
from skillbuild.press import Press
from skillbuild.record import RECORD_FILE, Record
from skillbuild.remote import Remote
from skillbuild.source import CommitSource
from skillbuild.sums import Sums

__all__ = ["Job", "Options", "Progress", "Report", "build", "preview"]


def build(job: Job, out: Path, remote: Remote | None = None) -> Report:
    """Build one commit into `out`; on errors nothing is written.

    With `skip_invalid` the refused skills are treated as if they were not in the source. With a
    `remote` release the output ends as if that one had been built there before.
    """
    source = job.source
    if not isinstance(source, CommitSource):
        raise GitError("only a commit can be built; commit the work tree first")
    places.refuse(out)
    standing = publish.standing(out) if job.options.cache and remote is None else None
    present = standing.release if standing else publish.read_record(out)
    previous = remote.release if remote else present
    if previous is not None:
        where = remote.where if remote else "the output"
        _refuse_older(source, previous, where, job.options)
    if present is not None and previous is not None:
        follows = present is previous or retention.follows(present, previous, job.config.keep)
        if follows and not job.options.recheck and _is_current(out, present, source.commit, job):
            publish.sweep(out)
            return _unchanged(present)
    if standing is not None and not job.options.recheck:
        with suppress(publish.MovedError):
            return _release(job, out, source.commit, publish.Basis(standing=standing))
    return _release(job, out, source.commit, publish.Basis(remote, anew=job.options.recheck))


def preview(job: Job, out: Path) -> Report:
    """Build a work tree as if it were a commit, for its author's eyes."""
    return _release(job, out, Commit("0" * 40, "0" * 40), publish.Basis())


def _release(job: Job, out: Path, commit: Commit, basis: publish.Basis) -> Report:
    with publish.staging(out, basis) as stage:
        with job.profile.stage("history"):
            press = _press(job, stage)
        context = recall.context_of(press, strict=job.options.strict)
        with job.profile.stage("recall"):
            known = recall.load(out, context, basis.standing) if basis.standing else recall.NOTHING
        if known is recall.NOTHING:
            stage.standing = None
        with job.profile.stage("skills", stage.size):
            looked = looking.look(job, press, known)
        report = looking.report(looked)
        if has_errors(looked.found()):
            return report
        now = recall.of(looked.work, looked.results, known) if job.options.cache else recall.NOTHING
        reuse = site.Reuse(now.keys(), {} if press.theme.templates else known.pages)
        with job.profile.stage("catalog", stage.size):
            prepared = _prepare(stage, press, looked, commit, reuse)
        with job.profile.stage("publish"):
            landed = prepared()
    size = publish.size_of(out) if landed.growth is None else known.size + landed.growth
    if job.options.cache:
        now = replace(now, pages=reuse.now, size=size)
        with job.profile.stage("remember"):
            recall.save(out, context, landed, now)
    return replace(report, release=landed.release, unchanged=landed.unchanged, size=size)


def _press(job: Job, stage: publish.Stage) -> Press:
    source, config = job.source, job.config
    with source.reader() as reader:
        own = brand.read(config, job.leaves, reader)
    theme = site.Theme(
        config,
        own.templates,
        tuple(own.icons),
        source.prefix,
        discovery="discovery" in config.formats,
        marketplace=marketplace.name_for(config),
    )
    changes: Mapping[str, Change] = {}
    readable = len(job.leaves) <= git.MOST_ENTRIES
    if "pages" in config.formats and isinstance(source, CommitSource) and readable:
        changes = history.last_changes(
            source.repository,
            source.commit.commit,
            _directories(job),
            stage.out if job.options.cache else None,
            anew=stage.standing is None,
        )
    return Press(stage.writer, own, theme, changes)


def _directories(job: Job) -> list[str]:
    return [parent(leaf.path) for leaf in job.leaves if leaf.path.endswith(SKILL_FILE)]


def _catalog(press: Press, looked: looking.Looked, commit: Commit, entries: list[bytes]) -> Catalog:
    config = press.theme.config
    return Catalog(
        commit=commit.commit,
        tree=commit.tree,
        title=config.title,
        tagline=config.tagline,
        base_url=config.base_url,
        website_url=config.website_url,
        icons=tuple(press.brand.icons),
        entries=record.Lines(entries),
        skipped=tuple(sorted(looked.skipped)),
        ignored=looked.outline.ignored,
    )


def _prepare(
    stage: publish.Stage, press: Press, looked: looking.Looked, commit: Commit, reuse: site.Reuse
) -> Callable[[], publish.Landed]:
    """Emit what tells of all skills; what is given back publishes it."""
    config = press.theme.config
    icons = {f"icons/{icon.file_name}": data for icon, data in press.brand.icons.items()}
    shared = stage.writer.add_files(icons)
    told = sorted((one.told for one in looked.results if one.told), key=lambda one: one.path)

    def lines(path: str) -> list[bytes]:
        return [one.lines[path] for one in told if path in one.lines]

    catalog = _catalog(press, looked, commit, lines(RECORD_FILE))
    index_digest = stage.write_head(index.PATH, index.pieces(lines(index.PATH)))
    if "discovery" in config.formats:
        shared += stage.writer.write(discovery.emit_catalog(lines(discovery.PATH)))
        shared += stage.writer.write(plain.emit_catalog(lines(plain.PATH)))
        shared += stage.writer.write(llms.emit_catalog(catalog, config, lines(llms.PATH)))
    if name := press.theme.marketplace:
        plugins = marketplace.emit_catalog(catalog, name, lines(marketplace.PATH))
        shared += stage.writer.write(plugins)
    if "pages" in config.formats:
        pages = site.emit_catalog(
            press.theme, catalog, lines(site.PATH), _changes(press, looked), reuse
        )
        shared += stage.writer.write(pages)
        shared += stage.standing_sums(reuse.same)
    shared += stage.writer.write(iter([OutputFile(".nojekyll", b"")]))
    release = Record(
        catalog=catalog,
        version=__version__,
        archive_format=ARCHIVE_FORMAT,
        renderers=_renderers(config),
        config_digest=_config_digest(config),
        index_digest=index_digest,
    )

    def late(final: Record, own: Sums) -> Iterator[OutputFile]:
        pages = "pages" in config.formats
        return site.emit_withdrawn(press.theme, final, own.paths()) if pages else iter(())

    own = (line for one in looked.results for line in one.sums)
    return lambda: stage.commit(release, chain(own, shared), config.keep, late)


def _changes(press: Press, looked: looking.Looked) -> dict[str, Change]:
    """When each skill was last changed, by its path."""
    return {
        one.told.path: press.changes[one.directory]
        for one in looked.results
        if one.told is not None and one.directory in press.changes
    }


def _renderers(config: Config) -> dict[str, str]:
    return site.renderers() if "pages" in config.formats else {}


def _config_digest(config: Config) -> Digest:
    return Digest.of(jsontext.compact(config.as_json()).encode())


def _refuse_older(source: CommitSource, previous: Record, where: str, options: Options) -> None:
    commit, published = source.commit.commit, previous.catalog.commit
    if not options.allow_older and git.is_older(source.repository, commit, published):
        raise OutputError(
            f"{where} holds the newer commit {published[:12]}; pass --rev {commit[:12]} to"
            " publish the older one"
        )


def _is_current(out: Path, previous: Record, commit: Commit, job: Job) -> bool:
    """True when a build would write what is there."""
    catalog, config, options = previous.catalog, job.config, job.options
    return (
        (catalog.commit, catalog.tree) == (commit.commit, commit.tree)
        and previous.config_digest == _config_digest(config)
        and previous.version == __version__
        and previous.archive_format == ARCHIVE_FORMAT
        and dict(previous.renderers) == _renderers(config)
        and not catalog.skipped
        and (bool(catalog.entries) or options.allow_empty)
        and _has_its_history(out, job)
        and not (options.strict and any(note.warns for note in catalog.notes))
        and publish.is_complete(out, previous)
    )


def _has_its_history(out: Path, job: Job) -> bool:
    """False when the pages were built without the history that is at hand now."""
    source = job.source
    if "pages" not in job.config.formats or not isinstance(source, CommitSource):
        return True
    commit, skills = source.commit.commit, len(_directories(job))
    return (out / "history.json").exists() or not history.is_at_hand(
        source.repository, commit, skills
    )


def _unchanged(previous: Record) -> Report:
    entries = previous.catalog.entries
    found = list(map(recall.diagnostic_of, previous.catalog.notes))
    return Report(
        found=tuple(in_order(found)),
        skills=len(entries),
        files=sum(len(entry.resources) for entry in entries),
        invalid=(),
        ignored=previous.catalog.ignored,
        unlisted=sum(not entry.listed for entry in entries),
        release=previous,
        unchanged=True,
    )
