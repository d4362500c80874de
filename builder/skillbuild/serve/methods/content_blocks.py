"""What results of tools and messages of prompts consist of: texts.

There are no links to resources: some hosts refuse a result that has one, others read the resource
again or give its description to the model, and none makes use of it.
"""

from __future__ import annotations

import json
from contextlib import suppress

from skillbuild.serve.state.raw_json import JsonObject

_STARTS = ("{", "[", '"')
_LONGEST_NUMBER = 64


def text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def file_block(path: str, text: str) -> JsonObject:
    """The text of a file, after its path where hosts would take the text for JSON.

    Some parse what comes as text by themselves. They then refuse an array, or give the model what
    they have written anew.
    """
    return text_block(f"{path}:\n{text}" if _may_be_json(text) else text)


def _may_be_json(text: str) -> bool:
    """True for a text that begins as an object, an array or a string, and for a mere number."""
    if text.lstrip().startswith(_STARTS):
        return True
    with suppress(ValueError):
        json.loads(text[: _LONGEST_NUMBER + 1])
        return len(text) <= _LONGEST_NUMBER
    return False
