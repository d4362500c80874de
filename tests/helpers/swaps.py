"""Publishes one output over another as a build does, without building."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from skillbuild.release.checksums import Checksums, during_publish
from skillbuild.release.layout import CHECKSUMS_FILE, HEAD_FILES, is_addressed
from skillbuild.storage import disk


def swap(out: Path, new: Path, pause: Callable[[], object] = lambda: None) -> None:
    """Put the release of `new` over the one of `out`, in the order of `output.publish`.

    `pause` is called between the steps.
    """
    former = Checksums.parse((out / CHECKSUMS_FILE).read_bytes())
    wanted = Checksums.parse((new / CHECKSUMS_FILE).read_bytes())
    disk.commit(out / CHECKSUMS_FILE, during_publish(former, wanted).pieces())
    pause()
    paths = [path for path in wanted.paths() if path not in HEAD_FILES]
    for path in sorted(paths, key=lambda path: not is_addressed(path)):
        if not is_addressed(path) or not (out / path).exists():
            _place(out, new, path)
    for path in HEAD_FILES[:-1]:
        pause()
        _place(out, new, path)
    pause()
    for path in former.paths():
        if path not in wanted:
            disk.remove(out, path)
    pause()
    _place(out, new, CHECKSUMS_FILE)


def _place(out: Path, new: Path, path: str) -> None:
    (out / path).parent.mkdir(parents=True, exist_ok=True)
    staged = out / f".{os.getpid()}.staged"
    shutil.copyfile(new / path, staged)
    staged.replace(out / path)
