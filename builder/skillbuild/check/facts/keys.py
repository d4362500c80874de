"""Finds the keys and tokens that a skill takes from environment variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from skillbuild.check.facts.found import Found, lines_with, shown
from skillbuild.model import RunKind

_ENDINGS = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_CREDENTIALS", "_PAT", "_APIKEY")
_ENDING = r"(?:TOKEN|API_?KEY|SECRET(?:_?KEY)?|ACCESS_KEY|PASSWORD|(?<=_)PAT)"
NAME_OF_KEY = rf"(?:[A-Z][A-Z0-9_]*)?{_ENDING}(?![A-Za-z0-9_])"
"""The name of an environment variable with a key of the user."""
READ = (
    r"(?:(?:\benviron(?:\.get\(|\[)|\bgetenv\(|\benv\.get\(|\bprocess\.env\[)\s*[\"']"
    r"|\bprocess\.env\.)"
)
"""The start of an expression with which a program reads a variable, up to the name."""
_VARIABLE = re.compile(
    rf"(?:{READ}|\$\{{?|`|export[ ]|\bENV\[[\"'])(?P<name>[A-Z][A-Z0-9_]{{1,80}}?"
    rf"_(?:{_ENDING}|ACCESS_KEY_ID|PRIVATE_KEY|APP_KEY|CREDENTIALS))(?![A-Za-z0-9_])"
)
"""A variable as programs and shells read it, or in a code span.

A name of one word, such as TOKEN, is left out, because examples use it for any key.
"""
_NO_KEY = re.compile(
    r"\w*(?:_DISABLE_|_ENABLE_|_USE_|_REQUIRE_)|(?:\w+_)?(?:INVALID|MISSING|EXPIRED)_|(?:API|SECRET|ACCESS)_KEY\Z|(?:MY|YOUR|SOME|EXAMPLE|TEST|DUMMY|FAKE)_"
    r"|(?:AUTH|ACCESS|REFRESH|BEARER|SESSION|ID|JWT|CSRF|XSRF|NEXT|PAGE|SYNC)_TOKEN\Z"
    r"|(?:PAD|EOS|BOS|UNK|CLS|SEP|MASK|SPECIAL|START|END|STOP|DESIGN)_TOKEN\Z"
)
"""Names in examples, of tokens that programs obtain themselves, and of tokens of models."""
_ASKS = re.compile(
    r"\b(?i:set|export|requires?|required|needs?|provide|configure|add|put|store|use[sd]?|using|via"
    r"|env|environment|variables?|keys?|tokens?|credentials?)\b|[|=]"
)
"""A word of a line that asks the reader to set the variable named in it."""
_LONGEST_LINE = 2000
_MOST = 200


def keys_in(text: str, samples: Sequence[range] = ()) -> Iterator[Found]:
    """Yield the first place of each key that a file reads from the environment or says to set.

    `samples` are the lines that show how the program of a user is written.
    """
    seen: set[str] = set()
    for start in lines_with(_ENDINGS, text):
        line = text[start : start + _LONGEST_LINE].partition("\n")[0]
        matches = list(_VARIABLE.finditer(line))
        number = text.count("\n", 0, start) + 1 if matches else 0
        for match in () if any(number in lines for lines in samples) else matches:
            name = match["name"]
            is_mention = match[0][0] == "`" and not _ASKS.search(line)
            if name not in seen and not is_mention and not _NO_KEY.match(name):
                seen.add(name)
                yield Found(RunKind.USES_KEY, name, number, shown(line))
        if len(seen) > _MOST:
            return
