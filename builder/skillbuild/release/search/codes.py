"""Words and sets of skill numbers as text: what stands in a shard, and back.

A shard is JSON, so both are strings of characters that JSON need not escape. Skills are numbered
from 0 in the order of their paths. The twin of the reading half is `site_src/search/shards.js`.
"""

from __future__ import annotations

import base64
import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import sub

_SYMBOLS = "".join(chr(code) for code in range(35, 126) if code != ord("\\"))
_LITERALS = 75
"""Symbols that end a gap; each of the others adds to it, from 75 on in powers of two."""
_STEPS = len(_SYMBOLS) - _LITERALS
BITMAP = "~"
"""Begins a set of which every sixth skill or more is a member: base64 of its bits."""
BETWEEN_WEIGHTS = "!"
BETWEEN_WORDS = " "
_FRONT = re.compile("([A-Z])([^A-Z]*)")
_LONGEST_FRONT = 25


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


def size_alone(code: str) -> int:
    """The size of a set of which no members are given; 0 for any other."""
    if not code or code[-1] in _ENDS or code.startswith(BITMAP):
        return 0
    return sum(_GAPS[ord(symbol)] for symbol in code) // _LITERALS


@functools.lru_cache(maxsize=1 << 17)
def _gap_code(gap: int) -> str:
    rest, literal = divmod(gap - 1, _LITERALS)
    steps = []
    for step in reversed(range(_STEPS)):
        times, rest = divmod(rest, 1 << step)
        steps += [_SYMBOLS[_LITERALS + step]] * times
    return "".join([*steps, _SYMBOLS[literal]])


_GAPS = {ord(_SYMBOLS[number]): number + 1 for number in range(_LITERALS)} | {
    ord(_SYMBOLS[_LITERALS + step]): _LITERALS << step for step in range(_STEPS)
}
_ENDS = frozenset(_SYMBOLS[:_LITERALS])


def members(code: str) -> Iterator[int]:
    """The numbers of a set, in ascending order."""
    if code.startswith(BITMAP):
        for place, byte in enumerate(_bytes_of(code)):
            yield from (8 * place + bit for bit in range(8) if byte >> bit & 1)
        return
    last = -1
    for symbol in code:
        last += _GAPS[ord(symbol)]
        if symbol in _ENDS:
            yield last


_MANY = 384
"""Characters of a set that is decoded as a whole."""
_BITS = {
    code: "0" * (gap - 1) + "1" if chr(code) in _ENDS else "0" * gap for code, gap in _GAPS.items()
}


def decode_bits(sets: Iterable[str], count: int) -> int:
    """All members of some sets of `count` skills: bit n stands for skill number n."""
    bits, few = 0, bytearray(-(-count // 8))
    for code in sets:
        if len(code) > _MANY:
            bits |= _decode_large(code)
        else:
            for number in members(code):
                few[number >> 3] |= 1 << (number & 7)
    return bits | int.from_bytes(few, "little")


@functools.lru_cache(maxsize=256)
def _decode_large(code: str) -> int:
    if code.startswith(BITMAP):
        return int.from_bytes(_bytes_of(code), "little")
    return int(code.translate(_BITS)[::-1], 2)


def _bytes_of(code: str) -> bytes:
    return base64.b64decode(f"{code[1:]}==")


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
