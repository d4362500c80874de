"""Our own templates as jinja2 has compiled them, to be taken along into another process."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import cast

from skillbuild import assets
from skillbuild.emit.site.templates import CompiledTemplates, own_environment


def compiler() -> str:
    """What the code of a template depends on beside its text and the files of this program."""
    return f"jinja2 {version('jinja2')}"


def take(codes: Mapping[str, bytes]) -> None:
    """Use what another process has compiled; it is run, so it has to be trusted."""
    _own().codes.update(codes)


def codes() -> Mapping[str, bytes]:
    """The code of the templates that this process has taken or compiled, by jinja2's keys."""
    return _own().codes


def load_all() -> Mapping[str, bytes]:
    """The code of every template of ours; what this process has not used yet is compiled."""
    for item in assets.asset_root("templates").iterdir():
        if item.is_file():
            own_environment().get_template(item.name)
    return codes()


def _own() -> CompiledTemplates:
    return cast("CompiledTemplates", own_environment().bytecode_cache)
