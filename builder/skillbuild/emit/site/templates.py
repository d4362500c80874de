"""Where jinja2 finds templates, and the filters and functions that they can use."""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Mapping

from jinja2 import (
    BaseLoader,
    BytecodeCache,
    Environment,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
)
from jinja2.bccache import Bucket
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup, escape

from skillbuild import assets
from skillbuild.emit.site.addresses import href
from skillbuild.emit.site.clients import ANY_HOST, CLIENTS, folders
from skillbuild.emit.site.facets import slug
from skillbuild.emit.site.pictures import drawing, picture
from skillbuild.emit.site.signals import LOUD
from skillbuild.text.invisible import visible_html
from skillbuild.text.wording import human_size, plural

GAP = "<this site>/"
"""Stands for the address of a catalog that does not know its own; a script fills it in."""
_FLAG = re.compile(r"(?<= )--[a-z-]+( [a-z-]+)?")
FAULTS = (
    TemplateError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
)
"""What a template of the source can raise through no fault of ours."""


class CompiledTemplates(BytecodeCache):
    """By the key that jinja2 gives a template; code of another Python or text is none to it."""

    def __init__(self) -> None:
        self.codes: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if code := self.codes.get(bucket.key):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.codes[bucket.key] = bucket.bytecode_to_string()


_sandboxed = CompiledTemplates()
"""What was compiled to run in a sandbox: the next build of this process, of a preview say, has an
environment of its own, but mostly the same templates."""


def environment(overrides: Mapping[str, str]) -> Environment:
    """An environment in which `overrides`, by name, take the place of our templates."""
    return new_environment(overrides) if overrides else own_environment()


@functools.cache
def own_environment() -> Environment:
    """Without overrides, templates are compiled once in the life of a process."""
    return new_environment({})


def new_environment(overrides: Mapping[str, str]) -> Environment:
    kind = ImmutableSandboxedEnvironment if overrides else Environment
    created = kind(
        loader=_Loader(overrides),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        cache_size=-1,
        bytecode_cache=_sandboxed if overrides else CompiledTemplates(),
    )
    created.filters["size"] = human_size
    created.filters["path"] = href
    created.filters["visible"] = visible
    created.filters["count"] = lambda number: f"{number:,}"
    created.filters["plural"] = plural
    created.filters["short"] = short
    created.filters["commands"] = commands
    created.filters["shell"] = shlex.quote
    created.globals["picture"] = picture
    created.globals["drawing"] = drawing
    created.globals["slug"] = slug
    created.globals["loud"] = LOUD
    created.globals["clients"] = CLIENTS
    created.globals["folders"] = folders
    created.globals["any_host"] = ANY_HOST
    return created


class _Loader(BaseLoader):
    """Reads overrides first, then templates wherever the package is, a zip file included.

    An override finds the template that it replaces as `default/<name>`.
    """

    def __init__(self, overrides: Mapping[str, str]) -> None:
        self._overrides = overrides

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, None]:
        if template in self._overrides:
            return self._overrides[template], None, None
        name = template.removeprefix("default/")
        source = assets.asset_root("templates") / name
        if "/" in name or not source.is_file():
            raise TemplateNotFound(template)
        return source.read_text("utf-8"), None, None


def visible(text: str) -> Markup:
    """Escaped text with hidden characters spelled out."""
    # highlighting.visible escapes all of the text.
    return Markup(visible_html(text))  # noqa: S704


def short(path: str, length: int) -> str:
    """A path of more than `length` characters by its end, from a slash on, for a narrow column.

    A file name is never cut, so the result may still be longer.
    """
    if len(path) <= length:
        return path
    start = path.find("/", len(path) - length)
    if start < 0:
        start = path.rfind("/")
    return path if start <= 0 else f"\u2026{path[start:]}"


def commands(text: str) -> Markup:
    """Commands as HTML, in which a script finds the gap for the address of the catalog.

    No line breaks within a flag or before its value: broken, `--agent` reads as `- -agent`.
    """
    gap = Markup('<span class="site" data-site="">{}</span>').format(GAP)
    filled = str(escape(text).replace(escape(GAP), gap))
    return Markup(_FLAG.sub(r'<span class="num">\g<0></span>', filled))  # noqa: S704
