"""Finds secrets in files: private keys, tokens, environment files.

A finding names the kind and the place; the value itself is never repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbuild.model import Place
from skillbuild.paths import base_name

_ENVIRONMENT = re.compile(r"\.env(\.[A-Za-z0-9_-]+)*")
_TEMPLATE = re.compile(r"example|sample|template|dist|defaults?|schema", re.IGNORECASE)

# What precedes the more common signs is matched after them: a search for letters is quick.
_PATTERNS: list[tuple[str, bytes, re.Pattern[bytes]]] = [
    (
        "a private key",
        b"PRIVATE KEY",
        re.compile(
            rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
            rb"(?:(?:\\n|\s)++|[A-Za-z-]{1,40}: [^\n]{0,200}\n){0,12}"
            rb"([A-Za-z0-9+/=]{40,})(?:(?:\\n|\s)++[A-Za-z0-9+/=]++)*+"
        ),
    ),
    ("an AWS access key", b"AKIA", re.compile(rb"(?<![A-Za-z0-9])(AKIA[0-9A-Z]{16})(?![0-9A-Z])")),
    ("a GitHub token", b"gh", re.compile(rb"(gh(?<![A-Za-z0-9]gh)[pousr]_[A-Za-z0-9]{36,251})")),
    ("a GitHub token", b"github_pat_", re.compile(rb"(github_pat_[A-Za-z0-9_]{60,})")),
    ("a GitLab token", b"glpat-", re.compile(rb"(glpat-[A-Za-z0-9_-]{20,})")),
    ("a Slack token", b"xox", re.compile(rb"(?<![A-Za-z0-9])(xox[abeoprs]-[A-Za-z0-9-]{24,})")),
    ("an Anthropic key", b"sk-ant-", re.compile(rb"(sk-ant-[A-Za-z0-9_-]{40,})")),
    ("an OpenAI key", b"sk-", re.compile(rb"(sk-(?<![A-Za-z0-9]sk-)(?!ant-)[A-Za-z0-9_-]{40,})")),
    ("a Google API key", b"AIza", re.compile(rb"(?<![A-Za-z0-9])(AIza[A-Za-z0-9_-]{35})")),
    ("a Stripe key", b"k_live_", re.compile(rb"(?<![A-Za-z0-9])([rs]k_live_[A-Za-z0-9]{20,})")),
    ("an npm token", b"npm_", re.compile(rb"(?<![A-Za-z0-9])(npm_[A-Za-z0-9]{36})")),
    ("a PyPI token", b"pypi-", re.compile(rb"(pypi-AgE[A-Za-z0-9_-]{50,})")),
    ("a Hugging Face token", b"hf_", re.compile(rb"(?<![A-Za-z0-9])(hf_[A-Za-z0-9]{34,})")),
]
_PLACEHOLDER = re.compile(
    rb"example|placeholder|your|xxxx|0000|1111|abcdef|123456|redacted|dummy|fake|sample|\.\.\.",
    re.IGNORECASE,
)
_FEWEST_CHARACTERS = 12
"""Different characters in a real secret; a made-up one like `ghp_aaaa…` has fewer."""
_LONGEST_VALUE = 512
"""Bytes of a value that are judged: to judge an endless one would take too much time."""


def is_environment_file(path: str) -> bool:
    """Whether a file is `.env` or a variant, but no template that is meant to be committed."""
    name = base_name(path)
    return _ENVIRONMENT.fullmatch(name) is not None and not _TEMPLATE.search(name)


def find(data: bytes) -> Iterator[tuple[str, Place]]:
    """`(kind, place)` of everything in a file that looks like a secret and not like a placeholder.

    Ordered by kind, then by place.
    """
    for kind, sign, pattern in _PATTERNS:
        if sign in data:
            for match in pattern.finditer(data):
                if _is_real(match[1][:_LONGEST_VALUE]):
                    yield kind, _place(data, match.start())


def blanked(data: bytes) -> bytes:
    """The text with an `x` for every character of a secret, so that no finding can repeat it."""
    for _, sign, pattern in _PATTERNS:
        if sign in data:
            data = pattern.sub(_blank, data)
    return data


def _blank(match: re.Match[bytes]) -> bytes:
    if not _is_real(match[1][:_LONGEST_VALUE]):
        return match[0]
    start = match.start(1) - match.start()
    return match[0][:start] + re.sub(rb"\S", b"x", match[0][start:])


def _is_real(value: bytes) -> bool:
    varied = len(set(value)) >= _FEWEST_CHARACTERS
    return varied and not _PLACEHOLDER.search(value) and not _counts_up(value)


def _counts_up(value: bytes) -> bool:
    """Whether five of every second character ascend one by one, as in `A1B2C3D4E5`."""
    return any(
        all(value[i + 2 * step + 2] - value[i + 2 * step] == 1 for step in range(4))
        for i in range(len(value) - 10)
    )


def _place(data: bytes, index: int) -> Place:
    start = data.rfind(b"\n", 0, index) + 1
    column = len(data[start:index].decode(errors="replace")) + 1
    return Place(data.count(b"\n", 0, index) + 1, column)
