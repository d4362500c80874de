"""Finds skills in backup folders. Unless excluded, these copies are published along with the
original skills.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from skillbuild.config import CONFIG_FILE
from skillbuild.diagnostics import Finding, FoundAt, finding
from skillbuild.paths import SKILL_FILE, base_name, inside, prefixes
from skillbuild.rules.source import SKILLS_BACKUP
from skillbuild.source.globs import anchored
from skillbuild.text.wording import plural

_NAME = re.compile(r"(?:.*[-_.])?(?:backups?|bak)", re.IGNORECASE)
"""The name of a backup folder. It is not matched against the directory of a skill itself."""


def backup_around(directory: str) -> str | None:
    """Return the outermost backup folder around the directory of a skill; None if there is none."""
    return next((each for each in prefixes(directory) if _NAME.fullmatch(base_name(each))), None)


def backups_found(directories: Iterable[str]) -> Iterator[Finding]:
    """Yield one finding about all skills in backup folders, if there are any."""
    folders = {each: folder for each in directories if (folder := backup_around(each))}
    if not folders:
        return
    counts = sorted(Counter(folders.values()).items())
    named = ", ".join(f"{folder}/ ({count:,})" for folder, count in counts)
    verb = "is" if len(folders) == 1 else "are"
    message = f"{plural(len(folders), 'skill')} in backups {verb} published: {named}"
    globs = ", ".join(json.dumps(anchored(folder), ensure_ascii=False) for folder, _ in counts)
    hint = f"set exclude = [{globs}] in {CONFIG_FILE}, unless agents should have the old copies too"
    first, *others = (inside(each, SKILL_FILE) for each in sorted(folders))
    item = finding(SKILLS_BACKUP, first, None, message, hint)
    yield replace(item, others=tuple(map(FoundAt, others)))
