"""Encodes the search index as text: files, sorted words, and sets of skills.

An index file is a script: a fixed prefix and then JSON, because a page opened from `file://` can
load nothing else. Tables that are looked up by word are lists of pairs, because `__proto__` is not
an ordinary key of a JavaScript object. Words and sets use only characters that JSON does not
escape. Skills are numbered from 0 in the order of their paths. `site_src/search/shards.js` decodes
the same format in JavaScript.
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
"""The version of the whole index format, stored in the manifest."""
PREFIX = b"skillbuild.part="

_SYMBOLS = "".join(chr(code) for code in range(35, 126) if code != ord("\\"))
_LITERALS = 75
"""The number of symbols that end a gap. Every other symbol adds a multiple of this to the gap."""
_STEPS = len(_SYMBOLS) - _LITERALS
BITMAP = "~"
"""Marks a set that holds more than one skill in six: a base64 bitmap."""
BETWEEN_FIELDS = "!"
BETWEEN_WORDS = " "
_FRONT = re.compile("([A-Z])([^A-Z]*)")
_LONGEST_FRONT = 25

AFTER_STEM = "'"
"""Follows the stem in a key: no word contains it, and it sorts before every character of a word."""

Named = tuple[str, str]
"""The first key in a file, and the 64 hex digits of its digest."""


def encode(value: object) -> bytes:
    """Return the bytes of an index file with this value."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return PREFIX + text.encode() + b"\n"


def decode(data: bytes) -> object:
    """Return the value in an index file; raise `ValueError` for any other file."""
    value: object = json.loads(json_of(data))
    return value


def json_of(data: bytes) -> bytes:
    """Return the JSON in an index file."""
    if not data.startswith(PREFIX):
        raise ValueError("not a search index file")
    return data[len(PREFIX) :]


def items(value: object) -> Sequence[object]:
    """Return the value if it is a list; otherwise raise `ValueError`."""
    if not isinstance(value, list):
        raise ValueError("the search index has a value that is not a list")
    return value


def texts(value: object) -> Sequence[str]:
    """Return the value if it is a list of strings; otherwise raise `ValueError`."""
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError("the search index has a value that is not a list of strings")
    return value


def pairs(value: object) -> Sequence[Named]:
    """Return the value if it is a list of pairs of strings; otherwise raise `ValueError`."""
    return [(first, second) for first, second in map(texts, items(value))]


def encode_set(numbers: Sequence[int], count: int) -> str:
    """Encode a set of skill numbers, given in ascending order; `count` is the number of all
    skills.
    """
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
    """Encode only the size of a set. `members` decodes the result as an empty list."""
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
    """Decode the skill numbers of a set, in ascending order; empty if only the size was encoded."""
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
    """Return the key of a word; keys with the same stem are sorted together.

    If the word is the stem, the key is the stem. Otherwise the key consists of the stem, a `'`,
    another `'` for each letter that is cut off the end of the stem, and the rest of the word. The
    key `test's` stands for `tests`, and `happi''y` for `happy`.
    """
    if word == stem:
        return word
    length = 0
    while length < min(len(word), len(stem)) and word[length] == stem[length]:
        length += 1
    return stem + AFTER_STEM * (len(stem) - length + 1) + word[length:]


def word_of(key: str) -> str:
    """Return the word that a key stands for."""
    stem, sign, rest = key.partition(AFTER_STEM)
    end = rest.lstrip(AFTER_STEM)
    return stem[: len(stem) - (len(rest) - len(end))] + end if sign else key


def has_stem(key: str, stem: str) -> bool:
    """Whether a key stands for a word with this stem."""
    return key.startswith(stem) and key[len(stem) : len(stem) + 1] in ("", AFTER_STEM)


def encode_words(words: Iterable[str]) -> str:
    """Encode sorted words: for each one, the length of the prefix that it shares with the previous
    word, and the rest.
    """
    parts, last = [], ""
    for word in words:
        length = _shared(last, word[:_LONGEST_FRONT])
        parts.append(chr(ord("A") + length) + word[length:])
        last = word
    return "".join(parts)


def _shared(last: str, word: str) -> int:
    """Return the length of the common prefix. It ends before characters beyond U+FFFF, whose length
    differs between programming languages.
    """
    most = min(len(last), len(word))
    if last[:most] == word[:most] and word.isascii():
        return most
    length = 0
    while length < most and last[length] == word[length] <= "\uffff":
        length += 1
    return length


def decode_words(text: str) -> list[str]:
    """Decode the output of `encode_words`; the words must have no upper-case letters."""
    return list(accumulate(_FRONT.findall(text), _next_word, initial=""))[1:]


def _next_word(last: str, front: tuple[str, str]) -> str:
    return last[: ord(front[0]) - ord("A")] + front[1]
