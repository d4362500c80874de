"""Files that static hosts, crawlers and language models look for by name.

`.nojekyll` keeps GitHub Pages from dropping files. `_headers` sets response headers on Netlify,
Cloudflare Pages and similar hosts, if the output is the root of the site. The other files are
`llms.txt` and `robots.txt`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillbuild.emit.emitter import EmittedSkill, Emitter, SkillOutput
from skillbuild.model import Catalog, Entry, Listing, OutputFile
from skillbuild.release.layout import PARTS_FOLDER

_FOR_EVER = "Cache-Control: public, max-age=31536000, immutable"
"""Headers for files whose name contains their digest, so that their content never changes."""
_SANDBOX = "Content-Security-Policy: default-src 'none'; sandbox"
"""Headers for files of skills, so that browsers display them without executing anything."""
_RULES = {
    "/*": ("X-Content-Type-Options: nosniff",),
    "/blobs/*": (_FOR_EVER, _SANDBOX),
    "/archives/*": (_FOR_EVER,),
    "/assets/*": (_FOR_EVER,),
    "/icons/*": (_FOR_EVER,),
    f"/{PARTS_FOLDER}/*": (_FOR_EVER,),
}


def host_files() -> tuple[OutputFile, ...]:
    """Return the files `.nojekyll` (keeps GitHub Pages from dropping files) and `_headers`."""
    rules = "".join(
        f"{path}\n" + "".join(f"  {header}\n" for header in headers)
        for path, headers in _RULES.items()
    )
    return OutputFile(".nojekyll", b""), OutputFile("_headers", rules.encode())


@dataclass(frozen=True)
class LlmsEmitter(Emitter):
    """Writes `llms.txt`, with one line for each listed skill. If there is a base URL, the URLs in
    the file are absolute.
    """

    path = "llms.txt"
    listing = Listing.SITE

    base_url: str | None
    has_sitemap: bool
    """Whether the release contains a sitemap, which `robots.txt` then links."""
    changes: str = ""
    """Path of the page about recent changes; empty if there is none."""

    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        return SkillOutput(line=_line(emitted.entry, self.base_url or ""))

    def emit_catalog(self, catalog: Catalog, lines: Sequence[bytes]) -> Iterator[OutputFile]:
        head = [f"# {catalog.title}", ""]
        if catalog.tagline:
            head += [f"> {catalog.tagline}", ""]
        before = [line.encode() for line in (*head, "## Skills", "")]
        yield OutputFile(self.path, b"\n".join([*before, *lines, *self._after(), b""]))
        sitemap = f"Sitemap: {self.base_url}sitemap.xml\n" if self._names_sitemap else ""
        yield OutputFile("robots.txt", f"User-agent: *\nAllow: /\n{sitemap}".encode())

    def _after(self) -> Iterator[bytes]:
        if self.changes:
            page = f"{self.base_url or ''}{self.changes}"
            yield f"\n## Optional\n\n- [Changes]({page}): what is new, by week".encode()

    @property
    def _names_sitemap(self) -> bool:
        return self.has_sitemap and self.base_url is not None


def _line(entry: Entry, base_url: str) -> bytes:
    description = " ".join(entry.text("description").split())
    if entry.deprecated:
        description = f"Deprecated: {entry.deprecated.words}. {description}"
    path = f".well-known/skills/{entry.flat_name}/SKILL.md"
    return f"- [{entry.path}]({base_url}{path}): {description}".encode()
