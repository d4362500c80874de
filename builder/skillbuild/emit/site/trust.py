"""What others vouch for, or say, of a skill, as its page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillbuild.model import Entry
from skillbuild.release.trust import is_doubtful, sentences


@dataclass(frozen=True, slots=True)
class TrustRow:
    """What is to be said of one signature."""

    path: str
    sentences: Sequence[str]
    alarming: bool
    """Whether it proves less than a reader would take it for."""


def trust_rows(entry: Entry) -> Sequence[TrustRow]:
    """A row for each signature, in the order of the files."""
    return [
        TrustRow(signature.path, sentences(signature), is_doubtful(signature))
        for signature in (entry.trust.signatures if entry.trust else ())
    ]
