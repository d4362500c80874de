"""The look of the pages of one catalog, and how a page is rendered.

Templates are built in, and a source can replace them. The filters and functions that templates use
are defined here.
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
"""Placeholder for the address of the catalog if no base URL is set; a script replaces it."""
_INLINE = re.compile(r"`([^`\n]+)`|\*\*(?=\S)([^*`\n]+)(?<=\S)\*\*")
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
"""Errors that a template of the source can raise."""


def environment_for(overrides: Mapping[str, str]) -> Environment:
    """Return a template environment; `overrides` maps names of built-in templates to their
    replacements.

    Each template is compiled once in a process, even if there are several themes.
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
    """Loads overrides first, then our templates, even from a zip file.

    An override can use the template that it replaces as `default/<name>`.
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
    """Return escaped text in which hidden characters are shown as code points."""
    # visible_html escapes all of the text.
    return Markup(visible_html(text))  # noqa: S704


def inline(text: str) -> Markup:
    """Return escaped text. Hidden characters are shown as code points, text in backticks as code,
    and text in double asterisks as bold.
    """

    def element(match: re.Match[str]) -> str:
        return f"<code>{match[1]}</code>" if match[1] else f"<strong>{match[2]}</strong>"

    # Escaping leaves backticks and asterisks as they are.
    return Markup(_INLINE.sub(element, visible_html(text)))  # noqa: S704


def short(path: str, length: int) -> str:
    """Return the end of a path, cut at a slash, with at most `length` characters.

    A file name is never cut, so the result may be longer.
    """
    if len(path) <= length:
        return path
    start = path.find("/", len(path) - length)
    if start < 0:
        start = path.rfind("/")
    return path if start <= 0 else f"\u2026{path[start:]}"


def commands(text: str) -> Markup:
    """Return commands as HTML. The placeholder for the catalog's address is marked, so that a
    script can replace it.

    A line never breaks inside an option or before its value, because a broken `--agent` looks like
    two words. A line may break after a slash in an address.
    """
    gap = Markup('<span class="site" data-site="">{}</span>').format(GAP)
    broken = _SLASH.sub("/<wbr>", escape(text))
    filled = broken.replace(escape(GAP), gap)
    return Markup(_FLAG.sub(r'<span class="num">\g<0></span>', filled))  # noqa: S704


ANY_SIZE = "any"
"""The size of an SVG icon. Link previews do not show SVG images."""
ROOT = Markup("<root>")
"""In rendered parts of pages, stands for the path to the top; escaped text cannot contain it."""


@dataclass(frozen=True)
class Theme:
    """The settings, templates and icons that shape the pages of a catalog. A theme can be pickled
    and sent to worker processes.

    The templates of a source may use any value that is passed to a page, by name. So avoid renaming
    these values.
    """

    config: Config
    templates: Mapping[str, str] = field(default_factory=dict)
    """Templates of the source by name, which replace ours; they run in a sandbox."""
    icons: tuple[Icon, ...] = ()
    """The icons of the catalog."""
    prefix: str = ""
    """The source directory inside its repository: empty, or with a final `/`."""
    discovery: bool = False
    """Whether the release has discovery files, which installers need to fetch a skill."""
    marketplace: str | None = None
    """The name of the plugin marketplace, if the release has one."""

    def __getstate__(self) -> dict[str, object]:
        """Return the fields; cached properties are computed again."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @functools.cached_property
    def assets(self) -> Mapping[str, OutputFile]:
        """The files that pages share, by their plain names: `style.css` and so on."""
        return shared_files.shared_files(self.config.accent)

    @functools.cached_property
    def shared_picture(self) -> str | None:
        """The path of the picture for link previews; None if there is none."""
        shown = next((icon for icon in self.icons if icon.sizes != ANY_SIZE), None)
        if shown is not None:
            return f"icons/{shown.file_name}"
        return None if self.config.icons else shared_files.shared_picture_path(self.config.title)

    @functools.cached_property
    def environment(self) -> Environment:
        """The jinja2 environment that loads this theme's templates."""
        return environment_for(self.templates)

    @functools.cached_property
    def base_path(self) -> str:
        """The path of the base URL; `/` if there is no base URL."""
        return urlsplit(self.config.base_url or "/").path


def render(theme: Theme, template: str, page: str, /, **values: object) -> OutputFile:
    """Render the page at the path `page`. Every value that is not `Markup` is escaped.

    Raises `ConfigError` with the name of the template if a template of the source cannot be
    rendered.
    """
    return OutputFile(page, _fill(theme, template, root_of(page), values))


def piece(theme: Theme, template: str, /, **values: object) -> bytes:
    """Render HTML that several pages embed. Each of these pages must replace `ROOT` in the HTML
    with the relative path from the page to the top of the output.
    """
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
