"""Suggests an `exclude` setting for invalid skills that are tests or examples, or that are all in
one folder.

Such skills may be broken or incomplete on purpose, so nobody needs to fix them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from skillbuild.check.files import PLAIN_GLOB
from skillbuild.config import Config
from skillbuild.diagnostics import Finding
from skillbuild.paths import NOT_SKILLS, SKILL_FILE, base_name, parent, prefixes
from skillbuild.report.run import Exclusion


def exclusion(
    refused: Mapping[str, Sequence[Finding]], valid: Iterable[str], config: Config
) -> Exclusion | None:
    """Return the setting to suggest, or None if the problems must be fixed.

    `refused` maps the directory of each refused skill, or the path of a misspelled SKILL.md, to its
    findings. `valid` contains the directories of all other skills; the suggested setting excludes
    none of them.
    """
    others = frozenset(valid)
    kept = {folder for directory in others for folder in (directory, *prefixes(directory))}
    folders: dict[str, None] = {}
    left: list[str] = []
    for key, findings in sorted(refused.items()):
        directory = parent(key) if base_name(key).lower() == SKILL_FILE.lower() else key
        wrong = _folders_of_errors(directory, findings) or _folder_of_skill(directory, others, kept)
        folders |= dict.fromkeys(wrong)
        if not wrong:
            left.append(directory)
    is_plain = all(map(PLAIN_GLOB.fullmatch, folders))
    if folders and is_plain:
        return _of(folders, len(refused) - len(left), config)
    common = _common_folder(left)
    if folders or len(left) < 2 or not kept or common in kept or not PLAIN_GLOB.fullmatch(common):
        return None
    return _of([common], len(left), config, common)


def _of(folders: Iterable[str], skills: int, config: Config, folder: str = "") -> Exclusion:
    globs = dict.fromkeys([*config.exclude, *(f"/{each}/" for each in folders)])
    return Exclusion(tuple(globs), skills, folder)


def _folders_of_errors(directory: str, findings: Iterable[Finding]) -> list[str]:
    """Return the folders of tests or examples in a skill if they contain all its errors; otherwise
    none.
    """
    paths = {place.path for item in findings if item.is_error for place in item.places}
    start = f"{directory}/" if directory else ""
    above = [prefixes(path) for path in sorted(paths) if path.startswith(start)]
    inner = [[each for each in folders if len(each) >= len(start)] for folders in above]
    found = [next(filter(_is_no_skill, folders), "") for folders in inner]
    return list(dict.fromkeys(found)) if found and all(found) else []


def _folder_of_skill(directory: str, others: Collection[str], kept: Collection[str]) -> list[str]:
    """Return the outermost folder of tests or examples that contains a refused skill and no other
    skill.

    If every such folder is in or around another skill, returns the directory of the refused skill.
    """
    around = prefixes(directory)
    above = [folder for folder in around if _is_no_skill(folder)]
    if not above or directory in kept:
        return []
    is_inside = any(folder in others for folder in around)
    outer = next((folder for folder in above if folder not in kept), directory)
    return [directory if is_inside else outer]


def _is_no_skill(folder: str) -> bool:
    return base_name(folder).lower().lstrip("_") in NOT_SKILLS


def _common_folder(directories: Sequence[str]) -> str:
    """Return the innermost folder that contains all these directories; empty if there is none."""
    above = [prefixes(directory) for directory in directories]
    shared = [each for each in above[0] if all(each in one for one in above)] if above else []
    return shared[-1] if shared else ""
