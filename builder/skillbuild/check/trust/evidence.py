"""Reads the evidence for trust in skills: trusted root certificates, and verdicts of scanners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from skillbuild.check.trust.verdicts import Verdicts, read_verdicts
from skillbuild.config import Config
from skillbuild.diagnostics import Finding
from skillbuild.model import Digest, ScannerVerdict
from skillbuild.setting_lines import SettingError, within
from skillbuild.source.tree import Leaf, OutsideError, Reader, Source, locating, read_outside

LARGEST_ROOT = 256 * 1024
"""Maximum bytes of a PEM file with roots."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Trusted root certificates, and verdicts of scanners.

    Evidence can be pickled, because several processes check skills.
    """

    roots: tuple[bytes, ...] = ()
    """PEM files of trusted roots; without any, signers are not checked."""
    verdicts: Verdicts = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    """Findings about the files of scanners."""

    def about(self, leaves: Iterable[Leaf]) -> Sequence[tuple[ScannerVerdict, ...]]:
        """Return the verdicts about these files: one tuple for each file with verdicts."""
        paths = (leaf.path for leaf in leaves) if self.verdicts else ()
        return [self.verdicts[path] for path in paths if path in self.verdicts]

    @property
    def of_old_states(self) -> Evidence:
        """The evidence for old versions of skills. It contains only the roots, because scanners see
        only the current files.
        """
        return Evidence(self.roots)

    @property
    def renderers(self) -> Mapping[str, str]:
        """The name and version of the library that verifies signers, for `renderers` in
        `catalog.json`.

        Empty if signers are not checked.
        """
        if not self.roots:
            return {}
        # Imported here because it needs a library that most builds do not.
        from skillbuild.check.trust.signers import LIBRARY

        return dict([LIBRARY])

    @property
    def digests(self) -> Sequence[str]:
        """The digests of the roots.

        Cache keys contain these digests, because results about signers depend on the roots.
        """
        return [Digest.of(pem).hex for pem in self.roots]


NOTHING = Evidence()


def read_evidence(
    config: Config,
    leaves: Sequence[Leaf],
    source: Source,
    reader: Reader,
    roots: Mapping[str, bytes] | None,
) -> Evidence:
    """Read the roots and scanner files that `[trust]` names.

    `roots` maps names to the PEM files of `--trust`, if any. These files replace the roots in
    `[trust]`. Raises `ConfigError` for an invalid root or setting.
    """
    with locating(leaves, reader), within("trust"):
        verdicts, findings = read_verdicts(config.trust, leaves, source, reader)
    if roots is None:
        with locating(leaves, reader), within("trust"), within("roots"):
            roots = dict(_roots(config, leaves, reader))
            _require_certificates(roots, "trust.roots")
    else:
        _require_certificates(roots, "--trust")
    return Evidence(tuple(roots.values()), verdicts, findings)


def _roots(config: Config, leaves: Sequence[Leaf], reader: Reader) -> Iterator[tuple[str, bytes]]:
    if not config.trust.roots:
        return
    by_path = {leaf.path: leaf for leaf in leaves if leaf.path in config.trust.roots}
    for path in config.trust.roots:
        try:
            yield path, read_outside(by_path.get(path), reader, LARGEST_ROOT)
        except OutsideError as error:
            raise SettingError(f"trust.roots: {path} {error}") from error


def _require_certificates(roots: Mapping[str, bytes], named_by: str) -> None:
    if not roots:
        return
    # Imported here because it needs a library that most builds do not.
    from skillbuild.check.trust.signers import require_roots

    for path, pem in roots.items():
        try:
            require_roots(pem)
        except ValueError as error:
            raise SettingError(f"{named_by}: {path} is not a PEM file with certificates") from error
