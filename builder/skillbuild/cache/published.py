"""Does the output hold the release that a build would publish? Told from its record.

`cache.up_to_date` answers the same question sooner, but only for the very same command as before.
"""

from __future__ import annotations

from pathlib import Path

from skillbuild.compile.inputs import BuildInputs
from skillbuild.compile.listing import count_unlisted
from skillbuild.compile.request import Report, Request
from skillbuild.diagnostics import in_order
from skillbuild.output.base import Published, is_complete
from skillbuild.release.layout import HISTORY_FILE
from skillbuild.release.record import Record
from skillbuild.rules.registry import finding_of
from skillbuild.source import history
from skillbuild.source.git import Commit
from skillbuild.source.globs import excluded_files, excluded_leaves, unused_patterns
from skillbuild.source.tree import CommitSource


def is_published(
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
        and _has_all_in_record(request)
        and _has_its_history(request, inputs, out)
        and not (options.strict and any(item.warns for item in catalog.findings))
        and is_complete(out, base)
    )


def _has_all_in_record(request: Request) -> bool:
    """False where there may be something to say that no record holds.

    That is what `[[ignore]]` silences, and warnings about settings.
    """
    unused = unused_patterns(request.leaves, request.config)
    return not request.config.ignore and next(unused, None) is None


def _has_its_history(request: Request, inputs: BuildInputs, out: Path) -> bool:
    """False when the pages were built without the history that is at hand now."""
    source = request.source
    is_shown = any(emitter.needs_history for emitter in inputs.emitters)
    if not is_shown or not isinstance(source, CommitSource) or (out / HISTORY_FILE).exists():
        return True
    skills = len(request.skill_directories())
    return not history.is_at_hand(source.repository, source.commit.commit, skills)


def unchanged_report(release: Record, request: Request) -> Report:
    """The report of a build that found its release published."""
    entries = tuple(release.catalog.entries)
    copies = {copy: entry.directory for entry in entries for copy in entry.copies}
    directories = {*copies, *(entry.directory for entry in entries)}
    ignored = release.catalog.ignored
    findings = (finding_of(item) for entry in entries for item in entry.findings)
    unlisted, internal = count_unlisted(entry.unlisted for entry in entries)
    return Report(
        findings=tuple(in_order(findings)),
        skills=len(entries),
        files=sum(len(entry.resources) for entry in entries),
        invalid=(),
        ignored=ignored,
        unlisted=unlisted,
        internal=internal,
        copies=copies,
        excluded=excluded_files(
            excluded_leaves(request.leaves, request.config), directories, ignored
        ),
        release=release,
        unchanged=True,
    )
