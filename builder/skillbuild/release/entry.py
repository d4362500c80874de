"""One entry of `catalog.json`: to the line it is published as, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from skillbuild.errors import OutputError
from skillbuild.model import Archive, Entry, EntryFinding, Icon, Place, Resource
from skillbuild.text.json import json_line, valid_text
from skillbuild.text.json_fields import Fields
from skillbuild.uris import archive_uri

REMEDY = "remove the output and build again"


def encode_entry(entry: Entry) -> bytes:
    """One item of the list `entries`."""
    said = {
        "path": entry.path,
        "flatName": entry.flat_name,
        "directory": valid_text(entry.directory),
        "frontmatter": entry.frontmatter,
        "url": entry.uri,
        "resources": [_resource_json(item) for item in entry.resources],
        "archives": [archive_json(item) for item in entry.archives],
        "icons": [icon_json(icon) for icon in entry.icons],
        "skillDigest": str(entry.skill_digest),
        "tarDigest": str(entry.tar_digest) if entry.tar_digest else None,
        "listed": entry.listed,
        "reasons": list(entry.reasons),
        "warnings": [_note_json(note) for note in entry.findings if note.warns],
        "notes": [_note_json(note) for note in entry.findings if not note.warns],
    }
    return json_line(said)


def _resource_json(item: Resource) -> dict[str, object]:
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
    said = {"path": f"icons/{icon.file_name}", "digest": str(icon.digest)}
    said |= {"mimeType": icon.media_type, "sizes": icon.sizes}
    return {**said, "theme": icon.theme}


def _note_json(note: EntryFinding) -> dict[str, object]:
    return {
        "code": note.code,
        "path": valid_text(note.path),
        "line": note.place.line if note.place else None,
        "column": note.place.column if note.place else None,
        "message": valid_text(note.message),
        "hint": valid_text(note.hint),
    }


def decode_icon(value: object) -> Icon:
    """One item of a list `icons`; a `ValueError` for what is none."""
    return icon_of(Fields(value, "icon"))


def decode_entry(data: bytes) -> Entry:
    """One item of the list `entries`."""
    try:
        return entry_of(Fields(json.loads(data), "entry"))
    except (ValueError, RecursionError) as error:
        raise OutputError(f"catalog.json is damaged: {error}; {REMEDY}") from error


_NO_NOTES = b'"warnings":[],"notes":[]}'


def notes_in(line: bytes) -> Iterator[EntryFinding]:
    """The notes of an item that we have written, where they come last; the rest is not read."""
    if line.endswith(_NO_NOTES):
        return
    said = json.loads(b"{" + line[line.rindex(b'"warnings":[') :])
    for key in ("warnings", "notes"):
        for one in said[key]:
            place = None if one["line"] is None else Place(one["line"], one["column"])
            warns = key == "warnings"
            yield EntryFinding(one["code"], one["path"], place, one["message"], one["hint"], warns)


ADDRESSED = re.compile(r"(blobs/sha256|archives|icons)/[a-z0-9][a-z0-9.-]*")


def addressed(path: str) -> str:
    """A path that is read and removed by its name, so it may not lead elsewhere."""
    if not ADDRESSED.fullmatch(path):
        raise ValueError(f"{path!r} is no path of a blob, an archive or an icon")
    return path


def entry_of(item: Fields) -> Entry:
    """One item of the list `entries` of a record that is read as a whole."""
    entry = Entry(
        path=item.text("path"),
        directory=item.text("directory"),
        frontmatter=item.table("frontmatter"),
        resources=tuple(map(_resource, item.each("resources"))),
        archives=tuple(map(_archive, item.each("archives"))),
        icons=tuple(map(icon_of, item.each("icons"))),
        skill_digest=item.digest("skillDigest"),
        tar_digest=item.digest("tarDigest") if item.maybe_text("tarDigest") else None,
        flat_name=item.maybe_text("flatName"),
        reasons=item.texts("reasons"),
        findings=(
            *(_note(one, warns=True) for one in item.each("warnings")),
            *(_note(one, warns=False) for one in item.each("notes")),
        ),
    )
    if not any(resource.path == "SKILL.md" for resource in entry.resources):
        raise ValueError(f"entry {entry.path} has no SKILL.md")
    if item.flag("listed") != entry.listed:
        raise ValueError(f"entry {entry.path} is listed and has reasons not to be")
    return entry


def _resource(item: Fields) -> Resource:
    return Resource(
        uri=item.text("uri"),
        path=item.text("path"),
        media_type=item.text("mimeType"),
        digest=item.digest("digest"),
        size=item.number("size"),
        executable=item.flag("executable"),
    )


def _archive(item: Fields) -> Archive:
    name = addressed(item.text("path")).removeprefix("archives/")
    return Archive(name, item.text("mimeType"), item.digest("digest"), item.number("size"))


def icon_of(item: Fields) -> Icon:
    """One item of a list `icons` of a record that is read as a whole."""
    theme = item.maybe_text("theme")
    return Icon(item.digest("digest"), item.text("mimeType"), item.text("sizes"), theme)


def _note(item: Fields, *, warns: bool) -> EntryFinding:
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
