"""The inputs of a build that are the same for all skills."""

from __future__ import annotations

import hashlib
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata

from skillbuild import __version__, assets
from skillbuild.check.trust.evidence import Evidence
from skillbuild.compile.branding import Branding
from skillbuild.compile.request import Request
from skillbuild.config import Config
from skillbuild.emit.emitter import Emitter
from skillbuild.media.archive import ARCHIVE_FORMAT
from skillbuild.model import Catalog, Digest, plain
from skillbuild.release.record import FixedFiles, Record
from skillbuild.text.json import compact_json


@dataclass(frozen=True)
class BuildInputs:
    """The inputs of a build that all skills share, such as the settings, the branding and the
    versions of packages.
    """

    config: Config
    branding: Branding
    emitters: Sequence[Emitter]
    prefix: str
    """The directory of the source in its repository."""
    strict: bool
    evidence: Evidence

    @classmethod
    def of(
        cls, request: Request, branding: Branding, emitters: Sequence[Emitter], evidence: Evidence
    ) -> BuildInputs:
        source, options = request.source, request.options
        return cls(request.config, branding, emitters, source.prefix, options.strict, evidence)

    @cached_property
    def renderers(self) -> Mapping[str, str]:
        """The version of each package that affects published files, by package name."""
        packages = {"packaging": metadata.version("packaging")}  # It has the list of licenses.
        for emitter in self.emitters:
            packages |= emitter.renderers
        packages |= self.evidence.renderers
        return packages

    @property
    def config_digest(self) -> Digest:
        """The digest of all settings, as stored in the record."""
        return Digest.of(compact_json(self.config.as_json()).encode())

    @cached_property
    def key(self) -> str:
        """A hash of the inputs that all skills share. The hash changes if any of these inputs
        changes.
        """
        parts = {
            "settings": self.config_digest.hex,
            "icons": plain(tuple(self.branding.icons)),
            "templates": dict(self.branding.templates),
            "prefix": self.prefix,
            "strict": self.strict,
            "roots": self.evidence.digests,
            "version": __version__,
            "archiveFormat": ARCHIVE_FORMAT,
            "renderers": dict(self.renderers),
            "python": sys.version,
            "unicode": unicodedata.unidata_version,
            "code": assets.fingerprint(),
        }
        return hashlib.blake2b(compact_json(parts).encode(), digest_size=16).hexdigest()

    def record(self, catalog: Catalog, fixed: FixedFiles) -> Record:
        """Return the record of a release that is built from these inputs."""
        return Record(
            catalog=catalog,
            version=__version__,
            archive_format=ARCHIVE_FORMAT,
            renderers=self.renderers,
            config_digest=self.config_digest,
            fixed=fixed,
            yanked={Digest(each): reason for each, reason in self.config.yanked.items()},
        )
