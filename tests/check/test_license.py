"""Where the license of a skill is looked for, and what is told of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.gathered import facts_in
from helpers.support import skill_md
from skillbuild.model import License, LicenseKind
from skillbuild.release.facts import license_labels, license_words

MIT = (Path(__file__).parents[2] / "LICENSE").read_bytes()
APACHE = b'Licensed under the Apache License, Version 2.0 (the "License"); you may not use this\n'
SPDX = LicenseKind.SPDX


def licenses(files: dict[str, bytes]) -> dict[str, License]:
    """The license of each skill by the last part of its directory."""
    return {path.rpartition("/")[2]: facts.license for path, facts in facts_in(files).items()}


def test_the_nearest_that_says_something_counts() -> None:
    found = licenses(
        {
            "LICENSE": MIT,
            "package.json": b'{"license": "ISC"}',
            "plugins/p/.claude-plugin/plugin.json": b'{"name": "p", "license": "Apache 2.0"}',
            "plugins/p/skills/field/SKILL.md": skill_md("field", "license: BSD 3-Clause"),
            "plugins/p/skills/field/LICENSE": MIT,
            "plugins/p/skills/inner/SKILL.md": skill_md("inner", "metadata: {license: MIT}"),
            "plugins/p/skills/file/SKILL.md": skill_md("file", "license: Terms in t/LICENSE.txt"),
            "plugins/p/skills/file/t/LICENSE.txt": APACHE,
            "plugins/p/skills/file/LICENSE.md": MIT,
            "plugins/p/skills/top/SKILL.md": skill_md("top", "license: unknown"),
            "plugins/p/skills/top/COPYING": MIT,
            "plugins/p/skills/manifest/SKILL.md": skill_md("manifest", "license: Unknown"),
            "plugins/p/skills/manifest/LICENSE.py": MIT,
            "plugins/p/skills/manifest/deep/LICENSE": MIT,
            "other/root/SKILL.md": skill_md("root", "license: See LICENSE"),
        }
    )
    folder = "plugins/p/skills"
    assert found == {
        "field": License("BSD-3-Clause", SPDX, "BSD 3-Clause", "skill", f"{folder}/field/SKILL.md"),
        "inner": License("MIT", SPDX, "", "skill", f"{folder}/inner/SKILL.md"),
        "file": License(
            "Apache-2.0", SPDX, "Terms in t/LICENSE.txt", "skill", f"{folder}/file/t/LICENSE.txt"
        ),
        "top": License("MIT", SPDX, "unknown", "skill", f"{folder}/top/COPYING"),
        "manifest": License(
            "Apache-2.0", SPDX, "Unknown", "plugin", "plugins/p/.claude-plugin/plugin.json"
        ),
        "root": License("MIT", SPDX, "See LICENSE", "repository", "LICENSE"),
    }


def test_a_folder_of_another_skill_or_beside_says_nothing() -> None:
    found = licenses(
        {
            "a/SKILL.md": skill_md("a"),
            "a/LICENSE": MIT,
            "b/SKILL.md": skill_md("b", "license: See LICENSE.txt"),
            "docs/LICENSE": MIT,
            "LICENSE": b"\xff\x00",
        }
    )
    assert found["b"] == License("See LICENSE.txt", LicenseKind.WORDS, "", "skill", "b/SKILL.md")
    assert found["a"].value == "MIT"


@pytest.mark.parametrize("name", ["package.json", "plugin.json", ".github/plugin/plugin.json"])
def test_other_manifests_declare_a_license_too(name: str) -> None:
    manifest = b'{"license": "Acme Proprietary"}'
    found = licenses({"p/s/a/SKILL.md": skill_md("a"), f"p/{name}": manifest})
    assert found["a"] == License(
        "Acme Proprietary", LicenseKind.PROPRIETARY, "", "plugin", f"p/{name}"
    )


def test_several_license_files_of_a_folder_are_told_together() -> None:
    files = {
        "LICENSE-MIT": MIT,
        "LICENSE-APACHE": APACHE,
        "NOTICE": b"x",
        "s/a/SKILL.md": skill_md("a"),
    }
    assert licenses(files)["a"] == License(
        "Apache-2.0, MIT", LicenseKind.SEVERAL, "", "repository", "LICENSE-MIT"
    )


@pytest.mark.parametrize(
    ("terms", "words", "labels"),
    [
        (License("MIT", SPDX, "MIT License", "skill"), "MIT", ("MIT",)),
        (License("MIT", SPDX, "", "repository"), "MIT (of the repository)", ("MIT",)),
        (
            License("MIT", SPDX, "Unknown", "plugin"),
            "Unknown (declared); MIT (of the plugin)",
            ("MIT",),
        ),
        (
            License("Apache-2.0, MIT", LicenseKind.SEVERAL, "", "repository"),
            "Apache-2.0, MIT (of the repository)",
            ("Apache-2.0", "MIT"),
        ),
        (
            License("UNLICENSED", LicenseKind.PROPRIETARY, "", "skill"),
            "Proprietary: UNLICENSED",
            ("proprietary",),
        ),
        (
            License("Proprietary. Ask us", LicenseKind.PROPRIETARY, "", "skill"),
            "Proprietary. Ask us",
            ("proprietary",),
        ),
        (License("Ask us", LicenseKind.WORDS, "", "skill"), "Ask us", ("custom terms",)),
        (License(), "license: none found", ("none found",)),
    ],
)
def test_a_license_is_told_with_whose_it_is(
    terms: License, words: str, labels: tuple[str, ...]
) -> None:
    assert (license_words(terms), license_labels(terms)) == (words, labels)
