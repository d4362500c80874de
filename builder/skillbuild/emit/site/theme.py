"""What gives the pages of one catalog their look, and the rendering of a page with it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from urllib.parse import urlsplit

from jinja2 import Environment, TemplateSyntaxError
from markupsafe import Markup

from skillbuild.config import Config
from skillbuild.emit.site import bytecode, shared_files, sharing, templates
from skillbuild.emit.site.addresses import root_of
from skillbuild.errors import ConfigError
from skillbuild.model import Icon, OutputFile

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

    def __getstate__(self) -> tuple[dict[str, object], Mapping[str, bytes]]:
        """The fields, and compiled templates; other properties are worked out again."""
        return {item.name: getattr(self, item.name) for item in fields(self)}, bytecode.codes()

    def __setstate__(self, state: tuple[dict[str, object], Mapping[str, bytes]]) -> None:
        values, codes = state
        self.__dict__.update(values)
        bytecode.take(codes)

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
        return None if self.config.icons else sharing.path(self.config.title)

    @functools.cached_property
    def environment(self) -> Environment:
        """The environment of jinja2 that finds this theme's templates."""
        return templates.environment(self.templates)

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
    except templates.FAULTS as error:
        if theme.templates:
            line = f"line {error.lineno}: " if isinstance(error, TemplateSyntaxError) else ""
            why = f"{line}{error}".rstrip(".")
            raise ConfigError(f"template {template} cannot be rendered: {why}") from error
        raise
    return text.encode(errors="replace")
