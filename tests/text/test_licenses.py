"""What license fields and license texts are said to mean."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from skillbuild.model import LicenseKind
from skillbuild.text.licenses import Terms, declared, resolve, terms_of, together

CASES = Path(__file__).parents[1] / "cases/facts/license-fields.txt"
PAIRS = [line.split(" => ") for line in CASES.read_text("utf-8").splitlines() if " => " in line]


def said(text: str) -> str:
    """What a field says, as the cases have it."""
    field = declared(text)
    if field.terms is None:
        return f"file {field.file}" if field.file else "nothing"
    return field.terms.value if field.terms.kind is LicenseKind.SPDX else str(field.terms.kind)


@pytest.mark.parametrize(("text", "meaning"), PAIRS)
def test_a_field_means_a_license_only_if_it_says_so(text: str, meaning: str) -> None:
    assert said(text) == meaning
    field = declared(text)
    assert field.words == text
    if field.terms and field.terms.kind is not LicenseKind.SPDX:
        expected = resolve(text) or text
        assert field.terms.value == expected


def test_a_list_means_all_of_it_and_an_object_its_name() -> None:
    assert said_of(["MIT", "Apache 2.0"]) == "MIT AND Apache-2.0"
    assert said_of({"type": "MIT", "url": "https://example.org"}) == "MIT"
    assert said_of({"url": "https://example.org"}) == said_of(True) == said_of(None) == ""
    assert said_of(2.0) == "2.0"


def said_of(value: object) -> str:
    terms = declared(value).terms
    return terms.value if terms else ""


def test_a_long_field_is_terms_of_its_own_and_shown_cut() -> None:
    terms = declared("MIT " + "and so on " * 30).terms
    assert terms is not None
    assert (terms.kind, len(terms.value), terms.value[-1]) == (LicenseKind.WORDS, 200, "\u2026")


@pytest.mark.parametrize(
    ("package", "meaning"),
    [
        ("jinja2", {"BSD-3-Clause"}),
        ("markdown-it-py", {"MIT"}),
        ("packaging", {"Apache-2.0", "BSD-2-Clause"}),
        ("pathspec", {"MPL-2.0"}),
        ("pygments", {"BSD-2-Clause"}),
        ("uvicorn", {"BSD-3-Clause"}),
    ],
)
def test_the_license_texts_of_what_we_depend_on_are_known(package: str, meaning: set[str]) -> None:
    """Texts that others wrote: some have a title, a list with numbers, or other line ends."""
    files = metadata.files(package) or []
    texts = [
        Path(str(file.locate())).read_text("utf-8")
        for file in files
        if file.name.upper().startswith("LICENSE") and file.suffix != ".py"
    ]
    found = [terms for text in texts if (terms := terms_of(text))]
    known = {terms.value for terms in found if terms.kind is LicenseKind.SPDX}
    assert known == meaning


MIT = (Path(__file__).parents[2] / "LICENSE").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        (MIT, Terms("MIT", LicenseKind.SPDX)),
        (MIT.replace("\n", "\r\n\r\n"), Terms("MIT", LicenseKind.SPDX)),
        (MIT + "\nCommons Clause: you may not sell it.\n", Terms("MIT License", LicenseKind.WORDS)),
        (
            MIT + "\nExcept as contained in this notice, our name is ours.\n",
            Terms("MIT License", LicenseKind.WORDS),
        ),
        ("# License\n\nThe MIT License", Terms("MIT", LicenseKind.SPDX)),
        ("Licensed under the MIT License.\n", Terms("MIT", LicenseKind.SPDX)),
        (
            'Licensed under the Apache License, Version 2.0 (the "License"); you may not use it\n',
            Terms("Apache-2.0", LicenseKind.SPDX),
        ),
        (
            "Attribution-NonCommercial-ShareAlike 4.0 International\n\n=====\n",
            Terms("CC-BY-NC-SA-4.0", LicenseKind.SPDX),
        ),
        (
            "\n(c) 2025 Acme Corp. All rights reserved.\nDo not copy.\n",
            Terms("(c) 2025 Acme Corp. All rights reserved.", LicenseKind.PROPRIETARY),
        ),
        ("These are our terms.\nAsk us.\n", Terms("These are our terms.", LicenseKind.WORDS)),
        (" \n---\n", None),
    ],
)
def test_a_text_is_a_license_only_if_it_has_all_of_it(text: str, terms: Terms | None) -> None:
    assert terms_of(text) == terms


def test_two_known_licenses_side_by_side_are_both_named() -> None:
    mit, apache = Terms("MIT", LicenseKind.SPDX), Terms("Apache-2.0", LicenseKind.SPDX)
    words = Terms("Ours", LicenseKind.WORDS)
    assert together([mit, apache]) == Terms("Apache-2.0, MIT", LicenseKind.SEVERAL)
    assert together([mit, mit]) == together([mit, words]) == mit
    assert together([words, mit]) == words
    assert together([]) is None
