"""The names of licenses as people write them, and the meaning of the labels for other terms."""

from __future__ import annotations

import re
from collections.abc import Mapping

from skillbuild.release.frontmatter import NONE_FOUND

PROPRIETARY = "proprietary"
CUSTOM = "custom terms"
_CC = "Creative Commons"
_GNU = "GNU {}General Public License v{}"
_NAMES: Mapping[str, str] = {
    "0BSD": "BSD Zero Clause License",
    "AGPL-3.0": _GNU.format("Affero ", "3.0"),
    "Apache-2.0": "Apache License 2.0",
    "Artistic-2.0": "Artistic License 2.0",
    "BSD-2-Clause": "BSD 2-Clause “Simplified” License",
    "BSD-3-Clause": "BSD 3-Clause “New” License",
    "BSL-1.0": "Boost Software License 1.0",
    "BUSL-1.1": "Business Source License 1.1",
    "CC-BY-3.0": f"{_CC} Attribution 3.0",
    "CC-BY-4.0": f"{_CC} Attribution 4.0",
    "CC-BY-NC-4.0": f"{_CC} Attribution Non Commercial 4.0",
    "CC-BY-NC-ND-4.0": f"{_CC} Attribution Non Commercial No Derivatives 4.0",
    "CC-BY-NC-SA-4.0": f"{_CC} Attribution Non Commercial Share Alike 4.0",
    "CC-BY-ND-4.0": f"{_CC} Attribution No Derivatives 4.0",
    "CC-BY-SA-3.0": f"{_CC} Attribution Share Alike 3.0",
    "CC-BY-SA-4.0": f"{_CC} Attribution Share Alike 4.0",
    "CC0-1.0": f"{_CC} Zero 1.0, public domain",
    "EPL-2.0": "Eclipse Public License 2.0",
    "EUPL-1.2": "European Union Public License 1.2",
    "Elastic-2.0": "Elastic License 2.0",
    "GPL-2.0": _GNU.format("", "2.0"),
    "GPL-3.0": _GNU.format("", "3.0"),
    "ISC": "ISC License",
    "LGPL-2.1": _GNU.format("Lesser ", "2.1"),
    "LGPL-3.0": _GNU.format("Lesser ", "3.0"),
    "MIT": "MIT License",
    "MIT-0": "MIT No Attribution",
    "MPL-2.0": "Mozilla Public License 2.0",
    "MS-PL": "Microsoft Public License",
    "OFL-1.1": "SIL Open Font License 1.1",
    "PSF-2.0": "Python Software Foundation License 2.0",
    "Unlicense": "The Unlicense, public domain",
    "WTFPL": "Do What The F*ck You Want To Public License",
    "Zlib": "zlib License",
    PROPRIETARY: "The skill says that all rights are reserved; its page quotes the text",
    CUSTOM: "The terms are not in the SPDX license list",
    NONE_FOUND: "No license in the skill, its plugin or the repository; ask the author before use",
}
_VARIANTS: Mapping[str, str] = {"-only": " only", "-or-later": " or later"}


def full_name(label: str) -> str:
    """Return the name of the license with an SPDX identifier, or the meaning of another label.

    It is empty for an expression of several licenses, and for an unknown identifier.
    """
    for ending, words in _VARIANTS.items():
        base = label.removesuffix(ending)
        if base != label and base in _NAMES:
            return _NAMES[base] + words
    return _NAMES.get(label, "")


def telling_name(label: str) -> str:
    """Return the full name of a license; empty if it adds no word to the identifier."""
    name = full_name(label)
    words = re.findall(r"[\w.]+", name.lower())
    return name if {*words} - {"license"} - {*re.findall(r"[\w.]+", label.lower())} else ""


def text_address(label: str) -> str:
    """Return the address of the SPDX page with the text of a license; empty if it is unknown."""
    is_license = full_name(label) and label not in (PROPRIETARY, CUSTOM, NONE_FOUND)
    return f"https://spdx.org/licenses/{label}.html" if is_license else ""
