"""What every format publishes of all skills, beside what it has of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial

from skillbuild.compile import fork
from skillbuild.compile.lines import LinesOf
from skillbuild.compile.processes import CORES
from skillbuild.compile.result import PublishedSkill
from skillbuild.emit.emitter import Aside, Emitter, Unchanged
from skillbuild.model import Catalog, OutputFile, UnchangedFile
from skillbuild.output.base import intact_of
from skillbuild.output.stage import Stage

_SKILLS_WORTH_A_FORK = 200


def stage_catalog(
    stage: Stage,
    emitters: Sequence[Emitter],
    catalog: Catalog,
    skills: Sequence[PublishedSkill],
    unchanged: Unchanged,
    jobs: int,
) -> None:
    """Stage the files about all skills; two processes make them, unless `jobs` is 1."""
    for skill in skills:
        stage.include(skill.checksums)
    files = _files(emitters, catalog, skills, unchanged)
    if (jobs or CORES) > 1 and _is_worth_a_fork(stage, skills):
        _stage_by_two(stage, files, unchanged)
        return
    for file in files:
        stage.write(file.files if isinstance(file, Aside) else [file])


def _files(
    emitters: Sequence[Emitter],
    catalog: Catalog,
    skills: Sequence[PublishedSkill],
    unchanged: Unchanged,
) -> Iterator[OutputFile | UnchangedFile | Aside]:
    """The pages first, which are most of the work: they are what comes last."""
    for emitter in reversed(emitters):
        listed = [
            skill.lines
            for skill in skills
            if emitter.path in skill.lines and emitter.listing not in skill.unlisted
        ]
        yield from emitter.emit_catalog(catalog, LinesOf(emitter.path, listed), unchanged)


def _is_worth_a_fork(stage: Stage, skills: Sequence[PublishedSkill]) -> bool:
    """Where an intact base is, most files are unchanged."""
    is_much = len(skills) >= _SKILLS_WORTH_A_FORK and intact_of(stage.base) is None
    return is_much and fork.is_safe()


def _stage_by_two(
    stage: Stage, files: Iterable[OutputFile | UnchangedFile | Aside], unchanged: Unchanged
) -> None:
    """What the other process does not hand over is made here."""

    def make(aside: Aside) -> tuple[list[bytes], object]:
        return stage.lines_of(aside.files), unchanged.noted()

    with ExitStack() as processes:
        started = []
        for file in files:
            if isinstance(file, Aside):
                result = processes.enter_context(fork.meanwhile(partial(make, file)))
                started.append((file, result))
            else:
                stage.write([file])
        for aside, result in started:
            made = result()
            if made is None:
                stage.write(aside.files)
            else:
                lines, noted = made
                stage.include(lines)
                unchanged.note(noted)
