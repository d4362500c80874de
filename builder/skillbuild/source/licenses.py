"""What the folders around a skill say of its license: their license files and manifests.

They are looked for up to the top of the source, and read when a skill is compiled.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillbuild.paths import parent
from skillbuild.source.manifests import Manifests
from skillbuild.source.tree import Leaf

_LICENSE_FILE = re.compile(
    r"(?:licen[cs]e|copying|unlicense)(?:[-_.](?!.*\.?(?:py|js|ts|sh|json|yaml|toml|lock)$).*)?",
    re.IGNORECASE,
)


class FolderTerms(NamedTuple):
    """What one folder has that says a license; it may be neither."""

    folder: str
    files: tuple[Leaf, ...]
    """Its license files, the one with the shortest name first."""
    manifest: str = ""
    """The path of the first manifest that declares a license."""
    declared: str = ""
    """What that says."""


def is_license_file(name: str) -> bool:
    """Whether the name of a file is that of a license text: `LICENSE`, `LICENSE-MIT.txt`."""
    return _LICENSE_FILE.fullmatch(name) is not None


def by_plainness(name: str) -> tuple[int, str]:
    """The order of license files in a folder, in which `LICENSE` is before `LICENSE-icons`."""
    return len(name), name


class FoldersAround:
    """The folders of a source that have license files, or manifests around skills."""

    def __init__(self, leaves: Iterable[Leaf], manifests: Manifests) -> None:
        files = defaultdict[str, list[Leaf]](list)
        for leaf in leaves:
            folder, _, name = leaf.path.rpartition("/")
            if is_license_file(name) and leaf.is_file:
                files[folder].append(leaf)
        self._own = {
            each: FolderTerms(
                each,
                tuple(sorted(files[each], key=lambda leaf: by_plainness(leaf.path))),
                *manifests.licenses.get(each, ("", "")),
            )
            for each in {*files, *manifests.licenses}
        }
        self._known: dict[str, tuple[FolderTerms, ...]] = {}

    def above(self, directory: str) -> tuple[FolderTerms, ...]:
        """Those above the directory of a skill, the nearest first."""
        folder = parent(directory)
        if folder not in self._known and directory:
            every = [self._own[each] for each in self._upward(folder) if each in self._own]
            self._known[folder] = tuple(every)
        return self._known[folder] if directory else ()

    @staticmethod
    def _upward(folder: str) -> Iterator[str]:
        while folder:
            yield folder
            folder = parent(folder)
        yield ""
