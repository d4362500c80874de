"""Signatures of OpenSSF Model Signing, made without its library; and certificates to sign with."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import NameOID


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def statement(files: Mapping[str, bytes], ignored: Sequence[str] = ()) -> dict[str, Any]:
    """What is signed: every file by its path in the skill, with its digest."""
    digests = {path: digest(files[path]) for path in sorted(files)}
    whole = digest(b"".join(map(bytes.fromhex, digests.values())))
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "skill", "digest": {"sha256": whole}}],
        "predicateType": "https://model_signing/signature/v1.0",
        "predicate": {
            "serialization": {
                "method": "files",
                "hash_type": "sha256",
                "allow_symlinks": False,
                "ignore_paths": list(ignored),
            },
            "resources": [
                {"name": path, "algorithm": "sha256", "digest": value}
                for path, value in digests.items()
            ],
        },
    }


def envelope(payload: bytes, signature: bytes = b"none", certificates: Sequence[bytes] = ()) -> Any:
    """A Sigstore bundle of these bytes; `certificates` are in DER, that of the key first."""
    chain = [{"rawBytes": base64.b64encode(each).decode()} for each in certificates]
    return {
        "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "verificationMaterial": {
            "x509CertificateChain": {"certificates": chain},
            "tlogEntries": [],
        },
        "dsseEnvelope": {
            "payload": base64.b64encode(payload).decode(),
            "payloadType": "application/vnd.in-toto+json",
            "signatures": [{"sig": base64.b64encode(signature).decode(), "keyid": ""}],
        },
    }


def unproved(files: Mapping[str, bytes], ignored: Sequence[str] = ()) -> bytes:
    """A signature that covers files, by no key at all."""
    payload = json.dumps(statement(files, ignored)).encode()
    return json.dumps(envelope(payload)).encode()


@dataclass(frozen=True, slots=True)
class Holder:
    """A key and its certificate."""

    key: PrivateKey
    certificate: x509.Certificate

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(Encoding.DER)

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def fingerprint(self) -> str:
        return digest(self.der)


PrivateKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
START = datetime(2026, 1, 1, tzinfo=UTC)
_USES = (
    *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment"),
    *("key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
)


def holder(
    name: str,
    issuer: Holder | None = None,
    *,
    vouches: bool = False,
    may: Sequence[str] = (),
    key: PrivateKey | None = None,
    extensions: Sequence[x509.ExtensionType] = (),
    start: datetime = START,
    days: int = 3650,
) -> Holder:
    """A new key whose certificate is by an issuer, or by itself."""
    key = key or ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)] if name else [])
    may = may or ["key_cert_sign" if vouches else "digital_signature"]
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=days))
        .add_extension(x509.BasicConstraints(vouches, None), critical=True)
        .add_extension(x509.KeyUsage(**{use: use in may for use in _USES}), critical=True)
    )
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    return Holder(key, builder.sign((issuer.key if issuer else key), SHA256()))


def signed(
    files: Mapping[str, bytes],
    signer: Holder,
    *between: Holder,
    says: Mapping[str, bytes] | None = None,
) -> bytes:
    """A signature that covers files; with `says`, its statement is another than was signed."""
    payload = json.dumps(statement(files)).encode()
    kind = b"application/vnd.in-toto+json"
    message = b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
    if isinstance(signer.key, ec.EllipticCurvePrivateKey):
        signature = signer.key.sign(message, ec.ECDSA(SHA256()))
    else:
        signature = signer.key.sign(message, PKCS1v15(), SHA256())
    shown = payload if says is None else json.dumps(statement(says)).encode()
    return json.dumps(
        envelope(shown, signature, [each.der for each in (signer, *between)])
    ).encode()
