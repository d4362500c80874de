"""Finds uncommitted changes to skills and settings, and new skills that are not committed.

A build reads only the commit, so it contains none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skillbuild.config import CONFIG_FILE
from skillbuild.diagnostics import escape
from skillbuild.source import discovery, tree
from skillbuild.source.globs import excluder
from skillbuild.source.skill_tree import innermost
from skillbuild.source.tree import FolderSource, Leaf
from skillbuild.source.work_tree import Changes
from skillbuild.text.wording import plural, some


@dataclass(frozen=True, slots=True)
class Uncommitted:
    """The uncommitted changes of a working tree, as sorted paths in the repository."""

    files: tuple[str, ...] = ()
    """Changed, new or deleted files of the commit's skills, and the settings."""
    unclear: tuple[str, ...] = ()
    """Files of these skills that may have changed; a git filter converts them."""
    skills: tuple[str, ...] = ()
    """Directories of skills that are not in the commit."""

    def warning(self, *, utf8: bool = False) -> str:
        """Return a one-line warning; empty if there are no changes. Without `utf8`, the warning is
        ASCII.
        """
        parts = [plural(len(self.files), "changed file")] if self.files else []
        if self.skills:
            names = [escape(folder, utf8=utf8) for folder in self.skills]
            parts.append(f"{plural(len(self.skills), 'new skill')} ({some(names)})")
        lines = []
        if parts:
            lines.append(
                f"the working tree has uncommitted changes: {' and '.join(parts)};"
                " commit them, or check them with skillbuild check"
            )
        if self.unclear:
            lines.append(
                f"{plural(len(self.unclear), 'file')} may differ from this commit, because"
                " skillbuild does not run the git filters that a comparison needs; run git status"
                " to check"
            )
        return f"warning: {'; '.join(lines)}" if lines else ""


def in_skills(changes: Changes, folder: Path, commit: str) -> Uncommitted:
    """Return the uncommitted changes in the source `folder` that affect skills or settings.

    `changes` are the differences between the working tree and `commit`.
    """
    source = tree.open_commit(folder, commit)
    leaves = source.leaves()
    config = tree.read_config(source, leaves)
    committed, _ = discovery.without_outputs(leaves)
    present, _ = discovery.without_outputs(FolderSource(folder, source.repository).leaves())
    skills = frozenset(discovery.find(committed, config).directories)
    new = frozenset(discovery.find(present, config).directories) - skills
    is_excluded = excluder(config)

    def is_own(leaf: Leaf) -> bool:
        if innermost(skills, leaf.path) is None or innermost(new, leaf.path) is not None:
            return leaf.path == CONFIG_FILE
        return not discovery.is_junk(leaf.path) and not is_excluded(leaf)

    def own(paths: frozenset[str]) -> tuple[str, ...]:
        leaves = {leaf.path: leaf for leaf in [*committed, *present] if leaf.path in paths}
        return tuple(sorted(source.prefix + leaf.path for leaf in leaves.values() if is_own(leaf)))

    named = tuple(sorted(source.prefix + directory for directory in new))
    return Uncommitted(own(changes.changed), own(changes.unclear), named)
