"""Checks the number of files and the total size of a skill, and finds the largest folder of the
skill.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from skillbuild.config import CONFIG_FILE, Config
from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.model import DISCOVERY_LIMIT, MCP_LIMIT, SkillLimit
from skillbuild.paths import base_name, inside, prefixes
from skillbuild.rules import files as rules
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Leaf
from skillbuild.text.wording import plural

_BUILD_OUTPUT = frozenset(
    [
        *("target", "dist", "build", "_build", "out", "bin", "obj", "vendor", "coverage"),
        *("venv", ".venv", "site-packages", "bower_components", "Pods", "DerivedData"),
        *(".gradle", ".next", ".nuxt", ".tox", ".nox", ".cache", ".eggs", ".terraform"),
        *(".mypy_cache", ".pytest_cache", ".ruff_cache", ".parcel-cache", ".turbo"),
    ]
)
"""Names of folders that tools usually create."""
_NOT_IN_GLOB = re.compile(r"[^\w./@%+=:, -]")
_FILES, _BYTES = "file", "byte"


def check_sizes(
    tree: SkillTree, own: Sequence[Leaf], sizes: Sequence[int | None], config: Config
) -> Iterator[Finding]:
    """Yield findings about a skill that exceeds the limits of clients or of the settings.

    `sizes` contains the size in bytes of each file in `own`, or None if the content of the file is
    missing.
    """
    limit = SkillLimit(config.limits.files, config.limits.bytes)
    files = [tree.relative(leaf) for leaf in own if leaf.is_file]
    in_bytes = {path: size or 0 for path, size in zip(files, sizes, strict=True)}
    in_files = {tree.relative(leaf): 1 for leaf in own}
    count, total = len(own), sum(in_bytes.values())
    if count > limit.files:
        message = f"{plural(count, _FILES)}; the limit is {limit.files:,}"
        yield _finding(rules.TOO_MANY_FILES, tree, message, in_files, _FILES)
    if total > limit.bytes:
        message = f"{plural(total, _BYTES)}; the limit is {limit.bytes:,}"
        yield _finding(rules.SKILL_TOO_LARGE, tree, message, in_bytes, _BYTES)
    if not limit.takes(count, total) or MCP_LIMIT.takes(count, total):
        return
    has = f"{plural(count, _FILES)} and {plural(total, _BYTES)}"
    if DISCOVERY_LIMIT.takes(count, total):
        rule, limit, who = rules.SKILL_LARGE, MCP_LIMIT, "MCP clients refuse"
    else:
        rule, limit, who = rules.SKILL_VERY_LARGE, DISCOVERY_LIMIT, "npx skills drops"
    message = (
        f"{has}; {who} a skill with more than {limit.files:,} files or {limit.bytes >> 20} MiB"
    )
    by_files = count > limit.files
    yield _finding(rule, tree, message, *((in_files, _FILES) if by_files else (in_bytes, _BYTES)))


def _finding(
    rule: Rule, tree: SkillTree, message: str, weights: Mapping[str, int], unit: str
) -> Finding:
    """Return a finding that names the folder with most of the files or bytes."""
    found = largest_folder(weights.items())
    if found is None:
        hint = "split the skill, pack its data into one file, or have it download large files"
        return finding(rule, tree.skill_file, None, message, hint)
    folder, weight = found
    remedy = f'set exclude = ["/{exclude_glob(inside(tree.directory, folder))}/"] in {CONFIG_FILE}'
    if base_name(folder) in _BUILD_OUTPUT:
        hint = f"{folder}/ looks like build output: {remedy}"
    else:
        hint = f"{remedy} if agents do not need the folder, or split the skill"
    message = f"{message}; {folder}/ contains {plural(weight, unit)}"
    return finding(rule, tree.skill_file, None, message, hint)


def largest_folder(weights: Iterable[tuple[str, int]]) -> tuple[str, int] | None:
    """Return the folder with the most weight, and its weight; None if no file is in a folder.

    `weights` contains the path of each file and its weight: its size, or 1 to count files. Several
    nested folders may each contain at least half of the total weight. In this case, the outermost
    folder that looks like build output is returned. If no folder looks like build output, the
    innermost folder is returned.
    """
    totals: Counter[str] = Counter()
    whole = 0
    for path, weight in weights:
        whole += weight
        totals.update(dict.fromkeys(prefixes(path), weight))
    if not totals:
        return None
    heavy = sorted((each for each in totals if 2 * totals[each] >= whole), key=len)
    built = [each for each in heavy if base_name(each) in _BUILD_OUTPUT]
    top = [each for each in totals if "/" not in each]
    largest = min(top, key=lambda each: (-totals[each], each))
    folder = built[0] if built else heavy[-1] if heavy else largest
    return folder, totals[folder]


def exclude_glob(path: str) -> str:
    """Return a path as a glob for a setting, with special characters replaced by `?`."""
    return _NOT_IN_GLOB.sub("?", path)
