"""Reads signatures of directories in the OpenSSF Model Signing (OMS) 1.0 format.

A signature is a Sigstore bundle with a DSSE envelope. The envelope contains an in-toto statement
and the signature of this statement. The statement lists the digest of every file. This module only
parses bundles; it does not verify the signature.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from skillbuild.model import LARGEST_SKILL, JsonStruct, decoder
from skillbuild.paths import DEEPEST_PATH, segment_fault
from skillbuild.text.json import depth_of

_T = TypeVar("_T")
LARGEST_BUNDLE = 4 * 1024 * 1024
"""Maximum bytes of a signature; a signature over 200 files has 40,000."""
DEEPEST_JSON = 32
_MOST_FILES = LARGEST_SKILL.files
_MOST_CERTIFICATES = 10
_BUNDLE = "application/vnd.dev.sigstore.bundle"
"""The start of the media type of a Sigstore bundle of any version."""
PAYLOAD_TYPE = "application/vnd.in-toto+json"
_STATEMENT = "https://in-toto.io/Statement/v1"
_PREDICATE = "https://model_signing/signature/v1.0"


class BundleError(Exception):
    """Raised for an invalid signature. The message continues a sentence that begins with "the
    signature".
    """


class OtherBundleError(Exception):
    """Raised for a bundle that signs something other than a directory."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A parsed signature: the digests that it lists, and the data that identifies the signer."""

    digests: Mapping[str, str]
    """The digest of each signed file as 64 hex digits, by path."""
    ignored: frozenset[str]
    """Paths of files and folders that the signature leaves out."""
    payload: bytes
    """The signed bytes."""
    signature: bytes
    certificates: tuple[bytes, ...] = field(default=())
    """Certificates in DER; the first one belongs to the key."""


class _Certificate(JsonStruct, frozen=True, rename="camel"):
    raw_bytes: str


class _Chain(JsonStruct, frozen=True):
    certificates: tuple[_Certificate, ...] = ()


class _Material(JsonStruct, frozen=True, rename={"chain": "x509CertificateChain"}):
    chain: _Chain | None = None
    certificate: _Certificate | None = None


class _KeySignature(JsonStruct, frozen=True):
    sig: str


class _Envelope(JsonStruct, frozen=True, rename="camel"):
    payload: str
    payload_type: str
    signatures: tuple[_KeySignature, ...]


class _BundleFile(JsonStruct, frozen=True, rename="camel"):
    media_type: str
    verification_material: _Material
    dsse_envelope: _Envelope | None = None


class _StatementHead(
    JsonStruct, frozen=True, rename={"kind": "_type", "predicate": "predicateType"}
):
    kind: str
    predicate: str


class _Subject(JsonStruct, frozen=True):
    digest: Mapping[str, str]


class _Serialization(JsonStruct, frozen=True):
    method: str
    hash_type: str
    ignore_paths: tuple[str, ...] = ()


class _SignedFile(JsonStruct, frozen=True):
    name: str
    algorithm: str
    digest: str


class _Predicate(JsonStruct, frozen=True):
    serialization: _Serialization
    resources: tuple[_SignedFile, ...]


class _Statement(JsonStruct, frozen=True):
    subject: tuple[_Subject, ...]
    predicate: _Predicate


_FILE, _HEAD, _BODY = decoder(_BundleFile), decoder(_StatementHead), decoder(_Statement)


def read_bundle(data: bytes) -> Bundle:
    """Parse the signature of a directory.

    Raises `OtherBundleError` for a bundle that signs something else. Raises `BundleError` for data
    that is not a bundle, is too large or too deeply nested, or contradicts itself.
    """
    if len(data) > LARGEST_BUNDLE:
        raise BundleError(f"is {len(data):,} bytes long; the limit is {LARGEST_BUNDLE:,}")
    file = _decoded(_FILE.decode, data, "is not a Sigstore bundle")
    if not file.media_type.startswith(_BUNDLE):
        raise BundleError("is not a Sigstore bundle")
    envelope = file.dsse_envelope
    if envelope is None or envelope.payload_type != PAYLOAD_TYPE:
        raise OtherBundleError
    if len(envelope.signatures) != 1:
        raise BundleError(f"has {len(envelope.signatures)} signatures instead of one")
    payload = _bytes(envelope.payload)
    head = _decoded(_HEAD.decode, payload, "has no in-toto statement")
    if head.kind != _STATEMENT or head.predicate != _PREDICATE:
        raise OtherBundleError
    statement = _decoded(_BODY.decode, payload, "has no OpenSSF Model Signing statement")
    serialization = statement.predicate.serialization
    return Bundle(
        _digests(statement),
        frozenset(path.strip("/") for path in serialization.ignore_paths),
        payload,
        _bytes(envelope.signatures[0].sig),
        _certificates(file.verification_material),
    )


def _decoded(read: Callable[[bytes], _T], data: bytes, fault: str) -> _T:
    if depth_of(data) > DEEPEST_JSON:
        raise BundleError(f"is nested deeper than {DEEPEST_JSON} levels")
    try:
        return read(data)
    except ValueError as error:
        raise BundleError(f"{fault}: {error}") from error


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error) as error:
        raise BundleError("is not base64") from error


def _certificates(material: _Material) -> tuple[bytes, ...]:
    listed = material.chain.certificates if material.chain else ()
    one = (material.certificate,) if material.certificate else ()
    if len(listed) > _MOST_CERTIFICATES:
        raise BundleError(f"has {len(listed)} certificates; the limit is {_MOST_CERTIFICATES}")
    return tuple(_bytes(each.raw_bytes) for each in (*one, *listed))


def _digests(statement: _Statement) -> Mapping[str, str]:
    """Return the file digests that a statement lists, if they match its total digest."""
    serialization, files = statement.predicate.serialization, statement.predicate.resources
    if serialization.method != "files":
        raise BundleError(f"lists {serialization.method} instead of files")
    if len(files) > _MOST_FILES:
        raise BundleError(f"lists {len(files):,} files; the limit is {_MOST_FILES:,}")
    digests: dict[str, str] = {}
    for file in files:
        if file.algorithm != "sha256":
            raise BundleError(f"uses {file.algorithm} digests; only sha256 is supported")
        if file.name in digests:
            raise BundleError(f"lists {file.name!r} twice")
        if not _is_path(file.name):
            raise BundleError(f"lists {file.name!r}, which is not a path in a skill")
        digests[file.name] = file.digest.lower()
    try:
        joined = b"".join(map(bytes.fromhex, digests.values()))
    except ValueError as error:
        raise BundleError("lists an invalid digest") from error
    if [each.digest.get("sha256") for each in statement.subject] != [
        hashlib.sha256(joined).hexdigest()
    ]:
        raise BundleError("has a total digest that does not match its list of files")
    return digests


def _is_path(name: str) -> bool:
    segments = name.split("/")
    return len(segments) <= DEEPEST_PATH and not any(map(segment_fault, segments))
