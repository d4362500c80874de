"""Checks whether the signatures in a skill match the files that are published.

Comparing digests needs no key and no library, but does not tell who signed the skill.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from skillbuild.check.trust.bundles import Bundle, BundleError, OtherBundleError, read_bundle
from skillbuild.config import TrustSettings
from skillbuild.diagnostics import Finding, Severity, finding
from skillbuild.model import File, Signature, Signer, changed
from skillbuild.paths import SKILL_FILE, inside, prefixes
from skillbuild.release.trust import left_out_words, only_adds, stale_words, unpublished_words
from skillbuild.rules import trust as rules

SIGNATURE_FILE = "skill.oms.sig"
_ENDING = ".sigstore.json"
_MOST_SIGNATURES = 8
"""Maximum number of signatures of one skill; checking each takes time."""
_UNKNOWN = (
    "sign the skill with a key that a root certificate in [trust] vouches for, or add the root"
    " certificate and identity of this key to [trust]"
)
_AGAIN = "sign the skill again, or restore the signed files"


@dataclass(frozen=True, slots=True)
class Judge:
    """The settings and roots that signatures are checked against."""

    settings: TrustSettings
    roots: tuple[bytes, ...] = ()
    """PEM files of trusted roots; without any, signers are not checked."""

    def signer(self, bundle: Bundle) -> tuple[Signer | None, str]:
        """Return the signer, and the reason why the name of the signer is not proven.

        The reason is empty if the name is proven. Without trusted roots, the signer is not checked:
        the signer is None, and the reason is empty. Raises `BundleError` for an invalid signature.
        """
        if not self.roots:
            return None, ""
        # Imported here because it needs a library that most builds do not.
        from skillbuild.check.trust.signers import signer_of

        return signer_of(bundle, self.roots, self.settings.identities)


@dataclass(frozen=True, slots=True)
class Others:
    """Gives access to the unpublished files in the directory of a skill."""

    is_left_out: Callable[[str], bool]
    """A function that returns whether a path would be such a file."""
    read: Callable[[str], bytes | None]
    """A function that returns the content of such a file; None if it is not available."""


def check_signatures(
    files: Sequence[File], others: Others, directory: str, judge: Judge
) -> tuple[tuple[Signature, ...], list[Finding]]:
    """Compare the signatures in the top directory of a skill with the files of the skill.

    Returns the signatures and the findings. If the settings require signatures, every finding
    except a note is an error.
    """
    bundles = dict(_bundles(files))
    digests = {
        file.path: _digest(file.data) for file in files if bundles and file.path not in bundles
    }
    signatures: list[Signature] = []
    findings: list[Finding] = []
    for name, read in bundles.items():
        signature, unknown = _judged(name, read, digests, others, judge)
        signatures.append(signature)
        path = inside(directory, name)
        findings += _about(signature, path, required=judge.settings.required)
        if signature.signer and unknown:
            message = f"signed by an unknown key ({signature.signer.key.short}): {unknown}"
            findings.append(finding(rules.SIGNER_UNKNOWN, path, None, message, _UNKNOWN))
    if judge.settings.required:
        findings = [
            each if each.is_note else replace(each, severity=Severity.ERROR) for each in findings
        ]
        if not signatures:
            place, hint = inside(directory, SKILL_FILE), "sign the skill, or exclude it"
            findings.append(
                finding(rules.SIGNATURE_MISSING, place, None, "the skill is not signed", hint)
            )
    return tuple(signatures), findings


def _bundles(files: Sequence[File]) -> Iterator[tuple[str, Bundle | BundleError]]:
    """Yield each file that is the signature of a directory, or whose name says that it is one."""
    named = [
        file
        for file in files
        if file.path == SIGNATURE_FILE or (file.path.endswith(_ENDING) and "/" not in file.path)
    ]
    for number, file in enumerate(named):
        if number >= _MOST_SIGNATURES:
            yield (
                file.path,
                BundleError(
                    f"is ignored because a skill may have at most {_MOST_SIGNATURES} signatures"
                ),
            )
        else:
            try:
                yield file.path, read_bundle(file.data)
            except BundleError as error:
                yield file.path, error
            except OtherBundleError:
                if file.path == SIGNATURE_FILE:
                    yield file.path, BundleError("is not a signature of a directory")


def _judged(
    path: str,
    read: Bundle | BundleError,
    digests: Mapping[str, str],
    others: Others,
    judge: Judge,
) -> tuple[Signature, str]:
    """Return a signature compared with the files, and why its signer is not known."""
    try:
        if isinstance(read, BundleError):
            raise read
        signer, unknown = judge.signer(read)
    except BundleError as error:
        return Signature(path, fault=str(error)), ""
    absent = sorted(read.digests.keys() - digests.keys())
    left_out = {each: others.read(each) for each in absent if others.is_left_out(each)}
    return changed(_compared(path, read, digests, left_out), signer=signer), unknown


def _compared(
    path: str, bundle: Bundle, digests: Mapping[str, str], others: Mapping[str, bytes | None]
) -> Signature:
    """Compare a signature with the other files, whose digests are given by path.

    `others` are signed files that are not published. A file without content is not compared.
    """
    signed = bundle.digests
    known = {
        **digests,
        **{each: _digest(data) for each, data in others.items() if data is not None},
    }
    differs = dict.fromkeys(each for each in known if signed.get(each, known[each]) != known[each])
    unsigned = [each for each in digests if each not in signed]
    left_out = dict.fromkeys(each for each in unsigned if _is_ignored(each, bundle.ignored))
    return Signature(
        path,
        covered=len(digests) - len(unsigned) - len(differs.keys() & digests.keys()),
        differs=tuple(differs),
        missing=tuple(sorted(signed.keys() - digests.keys() - others.keys())),
        unsigned=tuple(each for each in unsigned if each not in left_out),
        left_out=tuple(left_out),
        unpublished=tuple(each for each in others if each not in differs),
    )


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _is_ignored(path: str, ignored: Set[str]) -> bool:
    """Return whether a signature may leave out a file, which must not be SKILL.md."""
    return path != SKILL_FILE and not ignored.isdisjoint([path, *prefixes(path)])


def _about(signature: Signature, path: str, *, required: bool) -> Iterator[Finding]:
    if signature.fault:
        hint = "sign the skill again, or remove the file"
        message = f"the signature {signature.fault}"
        yield finding(rules.SIGNATURE_INVALID, path, None, message, hint)
    if signature.is_stale:
        hint = _AGAIN
        if only_adds(signature):
            added = "file" if len(signature.unsigned) == 1 else "files"
            hint = f"have the signer sign the skill again, or remove the added {added}"
        yield finding(rules.SIGNATURE_STALE, path, None, stale_words(signature), hint)
    elif signature.unpublished:
        hint = "verify the skill in a clone, or sign it without the files that are not published"
        yield finding(rules.SIGNATURE_PARTIAL, path, None, unpublished_words(signature), hint)
    if signature.left_out and required:
        message = f"the signature {left_out_words(signature)}"
        yield finding(rules.SIGNATURE_STALE, path, None, message, _AGAIN)
