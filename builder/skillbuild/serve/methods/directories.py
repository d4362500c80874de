"""`resources/directory/read` (SEP-2640, Reading Directories)."""

from __future__ import annotations

from skillbuild.serve.methods import errors
from skillbuild.serve.methods.context import Context
from skillbuild.serve.methods.describe import list_briefly
from skillbuild.serve.methods.pagination import page_of, with_next
from skillbuild.serve.methods.params import DirectoryParams
from skillbuild.serve.methods.work import in_thread
from skillbuild.serve.state.directories import children
from skillbuild.serve.state.moves import successor_uri
from skillbuild.serve.state.raw_json import JsonObject


async def read_directory(ctx: Context, params: DirectoryParams) -> JsonObject:
    return await list_children(ctx, params.uri, params.cursor)


async def list_children(ctx: Context, uri: str, cursor: str | None) -> JsonObject:
    """A page of the files and subdirectories directly in a directory, each as a Resource."""
    release = ctx.lifespan_context
    if not release.is_directory(uri):
        raise errors.no_directory(uri, successor_uri(release, uri))
    members = await in_thread(children, release, uri)
    part = page_of(ctx, len(members), cursor, (uri,))
    uris = [child.uri for child in members[part.start : part.stop]]
    resources = await list_briefly(release, uris)
    return with_next({"resources": resources}, part)
