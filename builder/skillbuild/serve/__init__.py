"""The MCP server: read-only, answers from one release, never turns a request into a file path.

From the bottom up: `state` (the release being served), `methods` (what each MCP method answers),
`result_fields` (what the SDK drops) and `server` (the SDK's server object), `transport` (stdio and
HTTP), `run` (the command). Nothing here can build: it uses `release`, `storage`, `text.json`,
`media.types`, `media.identicon` and the root modules.
"""


def create_app(address: str = "", **options: object) -> object:
    """An ASGI application that serves a release: of a directory, a URL or an object store.

    Without an address, `SKILLBUILD_SERVE` has it, as for `uvicorn --factory`. The options are those
    of `skillbuild.serve.transport.application.AppOptions`.
    """
    from skillbuild.serve.transport.application import Application, AppOptions

    return Application.of(AppOptions.of({"address": address, **options} if address else options))
