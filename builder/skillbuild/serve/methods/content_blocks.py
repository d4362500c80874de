"""What results of tools and messages of prompts consist of: texts and links to resources.

The text comes first: several hosts pass nothing else on to the model.
"""

from __future__ import annotations

from skillbuild.serve.methods.describe import describe_briefly
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import ServedRelease


def text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def resource_link(release: ServedRelease, uri: str) -> JsonObject:
    """A link to a resource that is served, described as in lists."""
    return {"type": "resource_link", **(describe_briefly(release, uri) or {"uri": uri})}
