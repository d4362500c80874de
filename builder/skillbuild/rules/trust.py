"""Rules about signatures of skills, and about reports of scanners."""

from __future__ import annotations

from skillbuild.rules.define import error, note, warning

SIGNATURE_STALE = warning(
    "signature-stale",
    "the files of the skill are not the ones that were signed",
    """Somebody who verifies the signature after installing the skill, as with `model_signing
    verify`, is told that it was tampered with. A file was edited, added or removed after the skill
    was signed. It is an error with `required = true` in
    `[trust]`. Sign the skill again, or restore what was signed.""",
)
SIGNATURE_INVALID = warning(
    "signature-invalid",
    "a signature cannot be verified",
    """A `skill.oms.sig` or `*.sigstore.json` at the top of a skill is a signature of its files
    (OpenSSF Model Signing 1.0: a Sigstore bundle with an in-toto statement). This one cannot be
    read, contradicts itself, or was not made by the key in it, so it proves nothing to those who
    install the skill. It is an error with `required = true` in `[trust]`. Sign the skill again, or
    remove the file.""",
)
SIGNATURE_PARTIAL = note(
    "signature-partial",
    "a signed file is not published",
    """Files such as `.gitignore` and what `exclude` covers are no part of the published skill, so
    somebody who verifies the installed skill is told that they are missing. In a clone of the
    repository the signature holds. Sign the skill without them, or keep them out of it.""",
)
SIGNATURE_MISSING = error(
    "signature-missing",
    "the skill is not signed",
    """With `required = true` in `[trust]` every skill must have a `skill.oms.sig`, or another
    signature of OpenSSF Model Signing, at its top. Sign the skill, or leave it out.""",
)
SIGNER_UNKNOWN = warning(
    "signer-unknown",
    "nobody vouches for the key that signed the skill",
    """The signature was made by a key, and no root that `[trust]` names vouches for that key under
    a name that `identities` has. Anybody can make such a signature and write any name into it, so
    readers of the catalog are not told a name. It is an error with `required = true` in `[trust]`.
    Sign the skill with a key under that root, or add its root and its identity to `[trust]`.""",
)
SCANNER_FILE = error(
    "scanner-file",
    "a file of a scanner cannot be read",
    """`verdicts` in `[trust]` names files in SARIF 2.1.0 with what scanners reported. This one is
    something else, over 16 MiB, or nested deeper than 32 levels. Run the scanner again, or correct
    `verdicts`.""",
)
SCANNER_UNPROVEN = warning(
    "scanner-unproven",
    "what a scanner reported is not shown",
    """A result counts if it is known which bytes the scanner saw: by the SHA-256 of the file among
    the `artifacts`, or by the commit in `versionControlProvenance` and a file that has not changed
    since. Readers of the catalog are not shown the others, and `gate` passes over them. Run the
    scanner again after a change, and add the commit that it saw.""",
)
SCANNER_RESULT = error(
    "scanner-result",
    "a scanner reports what the settings refuse",
    """With `gate` in `[trust]` a skill is refused about which a scanner reports something of that
    level, or graver. Fix what it reports and run the scanner again, or have the scanner accept it
    (`suppressions`).""",
)
