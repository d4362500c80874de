"""Rules about skill signatures and scanner reports."""

from __future__ import annotations

from skillbuild.rules.define import error, note, warning

SIGNATURE_STALE = warning(
    "signature-stale",
    "the files of the skill have changed since it was signed",
    """A file was edited, added or removed after the skill was signed. Verifying the installed
    skill, for example with `model_signing verify`, therefore fails, as if an attacker had changed
    the skill. The finding is an error if `[trust]` has `required = true`. Sign the skill again,
    restore the signed files, or remove the added files.""",
)
SIGNATURE_INVALID = warning(
    "signature-invalid",
    "a signature cannot be verified",
    """A `skill.oms.sig` or `*.sigstore.json` in the top folder of a skill is a signature of its
    files (OpenSSF Model Signing 1.0: a Sigstore bundle with an in-toto statement). This file cannot
    be read, contradicts itself, or was not made by the key that it names, so it proves nothing. The
    finding is an error if `[trust]` has `required = true`. Sign the skill again, or remove the
    file.""",
)
SIGNATURE_PARTIAL = note(
    "signature-partial",
    "a signed file is not published",
    """Files such as `.gitignore`, and files that `exclude` matches, are not published.
    Verifying the installed skill therefore reports these files as missing, and the signature is
    valid only in a clone of the repository. Sign the skill without these files, or move them
    out of the skill.""",
)
SIGNATURE_MISSING = error(
    "signature-missing",
    "the skill is not signed",
    """If `[trust]` has `required = true`, every skill needs a signature in its top folder: a
    `skill.oms.sig`, or another OpenSSF Model Signing signature. Sign the skill, or exclude it.""",
)
SIGNER_UNKNOWN = warning(
    "signer-unknown",
    "the key that signed the skill is not trusted",
    """No root certificate in `[trust]` vouches for the key, or `identities` contains no name of its
    certificate. Anybody can make such a signature under any name, so the catalog shows no name. The
    finding is an error if `[trust]` has `required = true`. Sign the skill with a key that a root
    certificate in `[trust]` vouches for, or add the root certificate and identity of the current
    key to `[trust]`.""",
)
SCANNER_FILE = error(
    "scanner-file",
    "a scanner report cannot be read",
    """`verdicts` in `[trust]` must name scanner reports in SARIF 2.1.0. This file is not SARIF
    2.1.0, is larger than 16 MiB, or is nested deeper than 32 levels. Run the scanner again, or
    correct `verdicts`.""",
)
SCANNER_UNPROVEN = warning(
    "scanner-unproven",
    "scanner results are not shown",
    """A result is accepted only if the report proves which bytes were scanned. To prove
    this, the report must give either the SHA-256 of the file in `artifacts`, or the scanned
    commit in `versionControlProvenance`. A commit is proof only if the file has not changed
    since then. The catalog does not show other results, and `gate` ignores them. Run the
    scanner again after a change, and add the scanned commit to the report.""",
)
SCANNER_RESULT = error(
    "scanner-result",
    "a scanner reports a problem that the settings do not allow",
    """A skill is refused if a scanner reports a result at or above the level of `gate` in
    `[trust]`. Fix the problem and run the scanner again, or suppress the result in the scanner
    (`suppressions`).""",
)
