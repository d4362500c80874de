"""Reports symbolic links in a skill, and texts that mention these links. Symbolic links are not
published.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from skillbuild.check.files import excluding, naming
from skillbuild.diagnostics import Finding, Severity, finding
from skillbuild.model import File
from skillbuild.paths import LONGEST_PATH, inside, parent
from skillbuild.rules.files import FILE_LINK
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Leaf, Reader

_COPY = "replace the link with a copy of the file, or"


def check_links(
    tree: SkillTree, links: Sequence[Leaf], contents: Sequence[File], reader: Reader
) -> Iterator[Finding]:
    """Yield findings about symbolic links.

    A finding is only a note if the link points to a file of the skill and no instructions mention
    the link.
    """
    paths = [tree.relative(leaf) for leaf in links]
    others = {file.path for file in contents}
    for_all = f"{_COPY} {excluding(tree, paths, others)}"
    targets = _targets(links, reader)
    for leaf, path in zip(links, paths, strict=True):
        text = naming(path, contents)
        is_alias = leaf in targets and _leads_to(path, targets[leaf]) in others
        message = "symbolic links are not published"
        hint = f"{_COPY} {excluding(tree, [path], set())}"
        item = finding(FILE_LINK, inside(tree.directory, path), None, message, hint)
        if text is not None:
            item = replace(item, message=f"{message}; {text} mentions this one")
        elif is_alias:
            item = replace(item, severity=Severity.NOTE)
        yield replace(item, cause=f"named in {text}", hint_for_all=for_all)


def _targets(links: Sequence[Leaf], reader: Reader) -> Mapping[Leaf, bytes]:
    """Return the targets of links, except those that are too long to be paths."""
    sizes = zip(links, reader.sizes(links), strict=True)
    short = [leaf for leaf, size in sizes if size is not None and size <= LONGEST_PATH]
    targets = zip(short, reader.read(short), strict=True)
    return {leaf: target for leaf, target in targets if target is not None}


def _leads_to(path: str, target: bytes) -> str:
    """Return the path that a link points to, relative to the skill, even if it is outside."""
    return posixpath.normpath(posixpath.join(parent(path), target.decode(errors="replace")))
