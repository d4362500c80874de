"""All facts of one skill."""

from __future__ import annotations

from collections.abc import Sequence

from skillbuild.check.facts.license import license_of
from skillbuild.model import Facts, Skill
from skillbuild.source.documents import Documents
from skillbuild.source.licenses import FolderTerms
from skillbuild.source.tree import Reader


def gather(
    skill: Skill,
    documents: Documents,
    around: tuple[Sequence[FolderTerms], Reader] | None = None,
) -> Facts:
    """The facts of a skill; places are relative to it, in the order of its files.

    `around` are the folders above it, and what reads their license files. Without them, as for an
    old version, the license is looked for in the skill alone.
    """
    del documents
    return Facts(license_of(skill, around))
