"""Measures the processor time per skill of checks, facts and rules about paths.

    python tests/bench/rules.py REPO...

Prints Markdown. The time for parsing a Markdown file counts for the step that needs it first. This
is the check, unless the settings have `[pages] files = false`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from skillbuild.check.facts.gather import gather
from skillbuild.check.path_findings import PathChecker, pattern
from skillbuild.check.skill import Checked, check_skill
from skillbuild.check.targets import Targets
from skillbuild.config import Config
from skillbuild.model import Skill
from skillbuild.source import tree
from skillbuild.source.discovery import read_names, survey
from skillbuild.source.outline import Outline, plan
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Reader, ahead


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of processor time that one skill takes."""

    directory: str
    check: float
    facts: float
    paths: float


def measured(repo: Path) -> Iterator[Times]:
    """Yield the times of each valid skill of the commit HEAD."""
    source = tree.open_commit(repo, "HEAD")
    leaves = source.leaves()
    config = tree.read_config(source, leaves)
    with source.reader() as reader:
        read = partial(read_names, reader=reader, config=config)
        outline = plan(survey(leaves, config, read, reader), config, reader)
        # A build reads the license files of many skills in one go, too.
        folders = dict.fromkeys(folder for each in outline.skills for folder in each.licenses)
        at_hand = ahead(reader, [folder.files for folder in folders])
        for each in outline.skills:
            yield from _of_skill(each, outline, at_hand, config)


def _of_skill(each: SkillTree, outline: Outline, reader: Reader, config: Config) -> Iterator[Times]:
    began = time.process_time()
    checked = check_skill(each, outline, reader, config)
    check_ended = time.process_time()
    if checked.skill is not None:
        gather(checked.skill, checked.documents, (each.licenses, reader), checked.hidden)
        facts_ended = time.process_time()
        _apply_path_rules(checked.skill, checked, each, outline)
        paths = time.process_time() - facts_ended
        yield Times(each.directory, check_ended - began, facts_ended - check_ended, paths)


def _apply_path_rules(skill: Skill, checked: Checked, each: SkillTree, outline: Outline) -> None:
    """Apply the rules again, to texts that are parsed."""
    paths = PathChecker(skill, Targets(skill, each, outline))
    for file in skill.files:
        document = checked.documents.of(file.path) if file.path.endswith(".md") else None
        if document is not None:
            missing = paths.missing(file, document)
            references = list(document.references(pattern(missing))) if missing else []
            list(paths.check(file, document, missing, references))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repo", type=Path, nargs="+", help="a repository, also a bare one")
    print("| ms a skill | skills | check | facts (<= 2) | paths (<= 1) | most facts |")
    print("|---|---|---|---|---|---|")
    for repo in parser.parse_args().repo:
        times = list(measured(repo))
        check, facts, paths = (
            1000 * sum(getattr(each, name) for each in times) / len(times)
            for name in ("check", "facts", "paths")
        )
        worst = max(times, key=lambda each: each.facts)
        most = f"{1000 * worst.facts:.0f} in {worst.directory}"
        print(f"| {repo} | {len(times)} | {check:.2f} | {facts:.2f} | {paths:.2f} | {most} |")


if __name__ == "__main__":
    main()
