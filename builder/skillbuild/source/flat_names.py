"""Names for formats that know skills by name and not by path: discovery and marketplaces."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count

from skillbuild.paths import LONGEST_NAME, is_skill_name

_SEPARATORS = re.compile("[^a-z0-9]+")


def flat_names(names: Mapping[str, str | None], paths: Mapping[str, str]) -> dict[str, str]:
    """A valid name for every skill, none twice.

    The name of a skill, if it is valid and of no other skill. Else the skill path joined with `-`,
    if that is valid, of no other skill, and no name of the first kind. Else the beginning of that
    and a digest of the path.

    All is by directory. `names` has every skill, with None for one whose name is none; `paths`
    those that stand at their path: the others have to be moved, which must not change any name.
    """
    uses = Counter(names.values())
    given = {
        directory: name
        for directory, name in names.items()
        if name is not None and uses[name] == 1 and is_skill_name(name)
    }
    taken = set(given.values())
    joined = {each: _joined(path) for each, path in paths.items() if each not in given}
    uses = Counter(joined.values())
    given |= {
        directory: name
        for directory, name in joined.items()
        if uses[name] == 1 and name not in taken and is_skill_name(name)
    }
    taken |= set(given.values())
    for directory in sorted(names.keys() - given.keys()):
        path = paths.get(directory, f"{directory}/")
        given[directory] = next(name for name in _numbered(path) if name not in taken)
        taken.add(given[directory])
    return given


def _joined(path: str) -> str:
    """The segments of a path as one word, without a last one that only repeats what is there."""
    *above, last = path.split("/")
    segments = above if above and above[-1].endswith(last) else [*above, last]
    return _SEPARATORS.sub("-", "/".join(segments).lower()).strip("-")


def _numbered(path: str) -> Iterator[str]:
    """Names with more and more of a digest of the path at the end, and then of other digests."""
    raw = path.encode(errors="surrogateescape")
    digest = hashlib.sha256(raw).hexdigest()
    yield _with_digest(path, digest[:8])
    yield _with_digest(path, digest[:16])
    for number in count():
        yield _with_digest(path, hashlib.sha256(b"%b\0%d" % (raw, number)).hexdigest()[:16])


def _with_digest(path: str, digest: str) -> str:
    start = _joined(path)[: LONGEST_NAME - 1 - len(digest)].strip("-")
    return f"{start or 'skill'}-{digest}"
