"""The estimated tokens of a text, in any alphabet."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from skillbuild.text.tokens import estimate_tokens


@given(
    st.text()
    | st.text(alphabet="aZ_9 \n.-\u00e9\u2014\u4e2d\u3000\x1c\x85\u00b2\u0300", max_size=40)
)
def test_words_and_marks_are_counted_in_every_alphabet(text: str) -> None:
    assert estimate_tokens(text) == round(0.97 * len(re.findall(r"\w+|[^\w\s]", text)))
