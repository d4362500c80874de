"""The read-only MCP server. It answers from one release and never maps a request to a file path.

The modules, bottom up: `state` (the release being served), `methods` (the answers to MCP methods),
`result_fields` (fields that the SDK would drop), `server` (the SDK's server object), `transport`
(stdio and HTTP) and `run` (the command). This package cannot build: it imports only `release`,
`storage`, `text.json`, `media.types`, `media.identicon` and the root modules.
"""


def create_app(address: str = "", **options: object) -> object:
    """Return an ASGI application that serves a release from a directory, a URL or an object store.

    If no address is given, the environment variable `SKILLBUILD_SERVE` provides the address:
    `uvicorn --factory` passes no arguments. The options are the fields of
    `skillbuild.serve.transport.application.AppOptions`.
    """
    from skillbuild.serve.transport.application import Application, AppOptions

    return Application.of(AppOptions.of({"address": address, **options} if address else options))
