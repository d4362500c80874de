"""Signatures in a skill, compared with its files: does each cover what is published?

That takes no key and no library, and says nothing about who signed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from skillbuild.check.trust.bundles import Bundle, BundleError, OtherBundleError, read_bundle
from skillbuild.config import TrustSettings
from skillbuild.diagnostics import Finding, Severity, finding
from skillbuild.model import File, Signature
from skillbuild.paths import SKILL_FILE, inside
from skillbuild.release.trust import left_out_words, stale_words, unpublished_words
from skillbuild.rules import trust as rules

SIGNATURE_FILE = "skill.oms.sig"
_ENDING = ".sigstore.json"
_AGAIN = "sign the skill again, or restore the files that were signed"


def signatures_of(
    files: Sequence[File], is_left_out: Callable[[str], bool], read: Callable[[str], bytes | None]
) -> tuple[Signature, ...]:
    """The signatures at the top of a skill, each compared with its files.

    `is_left_out` says of a path whether it is no part of the published skill, and `read` gives the
    content of such a file, if it is at hand.
    """
    bundles = dict(_bundles(files))
    digests = {
        file.path: _digest(file.data) for file in files if bundles and file.path not in bundles
    }
    signatures = []
    for path, bundle in bundles.items():
        if isinstance(bundle, BundleError):
            signatures.append(Signature(path, fault=str(bundle)))
            continue
        others = {
            each: read(each)
            for each in sorted(bundle.digests.keys() - digests.keys())
            if is_left_out(each)
        }
        signatures.append(_compared(path, bundle, digests, others))
    return tuple(signatures)


def _bundles(files: Sequence[File]) -> Iterator[tuple[str, Bundle | BundleError]]:
    """Each file that is a signature of a directory, and those that should be one by their name."""
    for file in files:
        if file.path == SIGNATURE_FILE or (file.path.endswith(_ENDING) and "/" not in file.path):
            try:
                yield file.path, read_bundle(file.data)
            except BundleError as error:
                yield file.path, error
            except OtherBundleError:
                if file.path == SIGNATURE_FILE:
                    yield file.path, BundleError("signs no directory")


def _compared(
    path: str, bundle: Bundle, digests: Mapping[str, str], others: Mapping[str, bytes | None]
) -> Signature:
    """What a signature says of the other files, whose digests are given by path.

    `others` are signed files that are not published; one without a content is not compared.
    """
    signed = bundle.digests
    known = {
        **digests,
        **{each: _digest(data) for each, data in others.items() if data is not None},
    }
    unsigned = [each for each in digests if each not in signed]
    left_out = [each for each in unsigned if _is_ignored(each, bundle.ignored)]
    differs = tuple(each for each in known if signed.get(each, known[each]) != known[each])
    return Signature(
        path,
        covered=len(digests) - len(unsigned) - sum(each in digests for each in differs),
        differs=differs,
        missing=tuple(sorted(signed.keys() - digests.keys() - others.keys())),
        unsigned=tuple(each for each in unsigned if each not in left_out),
        left_out=tuple(left_out),
        unpublished=tuple(each for each in others if each not in differs),
    )


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _is_ignored(path: str, ignored: Sequence[str]) -> bool:
    """Whether a signature may leave out a file: never the instructions."""
    return path != SKILL_FILE and any(
        path == each or path.startswith(f"{each}/") for each in ignored
    )


def check_signatures(
    signatures: Sequence[Signature], directory: str, settings: TrustSettings
) -> Iterator[Finding]:
    """Findings about the signatures of a skill in a directory; errors where they are required."""
    if not signatures and settings.required:
        hint = "sign the skill, or exclude it"
        place = inside(directory, SKILL_FILE)
        yield finding(rules.SIGNATURE_MISSING, place, None, "the skill is not signed", hint)
    for signature in signatures:
        for item in _about(signature, inside(directory, signature.path), settings):
            is_fault = settings.required and not item.is_note
            yield replace(item, severity=Severity.ERROR) if is_fault else item


def _about(signature: Signature, path: str, settings: TrustSettings) -> Iterator[Finding]:
    if signature.fault:
        hint = "sign the skill again, or remove the file"
        message = f"the signature {signature.fault}"
        yield finding(rules.SIGNATURE_INVALID, path, None, message, hint)
    if signature.is_stale:
        message = f"not what was signed: {stale_words(signature)}"
        yield finding(rules.SIGNATURE_STALE, path, None, message, _AGAIN)
    elif signature.unpublished:
        hint = "verify the skill in a clone, or sign it without such files"
        yield finding(rules.SIGNATURE_PARTIAL, path, None, unpublished_words(signature), hint)
    if signature.left_out and settings.required:
        message = f"the signature {left_out_words(signature)}"
        yield finding(rules.SIGNATURE_STALE, path, None, message, _AGAIN)
