"""Links that lead to nothing: what to do about each, and one finding for all with one cause."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from skillbuild.check.targets import Targets
from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.model import Place
from skillbuild.paths import base_name, parent, prefixes
from skillbuild.rules.files import LINK_BROKEN
from skillbuild.text.wording import plural

FOR_PEOPLE = re.compile(
    r"(?:^|/)(?:readme|change-?log|licen[cs]e|notice|claude|agents|gemini|contributing"
    r"|contributors|security|code_of_conduct)(?:[.-][^/]*)?$",
    re.IGNORECASE,
)
"""Texts about a repository, and what is linked in them: few agents read one for a skill."""
_MOST_SHOWN = 200
"""Characters of a link that a message repeats."""
_NOT_IN_LINK = re.compile(r"[ ()<>\[\]%#?\\]")
_RASTER = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_WEB_DEPTH = 3
"""Segments of a path without ending that is one of a web site, whose first slash was lost."""


@dataclass(frozen=True, slots=True)
class LinkRemedy:
    """What to do about a link that leads to nothing.

    Links of which `file`, `shared` and `for_all` are equal have one cause. `shared` says in a
    message what they have in common; empty, the link has its cause alone. `file` is empty where
    the links of all texts of a skill count together.
    """

    hint: str
    for_all: str
    """The hint for several links, or what follows that for the first of them, after a `;`."""
    shared: str
    file: str = ""
    where: str = ""
    """Where else the target is, as the end of a message."""


@dataclass(frozen=True, slots=True)
class DeadLink:
    """A link or image that leads to nothing."""

    rule: Rule
    path: str
    place: Place
    kind: str
    target: str
    remedy: LinkRemedy


def findings_about(links: Iterable[DeadLink]) -> Iterator[Finding]:
    """One finding for each cause, at the first of the links that matter most."""
    groups: dict[object, list[DeadLink]] = {}
    for number, link in enumerate(links):
        remedy = link.remedy
        key = (remedy.file, remedy.shared, remedy.for_all) if remedy.shared else number
        groups.setdefault(key, []).append(link)
    for group in groups.values():
        first = next((link for link in group if link.rule is LINK_BROKEN), group[0])
        yield _about(first, [link for link in group if link is not first])


def _about(first: DeadLink, others: list[DeadLink]) -> Finding:
    target, remedy = first.target[:_MOST_SHOWN], first.remedy
    message = f"the {first.kind} to {target} leads to nothing that is published"
    hint = remedy.hint
    if others:
        message += f", like {plural(len(others), 'more link')} {remedy.shared}"
        hint = remedy.for_all
        if hint.startswith(";"):
            hint = remedy.hint + hint
    item = finding(first.rule, first.path, first.place, message + remedy.where, hint)
    return replace(item, others=tuple(sorted({link.path for link in others} - {first.path})))


def corrected(file: str, target: str, correction: str, rest: str) -> LinkRemedy:
    """The remedy for a link whose right path is known; `rest` is its query and fragment.

    Other links of the file in which the same beginning is wrong are told with it.
    """
    right = _as_written(correction)
    old, new = _beginnings(target, correction)
    shared = f"below {old}" if old else "of this file"
    if old and new:
        also = f"; write {new} for {old} in the others, too"
    else:
        also = (
            f"; leave {old} out of the others, too"
            if old
            else f"; write {new} before the others, too"
        )
    return LinkRemedy(f"write {right}{rest[:_MOST_SHOWN]}", also, shared, file)


def _beginnings(written: str, right: str) -> tuple[str, str]:
    """How two paths begin that end with the same segments; `/` ends what is not empty."""
    old, new = written.split("/"), right.split("/")
    while old and new and old[-1] == new[-1] != "..":
        old, new = old[:-1], new[:-1]
    return "/".join([*old, ""]), "/".join([*new, ""])


def _as_written(path: str) -> str:
    """A path as it may stand in a link of Markdown."""
    return _NOT_IN_LINK.sub(lambda match: f"%{ord(match[0]):02X}", path)


def lost(targets: Targets, file: str, kind: str, target: str) -> LinkRemedy:
    """The remedy for a link of a file in the skill, where no right path is known."""
    folder = parent(file)
    if target.startswith("/") or _is_of_a_site(targets, target):
        many = "write the whole web addresses"
        return LinkRemedy("write the whole web address", many, "to paths of a web site", file)
    is_beside, above = targets.is_beside(folder, target), targets.path_above(target)
    if is_beside or above is not None:
        return _outside(targets, folder, target, None if is_beside else above)
    what, many = ("directory", "directories") if target.endswith("/") else ("file", "files")
    add, adds = f"add the {what} to the skill", f"add the {many} to the skill"
    verb = "write" if kind == "image" else "link to"
    link, links = f"{verb} its web address", f"{verb} their web addresses"
    remove, removes = f"remove the {kind}", f"remove the {kind}s"
    shared = _below(targets, folder, target)
    if targets.is_outside(folder, target):
        return LinkRemedy(f"{link}, or {remove}", f"{links}, or {removes}", shared)
    if targets.has_name(target):
        correct = "correct the path, or"
        return LinkRemedy(f"{add}, {correct} {link}", f"{adds}, {correct} {links}", shared)
    if target.lower().endswith(_RASTER):
        return LinkRemedy(f"{link}, {add}, or {remove}", f"{links}, {adds}, or {removes}", shared)
    return LinkRemedy(f"{add}, {link}, or {remove}", f"{adds}, {links}, or {removes}", shared)


def _is_of_a_site(targets: Targets, target: str) -> bool:
    """Whether a path without ending is one of a web site, written without the slash before it."""
    parts = target.split("/")
    is_page = parts[-1] != "" and "." not in parts[-1] and not target.startswith(".")
    return is_page and len(parts) >= _WEB_DEPTH and parts[0] not in targets.folders


def _outside(targets: Targets, folder: str, target: str, above: str | None) -> LinkRemedy:
    """The remedy where the target is in the repository; `above` is its path, if not as written."""
    in_plugin = above is None and targets.is_in_plugin(folder, target)
    name = base_name(target.rstrip("/"))
    subject = "it exists" if above is None else f"{above[:_MOST_SHOWN]} is"
    around = (
        "in the plugin around the skill" if in_plugin else "in the repository, outside the skill"
    )
    where = f": {subject} {around}, and will not travel with it"
    link, links = "link to its web address", "link to their web addresses"
    is_copied = not (
        in_plugin
        or target.endswith("/")
        or "." not in name
        or "/." in f"/{target.replace('../', '')}"
        or FOR_PEOPLE.search(target)
    )
    if is_copied:
        link = f"copy the file into the skill and write where it is then, or {link}"
        links = f"copy the files into the skill and write where they are then, or {links}"
    normal = posixpath.normpath(posixpath.join(folder, target))[:_MOST_SHOWN]
    shared = f"below {parent(normal)}/" if parent(normal).strip("./") else f"to {normal}"
    return LinkRemedy(link, links, shared, where=where)


def _below(targets: Targets, folder: str, target: str) -> str:
    """What links to files that are not there have in common: the outermost missing directory."""
    normal = posixpath.normpath(posixpath.join(folder, target))
    above = [part for part in prefixes(normal) if base_name(part) != ".."]
    missing = next((part for part in above if part not in targets.folders), None)
    return f"to {normal[:_MOST_SHOWN]}" if missing is None else f"below {missing[:_MOST_SHOWN]}/"
