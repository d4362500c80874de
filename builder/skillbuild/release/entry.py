"""One entry of `catalog.json`: to the line that it is published as, and back."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator

from skillbuild.errors import OutputError
from skillbuild.model import (
    Archive,
    Change,
    Deprecation,
    Digest,
    Entry,
    EntryFinding,
    Icon,
    Place,
    Resource,
    Unlisted,
    Version,
)
from skillbuild.release.layout import addressed_path
from skillbuild.text.json import json_line, valid_text
from skillbuild.text.json_fields import Fields
from skillbuild.uris import archive_uri

REMEDY = "remove the output and build again"

_DIGEST = b',"skillDigest":"'
"""Before the digest of a line: the last of these, as a frontmatter may hold one, too."""
_UNLISTED = b',"unlisted":'
"""Before the last field of a line; in a text its quotes would be escaped."""


def skill_digest(resources: Iterable[Resource]) -> Digest:
    """The digest of a whole skill, which does not depend on any archive format.

    SHA-256 over the lines `<file digest> <size> <x or -> <path>`, each with its line feed, sorted
    by the bytes of the path; `x` stands for an executable file.
    """
    return digest_of_files(
        [(item.path, item.digest, item.size, item.executable) for item in resources]
    )


def digest_of_files(files: Iterable[tuple[str, Digest, int, bool]]) -> Digest:
    """The skill digest by path, digest, size and executable bit of each file."""
    lines = [
        f"{digest} {size} {'x' if executable else '-'} {path}\n".encode(errors="surrogateescape")
        for path, digest, size, executable in sorted(files, key=_bytes_of_path)
    ]
    return Digest.of(b"".join(lines))


def _bytes_of_path(file: tuple[str, Digest, int, bool]) -> bytes:
    return file[0].encode(errors="surrogateescape")


def encode_entry(entry: Entry) -> bytes:
    """One item of the list `entries`, in one line."""
    fields = {
        "path": entry.path,
        "flatName": entry.flat_name,
        "directory": valid_text(entry.directory),
        "copies": list(map(valid_text, entry.copies)),
        "frontmatter": entry.frontmatter,
        "url": entry.uri,
        "resources": [resource_json(item) for item in entry.resources],
        "archives": [archive_json(item) for item in entry.archives],
        "icons": [icon_json(icon) for icon in entry.icons],
        "skillDigest": str(entry.skill_digest),
        "tarDigest": str(entry.tar_digest) if entry.tar_digest else None,
        **({"versions": list(map(version_json, entry.versions))} if entry.versions else {}),
        **({"deprecated": deprecation_json(entry.deprecated)} if entry.deprecated else {}),
        "warnings": [_finding_json(item) for item in entry.findings if item.warns],
        "notes": [_finding_json(item) for item in entry.findings if not item.warns],
        "unlisted": _unlisted_json(entry.unlisted),
    }
    return json_line(fields)


def version_json(version: Version) -> dict[str, object]:
    """A version as the record lists it."""
    return {
        "digest": str(version.digest),
        "commit": version.change.commit,
        "seconds": version.change.seconds,
        "label": version.label,
    }


def version_of(item: Fields) -> Version:
    """One item of a list `versions`; a `ValueError` says which field is wrong."""
    change = Change(item.object_id("commit"), item.integer("seconds"))
    return Version(item.digest("digest"), change, item.text("label"))


def decode_listed_version(value: object) -> Version:
    """One item of a list `versions`; anything else raises `ValueError`."""
    return version_of(Fields(value, "version"))


def deprecation_json(deprecation: Deprecation) -> dict[str, str | None]:
    """Why a skill should not be used, as the record and the server say it."""
    return {"reason": deprecation.reason, "use": deprecation.use or None}


def decode_deprecation(value: object) -> Deprecation | None:
    """Read what `deprecation_json` wrote, or None; anything else raises `ValueError`."""
    return None if value is None else _deprecation(Fields(value, "deprecated"))


def deprecation_of(fields: Fields, key: str) -> Deprecation | None:
    """The same for what is under a key of an object, if anything is."""
    item = fields.maybe_nested(key)
    return None if item is None else _deprecation(item)


def _deprecation(item: Fields) -> Deprecation:
    return Deprecation(item.text("reason"), item.maybe_text("use") or "")


def _unlisted_json(unlisted: Unlisted) -> dict[str, list[str]]:
    return {str(listing): list(reasons) for listing, reasons in unlisted.items()}


def with_unlisted(line: bytes, unlisted: Unlisted) -> bytes:
    """The line of an entry that this program wrote, with another end, or as it is."""
    end = _UNLISTED + json_line(_unlisted_json(unlisted)) + b"}"
    return line if line.endswith(end) else line[: line.rindex(_UNLISTED)] + end


def resource_json(item: Resource) -> dict[str, object]:
    """A resource as the record describes it."""
    return {
        "uri": item.uri,
        "path": item.path,
        "digest": str(item.digest),
        "size": item.size,
        "mimeType": item.media_type,
        "executable": item.executable,
    }


def archive_json(item: Archive) -> dict[str, object]:
    """An archive as both the index and the record describe it."""
    return {
        "url": archive_uri(item.file_name),
        "path": f"archives/{item.file_name}",
        "mimeType": item.media_type,
        "digest": str(item.digest),
        "size": item.size,
    }


def icon_json(icon: Icon) -> dict[str, object]:
    """An icon as the record describes it."""
    return {
        "path": f"icons/{icon.file_name}",
        "digest": str(icon.digest),
        "mimeType": icon.media_type,
        "sizes": icon.sizes,
        "theme": icon.theme,
    }


def _finding_json(item: EntryFinding) -> dict[str, object]:
    return {
        "code": item.code,
        "path": valid_text(item.path),
        "line": item.place.line if item.place else None,
        "column": item.place.column if item.place else None,
        "message": valid_text(item.message),
        "hint": valid_text(item.hint),
    }


def decode_icon(value: object) -> Icon:
    """One item of a list `icons`; anything else raises `ValueError`."""
    return icon_of(Fields(value, "icon"))


def decode_entry(data: bytes) -> Entry:
    """Read what `encode_entry` wrote; a damaged line is an `OutputError`."""
    try:
        return entry_of(Fields(json.loads(data), "entry"))
    except (ValueError, RecursionError) as error:
        raise OutputError(f"catalog.json is damaged: {error}; {REMEDY}") from error


_NO_FINDINGS = b'"warnings":[],"notes":[]'


def unlisted_in(line: bytes) -> Collection[str]:
    """The listings that leave out the skill of a line that this program wrote."""
    start = line.rindex(_UNLISTED) + len(_UNLISTED)
    return json.loads(line[start:-1]).keys() if line[start:-1] != b"{}" else ()


def digest_in(line: bytes) -> Digest:
    """The skill digest in a line that this program wrote; nothing else of the line is read."""
    start = line.rindex(_DIGEST) + len(_DIGEST)
    return Digest.parse(line[start : line.index(b'"', start)].decode())


def findings_in(line: bytes) -> Iterator[EntryFinding]:
    """The findings of an entry that this program wrote; nothing else of the line is read."""
    end = line.rindex(_UNLISTED)
    if line.endswith(_NO_FINDINGS, 0, end):
        return
    lists = json.loads(b"{%b}" % line[line.rindex(b'"warnings":[', 0, end) : end])
    for key in ("warnings", "notes"):
        for item in lists[key]:
            place = None if item["line"] is None else Place(item["line"], item["column"])
            code, path = item["code"], item["path"]
            message, hint = item["message"], item["hint"]
            yield EntryFinding(code, path, place, message, hint, key == "warnings")


def entry_of(item: Fields) -> Entry:
    """One item of the list `entries`; a `ValueError` says which field is wrong."""
    entry = Entry(
        path=item.text("path"),
        directory=item.text("directory"),
        frontmatter=item.table("frontmatter"),
        resources=tuple(map(resource_of, item.each("resources"))),
        archives=tuple(map(archive_of, item.each("archives"))),
        icons=tuple(map(icon_of, item.each("icons"))),
        skill_digest=item.digest("skillDigest"),
        tar_digest=item.digest("tarDigest") if item.maybe_text("tarDigest") else None,
        flat_name=item.text("flatName"),
        copies=item.texts("copies"),
        findings=(
            *(_finding(each, warns=True) for each in item.each("warnings")),
            *(_finding(each, warns=False) for each in item.each("notes")),
        ),
        unlisted=item.text_lists("unlisted"),
        versions=tuple(map(version_of, item.each("versions"))) if item.has("versions") else (),
        deprecated=deprecation_of(item, "deprecated"),
    )
    if not any(resource.path == "SKILL.md" for resource in entry.resources):
        raise ValueError(f"entry {entry.path} has no SKILL.md")
    return entry


def resource_of(item: Fields) -> Resource:
    """One item of a list `resources`; a `ValueError` says which field is wrong."""
    return Resource(
        uri=item.text("uri"),
        path=item.text("path"),
        media_type=item.text("mimeType"),
        digest=item.digest("digest"),
        size=item.number("size"),
        executable=item.flag("executable"),
    )


def archive_of(item: Fields) -> Archive:
    """One item of a list `archives`; a `ValueError` says which field is wrong."""
    name = addressed_path(item.text("path")).removeprefix("archives/")
    return Archive(name, item.text("mimeType"), item.digest("digest"), item.number("size"))


def icon_of(item: Fields) -> Icon:
    """One item of a list `icons`; a `ValueError` says which field is wrong."""
    theme = item.maybe_text("theme")
    return Icon(item.digest("digest"), item.text("mimeType"), item.text("sizes"), theme)


def _finding(item: Fields, *, warns: bool) -> EntryFinding:
    place = None
    if item.maybe_number("line") is not None:
        place = Place(item.number("line"), item.number("column"))
    return EntryFinding(
        code=item.text("code"),
        path=item.text("path"),
        place=place,
        message=item.text("message"),
        hint=item.text("hint"),
        warns=warns,
    )
