"""The catalog of a release: what its record and all its lists say, put together from the skills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skillbuild.compile.branding import Branding
from skillbuild.compile.result import PublishedSkill
from skillbuild.compile.skills import Compiled
from skillbuild.config import Config
from skillbuild.model import Catalog, Change
from skillbuild.release.entries import EntryLines
from skillbuild.source.git import Commit


def catalog_of(
    config: Config,
    commit: Commit,
    branding: Branding,
    compiled: Compiled,
    skills: Sequence[PublishedSkill],
    changes: Mapping[str, Change],
) -> Catalog:
    """The catalog of the published `skills`; `changes` are by directory."""
    return Catalog(
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
        changes={
            result.published.path: changes[result.directory]
            for result in compiled.results
            if result.published is not None and result.directory in changes
        },
    )
