"""The door to jinja2: templates, their overrides, and the files that every page shares."""

from __future__ import annotations

import functools
import re
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
from markupsafe import Markup

from skillbuild import assets
from skillbuild.config import Config
from skillbuild.emit.site import cards, colours
from skillbuild.emit.site.addresses import href, root_of
from skillbuild.errors import ConfigError
from skillbuild.model import Digest, Icon, OutputFile
from skillbuild.text.invisible import visible_html
from skillbuild.text.wording import human_size, plural

SHARED = {
    "style.css": ("style.css",),
    "theme.js": ("theme.js",),
    "page.js": ("page.js", "list.js"),
    "search.js": ("minisearch.js", "search.js"),
}
"""What pages load, below `assets/` with a part of the digest in the name: one request for each,
whatever the number of its sources. `search.js` is loaded by the first who searches or filters."""


@dataclass(frozen=True)
class Theme:
    """What makes the pages one catalog's own; picklable, as workers render too."""

    config: Config
    templates: Mapping[str, str] = field(default_factory=dict)
    """Templates of the source by name; they run in a sandbox, and only instead of ours."""
    icons: tuple[Icon, ...] = ()
    prefix: str = ""
    """Where the source lies in its repository, with a final `/`; empty for all of it."""
    discovery: bool = False
    """Whether the release has discovery files, by which installers fetch a skill."""
    marketplace: str | None = None
    """The name of the plugin marketplace, when the release has one."""

    def __getstate__(self) -> dict[str, object]:
        """The fields alone: what was worked out from them stays in its process."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @functools.cached_property
    def assets(self) -> Mapping[str, OutputFile]:
        """The shared files by their plain name."""
        return {name: _asset(name, self.config.accent) for name in SHARED}

    @functools.cached_property
    def environment(self) -> Environment:
        return _environment(self.templates) if self.templates else _plain_environment()

    @functools.cached_property
    def base_path(self) -> str:
        """The path that the catalog is published under, `/` when it is not known."""
        return urlsplit(self.config.base_url or "/").path


ROOT = Markup("<root>")
"""Stands in pieces for the way up to the top of the output; text is escaped, so none is like it."""


def render(theme: Theme, template: str, page: str, /, **values: object) -> OutputFile:
    """One page; every value that is not `Markup` is escaped."""
    return OutputFile(page, _fill(theme, template, root_of(page), values))


def piece(theme: Theme, template: str, /, **values: object) -> bytes:
    """Whole lines of a page, wherever that is: `ROOT` is left to be filled in."""
    return _fill(theme, template, ROOT, values).strip() + b"\n"


def _fill(theme: Theme, template: str, root: str, values: Mapping[str, object]) -> bytes:
    shared = {
        "config": theme.config,
        "root": root,
        "assets": {name: file.path for name, file in theme.assets.items()},
        "brand": theme.icons,
    }
    try:
        text = theme.environment.get_template(template).render({**shared, **values})
    except _TEMPLATE_FAULTS as error:
        if theme.templates:
            line = f"line {error.lineno}: " if isinstance(error, TemplateSyntaxError) else ""
            why = f"{line}{error}".rstrip(".")
            raise ConfigError(f"template {template} cannot be rendered: {why}") from error
        raise
    return text.encode(errors="replace")


_TEMPLATE_FAULTS = (
    TemplateError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
)
"""What a template of the source can raise through no fault of ours."""


@functools.cache
def _asset(name: str, accent: str) -> OutputFile:
    text = "".join(_source(part) for part in SHARED[name])
    if name == "style.css" and accent:
        text += colours.rule(accent)
    data = text.encode()
    stem, _, kind = name.rpartition(".")
    return OutputFile(f"assets/{stem}.{Digest.of(data).short[:8]}.{kind}", data)


def _source(name: str) -> str:
    text = (assets.asset_root("site_src") / name).read_text("utf-8")
    return _INDENT.sub("", text)


_INDENT = re.compile(r"^ +(//.*\n)?|^//.*\n", re.MULTILINE)
"""Indentation and whole lines of comment: sources are for reading, pages for loading."""


class _Loader(BaseLoader):
    """Reads overrides first, then templates wherever the package keeps them, zip files included.

    An override reaches the template it stands for as `default/<name>`.
    """

    def __init__(self, overrides: Mapping[str, str]) -> None:
        self._overrides = overrides

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, None]:
        if template in self._overrides:
            return self._overrides[template], None, None
        source = assets.asset_root("templates") / template.removeprefix("default/")
        if "/" in template.removeprefix("default/") or not source.is_file():
            raise TemplateNotFound(template)
        return source.read_text("utf-8"), None, None


@functools.cache
def _plain_environment() -> Environment:
    """Without overrides, templates are compiled once in the life of a process."""
    return _environment({})


def _environment(overrides: Mapping[str, str]) -> Environment:
    kind = ImmutableSandboxedEnvironment if overrides else Environment
    environment = kind(
        loader=_Loader(overrides),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        cache_size=-1,
    )
    environment.filters["size"] = human_size
    environment.filters["path"] = href
    environment.filters["visible"] = visible
    environment.filters["count"] = lambda number: f"{number:,}"
    environment.filters["plural"] = plural
    environment.filters["short"] = short
    environment.globals["picture"] = cards.picture
    environment.globals["drawing"] = cards.drawing
    environment.globals["slug"] = cards.slug
    environment.globals["loud"] = cards.LOUD
    return environment


def visible(text: str) -> Markup:
    """Escaped text with hidden characters spelled out."""
    # It escapes all of the text.
    return Markup(visible_html(text))  # noqa: S704


def short(path: str, length: int) -> str:
    """The end of a long path, from a folder on, where a narrow column has to show it."""
    if len(path) <= length:
        return path
    start = path.find("/", len(path) - length)
    if start < 0:
        start = path.rfind("/")
    return path if start <= 0 else f"\u2026{path[start:]}"
