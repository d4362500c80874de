"""What the protocol calls an object, as a plain value."""

from __future__ import annotations

JsonObject = dict[str, object]
