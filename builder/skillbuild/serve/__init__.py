"""The MCP server: read-only, answers from one release, never turns a request into a file path.

From the bottom up: `state` (the release being served), `methods` (what each MCP method answers),
`server` and `middleware` (the SDK's server object), `direct` (what goes past the SDK), `transport`
(stdio and HTTP), `run` and `start` (the command). Nothing here can build: it uses `release`,
`storage`, `text.json`, `media.types`, `media.identicon` and the root modules.
"""
