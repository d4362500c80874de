"""The judged skills and queries of `cases/search/`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helpers.repos import Content

CASES = Path(__file__).parent.parent / "cases/search"
QUERIES = CASES / "queries.jsonl"
LOOSE = CASES / "loose.jsonl"
"""Queries of whose words half are nowhere in the skill: how far a search gets without meaning."""


@dataclass(frozen=True, slots=True)
class Skill:
    path: str
    name: str
    description: str
    tags: Sequence[str]
    headings: Sequence[str]
    files: Sequence[str]
    license: str
    body: str


@dataclass(frozen=True, slots=True)
class Query:
    """What somebody types, and the paths of the skills that a fair reader would put there."""

    text: str
    kind: str
    first: frozenset[str]
    """Each of these may come first."""
    among: frozenset[str]
    """One of these has to be among the first three; it holds all of `first`."""


@dataclass(frozen=True, slots=True)
class Special:
    """A query at the edge. `expect` says what a sensible search does with it:

    - list: nothing was typed, the plain list stands
    - nothing: no term is left, so the plain list stands or nothing matches
    - none: nothing matches
    - some: something matches
    - any: whatever it gives, without an error
    - first: one of `paths` comes first
    - most: something matches, at most `limit` skills
    - same: the same skills in the same order as for `also`
    """

    text: str
    expect: str
    paths: frozenset[str]
    also: str
    limit: int
    synonym: str
    """What the answer tells that was meant, or empty."""
    ignored: bool
    """Whether the answer tells that a part of the query was left out."""
    why: str


def read_skills() -> list[Skill]:
    return [
        Skill(
            row["path"],
            row["name"],
            row["description"],
            row.get("tags", []),
            row["headings"],
            row["files"],
            row.get("license", ""),
            row["body"],
        )
        for row in _rows(CASES / "skills.jsonl")
    ]


def read_queries(path: Path = QUERIES) -> list[Query]:
    return [
        Query(row["query"], row["kind"], frozenset(row["first"]), frozenset(row["among"]))
        for row in _rows(path)
    ]


def read_special() -> list[Special]:
    return [
        Special(
            row["query"],
            row["expect"],
            frozenset(row.get("paths", [])),
            row.get("also", ""),
            row.get("limit", 0),
            row.get("synonym", ""),
            row.get("ignored", False),
            row["why"],
        )
        for row in _rows(CASES / "special.jsonl")
    ]


def read_synonyms() -> list[list[str]]:
    """Groups of terms, of one word or several, that mean the same."""
    groups: list[list[str]] = json.loads((CASES / "synonyms.json").read_text(encoding="utf-8"))
    return groups


def skill_files(skills: Sequence[Skill]) -> dict[str, Content]:
    """The files of a repository that holds these skills, by path."""
    files: dict[str, Content] = {}
    for skill in skills:
        files[f"{skill.path}/SKILL.md"] = _skill_md(skill)
        for name in skill.files:
            files[f"{skill.path}/{name}"] = f"{skill.name}\n"
    return files


def _skill_md(skill: Skill) -> str:
    fields = {"name": skill.name, "description": skill.description, "license": skill.license}
    lines = [f"{key}: {_yaml(value)}" for key, value in fields.items() if value]
    if skill.tags:
        lines += ["metadata:", f"  tags: {_yaml(', '.join(skill.tags))}"]
    first, *others = skill.headings
    headings = "".join(f"\n## {heading}\n" for heading in others)
    return "\n".join(["---", *lines, "---", f"## {first}", "", skill.body, headings])


def _yaml(text: str) -> str:
    """The text in single quotes, which escape nothing but themselves."""
    return "'" + text.replace("'", "''") + "'"


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """Each line of a file; lines end with a line feed and nothing else."""
    for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n"):
        yield json.loads(line)
