"""What a method is called with: the context of the request, and what this process offers.

The SDK's models drop parameters that they do not know; those are read from `ctx.params`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from skillbuild.serve.methods import errors

if TYPE_CHECKING:  # What answers without the SDK imports this module.
    from mcp.server.context import ServerRequestContext

    from skillbuild.serve.state.release import ServedRelease

Context: TypeAlias = "ServerRequestContext[ServedRelease]"
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


def text_param(params: Mapping[str, object], key: str) -> str:
    """The value of a parameter that must be a string."""
    value = params.get(key)
    if not isinstance(value, str):
        raise errors.invalid(f"{key} is a text")
    return value
