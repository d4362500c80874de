"""What stands where a secret would stand, in documentation and templates, and is none."""

from __future__ import annotations

import re

_WORDS = re.compile(
    rb"example|placeholder|your|xxxx|0000|1111|abcdef|123456|redacted|dummy|fake|sample|\.\.\."
    rb"|change_?-?me|replace|insert|foobar|deadbeef|qwerty|password|secret|token|not.?real|mock"
    rb"|demo|test|here|lorem",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(rb"[{}<>\[\]|*]|\$[A-Za-z_(]|^%|%[sd(]|\.\.\.|\xe2\x80\xa6|^\$")
"""Marks of a value that a shell, a program or a reader is to fill in."""
_TRIVIAL_WORDS = (
    "abc access admin all any api app auth bar baz change changeit changeme client credential "
    "credentials database db default dev development dummy enter example fake fill foo "
    "generate generated get guest here hidden id in insert is key letmein local long me "
    "mongo mongodb my mysql new none null of or our own pass passphrase passwd password pg "
    "placeholder postgres postgresql prod production put pw pwd qwerty rabbit rabbitmq random "
    "real redacted redis removed replace root sample secret secure server service set some "
    "staging string strong super tbd test testing that the this to todo token url user "
    "username value welcome with your "
)
_TRIVIAL = re.compile(
    rb"%b|(?<!\d)\d{1,4}(?!\d)|123456789?0?|xx+|[\W_]"
    % "|".join(sorted(_TRIVIAL_WORDS.split(), key=len, reverse=True)).encode(),
    re.IGNORECASE,
)
_LEET = bytes.maketrans(b"0134579$@", b"oleastgsa")
_SHORTEST_PASSWORD, _LONGEST_PASSWORD = 6, 200


def is_placeholder(value: bytes) -> bool:
    """Whether a value of a token's form contains a word or a row that no random one has."""
    return _WORDS.search(value) is not None or _counts_up(value) or _repeats(value)


def is_varied(value: bytes, fewest: int) -> bool:
    """Whether a value has at least `fewest` different characters, as random ones do."""
    return len(set(value)) >= fewest


def is_template(value: bytes) -> bool:
    """Whether a value is filled in later: `${NAME}`, `<name>`, `%s`, `***`."""
    return _TEMPLATE.search(value) is not None


def is_trivial(value: bytes) -> bool:
    """Whether a password is what documentation writes: nothing but words such as `secret`."""
    value = value[:_LONGEST_PASSWORD]
    return not _TRIVIAL.sub(b"", value) or not _TRIVIAL.sub(b"", value.translate(_LEET))


def is_password(value: bytes) -> bool:
    """Whether a value can be a password that is in use."""
    return (
        len(value) >= _SHORTEST_PASSWORD
        and is_varied(value, 5)
        and not is_template(value)
        and not is_trivial(value)
    )


def _counts_up(value: bytes) -> bool:
    """Whether six characters ascend one by one, or five of every second, as in `A1B2C3D4E5`."""
    return any(
        all(value[i + stride * (step + 1)] - value[i + stride * step] == 1 for step in range(steps))
        for stride, steps in ((1, 5), (2, 4))
        for i in range(len(value) - stride * steps)
    )


def _repeats(value: bytes) -> bool:
    """Whether a value says the same again and again: few of its groups of four are different."""
    groups = len(value) - 3
    return groups > 12 and len({value[i : i + 4] for i in range(groups)}) * 5 < groups * 3
