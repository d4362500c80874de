"""Our own templates as jinja2 has compiled them, to be taken along into a later process."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from skillbuild import assets
from skillbuild.emit.site import templates


class _Bytecode(BytecodeCache):
    """By the key that jinja2 gives a template; code of another Python or text is none to it."""

    def __init__(self) -> None:
        self.codes: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if code := self.codes.get(bucket.key):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.codes[bucket.key] = bucket.bytecode_to_string()


def compiler() -> str:
    """What the code of a template depends on beside its text and the files of this program."""
    return f"jinja2 {version('jinja2')}"


def take(codes: Mapping[str, bytes]) -> None:
    """Use what `all_codes` gave in an earlier process; it is run, so it has to be trusted."""
    cache = _Bytecode()
    cache.codes |= codes
    templates.own_environment().bytecode_cache = cache


def all_codes() -> Mapping[str, bytes]:
    """The code of every template of ours, compiled now."""
    environment, cache = templates.new_environment({}), _Bytecode()
    environment.bytecode_cache = cache
    for item in assets.asset_root("templates").iterdir():
        if item.is_file():
            environment.get_template(item.name)
    return cache.codes
