"""Checks whether marketplaces in the repository show the right skills.

The checks are based on tests with Claude Code 2.1.330, Codex 0.169.0 and Copilot CLI 1.0.102. All
of them show the skills directly below `skills/` in the folder of a plugin, and the skills that the
plugin names in its list `skills`. Codex shows skills at any depth below `skills/`. Codex and
Copilot CLI show the skills in `skills/` even if the list names others.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import islice, takewhile

from skillbuild.config import Config
from skillbuild.diagnostics import Finding, Severity, escape, finding
from skillbuild.paths import NOT_SKILLS, inside, parent, prefixes
from skillbuild.rules import plugins as rules
from skillbuild.source.manifests import (
    PLUGIN_MANIFESTS,
    Listed,
    Manifests,
    Marketplace,
    PluginManifest,
)
from skillbuild.source.names import is_reserved_marketplace
from skillbuild.source.placement import Directories
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Kind, OutsideError, Reader, read_outside
from skillbuild.text.wording import joined, plural, some

_FEWEST_SHOWN = 0.75
"""The smallest share of the skills that counts as all; a smaller share is taken for a deliberate
choice.
"""
_OWNER_OF_RESERVED = ("https://github.com/anthropics/", "Anthropic", "anthropic.com")
"""Repositories that may use a reserved name: their address, owner, and host of the owner's email.
"""
_CODEX = ".agents/"
_EXTENSION = "gemini-extension.json"
_PLUGIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{,254}")
_EXTENSION_NAME = re.compile(r"[A-Za-z0-9-]{1,255}")
"""Names that Gemini CLI 0.61.0 accepts; the other clients accept `_PLUGIN_NAME`."""
_LONGEST_SHOWN = 60
"""Maximum characters of a name in a message."""
_MOST_SENTENCES = 3
"""Maximum number of plugins that a message about names or versions describes."""
_MOST_TEXTS, _LARGEST_TEXT = 200, 256 * 1024
"""Maximum number of texts of a plugin that are searched, and the maximum size of each in bytes."""
_GENERATE = "or let `skillbuild plugins` write the manifests"


def manifest_findings(
    manifests: Manifests,
    trees: Mapping[str, SkillTree],
    folders: Directories,
    config: Config,
    reader: Reader,
) -> Iterator[Finding]:
    """Yield findings about marketplaces and manifests that cause problems in some client.

    `reader` reads the Markdown files of each plugin whose name in a marketplace differs from the
    name in its manifests.
    """
    skills = _Skills(trees, folders)
    for marketplace in manifests.marketplaces:
        yield from _reserved(marketplace, config)
        losses, missing = _losses(marketplace, manifests, skills)
        if losses := [*_refused(marketplace, skills.folders), *losses]:
            hint = f"{_correction(missing, manifests)}, {_GENERATE}"
            message = "; ".join(losses)
            yield finding(rules.MARKETPLACE_LOSSY, marketplace.path, None, message, hint)
        yield from _other_names(marketplace, manifests, folders, reader)
        yield from _other_versions(marketplace, manifests)
        names = (marketplace.name, *(each.name for each in marketplace.plugins))
        yield from _refused_names(marketplace.path, names)
    for several in manifests.plugins.values():
        yield from _drift(several)
        for each in several:
            yield from _refused_names(each.path, [each.name])


def _reserved(marketplace: Marketplace, config: Config) -> Iterator[Finding]:
    address, owner, host = _OWNER_OF_RESERVED
    is_theirs = (
        config.repository.startswith(address)
        or marketplace.owner_host == host
        or (marketplace.owner is not None and marketplace.owner.name == owner)
    )
    is_read = marketplace.path.startswith(".claude-plugin/")
    if is_read and not is_theirs and is_reserved_marketplace(marketplace.name):
        message = (
            f"the name {_quoted([marketplace.name])} is reserved: Claude Code refuses to add the"
            " marketplace"
        )
        hint = "choose another name"
        yield finding(rules.MARKETPLACE_RESERVED, marketplace.path, None, message, hint)


def _quoted(names: Sequence[str]) -> str:
    """Return the first names and the number of the others; quoted, because a name may be any
    text.
    """
    return some([f"'{escape(each[:_LONGEST_SHOWN], utf8=True)}'" for each in names])


def _refused_names(path: str, names: Iterable[str]) -> Iterator[Finding]:
    """Yield a finding about names of plugins, or of a marketplace, that clients refuse."""
    is_extension = path.endswith(_EXTENSION)
    allowed = _EXTENSION_NAME if is_extension else _PLUGIN_NAME
    wrong = [each for each in dict.fromkeys(names) if each and not allowed.fullmatch(each)]
    if wrong:
        clients = "Gemini CLI refuses" if is_extension else "Claude Code and Codex refuse"
        what, is_, it = ("name", "is", "it") if len(wrong) == 1 else ("names", "are", "them")
        message = f"the {what} {_quoted(wrong)} {is_} not valid: {clients} {it}"
        others = " and hyphens" if is_extension else ", hyphens, dots and underscores"
        hint = f"use up to 64 letters, digits{others}"
        yield finding(rules.MANIFEST_INVALID, path, None, message, hint)


class _Skills:
    """The skills of a source by directory, and the skills that a folder shows."""

    def __init__(self, trees: Mapping[str, SkillTree], folders: Directories) -> None:
        self.trees, self.folders = trees, folders
        names = folders.names
        self.internal = {each for each in trees if each in names and names[each].is_internal}
        self._owners = {
            place: tree.directory
            for tree in trees.values()
            for place in (tree.directory, *tree.copies)
        }
        """The directory of each skill, by its own directory and by the directories of its copies.
        """
        self._places = sorted(self._owners)
        self._right_below = defaultdict[str, set[str]](set)
        for place in filter(None, self._owners):
            self._right_below[parent(place)].add(place)

    def meant(self) -> list[str]:
        """Return the directories of skills that a marketplace should show.

        Internal and nested skills are left out, and so are skills in folders for tests or examples.
        """
        return [
            directory
            for directory, tree in self.trees.items()
            if directory not in self.internal
            and tree.outer is None
            and NOT_SKILLS.isdisjoint(directory.lower().split("/"))
        ]

    def at(self, places: Collection[str]) -> set[str]:
        """Return the directories of the skills at these places; a copy stands for its original
        skill.
        """
        return {self._owners[place] for place in places if place in self._owners}

    def exactly(self, folder: str) -> set[str]:
        """Return a set with the folder itself if it is a skill or a copy of one, otherwise an empty
        set.
        """
        return {folder} & self._owners.keys()

    def right_below(self, folder: str) -> set[str]:
        """Return the directories of skills and copies directly below a folder."""
        return self._right_below.get(folder, set())

    def in_list(self, path: str) -> set[str]:
        """Return the directories of the skills that a client shows for one path in a list of
        skills.
        """
        return self.exactly(path) | self.right_below(path)

    def anywhere_below(self, folder: str) -> set[str]:
        start = f"{folder}/" if folder else ""
        first = bisect_left(self._places, start)
        below = takewhile(lambda place: place.startswith(start), islice(self._places, first, None))
        return {*filter(None, below)}

    def has_links(self, folder: str) -> bool:
        """Return whether a folder contains a link, which clients may follow."""
        return any(leaf.kind is Kind.LINK for leaf in self.folders.below(folder))


def _refused(marketplace: Marketplace, folders: Directories) -> Iterator[str]:
    """Yield a sentence about names used twice, and a sentence about plugins without a manifest."""
    uses = Counter(each.name for each in marketplace.plugins if each.name)
    if names := [name for name, count in uses.items() if count > 1]:
        yield f"lists {_quoted(names)} more than once: Copilot CLI refuses the marketplace"
    if not marketplace.path.startswith(_CODEX):
        return
    manifests = [name for name in PLUGIN_MANIFESTS if name != _EXTENSION]
    bare = [
        each.name or each.source
        for each in marketplace.plugins
        if each.folder and folders.holds(each.folder)
        if not any(folders.holds(inside(each.folder, name)) for name in manifests)
    ]
    if bare:
        verb = "has" if len(bare) == 1 else "have"
        lack = f"{_quoted(bare)} {verb} no .codex-plugin/plugin.json"
        yield f"{lack}: Codex refuses a plugin without it"


def _losses(
    marketplace: Marketplace, manifests: Manifests, skills: _Skills
) -> tuple[list[str], list[str]]:
    """Return each way in which a marketplace shows the wrong skills, as a sentence, and the
    directories of the skills that it lacks.
    """
    losses: list[str] = []
    plugins = [(each, each.folder) for each in marketplace.plugins if each.folder is not None]
    shown, more_shown = set[str](), set[str]()
    lost, empty, wider = [], [], []
    for listed, folder in plugins:
        if folder and not skills.folders.holds(folder):
            lost.append(listed.source)
            continue
        own = manifests.plugins.get(folder, ())
        lists = [listed.skills or (), *(each.skills or () for each in own)]
        paths = dict.fromkeys(path for each in lists for path in each)
        if not skills.has_links(folder):
            lost += [path for path in paths if path and not skills.folders.holds(path)]
        named = {place for path in paths for place in skills.in_list(path)}
        places = named | _by_place(marketplace, listed, folder, skills)
        shown |= places
        if not places and not skills.has_links(folder) and skills.anywhere_below(folder):
            empty.append(listed.name or listed.source)
        if listed.skills and (more := skills.right_below(inside(folder, "skills")) - named):
            wider.append(listed.name or listed.source)
            more_shown |= skills.at(more)
    if lost:
        losses.append(f"{some(lost)} {'does' if len(lost) == 1 else 'do'} not exist")
    if empty:
        where = "they look only in the plugin's skills/ folder"
        losses.append(f"clients show no skills of {_quoted(empty)}, because {where}")
    if wider:
        what = f"all skills in skills/ of {_quoted(wider)}"
        losses.append(f"Codex and Copilot CLI show {what}, not only the listed skills")
    losses += _leaks(skills.at(shown) | more_shown, skills)
    missing: list[str] = []
    if not any(skills.has_links(folder) for _, folder in plugins):
        missing = _missing(skills.at(shown), skills)
    return [*losses, *_lack(missing, skills)], missing


def _leaks(shown: Set[str], skills: _Skills) -> Iterator[str]:
    """Yield a sentence about internal skills that clients show."""
    if internal := sorted(shown & skills.internal):
        verb = "is" if len(internal) == 1 else "are"
        leaked = [skills.trees[each].path or each for each in internal]
        yield f"shows {some(leaked)}, which {verb} internal"


def _by_place(marketplace: Marketplace, listed: Listed, folder: str, skills: _Skills) -> set[str]:
    """Return the directories of skills that a client finds by their place in a plugin's folder.

    If the plugin is the whole source and lists its skills, clients use only the list, so the result
    is empty.
    """
    default = inside(folder, "skills")
    if not folder and listed.skills:
        return set()
    if marketplace.path.startswith(_CODEX):
        return skills.anywhere_below(default)
    return skills.right_below(default) | skills.exactly(folder)


def _missing(shown: Collection[str], skills: _Skills) -> list[str]:
    """Return the skills that a marketplace lacks, if it shows most of them."""
    meant = skills.meant()
    missing = [each for each in meant if each not in shown]
    return missing if len(meant) - len(missing) >= _FEWEST_SHOWN * len(meant) else []


def _lack(missing: Sequence[str], skills: _Skills) -> Iterator[str]:
    """Yield a sentence about the skills that a marketplace lacks."""
    if missing:
        verb, meant = "is" if len(missing) == 1 else "are", len(skills.meant())
        count = f"{meant - len(missing):,} of {plural(meant, 'skill')}"
        yield f"shows {count}: {some(missing)} {verb} missing"


def _correction(missing: Sequence[str], manifests: Manifests) -> str:
    """Return what to correct: add the plugins of missing skills that are in no marketplace."""
    listed = {each.folder for market in manifests.marketplaces for each in market.plugins}
    around = (
        [folder for folder in prefixes(directory) if folder in manifests.plugins]
        for directory in missing
    )
    added = {folders[-1] for folders in around if folders and folders[-1] not in listed}
    return f"add {some(sorted(added))} to its plugins" if added else "correct the marketplace"


def _drift(manifests: Sequence[PluginManifest]) -> Iterator[Finding]:
    """Yield findings about manifests of a plugin whose name or version differs from the first
    manifest.
    """
    first = manifests[0]
    for each in manifests[1:]:
        named = _quoted([each.name or first.name])
        for what, own, other, message in (
            (
                "name",
                each.name,
                first.name,
                f"the plugin {named} is named {_quoted([first.name])} in {first.path}",
            ),
            (
                "version",
                each.version,
                first.version,
                f"{named} has version {each.version} here, but {first.version} in {first.path}",
            ),
        ):
            if own and other and own != other:
                hint = f"write the same {what} in all these files, {_GENERATE}"
                yield finding(rules.PLUGIN_DRIFT, each.path, None, message, hint)


def _other_names(
    marketplace: Marketplace, manifests: Manifests, folders: Directories, reader: Reader
) -> Iterator[Finding]:
    """Yield a finding about plugins whose marketplace name differs from all their manifests.

    Plugins whose texts call commands by the name in the manifest are noted: that name is meant.
    """
    wrong: list[str] = []
    meant: list[str] = []
    uses = Counter(each.folder for each in marketplace.plugins)
    for listed in marketplace.plugins:
        if listed.folder is None or uses[listed.folder] > 1:
            continue  # If plugins share a folder, its manifest can name only one.
        named = {each.name: each.path for each in manifests.plugins.get(listed.folder, ())}
        named.pop("", None)
        if listed.name and named and listed.name not in named:
            own = joined([f"{_quoted([name])} in {path}" for name, path in named.items()])
            is_meant = _calls_commands(listed.folder, [*named], folders, reader)
            (meant if is_meant else wrong).append(
                f"the plugin {_quoted([listed.name])} is named {own}"
            )
    if wrong:
        hint = f"write the same name in all these files, {_GENERATE}"
        message = "; ".join(_first(wrong))
        yield finding(rules.PLUGIN_DRIFT, marketplace.path, None, message, hint)
    if meant:
        hint = "ignore this if the plugin's commands should use the name in the manifest"
        message = "; ".join(_first(meant))
        item = finding(rules.PLUGIN_DRIFT, marketplace.path, None, message, hint)
        yield replace(item, severity=Severity.NOTE)


def _first(sentences: Sequence[str]) -> list[str]:
    """Return the first sentences, and one with the number of the others."""
    more = len(sentences) - _MOST_SENTENCES
    return [*sentences[:_MOST_SENTENCES], *([f"{more:,} more"] if more > 0 else [])]


def _calls_commands(
    folder: str, names: Sequence[str], folders: Directories, reader: Reader
) -> bool:
    """Whether a text of a plugin calls a command with one of these names before it: `/name:`."""
    called = re.compile(rf"(?<![\w./-])/(?:{'|'.join(map(re.escape, names))}):[a-z]")
    texts = [leaf for leaf in folders.below(folder) if leaf.is_file and leaf.path.endswith(".md")]
    for leaf in texts[:_MOST_TEXTS]:
        try:
            data = read_outside(leaf, reader, _LARGEST_TEXT)
        except OutsideError:
            continue
        if called.search(data.decode(errors="replace")):
            return True
    return False


def _other_versions(marketplace: Marketplace, manifests: Manifests) -> Iterator[Finding]:
    """Yield a finding about plugins whose marketplace version differs from all their manifests."""
    found = []
    for listed in marketplace.plugins:
        own = manifests.plugins.get(listed.folder or "", ()) if listed.folder is not None else ()
        versions = {each.version: each.path for each in reversed(own) if each.version}
        if listed.version and versions and listed.version not in versions:
            others = joined([f"{version} in {path}" for version, path in sorted(versions.items())])
            found.append(f"{_quoted([listed.name])} has version {listed.version} here, {others}")
    if found:
        message = "; ".join(_first(found))
        hint = "remove the versions here: clients use the version in the manifest"
        yield finding(rules.PLUGIN_DRIFT, marketplace.path, None, message, hint)
