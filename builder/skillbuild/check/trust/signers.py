"""Verifies who made a signature, with the help of trusted root certificates.

This is the only module that uses `cryptography`, which comes with the `skillbuild[trust]` extra.
Certificate chains are verified as of the first day on which the signing certificate is valid.
Expiry and revocation are not checked, because nothing proves the time of signing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from skillbuild.check.trust.bundles import PAYLOAD_TYPE, Bundle, BundleError
from skillbuild.errors import ConfigError
from skillbuild.model import Digest, Signer

try:
    from cryptography import __version__, x509
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512
    from cryptography.hazmat.primitives.serialization import Encoding
    from cryptography.x509.verification import (
        Criticality,
        ExtensionPolicy,
        PolicyBuilder,
        Store,
        VerificationError,
    )
except ImportError as error:
    raise ConfigError(
        "checking who signed requires the skillbuild[trust] extra (cryptography 45.0.1 or newer)"
    ) from error

LIBRARY = ("cryptography", __version__)
_DEEPEST_CHAIN = 8
"""Maximum number of certificates between a root and the key's certificate."""
_LONGEST_NAME = 256
_HASHES = {"secp256r1": SHA256(), "secp384r1": SHA384(), "secp521r1": SHA512()}
"""The hash that a key signs with, by its curve (same in OMS 1.0 and Sigstore)."""
_ANY = Criticality.AGNOSTIC
_FAULTS = (
    *(ValueError, UnsupportedAlgorithm, x509.DuplicateExtension, x509.InvalidVersion),
    x509.UnsupportedGeneralNameType,
)
"""Errors that a malformed certificate can raise."""


def require_roots(pem: bytes) -> None:
    """Raise `ValueError` unless this is a PEM file with certificates."""
    x509.load_pem_x509_certificates(pem)


def signer_of(
    bundle: Bundle, roots: tuple[bytes, ...], identities: Sequence[str]
) -> tuple[Signer, str]:
    """Return the signer, and the reason why the name of the signer is not proven.

    The reason is empty if the name is proven. `roots` are PEM files. Without `identities`, any name
    that a root vouches for is accepted. Raises `BundleError` if the bundle has no valid
    certificate, or if the signature was not made with the key of that certificate.
    """
    if not bundle.certificates:
        raise BundleError("has no certificate, so the signer is unknown")
    try:
        leaf, *others = map(x509.load_der_x509_certificate, bundle.certificates)
        _verify(leaf.public_key(), bundle)
        names = _names(leaf)
    except InvalidSignature as error:
        raise BundleError("was not made by the key in its certificate") from error
    except _FAULTS as error:
        raise BundleError(f"has a certificate that cannot be read: {error}") from error
    key = _fingerprint(leaf)
    root = _root_of(leaf, others, roots)
    if root is None:
        return Signer(key), "no root in [trust] vouches for this key"
    accepted = [name for name in names if name in identities] if identities else names
    if identities and not accepted:
        named = " or ".join(map(repr, names)) or "a certificate without a name"
        return Signer(key), f"`identities` in [trust] does not allow {named}"
    return Signer(key, accepted[0] if accepted else "", _fingerprint(root)), ""


def _verify(key: object, bundle: Bundle) -> None:
    """Raise `InvalidSignature` unless this key made the signature of the bundle (DSSE 1.0)."""
    if not isinstance(key, ec.EllipticCurvePublicKey) or key.curve.name not in _HASHES:
        raise BundleError("was made with an unsupported kind of key; use an EC key")
    kind = PAYLOAD_TYPE.encode()
    head = b"DSSEv1 %d %b %d " % (len(kind), kind, len(bundle.payload))
    key.verify(bundle.signature, head + bundle.payload, ec.ECDSA(_HASHES[key.curve.name]))


def _root_of(
    leaf: x509.Certificate, others: Sequence[x509.Certificate], roots: tuple[bytes, ...]
) -> x509.Certificate | None:
    """Return the root that vouches for a certificate through the other certificates; None if there
    is none.
    """
    builder = PolicyBuilder().store(_store(roots)).time(leaf.not_valid_before_utc)
    builder = builder.max_chain_depth(_DEEPEST_CHAIN)
    builder = builder.extension_policies(ca_policy=_authorities(), ee_policy=_keys())
    try:
        return builder.build_client_verifier().verify(leaf, list(others)).chain[-1]
    except (VerificationError, *_FAULTS):
        return None


@lru_cache(maxsize=4)
def _store(roots: tuple[bytes, ...]) -> Store:
    return Store([each for pem in roots for each in x509.load_pem_x509_certificates(pem)])


def _authorities() -> ExtensionPolicy:
    """Return the requirements on certificates that vouch for others, besides those that are always
    checked.
    """
    policy = ExtensionPolicy.permit_all()
    policy = policy.require_present(x509.BasicConstraints, _ANY, None)
    return policy.may_be_present(x509.KeyUsage, _ANY, _may_vouch)


def _keys() -> ExtensionPolicy:
    """Return the requirements on the certificate of a key that signs skills."""
    return ExtensionPolicy.permit_all().may_be_present(x509.KeyUsage, _ANY, _may_sign)


def _may_vouch(policy: object, certificate: object, usage: x509.KeyUsage | None) -> None:
    if usage is not None and not usage.key_cert_sign:
        raise ValueError("the certificate is not allowed to sign other certificates")


def _may_sign(policy: object, certificate: object, usage: x509.KeyUsage | None) -> None:
    if usage is not None and not usage.digital_signature:
        raise ValueError("may not sign")


def _names(leaf: x509.Certificate) -> list[str]:
    """Return the alternative names of a certificate; if it has none, its only common name.

    Only certificates without alternative names may use the common name: an authority limited to
    some names can still choose any common name.
    """
    try:
        extension = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        common = leaf.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
        return _short([str(each.value) for each in common] if len(common) == 1 else [])
    kinds = (x509.RFC822Name, x509.UniformResourceIdentifier, x509.DNSName)
    return _short([each.value for each in extension.value if isinstance(each, kinds)])


def _short(names: Iterable[str]) -> list[str]:
    return [name for name in names if 0 < len(name) <= _LONGEST_NAME]


def _fingerprint(certificate: x509.Certificate) -> Digest:
    return Digest.of(certificate.public_bytes(Encoding.DER))
