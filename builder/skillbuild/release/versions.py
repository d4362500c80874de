"""The record of one version of a skill: `versions/<16 hex digits>/version.json`.

It depends only on the files of the version, so two skills or commits with the same files share one
record. The skill digest follows from the files, and the address follows from the digest. So anyone
who has the address can check the record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from skillbuild.errors import OutputError
from skillbuild.model import (
    LARGEST_SKILL,
    Archive,
    Digest,
    Gone,
    JsonStruct,
    OutputFile,
    Resource,
    changed,
    decoder,
    plain,
    schema_of,
    version_address,
)
from skillbuild.paths import LONGEST_NAME, is_skill_name
from skillbuild.release.entry import skill_digest
from skillbuild.release.frontmatter import declared_version
from skillbuild.release.layout import blob_path
from skillbuild.text.json import json_line, valid_text

_SEPARATORS = re.compile("[^a-z0-9]+")
_LONGEST_LABEL = 64
"""Maximum characters of a declared version; a longer one is not used."""


class VersionRecord(JsonStruct, frozen=True, kw_only=True):
    """One version of a skill; its resources are sorted by the bytes of their paths."""

    digest: Annotated[
        Digest,
        Meta(
            description="The skillDigest of the files; its first 16 hex digits are the"
            " address of the version."
        ),
    ]
    frontmatter: Annotated[
        Mapping[str, Any], Meta(extra_json_schema={"required": ["name", "description"]})
    ]
    resources: Annotated[tuple[Resource, ...], Meta(min_length=1, max_length=LARGEST_SKILL.files)]
    archives: Annotated[
        tuple[Archive, ...],
        Meta(
            max_length=1,
            description="A list of one zip archive; empty if the format `zip` is disabled.",
        ),
    ]

    def files(self) -> dict[str, tuple[Digest, int]]:
        """Return the digest and size of each resource and archive, keyed by the path of the file in
        the output.
        """
        files = {blob_path(item.digest): (item.digest, item.size) for item in self.resources}
        for item in self.archives:
            files[f"archives/{item.file_name}"] = (item.digest, item.size)
        return files


_RECORD = decoder(VersionRecord)
_GONE = decoder(Gone)


def encode_gone(gone: Gone) -> bytes:
    """Encode a removed skill as one line of JSON. At least one version of the skill must still be
    published.
    """
    return json_line(plain(changed(gone, directory=valid_text(gone.directory))))


def decode_gone(line: bytes) -> Gone:
    """Decode the output of `encode_gone`."""
    return _GONE.decode(line)


def version_path(address: str) -> str:
    """Return the path of the `version.json` in the folder `address`."""
    return f"{address}/version.json"


def encode_version(record: VersionRecord) -> OutputFile:
    """Return the file `version.json` of a version."""
    path = version_path(version_address(record.digest))
    return OutputFile(path, json_line(plain(record)) + b"\n")


def decode_version(data: bytes, where: str) -> VersionRecord:
    """Decode a `version.json`; raise `OutputError` if it does not belong at the path `where`."""
    try:
        record = _RECORD.decode(data)
    except (ValueError, RecursionError) as error:
        raise OutputError(f"{where} is damaged: {error}; run build --recheck") from error
    at_address = where == version_path(version_address(record.digest))
    if skill_digest(record.resources) != record.digest or not at_address:
        raise OutputError(f"{where} is not the version that its path names; run build --recheck")
    return record


def version_schema() -> str:
    """Return the JSON Schema of `version.json`."""
    title = "One version of a skill in a skillbuild catalog: versions/<16 hex digits>/version.json"
    return schema_of(VersionRecord, "version", title)


def declared_label(frontmatter: Mapping[str, object]) -> str:
    """Return the version that a skill declares; an empty string if the version is missing, too long
    or not printable.
    """
    declared = " ".join(declared_version(frontmatter).split())
    return declared if len(declared) <= _LONGEST_LABEL and declared.isprintable() else ""


def label(declared: str, digest: Digest, date: str = "") -> str:
    """Return the display name of a version: the declared version, or else its date and 8 digits of
    its digest.
    """
    return declared or f"{date} {digest.hex[:8]}".strip()


def version_name(title: str) -> str:
    """Return the skill name of a version, which is the last segment of its skill path.

    The name is valid, and depends only on `title`, the name in the frontmatter.
    """
    if is_skill_name(title):
        return title
    return _SEPARATORS.sub("-", title.lower()).strip("-")[:LONGEST_NAME].strip("-") or "skill"
