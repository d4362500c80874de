"""The pipeline: one commit in, one release out, or every reason why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path

from skillbuild import __version__
from skillbuild.cache import skills
from skillbuild.compile.branding import read_branding
from skillbuild.compile.press import Press
from skillbuild.compile.request import Options, Progress, Report, Request
from skillbuild.compile.skills import Looked, compile_skills, report_of
from skillbuild.config import Config
from skillbuild.diagnostics import has_errors, in_order
from skillbuild.emit import discovery_v01, discovery_v02, index, llms, marketplace
from skillbuild.emit.site import emitter
from skillbuild.errors import GitError, OutputError
from skillbuild.media.archive import ARCHIVE_FORMAT
from skillbuild.model import Catalog, Change, Digest, OutputFile
from skillbuild.output import location, publish
from skillbuild.output.remote import Remote
from skillbuild.paths import SKILL_FILE, parent
from skillbuild.release import record, retention
from skillbuild.release.checksums import Checksums
from skillbuild.release.record import RECORD_FILE, Record
from skillbuild.source import git, history
from skillbuild.source.git import Commit
from skillbuild.source.tree import CommitSource
from skillbuild.text.json import compact_json

__all__ = ["Options", "Progress", "Report", "Request", "build", "preview"]


def build(request: Request, out: Path, remote: Remote | None = None) -> Report:
    """Build one commit into `out`; on errors nothing is written.

    With `skip_invalid` the refused skills are treated as if they were not in the source. With a
    `remote` release the output ends as if that one had been built there before.
    """
    source = request.source
    if not isinstance(source, CommitSource):
        raise GitError("only a commit can be built; commit the work tree first")
    location.refuse(out)
    standing = publish.standing(out) if request.options.cache and remote is None else None
    present = standing.release if standing else publish.read_record(out)
    previous = remote.release if remote else present
    if previous is not None:
        where = remote.where if remote else "the output"
        _refuse_older(source, previous, where, request.options)
    if present is not None and previous is not None:
        follows = present is previous or retention.follows(present, previous, request.config.keep)
        if (
            follows
            and not request.options.recheck
            and _is_current(out, present, source.commit, request)
        ):
            publish.sweep(out)
            return _unchanged(present)
    if standing is not None and not request.options.recheck:
        with suppress(publish.MovedError):
            return _release(request, out, source.commit, publish.Basis(standing=standing))
    return _release(
        request, out, source.commit, publish.Basis(remote, anew=request.options.recheck)
    )


def preview(request: Request, out: Path) -> Report:
    """Build a work tree as if it were a commit, for its author's eyes."""
    return _release(request, out, Commit("0" * 40, "0" * 40), publish.Basis())


def _release(request: Request, out: Path, commit: Commit, basis: publish.Basis) -> Report:
    with publish.staging(out, basis) as stage:
        with request.profile.stage("history"):
            press = _press(request, stage)
        context = skills.context_of(press, strict=request.options.strict)
        with request.profile.stage("recall"):
            known = skills.load(out, context, basis.standing) if basis.standing else skills.NOTHING
        if known is skills.NOTHING:
            stage.standing = None
        with request.profile.stage("skills", stage.size):
            looked = compile_skills(request, press, known)
        report = report_of(looked)
        if has_errors(looked.findings()):
            return report
        now = (
            skills.of(looked.work, looked.results, known)
            if request.options.cache
            else skills.NOTHING
        )
        reuse = emitter.Reuse(now.keys(), {} if press.theme.templates else known.pages)
        with request.profile.stage("catalog", stage.size):
            prepared = _prepare(stage, press, looked, commit, reuse)
        with request.profile.stage("publish"):
            landed = prepared()
    size = publish.size_of(out) if landed.growth is None else known.size + landed.growth
    if request.options.cache:
        now = replace(now, pages=reuse.now, size=size)
        with request.profile.stage("remember"):
            skills.save(out, context, landed, now)
    return replace(report, release=landed.release, unchanged=landed.unchanged, size=size)


def _press(request: Request, stage: publish.Stage) -> Press:
    source, config = request.source, request.config
    with source.reader() as reader:
        own = read_branding(config, request.leaves, reader)
    theme = emitter.Theme(
        config,
        own.templates,
        tuple(own.icons),
        source.prefix,
        discovery="discovery" in config.formats,
        marketplace=marketplace.name_for(config),
    )
    changes: Mapping[str, Change] = {}
    readable = len(request.leaves) <= git.MOST_ENTRIES
    if "pages" in config.formats and isinstance(source, CommitSource) and readable:
        changes = history.last_changes(
            source.repository,
            source.commit.commit,
            _directories(request),
            stage.out if request.options.cache else None,
            anew=stage.standing is None,
        )
    return Press(stage.writer, own, theme, changes)


def _directories(request: Request) -> list[str]:
    return [parent(leaf.path) for leaf in request.leaves if leaf.path.endswith(SKILL_FILE)]


def _catalog(press: Press, looked: Looked, commit: Commit, entries: list[bytes]) -> Catalog:
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
    stage: publish.Stage, press: Press, looked: Looked, commit: Commit, reuse: emitter.Reuse
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
        shared += stage.writer.write(discovery_v02.emit_catalog(lines(discovery_v02.PATH)))
        shared += stage.writer.write(discovery_v01.emit_catalog(lines(discovery_v01.PATH)))
        shared += stage.writer.write(llms.emit_catalog(catalog, config, lines(llms.PATH)))
    if name := press.theme.marketplace:
        plugins = marketplace.emit_catalog(catalog, name, lines(marketplace.PATH))
        shared += stage.writer.write(plugins)
    if "pages" in config.formats:
        pages = emitter.emit_catalog(
            press.theme, catalog, lines(emitter.PATH), _changes(press, looked), reuse
        )
        shared += stage.writer.write(pages)
        shared += stage.standing_checksums(reuse.same)
    shared += stage.writer.write(iter([OutputFile(".nojekyll", b"")]))
    release = Record(
        catalog=catalog,
        version=__version__,
        archive_format=ARCHIVE_FORMAT,
        renderers=_renderers(config),
        config_digest=_config_digest(config),
        index_digest=index_digest,
    )

    def late(final: Record, own: Checksums) -> Iterator[OutputFile]:
        pages = "pages" in config.formats
        return emitter.emit_withdrawn(press.theme, final, own.paths()) if pages else iter(())

    own = (line for one in looked.results for line in one.checksums)
    return lambda: stage.commit(release, chain(own, shared), config.keep, late)


def _changes(press: Press, looked: Looked) -> dict[str, Change]:
    """When each skill was last changed, by its path."""
    return {
        one.told.path: press.changes[one.directory]
        for one in looked.results
        if one.told is not None and one.directory in press.changes
    }


def _renderers(config: Config) -> dict[str, str]:
    return emitter.renderers() if "pages" in config.formats else {}


def _config_digest(config: Config) -> Digest:
    return Digest.of(compact_json(config.as_json()).encode())


def _refuse_older(source: CommitSource, previous: Record, where: str, options: Options) -> None:
    commit, published = source.commit.commit, previous.catalog.commit
    if not options.allow_older and git.is_older(source.repository, commit, published):
        raise OutputError(
            f"{where} holds the newer commit {published[:12]}; pass --rev {commit[:12]} to"
            " publish the older one"
        )


def _is_current(out: Path, previous: Record, commit: Commit, request: Request) -> bool:
    """True when a build would write what is there."""
    catalog, config, options = previous.catalog, request.config, request.options
    return (
        (catalog.commit, catalog.tree) == (commit.commit, commit.tree)
        and previous.config_digest == _config_digest(config)
        and previous.version == __version__
        and previous.archive_format == ARCHIVE_FORMAT
        and dict(previous.renderers) == _renderers(config)
        and not catalog.skipped
        and (bool(catalog.entries) or options.allow_empty)
        and _has_its_history(out, request)
        and not (options.strict and any(note.warns for note in catalog.findings))
        and publish.is_complete(out, previous)
    )


def _has_its_history(out: Path, request: Request) -> bool:
    """False when the pages were built without the history that is at hand now."""
    source = request.source
    if "pages" not in request.config.formats or not isinstance(source, CommitSource):
        return True
    commit, skills = source.commit.commit, len(_directories(request))
    return (out / "history.json").exists() or not history.is_at_hand(
        source.repository, commit, skills
    )


def _unchanged(previous: Record) -> Report:
    entries = previous.catalog.entries
    found = list(map(skills.finding_of, previous.catalog.findings))
    return Report(
        findings=tuple(in_order(found)),
        skills=len(entries),
        files=sum(len(entry.resources) for entry in entries),
        invalid=(),
        ignored=previous.catalog.ignored,
        unlisted=sum(not entry.listed for entry in entries),
        release=previous,
        unchanged=True,
    )
