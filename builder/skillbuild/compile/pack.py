"""A checked skill becomes an entry, blobs and archives; pure, so workers can do it anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skillbuild.media import archive
from skillbuild.media.types import media_type
from skillbuild.model import Archive, Digest, Entry, EntryFinding, File, Icon, Resource, Skill
from skillbuild.paths import fits_ustar
from skillbuild.release.record import markdown_path
from skillbuild.uris import skill_uri


@dataclass(frozen=True, slots=True)
class Packed:
    """One skill ready to be written: blobs by digest, archives and icons by file name."""

    entry: Entry
    blobs: Mapping[Digest, bytes]
    archives: Mapping[str, bytes]
    icons: Mapping[str, bytes]


def pack_skill(
    skill: Skill,
    icons: Mapping[Icon, bytes],
    formats: tuple[str, ...],
    reasons: tuple[str, ...] = (),
    notes: tuple[EntryFinding, ...] = (),
) -> Packed:
    """Digest and pack one skill; `formats` says which archives are wanted."""
    resources = tuple(_resource(skill, file) for file in skill.files)
    tar = _tar(skill) if "tar.gz" in formats else None
    made = []
    if "zip" in formats:
        made.append(_archive(skill, archive.zip_bytes(skill.files), archive.ZIP_TYPE, "zip"))
    if tar is not None:
        made.append(_archive(skill, archive.gzip_bytes(tar), archive.TAR_TYPE, "tar.gz"))
    entry = Entry(
        path=skill.path,
        directory=skill.directory,
        frontmatter=skill.frontmatter.value,
        resources=resources,
        archives=tuple(described for described, _ in made),
        icons=tuple(icons),
        skill_digest=skill_digest(resources),
        tar_digest=Digest.of(tar) if tar is not None else None,
        reasons=reasons,
        findings=notes,
    )
    blobs = {
        resource.digest: file.data for resource, file in zip(resources, skill.files, strict=True)
    }
    archives = {described.file_name: data for described, data in made}
    if single := markdown_path(entry):
        archives[single.rpartition("/")[2]] = skill.files[0].data
    return Packed(entry, blobs, archives, {icon.file_name: data for icon, data in icons.items()})


def skill_digest(resources: tuple[Resource, ...]) -> Digest:
    """Over lines `<digest> <size> <x or -> <path>` sorted by path bytes; holds across formats."""
    lines = [
        f"{item.digest} {item.size} {'x' if item.executable else '-'} {item.path}\n"
        for item in sorted(resources, key=lambda item: item.path.encode())
    ]
    return Digest.of("".join(lines).encode())


def _resource(skill: Skill, file: File) -> Resource:
    return Resource(
        uri=skill_uri(skill.path, file.path),
        path=file.path,
        media_type=media_type(file.path, file.data),
        digest=Digest.of(file.data),
        size=len(file.data),
        executable=file.executable,
    )


def _tar(skill: Skill) -> bytes | None:
    fits = all(fits_ustar(file.path) for file in skill.files)
    return archive.tar_bytes(skill.files) if fits else None


def _archive(skill: Skill, data: bytes, kind: str, suffix: str) -> tuple[Archive, bytes]:
    if archive.unpack(data, kind) != skill.files:
        raise archive.ArchiveError(f"{skill.path}: the {suffix} does not unpack to the skill")
    digest = Digest.of(data)
    return Archive(f"{skill.name}-{digest.short}.{suffix}", kind, digest, len(data)), data
