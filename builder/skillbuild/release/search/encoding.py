"""How the index of the search is written as text: files, sorted words, and sets of skills.

All files are classic scripts, as a page opened from `file://` can load nothing else: a fixed
beginning and then JSON. What is found by words stands in lists of pairs: the key `__proto__` of an
object means something in a script. Words and sets are strings of characters that JSON need not
escape; skills are numbered from 0 in the order of their paths. The twin of the reading half is
`site_src/search/shards.js`.
"""

from __future__ import annotations

import base64
import functools
import json
import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import sub

FORMAT = 3
"""The number in the manifest of all that this package writes."""
PREFIX = b"skillbuild.part="

_SYMBOLS = "".join(chr(code) for code in range(35, 126) if code != ord("\\"))
_LITERALS = 75
"""Symbols that end a gap; each of the others adds to it, from 75 on in powers of two."""
_STEPS = len(_SYMBOLS) - _LITERALS
BITMAP = "~"
"""Begins a set of which every sixth skill or more is a member: base64 of its bits."""
BETWEEN_FIELDS = "!"
BETWEEN_WORDS = " "
_FRONT = re.compile("([A-Z])([^A-Z]*)")
_LONGEST_FRONT = 25

AFTER_STEM = "'"
"""No word has one, and it comes before all that words are made of."""

Named = tuple[str, str]
"""The first key of a file, and the 64 hex digits of its digest."""


def encode(value: object) -> bytes:
    """The bytes of a file of the index."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return PREFIX + text.encode() + b"\n"


def decode(data: bytes) -> object:
    """The value in a file of the index; `ValueError` for any other file."""
    value: object = json.loads(json_of(data))
    return value


def json_of(data: bytes) -> bytes:
    """The JSON in a file of the index."""
    if not data.startswith(PREFIX):
        raise ValueError("not a file of the search")
    return data[len(PREFIX) :]


def items(value: object) -> Sequence[object]:
    """The value, if it is a list."""
    if not isinstance(value, list):
        raise ValueError("not a list of the search")
    return value


def texts(value: object) -> Sequence[str]:
    """The value, if it is a list of texts."""
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError("not a list of texts of the search")
    return value


def pairs(value: object) -> Sequence[Named]:
    """The value, if it is a list of pairs of texts."""
    return [(first, second) for first, second in map(texts, items(value))]


def encode_set(numbers: Sequence[int], count: int) -> str:
    """Skill numbers, in ascending order, as text; `count` is how many skills there are."""
    if len(numbers) * 6 > count:
        bits = bytearray(-(-count // 8))
        for number in numbers:
            bits[number >> 3] |= 1 << (number & 7)
        return BITMAP + base64.b64encode(bits).decode().rstrip("=")
    if len(numbers) == 1:
        return _gap_code(numbers[0] + 1)
    gaps = map(sub, numbers, (-1, *numbers))
    return "".join(map(_gap_code, gaps))


def encode_size(size: int) -> str:
    """A set of which no members are given, but how many there are: gaps that nothing ends."""
    return _gap_code(_LITERALS * size + 1)[:-1]


@functools.lru_cache(maxsize=1 << 17)
def _gap_code(gap: int) -> str:
    rest, literal = divmod(gap - 1, _LITERALS)
    steps = []
    for step in reversed(range(_STEPS)):
        times, rest = divmod(rest, 1 << step)
        steps += [_SYMBOLS[_LITERALS + step]] * times
    return "".join([*steps, _SYMBOLS[literal]])


_GAPS = {_SYMBOLS[number]: number + 1 for number in range(_LITERALS)} | {
    _SYMBOLS[_LITERALS + step]: _LITERALS << step for step in range(_STEPS)
}
_ENDS = frozenset(_SYMBOLS[:_LITERALS])


def members(code: str) -> list[int]:
    """The numbers of a set, in ascending order; none for a size alone."""
    if code.startswith(BITMAP):
        bits = int.from_bytes(base64.b64decode(f"{code[1:]}=="), "little")
        return [number for number, bit in enumerate(reversed(f"{bits:b}")) if bit == "1"]
    numbers, last = [], -1
    for symbol in code:
        last += _GAPS[symbol]
        if symbol in _ENDS:
            numbers.append(last)
    return numbers


def key_of(word: str, stem: str) -> str:
    """What stands for a word where all words with one stem stand together.

    The stem itself, or after it a sign for each letter of its end that the word lacks, one more,
    and how the word goes on: `test's` is `tests`, and `happi''y` is `happy`.
    """
    if word == stem:
        return word
    length = 0
    while length < min(len(word), len(stem)) and word[length] == stem[length]:
        length += 1
    return stem + AFTER_STEM * (len(stem) - length + 1) + word[length:]


def word_of(key: str) -> str:
    """The word that a key stands for."""
    stem, sign, rest = key.partition(AFTER_STEM)
    end = rest.lstrip(AFTER_STEM)
    return stem[: len(stem) - (len(rest) - len(end))] + end if sign else key


def has_stem(key: str, stem: str) -> bool:
    """Whether a key stands for a word with this stem."""
    return key.startswith(stem) and key[len(stem) : len(stem) + 1] in ("", AFTER_STEM)


def encode_words(words: Iterable[str]) -> str:
    """Sorted words as text: of each, how much it has in common with the last, and the rest."""
    parts, last = [], ""
    for word in words:
        length = _shared(last, word[:_LONGEST_FRONT])
        parts.append(chr(ord("A") + length) + word[length:])
        last = word
    return "".join(parts)


def _shared(last: str, word: str) -> int:
    """How many characters both begin with; languages disagree about those beyond U+FFFF."""
    most = min(len(last), len(word))
    if last[:most] == word[:most] and word.isascii():
        return most
    length = 0
    while length < most and last[length] == word[length] <= "\uffff":
        length += 1
    return length


def decode_words(text: str) -> list[str]:
    """The words that `encode_words` was given; folded words have no upper case."""
    return list(accumulate(_FRONT.findall(text), _next_word, initial=""))[1:]


def _next_word(last: str, front: tuple[str, str]) -> str:
    return last[: ord(front[0]) - ord("A")] + front[1]
