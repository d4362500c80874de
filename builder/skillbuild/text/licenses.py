"""Reads a license field or a license text. The result is an SPDX expression if the license is
certain; otherwise it is words from the field or text.

An identifier is returned only if the text names the license completely. `BSD license` may mean
several licenses, and `MIT with Commons Clause` is not MIT, so both stay as they are.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from skillbuild.model import LicenseKind

LONGEST_TEXT = 200_000
"""Maximum characters of a license text that are read."""
_LONGEST_FIELD = 200
"""Maximum characters of a field that can name a license; a longer one contains its own terms."""
_LONGEST_WORDS = 200
"""Maximum characters of terms that are shown."""
_LONGEST_LINE = 100
"""Maximum characters shown of the first line of a license text."""


class Terms(NamedTuple):
    """What is known about a license: an SPDX expression, identifiers separated by commas, or other
    words.
    """

    value: str
    kind: LicenseKind


class Declared(NamedTuple):
    """The content of a license field."""

    words: str
    """The whole field on one line; empty if there is no field."""
    terms: Terms | None
    """The license that the field names; None if it is empty, says `unknown`, or only names a
    file."""
    file: str = ""
    """The file with the license terms, if the field names one."""


# What names of licenses mean.


_ALIASES: Mapping[str, str] = {
    "0BSD": "bsd zero clause, zero clause bsd, bsd 0 clause, free public 1 0 0",
    "AGPL-3.0": "agpl 3, agpl 3 0, agpl3, gnu agpl 3, gnu agpl 3 0, gnu affero general public 3,"
    " gnu affero general public 3 0, affero gpl 3",
    "AGPL-3.0-only": "agpl 3 only, agpl 3 0 only",
    "AGPL-3.0-or-later": "agpl 3 or later, agpl 3 0 or later, agpl 3 0 plus, agpl3 or later,"
    " gnu affero general public 3 or later, gnu affero general public 3 0 or later",
    "Apache-2.0": "apache 2, apache 2 0, apache2, apache2 0, asl 2, asl 2 0, apache software,"
    " apache software 2, apache software 2 0, apache org licenses 2 0, al 2 0, al2",
    "Artistic-2.0": "artistic 2, artistic 2 0",
    "BSD-2-Clause": "bsd 2, 2 clause bsd, bsd 2 clause, bsd 2clause, simplified bsd,"
    " bsd simplified, freebsd, two clause bsd",
    "BSD-3-Clause": "bsd 3, 3 clause bsd, bsd 3 clause, bsd 3clause, new bsd, modified bsd,"
    " revised bsd, bsd new, three clause bsd, new or revised bsd",
    "BSL-1.0": "boost, boost 1 0, boost software, boost software 1 0",
    "BUSL-1.1": "business source 1 1, busl 1 1",
    "CC0-1.0": "cc0, cc0 1 0, cc0 1 0 universal, cc zero, creative commons zero,"
    " creative commons zero 1 0, creative commons zero 1 0 universal, creative commons cc0,"
    " creative commons cc0 1 0, creativecommons org publicdomain zero 1 0",
    "CC-BY-3.0": "cc by 3 0, creative commons attribution 3 0, creativecommons org licenses by 3 0",
    "CC-BY-4.0": "cc by 4, cc by 4 0, ccby 4 0, cc by 4 0 international,"
    " creative commons attribution 4 0, creative commons attribution 4 0 international,"
    " creative commons by 4 0, creativecommons org licenses by 4 0,"
    " creativecommons org licenses by 4 0 legalcode",
    "CC-BY-NC-4.0": "cc by nc 4, cc by nc 4 0, creative commons attribution noncommercial 4 0,"
    " creative commons attribution noncommercial 4 0 international,"
    " creative commons attribution non commercial 4 0 international,"
    " creativecommons org licenses by nc 4 0",
    "CC-BY-NC-ND-4.0": "cc by nc nd 4, cc by nc nd 4 0,"
    " creative commons attribution noncommercial noderivatives 4 0 international,"
    " creativecommons org licenses by nc nd 4 0",
    "CC-BY-NC-SA-4.0": "cc by nc sa 4, cc by nc sa 4 0, cc by nc sa 4 0 international,"
    " creative commons attribution noncommercial sharealike 4 0,"
    " creative commons attribution noncommercial sharealike 4 0 international,"
    " creativecommons org licenses by nc sa 4 0",
    "CC-BY-ND-4.0": "cc by nd 4, cc by nd 4 0,"
    " creative commons attribution noderivatives 4 0 international,"
    " creativecommons org licenses by nd 4 0",
    "CC-BY-SA-3.0": "cc by sa 3 0, creative commons attribution sharealike 3 0,"
    " creativecommons org licenses by sa 3 0",
    "CC-BY-SA-4.0": "cc by sa 4, cc by sa 4 0, cc by sa 4 0 international,"
    " creative commons attribution sharealike 4 0,"
    " creative commons attribution sharealike 4 0 international,"
    " creative commons attribution share alike 4 0 international,"
    " creativecommons org licenses by sa 4 0",
    "EPL-2.0": "eclipse public 2 0, eclipse public 2, epl 2, epl 2 0",
    "EUPL-1.2": "eupl 1 2, european union public 1 2",
    "Elastic-2.0": "elastic 2, elastic 2 0, el2, elastic el2, elastic 2 0 el2",
    "GPL-2.0": "gpl 2, gpl 2 0, gpl2, gnu gpl 2, gnu gpl 2 0, gnu general public 2,"
    " gnu general public 2 0",
    "GPL-2.0-only": "gpl 2 only, gpl 2 0 only",
    "GPL-2.0-or-later": "gpl 2 or later, gpl 2 0 or later, gpl2 or later, gnu gpl 2 or later,"
    " gnu general public 2 or later, gnu general public 2 0 or later",
    "GPL-3.0": "gpl 3, gpl 3 0, gpl3, gnu gpl 3, gnu gpl 3 0, gnu general public 3,"
    " gnu general public 3 0, gnu org licenses gpl 3 0, gnu org licenses gpl 3 0 en",
    "GPL-3.0-only": "gpl 3 only, gpl 3 0 only",
    "GPL-3.0-or-later": "gpl 3 or later, gpl 3 0 or later, gpl3 or later, gnu gpl 3 or later,"
    " gnu general public 3 or later, gnu general public 3 0 or later",
    "ISC": "isc, internet systems consortium",
    "LGPL-2.1": "lgpl 2 1, gnu lgpl 2 1, gnu lesser general public 2 1",
    "LGPL-3.0": "lgpl 3, lgpl 3 0, lgpl3, gnu lgpl 3, gnu lgpl 3 0, gnu lesser general public 3,"
    " gnu lesser general public 3 0",
    "LGPL-3.0-or-later": "lgpl 3 or later, lgpl 3 0 or later,"
    " gnu lesser general public 3 or later, gnu lesser general public 3 0 or later",
    "MIT": "mit, expat, mit expat, expat mit, mit x11, opensource org licenses mit,"
    " opensource org mit, choosealicense com licenses mit, mit open source",
    "MIT-0": "mit 0, mit no attribution",
    "MPL-2.0": "mpl 2, mpl 2 0, mpl2, mozilla public 2, mozilla public 2 0,"
    " mozilla org mpl 2 0, mozilla org en us mpl 2 0",
    "MS-PL": "microsoft public, ms pl",
    "OFL-1.1": "ofl 1 1, sil ofl 1 1, sil open font 1 1, open font 1 1",
    "PSF-2.0": "psf 2 0, python software foundation 2 0",
    "Unlicense": "unlicense org",
    "WTFPL": "wtfpl, do what fuck you want to public",
    "Zlib": "zlib",
}
"""Maps SPDX identifiers to other names that people write, in the form that `_plain` returns."""
_BY_ALIAS = {
    alias: name for name, aliases in _ALIASES.items() for alias in re.split(r", *", aliases)
}
_IDLE = frozenset(["a", "identifier", "of", "spdx", "terms", "the", "under", "version", "www"])
"""Words that do not help to tell licenses apart."""
_LICENSE = re.compile(r"licen[cs]ed?,?")
_ADDRESS = re.compile(r"https?://|\.(?:html?|txt|php)\b", re.IGNORECASE)
_VERSION = re.compile(r"v(?=\d)")
_WORD = re.compile(r"[a-z0-9]+")


def resolve(text: str) -> str | None:
    """Return the SPDX expression that a license field or title stands for; None if it is not
    certain.
    """
    text = " ".join(text.split()).strip(" .,;")
    if not text or len(text) > _LONGEST_FIELD:
        return None
    known = _BY_ALIAS.get(_plain(text)) or _expression(text) or _expression(_hyphenated(text))
    return known or _in_brackets(text) or _joined(text)


def _plain(text: str) -> str:
    """Return only the words that tell licenses apart: `apache 2 0` for `Apache License, Version
    2.0`.
    """
    lowered = _VERSION.sub("", _ADDRESS.sub(" ", text.lower())).replace("+", " plus ")
    return " ".join(word for word in _WORD.findall(lowered) if not _is_idle(word))


def _is_idle(word: str) -> bool:
    return word in _IDLE or _LICENSE.fullmatch(word) is not None


def _hyphenated(text: str) -> str:
    """Return a name with hyphens: `PolyForm-Noncommercial-1.0.0` for `PolyForm Noncommercial
    License 1.0.0`.
    """
    return "-".join(word for word in text.split() if not _is_idle(word.lower()))


@functools.lru_cache(maxsize=1024)
def _expression(text: str) -> str | None:
    """Return the expression as the SPDX list spells it; None if it is not valid."""
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    try:
        return str(canonicalize_license_expression(text))
    except InvalidLicenseExpression:
        return None


_BRACKETED = re.compile(r"([^()]+)\(([^()]+)\)")
_SEPARATORS = (
    (re.compile(r"\s+and\s+|\s*&\s*", re.IGNORECASE), " AND "),
    (re.compile(r"\s+or\s+|\s*\|\s*|\s*/\s*", re.IGNORECASE), " OR "),
)


def _in_brackets(text: str) -> str | None:
    """Return the license if a name is followed by the same license in brackets: `MIT License
    (MIT)`; otherwise None.
    """
    match = _BRACKETED.fullmatch(text)
    if match is None:
        return None
    outer, inner = resolve(match[1]), resolve(match[2])
    return outer if outer == inner else None


def _joined(text: str) -> str | None:
    """Return the expression for known names joined by the same word: `Apache 2.0 and MIT`;
    otherwise None.
    """
    for separator, operator in _SEPARATORS:
        parts = separator.split(text)
        if 2 <= len(parts) <= 5:
            names = [_BY_ALIAS.get(_plain(part)) or _expression(part.strip()) for part in parts]
            if all(names):
                return operator.join(str(name) for name in names)
    return None


# A license field.


_UNKNOWN = re.compile(r"(?:unknown|none|n/?a|tbd|todo|-+|\?+|unspecified|not specified|null)\.?")
_RESERVED = re.compile(
    r"\bproprietary\b|\ball rights reserved\b|^unlicensed$|\bclosed[ -]source\b|\bconfidential\b"
    r"|\bcommercial licen[cs]e\b|^commercial$|\binternal use only\b|\bEULA\b",
    re.IGNORECASE,
)
_FILE = (
    r"(?:[\w./-]{0,80}?(?:LICEN[CS]E|COPYING)[\w-]{0,30}(?:\.[a-z]{2,8})?"
    r"|[\w./-]{0,80}?(?i:licen[cs]e|copying)[\w-]{0,30}\.[a-z]{2,8})"
)
_ONLY_FILE = re.compile(
    r"(?:(?:.{0,60}\s)?(?i:see|in|at)\s+(?:the\s+)?(?:(?:repo|repository|root|project)\s+)?"
    rf"[`\"'\[(]{{0,2}})?(?P<file>{_FILE})[`\"'\])]{{0,2}}(?:\s.{{0,60}})?\.?"
)
_THEN_FILE = re.compile(
    r"(?P<name>.{2,80}?)(?:[.;:,]\s+|\s+[-\u2013\u2014(]\s*|\s+(?=[Ss]ee\b))"
    rf"(?:(?i:see|complete|full|details?|terms)\b.{{0,60}}?\s)?{_FILE}\b.{{0,60}}"
)


def declared(value: object) -> Declared:
    """Parse the value of a license field, whatever its type."""
    words = " ".join(_text(value).split())
    if not words or _UNKNOWN.fullmatch(words.lower()):
        return Declared(words, None)
    shown = _cut(words, _LONGEST_WORDS)
    if len(words) > _LONGEST_FIELD:
        return Declared(shown, Terms(shown, LicenseKind.WORDS))
    if name := resolve(words):
        is_own = name.startswith("LicenseRef-") and "proprietary" in name.lower()
        kind = LicenseKind.PROPRIETARY if is_own else LicenseKind.SPDX
        return Declared(words, Terms(name, kind))
    if "://" not in words:
        match = _THEN_FILE.fullmatch(words)
        if match and (name := resolve(match["name"])):
            return Declared(words, Terms(name, LicenseKind.SPDX))
    if _RESERVED.search(words):
        return Declared(words, Terms(words, LicenseKind.PROPRIETARY))
    if "://" not in words and (match := _ONLY_FILE.fullmatch(words)):
        return Declared(words, None, match["file"].removeprefix("./"))
    return Declared(words, Terms(words, LicenseKind.WORDS))


def _text(value: object) -> str:
    """Return a field as a string; the items of a list are joined."""
    match value:
        case str():
            return value
        case bool() | None:
            return ""
        case int() | float():
            return str(value)
        case Mapping():
            named = (value.get(key) for key in ("spdx", "type", "name", "id"))
            return next((each for each in named if isinstance(each, str)), "")
        case Sequence():
            return " AND ".join(each for each in value if isinstance(each, str))
        case _:
            return ""


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}\u2026"


# A license text.


_GRANT = "permission is hereby granted free of charge to any person obtaining a copy of this"
_AS_IS = "the software is provided as is"
_PERMISSIVE = frozenset(["MIT", "MIT-0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD"])
"""Licenses of a few sentences, to which people sometimes add their own sentences."""
_ADDED = re.compile(
    r"commons clause|non ?commercial|additional terms|for internal|(?:evaluation|educational) use"
)
_PHRASES: Mapping[str, Sequence[str]] = {
    "MIT": (
        _GRANT,
        "to do so subject to the following conditions the above copyright notice and this",
        f"portions of the software {_AS_IS}",
        "other dealings in the software",
    ),
    "MIT-0": (_GRANT, f"furnished to do so {_AS_IS}"),
    "BSD-3-Clause": (
        "redistribution and use in source and binary forms",
        "with the distribution( 3)? neither the name",
        "without specific prior written permission this software is provided by",
    ),
    "BSD-2-Clause": (
        "redistribution and use in source and binary forms",
        "materials provided with the distribution this software is provided by",
    ),
    "ISC": (
        "permission to use copy modify and( or)? distribute this software for any purpose",
        f"in all copies {_AS_IS}",
    ),
    "0BSD": ("with or without fee is hereby granted the software is provided as is",),
    "Apache-2.0": (
        "apache license version 2 0 january 2004",
        "grant of patent license",
        "limitation of liability",
    ),
    "MPL-2.0": ("mozilla public license version 2 0", "covered software is provided under this"),
    "EPL-2.0": ("eclipse public license v 2 0", "exhibit a form of secondary licenses notice"),
    "AGPL-3.0": (
        "gnu affero general public license version 3 19 november 2007",
        "remote network interaction",
    ),
    "GPL-3.0": (
        "gnu general public license version 3 29 june 2007",
        "the gnu general public license is a free copyleft license",
    ),
    "GPL-2.0": (
        "gnu general public license version 2 june 1991",
        "activities other than copying distribution and modification are not covered",
    ),
    "LGPL-3.0": (
        "gnu lesser general public license version 3 29 june 2007",
        "this version of the gnu lesser general public license incorporates",
    ),
    "LGPL-2.1": (
        "gnu lesser general public license version 2 1 february 1999",
        "successor of the gnu library public license",
    ),
    "Unlicense": (
        "this is free and unencumbered software released into the public domain",
        "anyone is free to copy modify publish use compile sell or distribute",
    ),
    "CC0-1.0": ("cc0 1 0 universal", "affirmer"),
    "BSL-1.0": (
        "boost software license version 1 0 august 17th 2003",
        "machine executable object code generated by a source language processor",
    ),
    "Zlib": (
        "this software is provided as is without any express or implied warranty",
        "altered source versions must be plainly marked as such",
    ),
    "BUSL-1.1": ("business source license 1 1", "change date"),
    "Elastic-2.0": (
        "elastic license 2 0",
        "to third parties as a hosted or managed service",
    ),
    "PolyForm-Noncommercial-1.0.0": ("polyform noncommercial license 1 0 0", "required notice"),
    "PolyForm-Small-Business-1.0.0": ("polyform small business license 1 0 0", "required notice"),
    "FSL-1.1-MIT": (
        "functional source license version 1 1 mit future license",
        "permitted purpose",
    ),
    "FSL-1.1-ALv2": (
        "functional source license version 1 1 alv2 future license",
        "permitted purpose",
    ),
    "OFL-1.1": ("sil open font license version 1 1", "reserved font name"),
}
"""Maps SPDX identifiers to phrases that the license contains, as words separated by single spaces.

A phrase is contiguous in the original text, which excludes similar licenses."""
_NOTICE = "licensed under the apache license version 2 0 the license you may not use"
"""The notice with which files refer to Apache-2.0."""
_OTHER_MIT = "except as contained in this notice"
"""A phrase that appears only in licenses derived from MIT."""
_CREATIVE_COMMONS = re.compile(
    r"attribution( non ?commercial)?( share ?alike| no ?derivatives)? 4 0 international"
)
_TITLE = 600
"""Number of characters at the start of a text that contain the name of a Creative Commons
license.
"""
_SHORT = 300
"""Maximum characters of a file that names a license instead of containing one."""


def terms_of(text: str) -> Terms | None:
    """Identify the license from the text of a license file; None if the text has no words."""
    text = text[:LONGEST_TEXT]
    lines = (line.strip(" \t#*=-_>") for line in text.splitlines())
    first = _cut(next((line for line in lines if _WORD.search(line.lower())), ""), _LONGEST_LINE)
    if not first:
        return None
    words = " ".join(_WORD.findall(text.lower()))
    names = [
        name
        for name, phrases in _PHRASES.items()
        if all(re.search(phrase, words) for phrase in phrases)
    ]
    if _OTHER_MIT in words and "MIT" in names:
        names.remove("MIT")
    if not names and (match := _CREATIVE_COMMONS.search(words[:_TITLE])):
        names = [_creative_commons(match)]
    if not names and _NOTICE in words:
        names = ["Apache-2.0"]
    if names and _PERMISSIVE.issuperset(names) and _ADDED.search(words):
        return Terms(first, LicenseKind.WORDS)
    if names:
        kind = LicenseKind.SPDX if len(names) == 1 else LicenseKind.SEVERAL
        return Terms(", ".join(sorted(names)), kind)
    if len(text) <= _SHORT and (name := resolve(text)):
        return Terms(name, LicenseKind.SPDX)
    kind = LicenseKind.PROPRIETARY if _RESERVED.search(text) else LicenseKind.WORDS
    return Terms(first, kind)


def _creative_commons(match: re.Match[str]) -> str:
    commercial, changes = match[1] or "", (match[2] or "").replace(" ", "")
    parts = ["CC-BY", "NC" if commercial else "", {"": "", "sharealike": "SA"}.get(changes, "ND")]
    return "-".join([*filter(None, parts), "4.0"])


def together(every: Sequence[Terms]) -> Terms | None:
    """Combine the licenses from several files in one folder; None if there are none.

    It is not known which license covers which part of the skill, so all identifiers are named. If
    any of the licenses has no SPDX identifier, only the first license in `every` is returned.
    """
    if len({*every}) <= 1 or any(
        each.kind not in (LicenseKind.SPDX, LicenseKind.SEVERAL) for each in every
    ):
        return every[0] if every else None
    names = {name for each in every for name in each.value.split(", ")}
    kind = LicenseKind.SPDX if len(names) == 1 else LicenseKind.SEVERAL
    return Terms(", ".join(sorted(names)), kind)
