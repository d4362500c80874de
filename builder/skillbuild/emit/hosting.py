"""Files that hosts of static files read: GitHub Pages, and those that know `_headers`.

`_headers` is read by Netlify, Cloudflare Pages and others where the output is the root of a site.
Its rules do not overlap, since some hosts join what two of them say.
"""

from __future__ import annotations

from skillbuild.model import OutputFile
from skillbuild.release.layout import PARTS_FOLDER

_FOR_EVER = "Cache-Control: public, max-age=31536000, immutable"
"""For files whose content never changes, because it is in their name."""
_SANDBOX = "Content-Security-Policy: default-src 'none'; sandbox"
"""For the files of skills, which are shown as nothing but themselves."""
_RULES = {
    "/*": ("X-Content-Type-Options: nosniff",),
    "/blobs/*": (_FOR_EVER, _SANDBOX),
    "/archives/*": (_FOR_EVER,),
    "/assets/*": (_FOR_EVER,),
    "/icons/*": (_FOR_EVER,),
    f"/{PARTS_FOLDER}/*": (_FOR_EVER,),
}


def files() -> tuple[OutputFile, ...]:
    """`.nojekyll`, without which GitHub Pages leaves out files, and `_headers`."""
    rules = "".join(
        f"{path}\n" + "".join(f"  {header}\n" for header in headers)
        for path, headers in _RULES.items()
    )
    return OutputFile(".nojekyll", b""), OutputFile("_headers", rules.encode())
