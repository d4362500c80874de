"""Make a repository of skills that are all published, and that clients may stumble over.

    python tests/clients/hard.py DIR

Names, paths, descriptions and contents at the edge of what is allowed; the other scripts of this
folder can then be run on DIR.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

_NAMES = ("constructor", "index", "n" * 64, "0", "a-1-b", "hasownproperty", "tostring", "default")
_PATHS = {
    "blanks": "read me first.md",
    "marks": "a+b,c=d;e@f!'(g)~$h.md",
    "hash": "a#b.md",
    "percent": "100%25 sure.md",
    "ampersand": "you & me.md",
    "umlaut": "\u00fcber/stra\u00dfe.md",
    "kanji": "\u65e5\u672c\u8a9e.md",
    "dotfile": ".config/settings.json",
    "deep": "/".join("abcdefghijklmnop") + "/end.md",
    "upper": "README.MD",
    "bare": "bin/run",
    "long": f"{'x' * 100}/{'y' * 100}.md",
    "longer": f"{'x' * 200}/{'y' * 200}.md",
    "page": "report.html",
    "drawing": "assets/logo.svg",
    "nested-zip": "data/archive.zip",
}
_DESCRIPTIONS = {
    "longest": "x" * 1024,
    "emoji": "\U0001f600" * 512,
    "quotes": "Says \\\"yes\\\" and 'no', \\\\ and `code`, then $HOME and %PATH%.",
    "arabic": "\u064a\u0643\u062a\u0628 \u0627\u0644\u0646\u0635",
    "markup": "Turns <b> into [links](https://example.com) & back.",
    "lines": "One.\\nTwo.\\n\\nThree.",
}
_FIELDS = {
    "flow": "tags: [a, b]",
    "unknown": "version: 1.0.0\nargument-hint: a file\nuser-invocable: true",
    "tools": "allowed-tools: Bash(git add:*) Read, Write",
    "typed": 'metadata:\n  version: "1.0"\n  internal-note: x',
    "hooked": "hooks:\n  PreToolUse:\n    - matcher: Bash",
}


def main() -> int:
    folder = Path(sys.argv[1])
    for path, data in _files():
        file = folder / "skills" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(0o755 if data.startswith(b"#!") else 0o644)
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    for words in (
        ("init", "--quiet"),
        ("add", "."),
        (*identity, "commit", "--quiet", "-m", "Hard"),
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return 0


def _files() -> Iterator[tuple[str, bytes]]:
    for name in _NAMES:
        yield f"{name}/SKILL.md", _skill(name, "Has a name that is a word elsewhere.")
        yield f"{name}/{name}.md", b"x\n"
    for name, path in _PATHS.items():
        yield f"{name}/SKILL.md", _skill(name, "Has a file with a name of its own.")
        yield f"{name}/{path}", b"#!/bin/sh\n" if path == "bin/run" else b"x\n"
    for name, text in _DESCRIPTIONS.items():
        yield f"{name}/SKILL.md", _skill(name, text)
    for name, fields in _FIELDS.items():
        yield f"{name}/SKILL.md", _skill(name, "Has further fields.", fields)
    yield from _contents().items()


def _contents() -> Mapping[str, bytes]:
    """Bytes that a client might change: line ends, marks, nothing at all, anything at all."""
    many = {f"many/{number:03}.txt": b"%d\n" % number for number in range(300)}
    return {
        "crlf/SKILL.md": _skill("crlf", "Has other line ends.").replace(b"\n", b"\r\n"),
        "crlf/mixed.txt": b"a\r\nb\nc\rd",
        "empty/SKILL.md": _skill("empty", "Has an empty file."),
        "empty/nothing.txt": b"",
        "binary/SKILL.md": _skill("binary", "Has every byte."),
        "binary/bytes.png": bytes(range(256)) * 64,
        "marked/SKILL.md": _skill("marked", "Has a file with a byte order mark."),
        "marked/bom.txt": b"\xef\xbb\xbfa\n",
        "many/SKILL.md": _skill("many", "Has many files."),
        **many,
        "outer/SKILL.md": _skill("outer", "Holds another skill."),
        "outer/inner/SKILL.md": _skill("inner", "Is held."),
        "one/same/SKILL.md": _skill("same", "Shares its name."),
        "two/same/SKILL.md": _skill("same", "Shares its name, too."),
    }


def _skill(name: str, description: str, fields: str = "") -> bytes:
    head = [f'name: "{name}"', f'description: "{description}"', *([fields] if fields else [])]
    return "\n".join(["---", *head, "---", "", f"# {name}", "", "Do it.", ""]).encode()


if __name__ == "__main__":
    sys.exit(main())
