"""Case files: a source and what is wanted of it, as sections of one text file.

`check/test_check.py` describes the form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from helpers.support import MemorySource

SECTION = re.compile(r"^-- (.+?)((?: \([a-z]+\))*) --\n", re.MULTILINE)
ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([nrts\\])|(\n))")
REPEAT = re.compile(r"\\\{(\d+)\*([^{}]*)\}")
SINGLE = {"n": b"\n", "r": b"\r", "t": b"\t", "s": b" ", "\\": b"\\"}


def unescape(text: str) -> bytes:
    while REPEAT.search(text):
        text = REPEAT.sub(lambda match: match[2] * int(match[1]), text)
    pieces, end = [], 0
    for match in ESCAPE.finditer(text):
        pieces += [text[end : match.start()].encode(), meaning(match)]
        end = match.end()
    return b"".join([*pieces, text[end:].encode()])


def meaning(match: re.Match[str]) -> bytes:
    byte, short, long, single, _ = match.groups()
    if byte:
        return bytes.fromhex(byte)
    if short or long:
        return chr(int(short or long, 16)).encode()
    return SINGLE[single] if single else b""


@dataclass(frozen=True)
class Case:
    name: str
    about: str
    files: MemorySource
    want: str
    start: int
    """Where `want` begins in the text of the case."""


def read(file: Path) -> Case:
    text = file.read_text("utf-8")
    heads = list(SECTION.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    files: dict[str, bytes] = {}
    flagged: dict[str, list[str]] = {}
    for head, end in zip(heads[:-1], ends, strict=False):
        flags = re.findall("[a-z]+", head[2])
        raw = "raw" in flags
        path = unescape(head[1]).decode(errors="surrogateescape") if raw else head[1]
        content = text[head.end() : end]
        files[path] = unescape(content) if raw else content.encode()
        for flag in flags:
            flagged.setdefault(flag, []).append(path)
    assert heads[-1][1] == "want", f"{file} does not end with -- want --"
    kinds = ("link", "submodule", "special")
    others = {path for kind in kinds for path in flagged.get(kind, ())}
    source = MemorySource(
        {path: data for path, data in files.items() if path not in others},
        executable=flagged.get("x", ()),
        links=flagged.get("link", ()),
        targets={path: files[path].decode().strip() for path in flagged.get("link", ())},
        submodules=flagged.get("submodule", ()),
        special=flagged.get("special", ()),
        missing=flagged.get("missing", ()),
        damaged=flagged.get("damaged", ()),
    )
    return Case(
        file.stem,
        text[: heads[0].start()],
        source,
        text[ends[-2] :][len(heads[-1][0]) :],
        ends[-2],
    )


def write_want(file: Path, case: Case, want: str) -> None:
    """Let the case want this."""
    file.write_text(f"{file.read_text('utf-8')[: case.start]}-- want --\n{want}", "utf-8")
