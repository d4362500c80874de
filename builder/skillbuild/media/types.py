"""Media types by a closed table, so that the build machine's `mime.types` changes no byte.

Also the one test for what is text: UTF-8 without NUL.
"""

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
    """The type by the extension; without a known one, plain text or bytes, by the content."""
    extension = path.rpartition("/")[2].rpartition(".")[2].lower()
    return _TYPES.get(extension) or (_TEXT if is_text(data) else "application/octet-stream")


def is_binary(media_type: str) -> bool:
    """True for a type whose files are no text, unless their extension is wrong."""
    return media_type.startswith(_BINARY) and media_type != _TYPES["svg"]


_BINARY = (
    *("image/", "font/", "audio/", "video/", "application/vnd."),
    *(f"application/{name}" for name in ("octet-stream", "pdf", "zip", "gzip", "wasm")),
)


def is_text(data: bytes) -> bool:
    """True for UTF-8 without NUL, which decodes and encodes to the same bytes."""
    return decode(data) is not None


def decode(data: bytes) -> str | None:
    """The text of a file, or None when it is not UTF-8 text."""
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
