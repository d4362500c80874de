"""`prompts/list`: empty, but answered, as some clients take an unknown method for a dead server."""

from __future__ import annotations

from mcp_types import PaginatedRequestParams

from skillbuild.serve.methods.context import Context
from skillbuild.serve.methods.pagination import page_of, with_next
from skillbuild.serve.state.raw_json import JsonObject


async def list_no_prompts(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    return with_next({"prompts": []}, page_of(ctx, 0, params.cursor))
