"""The facts of skills in a source in memory."""

from __future__ import annotations

from collections.abc import Mapping

from helpers.support import MemorySource, outline_in
from skillbuild.check.facts.gather import gather
from skillbuild.check.skill import check_skill
from skillbuild.config import Config
from skillbuild.model import Facts


def facts_in(files: Mapping[str, bytes | str]) -> Mapping[str, Facts]:
    """The facts of each skill by its directory; none of one that is refused."""
    data = {
        path: content if isinstance(content, bytes) else content.encode()
        for path, content in files.items()
    }
    return facts_in_source(MemorySource(data))


def facts_in_source(source: MemorySource) -> Mapping[str, Facts]:
    """The same of a source with executable files, links and the like."""
    outline, facts = outline_in(source), {}
    with source.reader() as reader:
        for tree in outline.skills:
            checked = check_skill(tree, outline, reader, Config())
            if checked.skill is not None:
                around = tree.licenses, reader
                facts[tree.directory] = gather(checked.skill, checked.documents, around)
    return facts
