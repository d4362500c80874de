"""What a method is called with: the context of the request and its parameters.

The SDK's models drop parameters that they do not know; those are read from `ctx.params`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcp.server.context import ServerRequestContext
from mcp_types import PaginatedRequestParams, RequestParams

from skillbuild.serve.methods import errors
from skillbuild.serve.state.release import ServedRelease

Context = ServerRequestContext[ServedRelease]
"""`lifespan_context` is the release that this request is answered from."""


@dataclass(frozen=True, slots=True)
class Offer:
    """How this process serves a release."""

    duplex: bool
    """Notifications can be sent at any time, as on stdio."""
    tools: bool = False
    """The skills are tools as well."""
    prompts: bool = False
    """The skills are prompts as well."""


class UriParams(RequestParams):
    """Parameters of the methods that name one resource."""

    uri: str


class DirectoryParams(PaginatedRequestParams):
    """Parameters of `resources/directory/read`."""

    uri: str


def text_param(params: Mapping[str, object], key: str) -> str:
    """The value of a parameter that must be a string."""
    value = params.get(key)
    if not isinstance(value, str):
        raise errors.invalid(f"{key} is a text")
    return value
