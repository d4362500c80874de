"""Signatures and scanner reports of a skill, as the skill's page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillbuild.model import Entry, ScannerVerdict, Trust
from skillbuild.release.trust import by_tool, is_doubtful, reported_words, sentences


@dataclass(frozen=True, slots=True)
class SignatureRow:
    """One signature as the page of a skill describes it."""

    path: str
    sentences: Sequence[str]
    alarming: bool
    """Whether the signature proves less than a reader would think."""


@dataclass(frozen=True, slots=True)
class ScannerRow:
    """What one scanner reported."""

    words: str
    verdicts: Sequence[ScannerVerdict]
    alarming: bool


@dataclass(frozen=True, slots=True)
class TrustRows:
    """The signatures and scanner reports that a page shows."""

    signatures: Sequence[SignatureRow]
    """Signatures in the order of their files."""
    scanners: Sequence[ScannerRow]
    more: int
    """Number of verdicts that are not in the record."""


def trust_rows(entry: Entry) -> TrustRows | None:
    """Return what the page of a skill shows about trust; None if there are neither signatures nor
    scanner reports.
    """
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
