"""What every format publishes of all skills, beside what it has of each."""

from __future__ import annotations

from collections.abc import Sequence

from skillbuild.compile.lines import LinesOf
from skillbuild.compile.result import PublishedSkill
from skillbuild.emit.emitter import Emitter
from skillbuild.model import Catalog
from skillbuild.output.stage import Stage


def stage_catalog(
    stage: Stage,
    emitters: Sequence[Emitter],
    catalog: Catalog,
    skills: Sequence[PublishedSkill],
) -> None:
    """Stage the files about all skills, and include those of each."""
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
