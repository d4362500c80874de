"""The pipeline: one commit in, one release out, or every reason why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from skillbuild import (
    __version__,
    brand,
    git,
    history,
    jsontext,
    places,
    publish,
    recall,
    retention,
)
from skillbuild.archive import ARCHIVE_FORMAT
from skillbuild.config import Config
from skillbuild.diagnostics import (
    Diagnostic,
    apply_levels,
    finding,
    has_errors,
    in_order,
)
from skillbuild.discover import SKILL_FILE, parent
from skillbuild.emit import discovery, index, llms, marketplace, plain, site
from skillbuild.errors import GitError, OutputError
from skillbuild.flat import flat_names
from skillbuild.git import Commit
from skillbuild.jobs import Job, Options, Progress, Report
from skillbuild.model import Catalog, Change, Digest, Entry, OutputFile
from skillbuild.outline import Outline, Placed, plan, survey
from skillbuild.recall import Recall
from skillbuild.record import Record
from skillbuild.remote import Remote
from skillbuild.rules import source as rules
from skillbuild.source import CommitSource
from skillbuild.work import Press, Result, Work, look_at

__all__ = ["Job", "Options", "Progress", "Report", "build", "preview", "run_check"]

_CROSS_RULES = frozenset([rules.SKILL_PATH_COLLISION.code, rules.SKILL_AT_ROOT.code])


@dataclass(frozen=True, slots=True)
class _Pass:
    """Every skill of one outline, looked at; what was skipped on the way, with its findings."""

    outline: Outline
    general: tuple[Diagnostic, ...]
    results: tuple[Result, ...]
    skipped: Mapping[str, tuple[Diagnostic, ...]]

    def refused(self) -> dict[str, tuple[Diagnostic, ...]]:
        """Findings with errors, by the directory of the skill or the path of a stray file."""
        strays = {item.path: (item,) for item in self.general if item.is_error and _is_stray(item)}
        bad = {one.directory: one.found for one in self.results if has_errors(one.found)}
        return strays | bad

    def found(self) -> Iterator[Diagnostic]:
        """Findings about what is not skipped."""
        yield from self.general
        for one in self.results:
            yield from one.found


def _is_stray(item: Diagnostic) -> bool:
    return item.rule is rules.SKILL_FILE_CASE


def run_check(job: Job) -> Report:
    """Every finding about the source; nothing is written."""
    with job.source.reader() as reader:
        brand.read(job.config, job.leaves, reader)
    return _report(_look(job))


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
            press = _press(job, stage.writer)
        context = recall.context_of(press, strict=job.options.strict)
        with job.profile.stage("recall"):
            known = recall.load(out, context, basis.standing) if basis.standing else recall.NOTHING
        if known is recall.NOTHING:
            stage.standing = None
        with job.profile.stage("skills", stage.size):
            looked = _look(job, press, known)
        report = _report(looked)
        if has_errors(looked.found()):
            return report
        work = _work(job, looked.outline, press)
        now = recall.of(work, looked.results, known) if job.options.cache else recall.NOTHING
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


def _press(job: Job, writer: publish.StageWriter) -> Press:
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
        changes = history.last_changes(source.repository, source.commit.commit, _directories(job))
    return Press(writer, own, theme, changes)


def _directories(job: Job) -> list[str]:
    return [parent(leaf.path) for leaf in job.leaves if leaf.path.endswith(SKILL_FILE)]


def _prepare(
    stage: publish.Stage, press: Press, looked: _Pass, commit: Commit, reuse: site.Reuse
) -> Callable[[], publish.Landed]:
    """Emit what tells of all skills; what is given back publishes it."""
    config = press.theme.config
    sums = {path: digest for one in looked.results for path, digest in one.sums.items()}
    icons = {f"icons/{icon.file_name}": data for icon, data in press.brand.icons.items()}
    sums |= stage.writer.add_files(icons)
    catalog = Catalog(
        commit=commit.commit,
        tree=commit.tree,
        title=config.title,
        tagline=config.tagline,
        base_url=config.base_url,
        website_url=config.website_url,
        icons=tuple(press.brand.icons),
        entries=_sorted_entries(looked.results),
        skipped=tuple(sorted(looked.skipped)),
        ignored=looked.outline.ignored,
    )
    listing = index.emit(catalog)
    if "discovery" in config.formats:
        for emit in (discovery.emit_catalog, plain.emit_catalog):
            sums |= stage.writer.write(emit(catalog))
        sums |= stage.writer.write(llms.emit_catalog(catalog, config))
    if "marketplace" in config.formats:
        sums |= stage.writer.write(marketplace.emit_catalog(catalog))
    if "pages" in config.formats:
        sums |= stage.writer.write(_pages(press, looked, catalog, reuse))
        sums |= stage.standing_sums(reuse.same)
    sums |= stage.writer.write(iter([OutputFile(".nojekyll", b"")]))
    release = Record(
        catalog=catalog,
        version=__version__,
        archive_format=ARCHIVE_FORMAT,
        renderers=_renderers(config),
        config_digest=_config_digest(config),
        index_digest=Digest.of(listing.data),
    )

    def late(final: Record) -> Iterator[OutputFile]:
        pages = "pages" in config.formats
        return site.emit_withdrawn(press.theme, final, sums) if pages else iter(())

    return lambda: stage.commit(release, listing.data, sums, config.keep, late)


def _pages(
    press: Press, looked: _Pass, catalog: Catalog, reuse: site.Reuse
) -> Iterator[OutputFile]:
    summaries, changes = {}, {}
    for one in looked.results:
        if one.entry is not None and one.summary is not None:
            summaries[one.entry.path] = one.summary
            if one.directory in press.changes:
                changes[one.entry.path] = press.changes[one.directory]
    return site.emit_catalog(press.theme, catalog, summaries, changes, reuse)


def _sorted_entries(results: Sequence[Result]) -> tuple[Entry, ...]:
    return tuple(sorted((one.entry for one in results if one.entry), key=lambda entry: entry.path))


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


def _report(looked: _Pass) -> Report:
    refused = looked.refused()
    skipped = looked.skipped
    found = [*looked.found(), *(item for items in skipped.values() for item in items)]
    good = [one for one in looked.results if one.directory not in refused]
    return Report(
        found=tuple(in_order(found)),
        skills=len(good),
        files=sum(one.files for one in good),
        invalid=tuple(sorted({*refused, *skipped})),
        ignored=looked.outline.ignored,
        unlisted=sum(not one.listed for one in good),
    )


def _look(job: Job, press: Press | None = None, known: Recall = recall.NOTHING) -> _Pass:
    """Look at every skill; with `skip_invalid`, until the rest stand by themselves.

    After skills were left out, only those are looked at again that could tell the difference.
    """
    skipped: dict[str, tuple[Diagnostic, ...]] = {}
    results: dict[str, Result] = {}
    before = Outline({})
    with job.source.reader() as reader:
        surveyed = survey(job.leaves, reader, job.config, known.names())
        while True:
            now = plan(surveyed, job.config, skipped)
            work = _work(job, now, press)
            stale = [one for one in now.skills if _is_stale(one, work, before, results)]
            same = {one.directory: known.find(work, one) for one in stale}
            results |= {directory: one for directory, one in same.items() if one is not None}
            missing = [one for one in stale if same.get(one.directory) is None]
            for done, one in enumerate(look_at(work, missing, reader, job.options.jobs), start=1):
                results[one.directory] = one
                job.profile.workers += one.busy
                job.progress(done, len(missing))
            ordered = tuple(results[directory] for directory in now.by_directory)
            looked = _Pass(now, _general(now, job), ordered, dict(skipped))
            refused = looked.refused()
            if not job.options.skip_invalid or not refused:
                return looked
            skipped |= _first_to_go(refused)
            before = now


def _work(job: Job, outline: Outline, press: Press | None) -> Work:
    flat = flat_names([one.path for one in outline.skills if one.path])
    return Work(job.source, outline, job.config, job.options.strict, flat, press)


def _is_stale(placed: Placed, work: Work, before: Outline, results: Mapping[str, Result]) -> bool:
    """True when a skill was not looked at yet, or under a plan that differs for it."""
    directory = placed.directory
    result = results.get(directory)
    if result is None or before.by_directory.get(directory) != placed:
        return True
    if result.entry is not None and result.entry.flat_name != work.flat.get(result.entry.path):
        return True
    now = work.outline
    same = before.found.get(directory, ()) == now.found.get(directory, ())
    return not same or any(_path(now, one) != _path(before, one) for one in result.linked)


def _path(outline: Outline, directory: str) -> str | None:
    placed = outline.by_directory.get(directory)
    return placed.path if placed else None


def _first_to_go(
    refused: Mapping[str, tuple[Diagnostic, ...]],
) -> Mapping[str, tuple[Diagnostic, ...]]:
    """Skills with faults of their own go first, so that they take no other skill with them."""
    own = {key: found for key, found in refused.items() if _has_own_fault(found)}
    return own or refused


def _has_own_fault(found: Sequence[Diagnostic]) -> bool:
    return any(item.is_error and item.rule.code not in _CROSS_RULES for item in found)


def _general(now: Outline, job: Job) -> tuple[Diagnostic, ...]:
    general = apply_levels(now.general, job.config.rules, strict=job.options.strict)
    if not now.by_directory and not general and not job.options.allow_empty:
        hint = f"put a directory with {SKILL_FILE} into the source, or pass --allow-empty"
        if now.ignored:
            reasons = ", ".join(sorted(set(now.ignored.values())))
            hint = f"every {SKILL_FILE} is ignored ({reasons}): set roots or exclude"
        general.append(finding(rules.NO_SKILLS, ".", None, "the source holds no skill", hint))
    return tuple(general)
