"""One version of a skill as it is published: `versions/<16 hex digits>/version.json`.

It follows from the files of the version alone, so two skills or two commits with the same files
have it in common. The skill digest follows from the resources that it names, and the address from
the digest: whoever has the address can tell whether the file is the right one.
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
"""Characters of a version that a skill declares; a longer one is not used."""


class VersionRecord(JsonStruct, frozen=True, kw_only=True):
    """All that is recorded of one version; its resources are sorted by the bytes of their path."""

    digest: Annotated[
        Digest,
        Meta(
            description="The skillDigest of its resources; its first 16 hex digits are the address."
        ),
    ]
    frontmatter: Annotated[
        Mapping[str, Any], Meta(extra_json_schema={"required": ["name", "description"]})
    ]
    resources: Annotated[tuple[Resource, ...], Meta(min_length=1, max_length=LARGEST_SKILL.files)]
    archives: Annotated[
        tuple[Archive, ...],
        Meta(max_length=1, description="One zip; none where the settings want none."),
    ]

    def files(self) -> dict[str, tuple[Digest, int]]:
        """Digest and size of every addressed file that it names, by path."""
        files = {blob_path(item.digest): (item.digest, item.size) for item in self.resources}
        for item in self.archives:
            files[f"archives/{item.file_name}"] = (item.digest, item.size)
        return files


_RECORD = decoder(VersionRecord)
_GONE = decoder(Gone)


def encode_gone(gone: Gone) -> bytes:
    """The line by which a skill of which only versions are left is known until all are gathered."""
    return json_line(plain(changed(gone, directory=valid_text(gone.directory))))


def decode_gone(line: bytes) -> Gone:
    """Read what `encode_gone` wrote."""
    return _GONE.decode(line)


def version_path(address: str) -> str:
    """Where the record of a version is published, by the folder of the version."""
    return f"{address}/version.json"


def encode_version(record: VersionRecord) -> OutputFile:
    """The file `version.json` of a version."""
    path = version_path(version_address(record.digest))
    return OutputFile(path, json_line(plain(record)) + b"\n")


def decode_version(data: bytes, where: str) -> VersionRecord:
    """Read a `version.json`; `OutputError` if it is not that of the address where it stands.

    `where` is its path in the output.
    """
    try:
        record = _RECORD.decode(data)
    except (ValueError, RecursionError) as error:
        raise OutputError(f"{where} is damaged: {error}; run build --recheck") from error
    at_address = where == version_path(version_address(record.digest))
    if skill_digest(record.resources) != record.digest or not at_address:
        raise OutputError(f"{where} is not the version of its address; run build --recheck")
    return record


def version_schema() -> str:
    """The JSON Schema of `version.json`."""
    title = "One version of a skill in a skillbuild catalog: versions/<16 hex digits>/version.json"
    return schema_of(VersionRecord, "version", title)


def declared_label(frontmatter: Mapping[str, object]) -> str:
    """The version that a skill declares, if it can be shown in a line; else empty."""
    declared = " ".join(declared_version(frontmatter).split())
    return declared if len(declared) <= _LONGEST_LABEL and declared.isprintable() else ""


def label(declared: str, digest: Digest, date: str = "") -> str:
    """What people call a version: what it declares, else the day and 8 hex digits of its digest."""
    return declared or f"{date} {digest.hex[:8]}".strip()


def version_name(title: str) -> str:
    """The last segment of the addresses of a version: a valid name that follows from its files.

    `title` is what the frontmatter calls the skill.
    """
    if is_skill_name(title):
        return title
    return _SEPARATORS.sub("-", title.lower()).strip("-")[:LONGEST_NAME].strip("-") or "skill"
