"""What gives the pages of one catalog their look, and the rendering of a page with it.

Templates are ours, or those of the source in their place; the filters and functions that they can
use are here.
"""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from urllib.parse import urlsplit

from jinja2 import (
    BaseLoader,
    Environment,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup, escape

from skillbuild import assets
from skillbuild.config import Config
from skillbuild.emit.site import shared_files
from skillbuild.emit.site.addresses import href, root_of, slug
from skillbuild.emit.site.cards import LOUD, drawing, picture
from skillbuild.emit.site.clients import ANY_HOST, CLIENTS, SCOPES, folders
from skillbuild.errors import ConfigError
from skillbuild.model import Icon, OutputFile
from skillbuild.text.invisible import visible_html
from skillbuild.text.wording import human_size, plural

GAP = "<this site>/"
"""Stands for the address of a catalog that does not know its own; a script fills it in."""
_CODE = re.compile(r"`([^`\n]+)`")
_FLAG = re.compile(r"(?<= )--[a-z-]+( [a-z-]+)?")
_SLASH = re.compile(r"(?<=[\w.-])/(?=[\w-])")
_FAULTS = (
    TemplateError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
)
"""What a template of the source can raise through no fault of ours."""


def environment_for(overrides: Mapping[str, str]) -> Environment:
    """An environment in which `overrides`, by name, take the place of our templates.

    Each template is compiled once in the life of a process, whatever number of themes uses it.
    """
    return _environment(tuple(sorted(overrides.items())))


@functools.lru_cache(maxsize=2)
def _environment(overrides: tuple[tuple[str, str], ...]) -> Environment:
    kind = ImmutableSandboxedEnvironment if overrides else Environment
    created = kind(
        loader=_Loader(dict(overrides)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        cache_size=-1,
    )
    created.filters["size"] = human_size
    created.filters["path"] = href
    created.filters["visible"] = visible
    created.filters["inline"] = inline
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
    created.globals["scopes"] = SCOPES
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
    # visible_html escapes all of the text.
    return Markup(visible_html(text))  # noqa: S704


def inline(text: str) -> Markup:
    """The same, and what stands between backticks as code."""
    # Escaping leaves backticks as they are.
    return Markup(_CODE.sub(r"<code>\1</code>", visible_html(text)))  # noqa: S704


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

    No line breaks within a flag or before its value: broken, `--agent` reads as `- -agent`. An
    address breaks after a slash.
    """
    gap = Markup('<span class="site" data-site="">{}</span>').format(GAP)
    broken = _SLASH.sub("/<wbr>", escape(text))
    filled = broken.replace(escape(GAP), gap)
    return Markup(_FLAG.sub(r'<span class="num">\g<0></span>', filled))  # noqa: S704


ANY_SIZE = "any"
"""The size of an icon that is a drawing, which no host shows beside an address."""
ROOT = Markup("<root>")
"""In a piece, the way to the top of the output; text is escaped, so none can look like it."""


@dataclass(frozen=True)
class Theme:
    """All that shapes the pages of a catalog beside its skills; picklable, as workers render too.

    Templates of a source may use any value that a page is rendered with by its name, so these
    names do not change without need.
    """

    config: Config
    templates: Mapping[str, str] = field(default_factory=dict)
    """Templates of the source by name, in place of ours; they run in a sandbox."""
    icons: tuple[Icon, ...] = ()
    """Those of the catalog."""
    prefix: str = ""
    """The folder of the source in its repository with a final `/`; empty for the whole of it."""
    discovery: bool = False
    """Whether the release has discovery files, by which installers fetch a skill."""
    marketplace: str | None = None
    """The name of the plugin marketplace, if the release has one."""

    def __getstate__(self) -> dict[str, object]:
        """The fields; other properties are worked out again."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @functools.cached_property
    def assets(self) -> Mapping[str, OutputFile]:
        """The files that pages share, by their plain names: `style.css` and so on."""
        return shared_files.shared_files(self.config.accent)

    @functools.cached_property
    def shared_picture(self) -> str | None:
        """The path of the picture that stands for a page where its address is shared."""
        shown = next((icon for icon in self.icons if icon.sizes != ANY_SIZE), None)
        if shown is not None:
            return f"icons/{shown.file_name}"
        return None if self.config.icons else shared_files.shared_picture_path(self.config.title)

    @functools.cached_property
    def environment(self) -> Environment:
        """The environment of jinja2 that finds this theme's templates."""
        return environment_for(self.templates)

    @functools.cached_property
    def base_path(self) -> str:
        """The path of the base URL; `/` if that is not known."""
        return urlsplit(self.config.base_url or "/").path


def render(theme: Theme, template: str, page: str, /, **values: object) -> OutputFile:
    """The page at the path `page`; every value that is not `Markup` is escaped.

    A template of the source that cannot be rendered is a ConfigError that names it.
    """
    return OutputFile(page, _fill(theme, template, root_of(page), values))


def piece(theme: Theme, template: str, /, **values: object) -> bytes:
    """Whole lines of HTML for several pages; each puts its own way to the top in place of ROOT."""
    return _fill(theme, template, ROOT, values).strip() + b"\n"


def _fill(theme: Theme, template: str, root: str, values: Mapping[str, object]) -> bytes:
    shared = {
        "config": theme.config,
        "root": root,
        "assets": {name: file.path for name, file in theme.assets.items()},
        "brand": theme.icons,
        "shared_picture": theme.shared_picture,
    }
    try:
        text = theme.environment.get_template(template).render({**shared, **values})
    except _FAULTS as error:
        if theme.templates:
            line = f"line {error.lineno}: " if isinstance(error, TemplateSyntaxError) else ""
            why = f"{line}{error}".rstrip(".")
            raise ConfigError(f"template {template} cannot be rendered: {why}") from error
        raise
    return text.encode(errors="replace")
