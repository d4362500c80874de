"""A release is staged beside the old one, then published under a lock; `catalog.json` commits it.

Order: blobs and archives by link (never over another file), then pages, then `index.json`, then
`catalog.json` by rename, then what no release names is removed, then SHA256SUMS. A reader of
`catalog.json` finds all that it names at every moment, whatever kills the build.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from skillbuild import record, store
from skillbuild.errors import OutputError
from skillbuild.model import Digest, OutputFile
from skillbuild.pack import Packed
from skillbuild.record import INDEX_FILE, LAYOUT, RECORD_FILE, SUMS_FILE, Kept, Record
from skillbuild.remote import Remote

STAGE_PREFIX = ".stage-"
ADDRESSED = ("blobs/", "archives/", "icons/")
_BESIDE = (STAGE_PREFIX, store.LOCK_FILE) if store.LOCK_FILE else (STAGE_PREFIX,)
"""What an empty output holds."""
_FETCHES = 8
"""Files that are fetched at once."""


Late = Callable[[Record], Iterator[OutputFile]]
"""Gives the pages that need the record as it is published: what is kept and what is gone."""


class Stage:
    """A new release on its way; nothing of it is visible before `commit`.

    Workers write through `StageWriter`, the builder commits. With a `remote` release that one is
    the previous release, whatever the output holds.
    """

    def __init__(self, out: Path, folder: Path, remote: Remote | None = None) -> None:
        self.out = out
        self.writer = StageWriter(folder)
        self.remote = remote

    def commit(
        self,
        release: Record,
        index: bytes,
        sums: Mapping[str, Digest],
        keep: int,
        late: Late = lambda final: iter(()),
    ) -> Record:
        """Publish what was staged; `sums` are the digests of every staged file by path.

        Returns the record as published: with what is kept of at most `keep` earlier releases.
        """
        brought = self._bring(self.remote, release, sums, keep) if self.remote else {}
        with store.faults(self.out), store.locked(self.out, wait=True):
            _refuse_links(self.out)
            previous = self.remote.release if self.remote else read_record(self.out)
            final = _with_history(release, previous, keep)
            sums = {**sums, **self.writer.write(late(final))}
            self._require({**sums, **brought})
            store.commit(self.out / SUMS_FILE, _unfinished_sums(self.out, {**sums, **brought}))
            self._place({**sums, **brought})
            store.commit(self.out / INDEX_FILE, index)
            data = record.encode(final)
            store.commit(self.out / RECORD_FILE, data)
            files = {**sums, INDEX_FILE: release.index_digest, RECORD_FILE: Digest.of(data)}
            for kept in final.releases:
                files |= kept.files
            _remove_stale(self.out, files)
            store.commit(self.out / SUMS_FILE, sums_text(files))
        return final

    def _bring(
        self, remote: Remote, release: Record, sums: Mapping[str, Digest], keep: int
    ) -> dict[str, Digest]:
        """Stage what the kept releases name and this one does not; returns digests by path."""

        def fetch(path: str) -> None:
            present = store.read(self.out / path)
            if present is None or Digest.of(present) != named[path]:
                self.writer.add_files({path: remote.fetch(path, named[path])})

        kept = _with_history(release, remote.release, keep).releases
        named = {path: digest for one in kept for path, digest in one.files.items()}
        named = {path: digest for path, digest in named.items() if path not in sums}
        with ThreadPoolExecutor(_FETCHES) as pool:
            for _ in pool.map(fetch, sorted(named)):
                pass
        return named

    def _require(self, sums: Mapping[str, Digest]) -> None:
        """What was there already is not staged; a build beside this one may have removed it."""
        staged = set(store.files_below(self.writer.folder))
        for path in sums:
            if self.writer.name(path) not in staged and not (self.out / path).is_file():
                raise OutputError(f"{self.out / path} is gone; run build again")

    def _place(self, sums: Mapping[str, Digest]) -> None:
        addressed = [path for path in sums if path.startswith(ADDRESSED)]
        others = [path for path in sums if not path.startswith(ADDRESSED)]
        moved = self._move_folders([*addressed, *others]) if self.writer.spread else set()
        for path in addressed:
            staged = self.writer.staged(path)
            if path not in moved and staged.exists():
                store.add(staged, self.out / path)
        for path in others:
            if path not in moved:
                store.replace(self.writer.staged(path), self.out / path)

    def _move_folders(self, paths: Sequence[str]) -> set[str]:
        """Move what stands at the top of the stage to where there is nothing; returns the paths.

        What was staged and is not published, as a skill that was left out later, stays behind.
        """
        known = set(paths)
        for path in store.files_below(self.writer.folder):
            if path not in known:
                store.remove(self.writer.folder, path)
        tops = list(dict.fromkeys(path.partition("/")[0] for path in paths))
        free = {top for top in tops if not os.path.lexists(self.out / top)}
        for top in filter(free.__contains__, tops):
            (self.writer.folder / top).rename(self.out / top)
        return {path for path in paths if path.partition("/")[0] in free}


class StageWriter:
    """Writes into a stage; safe in several processes at once, and picklable."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder.parent
        self.spread = all(one.name.startswith(_BESIDE) for one in self.out.iterdir())
        """Whether the output is empty: files wait in folders that need only be moved to it."""

    def staged(self, path: str) -> Path:
        """Where a file waits."""
        return self.folder / self.name(path)

    def name(self, path: str) -> str:
        """What a file is called in the stage.

        Beside another release it is one folder for all: to make folders costs more than the files.
        """
        return path if self.spread else Digest.of(path.encode()).hex

    def add(self, packed: Packed) -> dict[str, Digest]:
        """Stage the blobs, archives and icons of one skill; returns digests by path."""
        files = {record.blob_path(digest): data for digest, data in packed.blobs.items()}
        files |= {f"archives/{name}": data for name, data in packed.archives.items()}
        return self.add_files(
            files | {f"icons/{name}": data for name, data in packed.icons.items()}
        )

    def add_files(self, files: Mapping[str, bytes]) -> dict[str, Digest]:
        """Stage files that are named by their content."""
        with store.faults(self.folder):
            return {path: self._add_one(path, data) for path, data in files.items()}

    def _add_one(self, path: str, data: bytes) -> Digest:
        if self.spread or store.read(self.out / path) != data:
            self._write_once(path, data)
        return Digest.of(data)

    def _write_once(self, path: str, data: bytes) -> None:
        """Equal content may be staged by two workers: whoever comes second has nothing to do."""
        try:
            store.write(self.staged(path), data, read_only=True)
        except FileExistsError:
            return

    def write(self, files: Iterator[OutputFile]) -> dict[str, Digest]:
        """Stage pages and the like; returns digests by path."""
        sums = {}
        with store.faults(self.folder):
            for file in files:
                store.overwrite(self.staged(file.path), file.data)
                sums[file.path] = Digest.of(file.data)
        return sums


@contextmanager
def staging(out: Path, remote: Remote | None = None) -> Iterator[Stage]:
    """A stage in the output's own file system; leaves nothing behind but what was committed."""
    refuse(out)
    made = not out.exists()
    with store.faults(out):
        out.mkdir(parents=True, exist_ok=True)
        with store.locked(out, wait=True):
            folder = Path(tempfile.mkdtemp(prefix=STAGE_PREFIX, dir=out))
            hold = store.locked(folder, wait=True)
            hold.__enter__()
            _sweep_stages(out)
    try:
        yield Stage(out, folder, remote)
    finally:
        _remove_if_unused(out)
        hold.__exit__(None, None, None)
        store.remove_tree(folder)
        if made:
            with suppress(OSError):
                out.rmdir()


def sweep(out: Path) -> None:
    """Remove what killed builds left, where a build has nothing else to write."""
    if any(out.glob(f"{STAGE_PREFIX}*")):
        with store.faults(out), store.locked(out, wait=True):
            _sweep_stages(out)


def _sweep_stages(out: Path) -> None:
    """Remove the stages of builds that were killed: their locks went with them."""
    for folder in out.glob(f"{STAGE_PREFIX}*"):
        if folder.is_dir() and not folder.is_symlink():
            with store.locked(folder, wait=False) as free:
                if free:
                    store.remove_tree(folder)


def _remove_if_unused(out: Path) -> None:
    """Remove what publishes left that never came to their commit, where none ever did.

    Until then a stage is there, which marks the directory as ours for the next build.
    """
    with suppress(OSError), store.locked(out, wait=True):
        if not os.path.lexists(out / RECORD_FILE):
            _remove_stale(out, {})
            store.remove(out, SUMS_FILE)


def refuse(out: Path) -> None:
    """Raise `OutputError` for a place that no build should write to."""
    if out.is_symlink():
        raise OutputError(f"{out} is a symbolic link; pass the directory itself")
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is not a directory")
    resolved = out.resolve()
    if resolved == Path.home().resolve() or resolved == Path(resolved.anchor):
        raise OutputError(f"{out} is a home or root directory; pass a directory of its own")
    if (out / ".git").exists():
        raise OutputError(f"{out} is a repository; pass a directory of its own")
    if out.is_dir() and any(one.name != store.LOCK_FILE for one in out.iterdir()):
        _refuse_foreign(out)


def _refuse_foreign(out: Path) -> None:
    data = store.read(out / RECORD_FILE)
    if data is not None:
        layout = record.read_layout(data)
        if layout is not None and layout > LAYOUT:
            raise OutputError(
                f"{out} was written by a newer skillbuild (layout {layout}); upgrade skillbuild"
            )
        if layout is not None:
            return
    if not any(out.glob(f"{STAGE_PREFIX}*")) and not (out / RECORD_FILE).is_symlink():
        raise OutputError(f"{out} is not empty and not an output; pass an empty directory")


def _refuse_links(out: Path) -> None:
    """A planted link could lead a write outside; looked for under the lock, before any write."""
    for entry in store.entries_below(out, STAGE_PREFIX):
        if entry.is_symlink():
            raise OutputError(f"{entry.path} is a symbolic link; remove it")


def size_of(out: Path) -> int:
    """Bytes of all that is published, earlier releases included."""
    return store.size_of(out, STAGE_PREFIX)


def read_record(out: Path) -> Record | None:
    """The record of the release that is there, None without one."""
    data = store.read(out / RECORD_FILE)
    return None if data is None else record.decode(data)


def is_complete(out: Path, current: Record) -> bool:
    """True when the last publish of `current` went through to its end."""
    data = store.read(out / RECORD_FILE)
    index = store.read(out / INDEX_FILE)
    sums = store.read(out / SUMS_FILE)
    if data is None or index is None or sums is None:
        return False
    line = f"{Digest.of(data).hex}  {RECORD_FILE}\n".encode()
    return Digest.of(index) == current.index_digest and line in sums


def follows(current: Record, previous: Record, keep: int) -> bool:
    """True when `current` is what its build publishes after `previous`."""
    bare = replace(current, releases=(), withdrawn={})
    return _with_history(bare, previous, keep) == current


def _with_history(release: Record, previous: Record | None, keep: int) -> Record:
    """Add what stays of earlier releases, and which skills are gone."""
    if previous is None:
        return release
    current = set(record.files_of(release.catalog))
    kept = list(previous.releases)
    if _identity(previous) != _identity(release):
        files = {path: digest for path, (digest, _) in record.files_of(previous.catalog).items()}
        skills = tuple(entry.path for entry in previous.catalog.entries)
        kept.insert(0, Kept(previous.catalog.commit, previous.index_digest, files, skills))
    releases, named = [], current
    for one in kept[:keep]:
        files = {path: digest for path, digest in one.files.items() if path not in named}
        releases.append(replace(one, files=files))
        named = named | files.keys()
    gone = dict(previous.withdrawn)
    gone |= {entry.path: entry.skill_digest for entry in previous.catalog.entries}
    present = {entry.path for entry in release.catalog.entries}
    withdrawn = {path: digest for path, digest in gone.items() if path not in present}
    return replace(release, releases=_last_of(releases, withdrawn), withdrawn=withdrawn)


def _last_of(releases: Sequence[Kept], withdrawn: Mapping[str, Digest]) -> tuple[Kept, ...]:
    """Leave every withdrawn skill to the latest release that has it."""
    found, seen = [], set[str]()
    for one in releases:
        last = {*one.last_of} & withdrawn.keys() - seen
        seen |= last
        found.append(replace(one, last_of=tuple(sorted(last))))
    return tuple(found)


def _identity(one: Record) -> tuple[str, str, str, str, int]:
    return (
        one.catalog.commit,
        str(one.index_digest),
        str(one.config_digest),
        one.version,
        one.archive_format,
    )


def sums_text(files: Mapping[str, Digest]) -> bytes:
    """SHA256SUMS as `sha256sum --check` reads it, sorted by path."""
    return "".join(f"{digest.hex}  {path}\n" for path, digest in sorted(files.items())).encode()


def _unfinished_sums(out: Path, sums: Mapping[str, Digest]) -> bytes:
    """SHA256SUMS while a release is on its way: no line for the record, so it is not complete.

    Old and new files are listed, so that the build after a killed one knows what to remove.
    """
    listed = record.parse_sums(store.read(out / SUMS_FILE) or b"")
    files = {path: Digest(digest) for path, digest in listed.items()} | dict(sums)
    return sums_text({path: files[path] for path in files if path != RECORD_FILE})


def _remove_stale(out: Path, files: Mapping[str, Digest]) -> None:
    """Remove what the last release listed and this one does not, and unreachable blobs."""
    listed = record.parse_sums(store.read(out / SUMS_FILE) or b"")
    unreachable = [
        f"{top}/{path}"
        for top in ("blobs", "archives", "icons")
        for path in store.files_below(out / top)
    ]
    for path in {*listed, *unreachable} - files.keys():
        if _is_inside(path):
            store.remove(out, path)


def _is_inside(path: str) -> bool:
    return not path.startswith("/") and ".." not in path.split("/") and "\\" not in path
