"""What others vouch for, or say, of a skill, as its page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillbuild.model import Entry, ScannerVerdict, Trust
from skillbuild.release.trust import by_tool, is_doubtful, reported_words, sentences


@dataclass(frozen=True, slots=True)
class SignatureRow:
    """What is to be said of one signature."""

    path: str
    sentences: Sequence[str]
    alarming: bool
    """Whether it proves less than a reader would take it for."""


@dataclass(frozen=True, slots=True)
class ScannerRow:
    """What one tool reported."""

    words: str
    verdicts: Sequence[ScannerVerdict]
    alarming: bool


@dataclass(frozen=True, slots=True)
class TrustRows:
    """All that a page says of it."""

    signatures: Sequence[SignatureRow]
    """In the order of the files."""
    scanners: Sequence[ScannerRow]
    more: int
    """Verdicts that the record does not have."""


def trust_rows(entry: Entry) -> TrustRows | None:
    """What the page of a skill shows; None if nobody vouches for it or says anything of it."""
    trust: Trust | None = entry.trust
    if trust is None:
        return None
    return TrustRows(
        [
            SignatureRow(signature.path, sentences(signature), is_doubtful(signature))
            for signature in trust.signatures
        ],
        [
            ScannerRow(reported_words(found), found, found[0].level == "error")
            for found in by_tool(trust.verdicts)
        ],
        trust.more,
    )
