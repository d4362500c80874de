"""Turns a checked skill into an entry, blobs and archives, without side effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from skillbuild.config import Config, deprecation_of
from skillbuild.media import archive
from skillbuild.media.types import media_type
from skillbuild.model import (
    Archive,
    Digest,
    Entry,
    EntryFinding,
    EntryNote,
    File,
    Icon,
    Resource,
    Skill,
    Unlisted,
    changed,
)
from skillbuild.paths import fits_ustar
from skillbuild.release.entry import skill_digest
from skillbuild.release.layout import blob_path
from skillbuild.release.record import markdown_path
from skillbuild.uris import skill_uri


@dataclass(frozen=True, slots=True)
class Packed:
    """A skill that is ready to be written: blobs by digest, archives and icons by file name."""

    entry: Entry
    blobs: Mapping[Digest, bytes]
    archives: Mapping[str, bytes]
    icons: Mapping[str, bytes]

    def files(self) -> dict[str, bytes]:
        """Return all files by their path in the output."""
        files = {blob_path(digest): data for digest, data in self.blobs.items()}
        files |= {f"archives/{name}": data for name, data in self.archives.items()}
        return files | {f"icons/{name}": data for name, data in self.icons.items()}


def pack_skill(
    skill: Skill,
    icons: Mapping[Icon, bytes],
    config: Config,
    unlisted: Unlisted = MappingProxyType({}),
    findings: tuple[EntryFinding, ...] = (),
    zipped: bytes | None = None,
) -> Packed:
    """Compute the digests of a skill and create the archives that the settings ask for.

    `icons` are the icons of the skill, `unlisted` says which listings omit the skill, and
    `findings` are published with the skill. `zipped` is an existing zip of the same files, which is
    reused.
    """
    formats = config.formats
    resources = tuple(_resource(skill, file) for file in skill.files)
    tar = _tar(skill) if "tar.gz" in formats else None
    entry = Entry(
        path=skill.path,
        flat_name=skill.flat_name,
        directory=skill.directory,
        copies=skill.copies,
        frontmatter=skill.frontmatter.value,
        uri=skill_uri(skill.path),
        resources=resources,
        archives=(),
        icons=tuple(icons),
        skill_digest=skill_digest(resources),
        tar_digest=Digest.of(tar) if tar is not None else None,
        deprecated=deprecation_of(skill.path, config),
        warnings=tuple(item for item in findings if not isinstance(item, EntryNote)),
        notes=tuple(item for item in findings if isinstance(item, EntryNote)),
        unlisted=unlisted,
    )
    packed = []
    contents = archive.deflated(skill.files) if "upload" in formats else None
    if "zip" in formats:
        data = zipped or _zip(skill, skill.files, contents)
        packed.append(_archive(entry.stem, data, archive.ZIP_TYPE, "zip"))
    if tar is not None:
        data = archive.gzip_bytes(tar)
        _require_same(skill, skill.files, data, archive.TAR_TYPE)
        packed.append(_archive(entry.stem, data, archive.TAR_TYPE, "tar.gz"))
    entry = changed(entry, archives=tuple(described for described, _ in packed))
    if "upload" in formats:
        data = _zip(skill, archive.in_folder(skill.files, entry.folder), contents)
        packed.append(_archive(entry.stem, data, archive.ZIP_TYPE, "upload.zip"))
        entry = changed(entry, upload=packed[-1][0])
    pairs = zip(resources, skill.files, strict=True)
    blobs = {resource.digest: file.data for resource, file in pairs}
    archives = {each.file_name: data for each, data in packed}
    if single := markdown_path(entry):
        archives[single.rpartition("/")[2]] = skill.files[0].data
    return Packed(entry, blobs, archives, {icon.file_name: data for icon, data in icons.items()})


def pack_version(skill: Skill, config: Config, same: Packed | None = None) -> Packed:
    """Pack one version of a skill. The only archive is a zip, if the `zip` format is enabled.

    `same` is a packed skill with the same files. Its zip is reused.
    """
    formats = tuple(each for each in config.formats if each == "zip")
    archives = same.entry.archives if same else ()
    names = [each.file_name for each in archives if each.media_type == archive.ZIP_TYPE]
    zipped = same.archives[names[0]] if same and names else None
    return pack_skill(skill, {}, config.but(formats=formats), zipped=zipped)


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


def _zip(skill: Skill, files: tuple[File, ...], contents: Sequence[bytes] | None) -> bytes:
    """Return a zip of the files, which are the files of the skill, maybe moved into a folder."""
    data = archive.zip_bytes(files, contents)
    _require_same(skill, files, data, archive.ZIP_TYPE)
    return data


def _require_same(skill: Skill, files: tuple[File, ...], data: bytes, kind: str) -> None:
    """Unpack an archive and raise `ArchiveError` if its files differ."""
    if archive.unpack(data, kind) != files:
        raise archive.ArchiveError(f"{skill.path}: the archive ({kind}) does not match the skill")


def _archive(stem: str, data: bytes, kind: str, suffix: str) -> tuple[Archive, bytes]:
    digest = Digest.of(data)
    return Archive.of(f"{stem}-{digest.short}.{suffix}", kind, digest, len(data)), data
