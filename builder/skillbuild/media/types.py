"""Decides which media type a file has, whether it is text, and whether it can be served under its
own name.

Media types come from a fixed table, so that the `mime.types` of the build machine has no effect.
Files in UTF-8 without NUL are text.
"""

import re

_TEXT = "text/plain"
_TYPES = {
    "md": "text/markdown",
    "markdown": "text/markdown",
    "mdx": "text/markdown",
    "html": "text/html",
    "htm": "text/html",
    "css": "text/css",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "xml": "application/xml",
    "xsd": "application/xml",
    "xsl": "application/xml",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "toml": "application/toml",
    "py": "text/x-python",
    "sh": "application/x-sh",
    "bash": "application/x-sh",
    "js": "text/javascript",
    "mjs": "text/javascript",
    "cjs": "text/javascript",
    "ts": "text/x-typescript",
    "tsx": "text/x-typescript",
    "sql": "application/sql",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "ico": "image/vnd.microsoft.icon",
    "pdf": "application/pdf",
    "zip": "application/zip",
    "gz": "application/gzip",
    "wasm": "application/wasm",
    "ttf": "font/ttf",
    "otf": "font/otf",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "mp4": "video/mp4",
    "webm": "video/webm",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def media_type(path: str, data: bytes) -> str:
    """Return the media type of a file according to its extension.

    If the extension is unknown, the result is `text/plain` or `application/octet-stream`, depending
    on the content.
    """
    extension = path.rpartition("/")[2].rpartition(".")[2].lower()
    return _TYPES.get(extension) or (_TEXT if is_text(data) else "application/octet-stream")


def is_binary(media_type: str) -> bool:
    """Return whether files of a media type are binary, such as fonts and images other than SVG."""
    return media_type.startswith(_BINARY) and media_type != _TYPES["svg"]


_BINARY = (
    *("image/", "font/", "audio/", "video/", "application/vnd."),
    *(f"application/{name}" for name in ("octet-stream", "pdf", "zip", "gzip", "wasm")),
)


def is_text(data: bytes) -> bool:
    """Return whether data is UTF-8 without NUL. Such data can be decoded and encoded again without
    changes.
    """
    return decode(data) is not None


def decode(data: bytes) -> str | None:
    """Return the text of a file; None if it is not UTF-8 text."""
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


# Static hosts choose the media type by extension, and serve the file from the origin of the pages.
# Therefore only extensions are allowed whose types browsers never execute. Discovery v0.1.0
# publishes files under their own names; the other formats contain every file.

_EXTENSIONS = """
    md markdown txt rst adoc json jsonl yaml yml toml ini cfg conf csv tsv sql py pyi sh bash zsh
    ps1 rb go rs java kt c h cc cpp hpp cs swift lua r jl pl ts tsx jsx tf proto graphql diff patch
    png jpg jpeg gif webp ttf otf woff woff2 docx pptx xlsx zip gz tar sig bib tex lock
"""
_SAFE_EXTENSIONS = frozenset(_EXTENSIONS.split())
_RENAMED = """
    template tmpl tpl j2 jinja jinja2 hbs mustache example sample dist in mdx mdc log env out
"""
_RENAMED_EXTENSIONS = frozenset(_RENAMED.split())
"""Extensions of text files for people and agents; web hosts do not recognize them."""
DOT_NAME = "a name that begins with a dot"
NO_ADDRESS = "a path that cannot be used in a URL as it is"
UNSAFE_TYPE = "a file type that is not known to be safe in browsers"
_SAFE_NAMES = frozenset(["LICENSE", "NOTICE", "README", "Makefile", "Dockerfile", "requirements"])
_ADDRESS = re.compile(r"[A-Za-z0-9/ ._~!$&'()*+,;=@-]+")


_LARGEST_SVG = 512 * 1024


def web_fault(path: str, data: bytes | None = None) -> str | None:
    """Return the reason why a file may not be served under its own path; None if it may.

    An SVG may be served only if `data` is given and `svg.check` accepts it.
    """
    if "/." in f"/{path}":
        return DOT_NAME
    if not _is_address(path):
        return NO_ADDRESS
    return None if _is_safe_type(path) or _is_clean_svg(path, data) else UNSAFE_TYPE


def _is_clean_svg(path: str, data: bytes | None) -> bool:
    if data is None or len(data) > _LARGEST_SVG or not path.endswith(".svg"):
        return False
    from skillbuild.media import raster, svg  # Slow to import, and few skills need it.

    try:
        svg.check(data)
    except raster.IconError:
        return False
    return True


def can_be_renamed(path: str) -> bool:
    """Return whether a file keeps its meaning under another name, as `config.in` and `.env` do."""
    stem, dot, extension = path.rpartition("/")[2].rpartition(".")
    return not (dot and stem) or extension.lower() in _RENAMED_EXTENSIONS


def _is_address(path: str) -> bool:
    """Whether a client gets this file if it puts the path into a URL without escaping it.

    One client rejects the whole index if any path contains `..`.
    """
    is_plain = _ADDRESS.fullmatch(path) is not None
    return is_plain and ".." not in path and "/ " not in f"/{path}"


def _is_safe_type(path: str) -> bool:
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    return extension.lower() in _SAFE_EXTENSIONS if dot and stem else name in _SAFE_NAMES
