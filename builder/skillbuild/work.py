"""The work on single skills: checked, packed and staged, in this process or in several."""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import ClassVar

from skillbuild import brand, check, pack, publish
from skillbuild.config import Config
from skillbuild.diagnostics import Diagnostic, in_order
from skillbuild.emit import discovery, plain, site
from skillbuild.model import Change, Digest, Entry
from skillbuild.outline import Outline, Placed
from skillbuild.source import Reader, Source, ahead

_CHUNK = 25
"""Skills that a worker takes at once."""
_MOST_WORKERS = 61
"""What Windows can wait for."""
_OBJECTS_TO_COLLECT = 20_000
_WORTH_A_WORKER = 50
"""Skills for which one more process is started."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a worker reports of one skill."""

    directory: str
    found: tuple[Diagnostic, ...]
    files: int
    listed: bool = True
    entry: Entry | None = None
    sums: Mapping[str, Digest] = field(default_factory=dict)
    summary: site.Summary | None = None
    linked: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    """Paths outside of the skill that its texts lead to, whether or not there is anything."""
    busy: float = 0.0
    """Seconds that a worker was busy with this skill and those of its chunk before it."""
    recalled: bool = False
    """Whether it was remembered, so that nothing of the skill was staged."""


@dataclass(frozen=True, slots=True)
class _Watched(Outline):
    """An outline that remembers what a skill asks about the others."""

    asked: set[str] = field(default_factory=set)

    @classmethod
    def over(cls, outline: Outline) -> _Watched:
        return cls(outline.by_directory, outline.found, outline.general, outline.ignored)

    def skill_at(self, path: str) -> Placed | None:
        self.asked.add(path)
        return Outline.skill_at(self, path)


@dataclass(frozen=True, slots=True)
class Press:
    """What it takes to publish skills, not only to check them. `changes` are by directory."""

    writer: publish.StageWriter
    brand: brand.Brand
    theme: site.Theme
    changes: Mapping[str, Change]


@dataclass(frozen=True, slots=True)
class Work:
    """One pass over the skills of an outline; with a press, the good ones are staged."""

    source: Source
    outline: Outline
    config: Config
    strict: bool
    flat: Mapping[str, str]
    press: Press | None = None

    def do_all(self, skills: Sequence[Placed], reader: Reader) -> list[Result]:
        """One result a skill; what they hold is read in one go."""
        files = [[leaf for leaf in one.leaves if leaf.is_file] for one in skills]
        at_hand = ahead(reader, files)
        return [self.do(one, at_hand) for one in skills]

    def do(self, placed: Placed, reader: Reader) -> Result:
        outline = _Watched.over(self.outline)
        result = self._do(placed, outline, reader)
        return replace(result, asked=frozenset(outline.asked))

    def _do(self, placed: Placed, outline: Outline, reader: Reader) -> Result:
        checked = check.check_skill(placed, outline, reader, self.config, strict=self.strict)
        count = len(checked.skill.files) if checked.skill else 0
        listed = not checked.reasons
        bare = Result(placed.directory, checked.found, count, listed, linked=checked.linked)
        if checked.skill is None or self.press is None:
            return bare
        told = [item.note() for item in in_order(checked.found)]
        notes = tuple(sorted(told, key=lambda note: not note.warns))
        packed = pack.pack_skill(
            checked.skill, checked.icons, self.config.formats, checked.reasons, notes
        )
        entry = replace(packed.entry, flat_name=self.flat.get(packed.entry.path))
        sums, summary = self.press.writer.add(packed), None
        if "discovery" in self.config.formats:
            sums |= self.press.writer.write(discovery.emit_skill(entry))
            sums |= self.press.writer.write(plain.emit_skill(checked.skill, entry))
        if "pages" in self.config.formats:
            change = self.press.changes.get(placed.directory)
            made = site.emit_skill(
                self.press.theme, checked.skill, entry, packed.icons, outline, change
            )
            sums |= self.press.writer.write(made.pages)
            summary = made.summary
        return replace(bare, entry=entry, sums=sums, summary=summary)


def look_at(work: Work, skills: Sequence[Placed], reader: Reader, jobs: int) -> Iterator[Result]:
    """One result a skill, in the order given, whatever the number of workers."""
    wanted = jobs or min(os.cpu_count() or 1, 1 + len(skills) // _WORTH_A_WORKER)
    workers = min(wanted, _MOST_WORKERS)
    if workers == 1:
        for i in range(0, len(skills), _CHUNK):
            yield from work.do_all(skills[i : i + _CHUNK], reader)
        return
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    # What the workers need is loaded once, by the process that they are forked from.
    context.set_forkserver_preload([__name__])
    with ProcessPoolExecutor(workers, context, _start_worker, (work, skills)) as pool:
        chunks = [range(i, min(i + _CHUNK, len(skills))) for i in range(0, len(skills), _CHUNK)]
        for done in pool.map(_do_chunk, chunks):
            yield from done


class _Worker:
    """What a worker process holds for its whole life: the plan and its own reader."""

    current: ClassVar[_Worker]

    def __init__(self, work: Work, skills: Sequence[Placed]) -> None:
        self.work = work
        self.skills = skills
        self.stack = ExitStack()
        self.reader = self.stack.enter_context(work.source.reader())


def _start_worker(work: Work, skills: Sequence[Placed]) -> None:
    threading.Thread(target=_end_with_the_build, daemon=True).start()
    _Worker.current = _Worker(work, skills)
    # The plan stays to the end, and what is made of one skill is let go without a collector.
    gc.freeze()
    gc.set_threshold(_OBJECTS_TO_COLLECT)


def _end_with_the_build() -> None:
    """A worker whose build was killed would wait for its next skills for ever."""
    build = multiprocessing.parent_process()
    if build is not None:
        build.join()
        os._exit(1)


def _do_chunk(chunk: range) -> list[Result]:
    worker, started = _Worker.current, time.process_time()
    *done, last = worker.work.do_all([worker.skills[i] for i in chunk], worker.reader)
    return [*done, replace(last, busy=time.process_time() - started)]
