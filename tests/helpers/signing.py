"""Signatures of OpenSSF Model Signing, made without its library; and certificates to sign with."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any


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
