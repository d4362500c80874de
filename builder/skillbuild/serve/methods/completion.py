"""`completion/complete`: the path in the one resource template."""

from __future__ import annotations

from bisect import bisect_left

from mcp_types import CompleteRequestParams, ResourceTemplateReference

from skillbuild.serve.methods import errors
from skillbuild.serve.methods.context import Context
from skillbuild.serve.methods.resources import TEMPLATE
from skillbuild.serve.state.raw_json import JsonObject

MOST_VALUES = 100
"""The protocol's limit (2025-11-25, Completion)."""


async def complete(ctx: Context, params: CompleteRequestParams) -> JsonObject:
    """Files of all skills but internal ones whose path starts with the value, in order."""
    is_template = isinstance(params.ref, ResourceTemplateReference) and params.ref.uri == TEMPLATE
    if not is_template or params.argument.name != "path":
        raise errors.invalid(f"the path of {TEMPLATE} can be completed, and nothing else")
    uris = ctx.lifespan_context.completable_uris
    prefix = f"skill://{params.argument.value}"
    start = bisect_left(uris, prefix)
    stop = bisect_left(uris, f"{prefix}\x7f", start)  # URIs are ASCII: DEL comes after all of them.
    total = stop - start
    values = [uri.removeprefix("skill://") for uri in uris[start:stop][:MOST_VALUES]]
    return {"completion": {"values": values, "total": total, "hasMore": total > len(values)}}
