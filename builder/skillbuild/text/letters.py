"""Which characters are letters, and how a word is folded so that spellings of it become one.

Hosts know different versions of Unicode, so what is a letter is decided by a table of our own: the
letters, marks and numbers of Unicode 3.2, which every Python has as `unicodedata.ucd_3_2_0`. What
becomes of these characters in NFKD, NFC and lower case is the same on all hosts. The twin of this
module is `site_src/search/letters.js`.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator

LETTERS = """
    1c 9 8 p 7 p 1c 0 8 1 2 0 4 1 2 2 2 m 2 u 2 88 2 h t 2l 3 8 3 6 f 1 f 4 a 0 i 27 h f b 0 c 0 2
    2 2 0 2 j 2 17 2 11 b 3l 2 3 2 1y 2 11 3 1 7 f y 11 3 0 8 12 a g 2 m 2 2 2 0 2 1 2 0 c q 6 2
    1b p 6 l b 9 5 2t 2 7 2 a 2 3 3 c k s 4 q 1i 1d 9c 2 2 1g 3 h 3 4 4 b 3 9 i 2 2 7 3 1 3 l 2 6
    2 0 4 3 3 0 2 6 3 1 3 2 a 0 5 1 2 4 3 b 3 5 9 0 3 5 5 1 3 l 2 6 2 1 2 1 2 1 3 0 2 4 5 1 3 2 c
    3 2 0 8 e d 2 2 6 2 0 2 2 2 l 2 6 2 1 2 4 3 9 2 2 2 2 3 0 g 0 6 9 i 2 2 7 3 1 3 l 2 6 2 1 3 3
    3 7 4 1 3 2 9 1 5 1 2 2 5 9 j 1 2 5 4 2 2 3 4 1 2 0 2 1 4 1 4 2 4 7 2 2 5 4 4 2 2 3 a 0 g b f
    2 2 7 2 2 2 m 2 9 2 4 5 6 2 2 2 3 8 1 a 1 5 9 j 1 2 7 2 2 2 m 2 9 2 4 5 6 2 2 2 3 8 1 8 0 2 1
    5 9 j 1 2 7 2 2 2 m 2 f 5 5 3 2 2 3 a 0 9 1 5 9 j 1 2 h 4 n 2 8 2 0 3 6 4 0 5 5 2 0 2 7 j 1 e
    1l 6 e 2 9 14 1 2 0 3 1 2 0 3 0 7 3 2 6 2 2 2 0 2 0 3 1 2 c 2 2 3 4 2 0 2 5 3 9 3 1 z 0 o 1 7
    j 2 0 2 0 2 0 5 9 2 x 7 j 2 5 5 7 2 z a 0 1m x 2 4 2 1 2 6 4 3 7 9 7 9 1z 11 b 14 8 2h 6 1v 6
    29 7 6 2 1q 2 0 2 3 3 6 2 0 2 3 3 12 2 0 2 3 3 u 2 0 2 3 3 6 2 0 2 3 3 6 2 6 2 m 2 u 2 0 2 3 3
    6 2 12 2 i f j 10 2c d h7 3 7 b p 6 22 4 2 g c 2 6 c k c j d c 2 2 2 1 d 2b 4 0 5 0 4 9 y 2 3
    9 7 2f 9 15 11z 4b 5 2h 7 l 3 5 3 11 3 5 3 7 2 0 2 0 2 0 2 u 3 1g 2 6 2 0 4 2 2 6 4 3 3 5 5 c
    6 2 2 6 38 1 3 5 6 a 1z q o 0 5 0 3 9 2 0 4 4 7 0 2 0 2 0 2 3 2 2 2 6 4 2 6 4 a 1c kd 1n 27 k
    hk t 1o2 2 q e 2 4 3 4 5 2d 3 1 3 2 2 2h 2 3 6 13 5 2l 4 3 b n 1l f x 9 14 e x 9 14 e 8x 52t
    23 g4l 2j wc 1h0 8mb 6l9 8d 3 1m 46 6 d 4 6 b 2 c 2 4 2 0 2 1 2 1 2 2z y a2 j 1r 3 1h 15 b 5 f
    h 3 25 4 2 3q k 9 8 p 7 p c 2g 4 5 3 5 3 5 3 2 mc u 2 3 d q 52 11 3 11 14ig 4 4 5 9 7 3 6 v 3
    gj 2c 2 1y 2 1 3 0 3 1 3 3 2 b 2 0 2 3 2 1 2 1s 2 3 3 7 2 6 2 r 2 3 2 4 2 0 4 6 2 9d 5 o 2 o 2
    u 2 o 2 u 2 o 2 u 2 o 2 u 2 o 2 5 5 1d 7wh wye g16 f1
"""
"""Ranges, each as two numbers of base 36: the way from the last range, and the length less one."""
IDEOGRAPHS = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\uff66-\uffdc\U00020000-\U0002fa1f"
)
"""Chinese, Japanese and Korean, whose words have no blanks between them; as a class of `re`."""
_DROPPED = re.compile("[\u0300-\u036f]")
"""Accents; other marks stay, without which \u304c would become \u304b."""


def ranges() -> Iterator[tuple[int, int]]:
    """First and last code point of each range of letters, in order."""
    numbers, last = [int(number, 36) for number in LETTERS.split()], 0
    for way, length in zip(numbers[::2], numbers[1::2], strict=True):
        yield last + way, last + way + length
        last += way + length


def letter_class() -> str:
    """All letters, as what stands between the brackets of a class of `re`."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges())


@functools.cache
def _other() -> re.Pattern[str]:
    """Compiled when a text is met that is not ASCII: it takes longer than all other imports."""
    return re.compile(f"[^{letter_class()}]")


def folded(word: str) -> str:
    """A word in the form that is compared: no accents, no upper case, one spelling of each letter.

    A letter such as \u00bd, which becomes several characters, leaves only letters.
    """
    if word.isascii():
        return word.lower()
    plain = _DROPPED.sub("", unicodedata.normalize("NFKD", word))
    lower = plain.lower().replace("\u00df", "ss").replace("\u03c2", "\u03c3")
    return _other().sub("", unicodedata.normalize("NFC", lower))
