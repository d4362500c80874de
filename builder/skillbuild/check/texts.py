"""Checks the Markdown files of a skill: length of the body, rendering, links, paths and anchors.

These findings never prevent a skill from being published. They describe what agents and readers of
the catalog will miss.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from skillbuild.check.anchors import AnchorChecker
from skillbuild.check.links import LinkChecker
from skillbuild.check.path_findings import PathChecker, pattern
from skillbuild.check.path_words import TRANSLATION
from skillbuild.check.targets import Targets
from skillbuild.config import Config
from skillbuild.diagnostics import Finding, Severity, finding
from skillbuild.media.types import decode
from skillbuild.model import Place, Skill
from skillbuild.paths import SKILL_FILE, inside
from skillbuild.rules import files as rules
from skillbuild.source.documents import Documents
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.text.markdown.document import LONGEST_TEXT
from skillbuild.text.tokens import estimate_tokens
from skillbuild.text.wording import plural

_MARGIN = 1.1
"""A body is only noted if its tokens exceed the recommended number by less than this factor."""


def check_body(skill: Skill, config: Config) -> Iterator[Finding]:
    """Yield findings about a body that is empty or too long."""
    path = inside(skill.directory, SKILL_FILE)
    if not skill.body.strip():
        hint = "write the instructions below the frontmatter"
        yield finding(rules.BODY_EMPTY, path, None, "there are no instructions", hint)
        return
    lines, tokens = skill.body.removesuffix("\n").count("\n") + 1, estimate_tokens(skill.body)
    limits = config.limits
    if lines > limits.body_lines or tokens > limits.body_tokens:
        message = (
            f"the body has {plural(lines, 'line')} and about {tokens:,} tokens;"
            f" at most {plural(limits.body_lines, 'line')} and"
            f" {plural(limits.body_tokens, 'token')} are recommended"
        )
        hint = "move details to files that agents read when needed"
        item = finding(rules.BODY_LONG, path, Place(skill.body_line, 1), message, hint)
        is_long = tokens > limits.body_tokens * _MARGIN
        if TRANSLATION.search(skill.directory):
            is_long = False  # The original decides how long it is.
        yield item if is_long else replace(item, severity=Severity.NOTE)


def check_rendering(skill: Skill, documents: Documents, config: Config) -> Iterator[Finding]:
    """Yield findings about Markdown files whose source is shown in the catalog, because they cannot
    be rendered.
    """
    if not config.has_pages:
        return
    paths = [SKILL_FILE]
    if config.pages.files:
        others = (file.path for file in skill.files if file.path != SKILL_FILE)
        paths += [path for path in others if path.endswith((".md", ".markdown"))]
    for path in paths:
        document = documents.of(path)
        if document is not None and document.is_plain:
            what = "the rendered page would be too large"
            if document.is_too_long:
                what = f"the text has {len(document.text):,} characters, more than {LONGEST_TEXT:,}"
            message = f"the catalog shows the Markdown source, because {what}"
            hint = "split the file, or move data to other files"
            yield finding(rules.TEXT_PLAIN, inside(skill.directory, path), None, message, hint)


def check_texts(
    skill: Skill, documents: Documents, tree: SkillTree, outline: Outline
) -> tuple[list[Finding], frozenset[str]]:
    """Return findings about links, paths and anchors in the Markdown files of a skill.

    The second result contains the directories of other skills that the links point to.
    """
    targets = Targets(skill, tree, outline)
    links, paths = LinkChecker(skill.directory, targets), PathChecker(skill, targets)
    anchors = AnchorChecker(skill.directory, targets.files, documents)
    findings: list[Finding] = []
    for file in skill.files:
        text = decode(file.data)
        if text is None:
            continue
        document = documents.of(file.path) if file.path.endswith(".md") else None
        if document is None:
            continue
        missing = paths.missing(file, document)
        references = list(document.references(pattern(missing)))
        links_only = [each for each in references if each.kind != "code"]
        findings += links.check(file, document, links_only)
        findings += anchors.check(file, document, links_only)
        findings += paths.check(file, document, missing, references)
    return findings, frozenset(targets.linked)
