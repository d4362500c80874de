"""Parameters of methods that the SDK does not know, as its models."""

from __future__ import annotations

from mcp_types import PaginatedRequestParams, RequestParams


class UriParams(RequestParams):
    """Parameters of the methods that name one resource."""

    uri: str


class DirectoryParams(PaginatedRequestParams):
    """Parameters of `resources/directory/read`."""

    uri: str
