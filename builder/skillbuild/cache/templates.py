"""The compiled templates of this program, for all outputs of a user.

To compile them takes longer than all other work on one changed skill.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import skillbuild
from skillbuild import assets
from skillbuild.cache import signed_files
from skillbuild.emit.site import bytecode
from skillbuild.text.json import json_line

KIND = "templates"


def restore() -> bool:
    """Let this process use what an earlier one compiled; whether there is anything."""
    head, _, code = (signed_files.read(_program(), KIND) or b"").partition(b"\n")
    try:
        stored = json.loads(head)
        if stored["of"] != _state():
            return False
        codes, start = {}, 0
        for key, size in stored["sizes"].items():
            codes[key] = code[start : start + size]
            start += size
    except (AttributeError, KeyError, TypeError, ValueError):  # None, or by another version.
        return False
    bytecode.take(codes)
    return True


def store() -> None:
    """Store every template for later processes, compiled."""
    codes = bytecode.load_all()
    sizes = {key: len(code) for key, code in codes.items()}
    signed_files.write(
        _program(), KIND, [json_line({"of": _state(), "sizes": sizes}), b"\n", *codes.values()]
    )


def _program() -> Path:
    """What the file belongs to in place of an output: this installation."""
    return Path(skillbuild.__file__).parent


def _state() -> Mapping[str, object]:
    """What the code depends on; files that were edited give others."""
    files = [list(item) for item in assets.fingerprint()]
    return {"compiler": bytecode.compiler(), "python": sys.version, "files": files}
