"""What kind of license a skill declares: an SPDX expression, a file of its own, or other words."""

from __future__ import annotations

import re

from skillbuild.model import Entry
from skillbuild.release.frontmatter import NOT_DECLARED

_KNOWN = {
    name.lower(): name
    for name in (
        *("0BSD", "AFL-3.0", "AGPL-3.0-only", "AGPL-3.0-or-later", "Apache-2.0", "Artistic-2.0"),
        *("BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "BUSL-1.1", "CC0-1.0", "CC-BY-3.0"),
        *("CC-BY-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "CC-BY-SA-4.0"),
        *("CC-BY-SA-3.0", "EPL-2.0", "EUPL-1.2", "GPL-2.0-only", "GPL-2.0-or-later"),
        *("GPL-3.0-only", "GPL-3.0-or-later", "ISC", "LGPL-2.1-only", "LGPL-2.1-or-later"),
        *("LGPL-3.0-only", "LGPL-3.0-or-later", "MIT", "MIT-0", "MPL-2.0", "MS-PL", "NCSA"),
        *("OFL-1.1", "PostgreSQL", "PSF-2.0", "Python-2.0", "Unlicense", "UPL-1.0", "WTFPL"),
        *("X11", "Zlib", "AGPL-3.0", "GPL-2.0", "GPL-3.0", "LGPL-2.1", "LGPL-3.0"),
    )
}
_OPERATORS = frozenset(["AND", "OR", "WITH"])
_FILE = re.compile(r"[\w./-]*(?:LICEN[CS]E|COPYING|NOTICE)[\w.-]*", re.IGNORECASE)


def spdx(text: str) -> str | None:
    """The text as an SPDX expression with names in their usual case; None if it is none.

    Every name in it must be that of a well-known license.
    """
    words = text.replace("(", " ( ").replace(")", " ) ").split()
    names = [word for word in words if word not in ("(", ")")]
    operators, terms = names[1::2], names[::2]
    if len(names) % 2 == 0 or not all(word in _OPERATORS for word in operators):
        return None
    if not all(term.lower() in _KNOWN for term in terms):
        return None
    proper = {term: _KNOWN[term.lower()] for term in terms}
    joined = " ".join(proper.get(word, word) for word in words)
    return joined.replace("( ", "(").replace(" )", ")")


def file_of(entry: Entry) -> str | None:
    """The file of the skill that its license field points at, or that holds a license."""
    paths = {item.path for item in entry.resources}
    named = [match[0].rstrip(".") for match in _FILE.finditer(entry.text("license"))]
    usual = ("LICENSE.txt", "LICENSE", "LICENSE.md", "COPYING")
    return next((path for path in (*named, *usual) if path in paths), None)


def label(entry: Entry) -> str:
    """An SPDX expression, `see file`, `other`, or `not declared`."""
    text = entry.text("license").strip()
    if not text:
        return "see file" if file_of(entry) else NOT_DECLARED
    return spdx(text) or ("see file" if file_of(entry) else "other")
