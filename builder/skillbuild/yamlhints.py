"""Remedies for YAML that does not parse: the line as it should have been written."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_PLAIN_COLON = re.compile(r"^(\s*(?:- )?)([^\s#:'\"{\[&*!|>%@`-][^:]*):\s+(\S.*?)\s*$")


def quote_hint(lines: Sequence[str], index: int) -> str:
    """`write key: "value"` for the plain value that the line `index` belongs to, else nothing."""
    start = index
    while start > 0 and lines[start][:1] in (" ", "\t"):
        start -= 1
    match = _PLAIN_COLON.match(lines[start]) if start < len(lines) else None
    if match is None or match[3][0] in "'\"[{|>":
        return ""
    rest = [line.strip() for line in lines[start + 1 : index + 1]]
    value = " ".join([match[3], *rest])
    return f"write {match[1]}{match[2]}: {json.dumps(value, ensure_ascii=False)}"
