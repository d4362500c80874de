"""Finds license files, and manifests that declare a license, in the folders above a skill.

The search ends at the root of the source. The files are read when the skill is compiled.
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
    """The license files and the license declaration of one folder; either may be missing."""

    folder: str
    files: tuple[Leaf, ...]
    """License files, shortest name first."""
    manifest: str = ""
    """The path of the first manifest that declares a license."""
    declared: str = ""
    """The license that the manifest declares."""


def is_license_file(name: str) -> bool:
    """Return whether a file name is the name of a license text, such as `LICENSE` or
    `LICENSE-MIT.txt`.
    """
    return _LICENSE_FILE.fullmatch(name) is not None


def by_plainness(name: str) -> tuple[int, str]:
    """Return a sort key for the license files in a folder: `LICENSE` comes before
    `LICENSE-icons`.
    """
    return len(name), name


class FoldersAround:
    """The folders of a source that have license files, or manifests that declare a license."""

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
        """Return the license information of the folders above a skill, nearest first."""
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
