"""Readable names of licenses, and a few words about what each one asks of users.

Labels for terms without an SPDX identifier are explained, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from skillbuild.release.frontmatter import NONE_FOUND

PROPRIETARY = "proprietary"
CUSTOM = "custom terms"
_CC = "Creative Commons"
_GNU = "GNU {}General Public License v{}"
_PERMISSIVE = "Permissive: keep the notice"
_FREE = "Public domain: no conditions"
_WEAK = "Weak copyleft: modified files keep the license"
_COPYLEFT = "Copyleft: works based on it keep the license"
_NETWORK = "Copyleft: works based on it keep the license, even if used only over a network"
_CREDIT = "Credit the author"
_ALIKE = "Credit the author; modified versions keep the license"
_NOT_SOLD = "Credit the author; no commercial use"
_LIMITED = "Source available: some uses are not allowed"
_NAMES: Mapping[str, Mapping[str, str]] = {
    _PERMISSIVE: {
        "AFL-3.0": "Academic Free License 3.0",
        "Apache-1.1": "Apache Software License 1.1",
        "Artistic-2.0": "Artistic License 2.0",
        "BSD-2-Clause": "BSD 2-Clause “Simplified” License",
        "BSD-3-Clause": "BSD 3-Clause “New” License",
        "BSD-3-Clause-Clear": "BSD 3-Clause Clear License",
        "BSD-4-Clause": "BSD 4-Clause “Original” License",
        "BSL-1.0": "Boost Software License 1.0",
        "BlueOak-1.0.0": "Blue Oak Model License 1.0.0",
        "ECL-2.0": "Educational Community License 2.0",
        "HPND": "Historical Permission Notice and Disclaimer",
        "ISC": "ISC License",
        "MIT": "MIT License",
        "MS-PL": "Microsoft Public License",
        "MulanPSL-2.0": "Mulan Permissive Software License v2",
        "NCSA": "University of Illinois/NCSA Open Source License",
        "OFL-1.1": "SIL Open Font License 1.1",
        "OpenSSL": "OpenSSL License",
        "PSF-2.0": "Python Software Foundation License 2.0",
        "PostgreSQL": "PostgreSQL License",
        "Python-2.0": "Python License 2.0",
        "Ruby": "Ruby License",
        "UPL-1.0": "Universal Permissive License v1.0",
        "Vim": "Vim License",
        "W3C": "W3C Software Notice and License",
        "X11": "X11 License",
        "ZPL-2.1": "Zope Public License 2.1",
        "Zlib": "zlib License",
        "bzip2-1.0.6": "bzip2 License 1.0.6",
        "curl": "curl License",
    },
    "Permissive: keep the notices and say what you changed; grants a patent license": {
        "Apache-2.0": "Apache License 2.0",
    },
    _FREE: {
        "0BSD": "BSD Zero Clause License",
        "CC0-1.0": f"{_CC} Zero 1.0",
        "MIT-0": "MIT No Attribution",
        "PDDL-1.0": "Open Data Commons Public Domain Dedication & License 1.0",
        "Unlicense": "The Unlicense",
        "WTFPL": "Do What The F*ck You Want To Public License",
    },
    _WEAK: {
        "CDDL-1.0": "Common Development and Distribution License 1.0",
        "CDDL-1.1": "Common Development and Distribution License 1.1",
        "EPL-1.0": "Eclipse Public License 1.0",
        "EPL-2.0": "Eclipse Public License 2.0",
        "LGPL-2.0": "GNU Library General Public License v2",
        "LGPL-2.1": _GNU.format("Lesser ", "2.1"),
        "LGPL-3.0": _GNU.format("Lesser ", "3.0"),
        "MPL-1.1": "Mozilla Public License 1.1",
        "MPL-2.0": "Mozilla Public License 2.0",
        "MS-RL": "Microsoft Reciprocal License",
    },
    _COPYLEFT: {
        "CECILL-2.1": "CeCILL Free Software License Agreement v2.1",
        "EUPL-1.2": "European Union Public License 1.2",
        "GFDL-1.3": "GNU Free Documentation License v1.3",
        "GPL-2.0": _GNU.format("", "2.0"),
        "GPL-3.0": _GNU.format("", "3.0"),
        "ODbL-1.0": "Open Data Commons Open Database License v1.0",
    },
    _NETWORK: {
        "AGPL-3.0": _GNU.format("Affero ", "3.0"),
        "OSL-3.0": "Open Software License 3.0",
    },
    _CREDIT: {
        "CC-BY-3.0": f"{_CC} Attribution 3.0",
        "CC-BY-4.0": f"{_CC} Attribution 4.0",
        "ODC-By-1.0": "Open Data Commons Attribution License v1.0",
    },
    "Credit the author; no modified versions": {
        "CC-BY-ND-4.0": f"{_CC} Attribution No Derivatives 4.0",
    },
    _ALIKE: {
        "CC-BY-SA-3.0": f"{_CC} Attribution Share Alike 3.0",
        "CC-BY-SA-4.0": f"{_CC} Attribution Share Alike 4.0",
    },
    _NOT_SOLD: {
        "CC-BY-NC-3.0": f"{_CC} Attribution Non Commercial 3.0",
        "CC-BY-NC-4.0": f"{_CC} Attribution Non Commercial 4.0",
    },
    f"{_NOT_SOLD}; no modified versions": {
        "CC-BY-NC-ND-4.0": f"{_CC} Attribution Non Commercial No Derivatives 4.0",
    },
    f"{_NOT_SOLD}; modified versions keep the license": {
        "CC-BY-NC-SA-4.0": f"{_CC} Attribution Non Commercial Share Alike 4.0",
    },
    _LIMITED: {
        "BUSL-1.1": "Business Source License 1.1",
        "Elastic-2.0": "Elastic License 2.0",
        "FSL-1.1-ALv2": "Functional Source License 1.1, Apache 2.0 later",
        "FSL-1.1-MIT": "Functional Source License 1.1, MIT later",
        "PolyForm-Noncommercial-1.0.0": "PolyForm Noncommercial License 1.0.0",
        "PolyForm-Small-Business-1.0.0": "PolyForm Small Business License 1.0.0",
        "SSPL-1.0": "Server Side Public License v1",
    },
}
"""The names of licenses by SPDX identifier, grouped by what they ask of users."""
_OTHERS: Mapping[str, str] = {
    PROPRIETARY: "The skill says that all rights are reserved; its page quotes the text",
    CUSTOM: "The terms are not in the SPDX license list; the skill's page quotes them",
    NONE_FOUND: "No license in the skill, its plugin or the repository; ask the author before use",
}
_KNOWN = {spdx: (name, asks) for asks, names in _NAMES.items() for spdx, name in names.items()}
_VARIANTS: Mapping[str, str] = {"-only": " only", "-or-later": " or later"}
_OPERATOR = re.compile(" (AND|OR) ")


def full_name(label: str) -> str:
    """Return the name of the license whose SPDX identifier is `label`; empty if the identifier is
    unknown.
    """
    for ending, words in _VARIANTS.items():
        base = label.removesuffix(ending)
        if base != label and base in _KNOWN:
            return _KNOWN[base][0] + words
    return _KNOWN[label][0] if label in _KNOWN else ""


def meaning(label: str) -> str:
    """Return what a license label means. For an SPDX identifier, this is the name of the license
    and what the license asks of users.

    For an expression with several licenses, only their names are returned. The result is empty if a
    license is unknown.
    """
    if label in _OTHERS:
        return _OTHERS[label]
    parts = _OPERATOR.split(label)
    names = [part.lower() if place % 2 else full_name(part) for place, part in enumerate(parts)]
    if not all(names):
        return ""
    base = label.removesuffix("-only").removesuffix("-or-later")
    return f"{names[0]}. {_KNOWN[base][1]}" if len(parts) == 1 else " ".join(names)


def text_address(label: str) -> str:
    """Return the address of the SPDX page with the text of a license; empty if it is unknown."""
    return f"https://spdx.org/licenses/{label}.html" if full_name(label) else ""
