"""One version of a skill as it is published: `versions/<16 hex digits>/version.json`.

The skill digest follows from the resources that the file names, and the address from the digest:
whoever has the address can tell whether the file is the right one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from skillbuild.errors import OutputError
from skillbuild.model import (
    Archive,
    Change,
    Digest,
    Gone,
    Json,
    OutputFile,
    Resource,
    Version,
    VersionTotals,
)
from skillbuild.paths import LONGEST_NAME, base_name, is_skill_name
from skillbuild.release.entry import (
    archive_json,
    archive_of,
    resource_json,
    resource_of,
    skill_digest,
    version_json,
    version_of,
)
from skillbuild.release.frontmatter import declared_version
from skillbuild.release.layout import blob_path
from skillbuild.text.json import json_line, valid_text
from skillbuild.text.json_fields import Fields

_SEPARATORS = re.compile("[^a-z0-9]+")
_LONGEST_LABEL = 64
"""Characters of a version that a skill declares; a longer one is not used."""


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """All that is recorded of one version; its resources are sorted by the bytes of their path."""

    version: Version
    path: str
    """The skill path that it had then."""
    directory: str
    """Where it stood in the source."""
    tree: str
    """The object id of that directory in git."""
    frontmatter: Mapping[str, Json]
    resources: tuple[Resource, ...]
    archives: tuple[Archive, ...]
    """One zip, or none where the settings want none."""

    def files(self) -> dict[str, tuple[Digest, int]]:
        """Digest and size of every addressed file that it names, by path."""
        files = {blob_path(item.digest): (item.digest, item.size) for item in self.resources}
        for item in self.archives:
            files[f"archives/{item.file_name}"] = (item.digest, item.size)
        return files


def gone_json(gone: Gone) -> dict[str, object]:
    """A skill of which only versions are left, as the record lists it."""
    successor = {"successor": gone.successor} if gone.successor else {}
    return {
        "path": gone.path,
        "directory": valid_text(gone.directory),
        "commit": gone.change.commit,
        "seconds": gone.change.seconds,
        **successor,
        "versions": list(map(version_json, gone.versions)),
    }


def gone_of(item: Fields) -> Gone:
    """One item of the list `gone`; a `ValueError` says which field is wrong."""
    return Gone(
        path=item.text("path"),
        directory=item.text("directory"),
        change=Change(item.object_id("commit"), item.integer("seconds")),
        versions=tuple(map(version_of, item.each("versions"))),
        successor=item.text("successor") if item.has("successor") else "",
    )


def totals_json(totals: VersionTotals) -> dict[str, object]:
    """The numbers of versions as the record has them."""
    return {
        "since": totals.since,
        "published": totals.published,
        "ended": totals.ended,
        "leftOut": dict(sorted(totals.left_out.items())),
        "size": totals.size,
    }


def totals_of(item: Fields) -> VersionTotals:
    """Read what `totals_json` wrote; a `ValueError` says which field is wrong."""
    return VersionTotals(
        since=item.object_id("since"),
        published=item.number("published"),
        ended=item.number("ended"),
        left_out=item.numbers("leftOut"),
        size=item.number("size"),
    )


def encode_gone(gone: Gone) -> bytes:
    """The line by which a skill of which only versions are left is known until all are gathered."""
    return json_line(gone_json(gone))


def decode_gone(line: bytes) -> Gone:
    """Read what `encode_gone` wrote."""
    return gone_of(Fields(json.loads(line), "gone"))


def version_path(address: str) -> str:
    """Where the record of a version is published, by the folder of the version."""
    return f"{address}/version.json"


def encode_version(record: VersionRecord) -> OutputFile:
    """The file `version.json` of a version."""
    fields = {
        "path": record.path,
        "directory": valid_text(record.directory),
        "tree": record.tree,
        **version_json(record.version),
        "frontmatter": record.frontmatter,
        "resources": [resource_json(item) for item in record.resources],
        "archives": [archive_json(item) for item in record.archives],
    }
    return OutputFile(version_path(record.version.address), json_line(fields) + b"\n")


def decode_version(data: bytes, where: str) -> VersionRecord:
    """Read a `version.json`; `OutputError` if it is not that of the address where it stands.

    `where` is its path in the output.
    """
    try:
        item = Fields(json.loads(data), where)
        record = VersionRecord(
            version=version_of(item),
            path=item.text("path"),
            directory=item.text("directory"),
            tree=item.object_id("tree"),
            frontmatter=item.table("frontmatter"),
            resources=tuple(map(resource_of, item.each("resources"))),
            archives=tuple(map(archive_of, item.each("archives"))),
        )
    except (ValueError, RecursionError) as error:
        raise OutputError(f"{where} is damaged: {error}; run build --recheck") from error
    digest = record.version.digest
    if skill_digest(record.resources) != digest or where != version_path(record.version.address):
        raise OutputError(f"{where} is not the version of its address; run build --recheck")
    return record


def label(frontmatter: Mapping[str, Json], date: str, digest: Digest) -> str:
    """What people call a version: what it declares, else the day and 8 hex digits of its digest."""
    declared = " ".join(declared_version(frontmatter).split())
    if declared and len(declared) <= _LONGEST_LABEL and declared.isprintable():
        return declared
    return f"{date} {digest.hex[:8]}"


def name_for_address(title: str, path: str) -> str:
    """The last segment of the addresses of a version: a valid name, which no other skill changes.

    `title` is what the frontmatter calls the skill, `path` its skill path.
    """
    if is_skill_name(title):
        return title
    slug = _SEPARATORS.sub("-", base_name(path).lower()).strip("-")[:LONGEST_NAME].strip("-")
    return slug or "skill"
