"""Settings that do nothing: globs that match nothing, and `[[ignore]]` without a finding."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from skillbuild.check.levels import covers
from skillbuild.config import CONFIG_FILE, Config
from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.model import Place
from skillbuild.rules import source as rules
from skillbuild.rules.fields import DESCRIPTION_COVERED
from skillbuild.source.git import MOST_ENTRIES
from skillbuild.source.globs import unused_patterns
from skillbuild.source.tree import Leaf, Reader
from skillbuild.text import toml

_COVERS_NO = {"roots": "SKILL.md", "exclude": "file"}
_OF_CHECKS = frozenset([DESCRIPTION_COVERED.code])
"""Rules that builds do not look at, so that their entries seem to silence nothing."""


def unused_settings(
    leaves: Sequence[Leaf], config: Config, silenced: Collection[Finding], reader: Reader
) -> Iterator[Finding]:
    """A warning for each glob and each entry of `[[ignore]]` that could as well be left out.

    `leaves` are all of the source, `silenced` all findings that `[[ignore]]` silences.
    """
    if len(leaves) > MOST_ENTRIES:
        return
    patterns = list(unused_patterns(leaves, config))
    entries = [
        (number, entry)
        for number, entry in enumerate(config.ignore)
        if entry.rule not in _OF_CHECKS and not any(covers(entry, item) for item in silenced)
    ]
    text = _settings_text(leaves, reader) if patterns or entries else ""
    for key, pattern in patterns:
        place = toml.place_of_text(text, key, pattern)
        message = f"{pattern} in {key} matches no {_COVERS_NO[key]}"
        hint = "remove it, or correct it; paths begin where skillbuild.toml stands"
        yield _about(rules.PATTERN_UNUSED, place, message, hint)
    for number, entry in entries:
        where = f" in {', '.join(entry.paths)}" if entry.paths else ""
        place = toml.place_of_entry(text, "ignore", number, len(config.ignore))
        message = f"no finding of the rule {entry.rule}{where} is silenced by this entry"
        hint = "remove the entry, or correct its rule, paths or fingerprint"
        yield _about(rules.IGNORE_UNUSED, place, message, hint)


def _about(rule: Rule, place: Place | None, message: str, hint: str) -> Finding:
    return finding(rule, CONFIG_FILE, place, message, hint)


def _settings_text(leaves: Sequence[Leaf], reader: Reader) -> str:
    """What skillbuild.toml holds; empty if settings come from elsewhere."""
    files = [leaf for leaf in leaves if leaf.path == CONFIG_FILE and leaf.is_file]
    data = next(iter(reader.read(files)), None)
    return (data or b"").decode(errors="replace").replace("\r\n", "\n")
