"""Where entries and texts stand in a file of settings."""

from __future__ import annotations

import pytest

from skillbuild import setting_lines
from skillbuild.model import Place

TEXT = """\
title = "exclude"
exclude = [
  "a/**", 'b\\c',
  "d\\\\e", "\\u0066/**",
]
"roots" = ["f/**"]
[[ignore]]
rule = "x"

[["ignore"]]
rule = "y"
"""


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("exclude", "a/**", Place(3, 3)),
        ("exclude", "b\\c", Place(3, 11)),
        ("exclude", "d\\e", Place(4, 3)),
        ("exclude", "f/**", Place(2, 1)),
        ("roots", "f/**", Place(6, 12)),
        ("links", "f/**", None),
    ],
)
def test_a_text_stands_in_the_value_of_its_key(key: str, value: str, place: Place | None) -> None:
    assert setting_lines.place_of_text(TEXT, key, value) == place


def test_entries_stand_at_their_headers_or_at_the_key_of_their_list() -> None:
    assert [setting_lines.place_of_entry(TEXT, "ignore", number, 2) for number in (0, 1)] == [
        Place(7, 1),
        Place(10, 1),
    ]
    assert setting_lines.place_of_entry(
        'a = 1\nignore = [{ rule = "x" }]\n', "ignore", 0, 1
    ) == Place(2, 1)
