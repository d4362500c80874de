"""The MCP server: read-only, answers from one release, never turns a request into a file path.

From the bottom up: `state` (the release being served), `methods` (what each MCP method answers),
`direct` and `greeting` (what goes past the SDK), `envelope` (what all results have), `server` and
`middleware` (the SDK's server object), `transport` (stdio and HTTP), `run`, `sdk_import`, `start`
(the command). Nothing here can build: it uses `release`, `storage`, `text.json`, `media.types`,
`media.identicon` and the root modules.
"""
