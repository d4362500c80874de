"""Our own templates as jinja2 has compiled them, to be taken along into a later process."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from skillbuild import assets
from skillbuild.emit.site import templates
from skillbuild.emit.site.templates import CompiledTemplates


def compiler() -> str:
    """What the code of a template depends on beside its text and the files of this program."""
    return f"jinja2 {version('jinja2')}"


def take(codes: Mapping[str, bytes]) -> None:
    """Use what `all_codes` gave in an earlier process; it is run, so it has to be trusted."""
    cache = CompiledTemplates()
    cache.codes |= codes
    templates.own_environment().bytecode_cache = cache


def all_codes() -> Mapping[str, bytes]:
    """The code of every template of ours, compiled now."""
    environment, cache = templates.new_environment({}), CompiledTemplates()
    environment.bytecode_cache = cache
    for item in assets.asset_root("templates").iterdir():
        if item.is_file():
            environment.get_template(item.name)
    return cache.codes
