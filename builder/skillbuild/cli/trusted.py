"""The option `--trust`: trust settings given on the command line instead of in the source."""

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
    """Return the settings with the table `[trust]` from the file that `--trust` names, and its root
    certificates by name.

    The `[trust]` of the source is ignored then, because authors of the source must not decide who
    is trusted. Without the option, returns the settings unchanged and no roots.
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
        raise ConfigError(f"{escape(str(file))} has over {LARGEST_ROOT:,} bytes")
    return data
