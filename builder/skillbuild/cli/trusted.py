"""The `--trust` option: reads the `[trust]` table from a file outside of the source."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from skillbuild.check.trust.evidence import LARGEST_ROOT
from skillbuild.config import Config, parse_trust
from skillbuild.diagnostics import escape
from skillbuild.errors import ConfigError


def trusted(
    settings: Config, options: argparse.Namespace
) -> tuple[Config, Mapping[str, bytes] | None]:
    """Return the settings with the `[trust]` table from the `--trust` file, and the root
    certificates that the table lists, by name.

    The `[trust]` table of the source is then ignored, because the authors of the source must not
    decide who is trusted. Without `--trust`, the settings are unchanged and the certificates are
    None.
    """
    if options.trust is None:
        return settings, None
    file = Path(options.trust)
    trust = parse_trust(_read(file), escape(options.trust))
    return settings.but(trust=trust), {name: _read(file.parent / name) for name in trust.roots}


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST_ROOT + 1)
    except OSError as error:
        raise ConfigError(f"{escape(str(file))} cannot be read: {error.strerror}") from error
    if len(data) > LARGEST_ROOT:
        raise ConfigError(f"{escape(str(file))} is larger than {LARGEST_ROOT:,} bytes")
    return data
