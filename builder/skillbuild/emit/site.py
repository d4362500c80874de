"""The HTML catalog: a list of the skills and a page for each, without a line of active content."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Iterator
from importlib.metadata import version
from urllib.parse import quote, unquote

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound
from markupsafe import Markup

from skillbuild import assets, markdown
from skillbuild.config import Config
from skillbuild.model import Catalog, Digest, Entry, OutputFile, Skill
from skillbuild.record import blob_path

_OUTSIDE = re.compile(r"(https?://|mailto:)", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_LONGEST_ADDRESS = 2048


def renderers() -> dict[str, str]:
    """Versions of what shapes a page, by package name."""
    return {name: version(name) for name in ("jinja2", "markdown-it-py")}


def emit_skill(skill: Skill, entry: Entry, config: Config) -> Iterator[OutputFile]:
    """The page of one skill, `skills/<path>/index.html`."""
    root = "../" * (entry.path.count("/") + 2)
    blobs = {item.path: f"{root}{blob_path(item.digest)}" for item in entry.resources}
    body = markdown.render(skill.body, lambda kind, target: _address(kind, target, blobs))
    # The renderer has escaped all text and raw HTML of the skill.
    safe = Markup(body)  # noqa: S704
    page = _render("skill.html", config, root, entry=entry, body=safe, blobs=blobs)
    yield OutputFile(f"skills/{entry.path}/index.html", page)


def emit_catalog(catalog: Catalog, config: Config) -> Iterator[OutputFile]:
    """The list, the style sheet, and the file that keeps Pages from rendering SKILL.md."""
    yield OutputFile("index.html", _render("list.html", config, "", catalog=catalog))
    yield OutputFile(f"assets/{_style_name()}", _style())
    yield OutputFile(".nojekyll", b"")


def _address(kind: str, target: str, blobs: dict[str, str]) -> str | None:
    """The link policy: the web, fragments of the page, and files of the skill."""
    if len(target) > _LONGEST_ADDRESS or kind == "image":
        return None
    if _OUTSIDE.match(target):
        return target
    if target.startswith("#"):
        return f"#user-content-{target[1:].lower()}"
    if _SCHEME.match(target):
        return None
    path = posixpath.normpath(unquote(target.partition("#")[0].partition("?")[0]))
    return blobs.get(path)


def _render(name: str, config: Config, root: str, **values: object) -> bytes:
    template = _environment().get_template(name)
    text = template.render(config=config, root=root, style=_style_name(), **values)
    return text.encode()


@functools.cache
def _style() -> bytes:
    return (assets.asset_root("site_src") / "style.css").read_bytes()


@functools.cache
def _style_name() -> str:
    return f"style.{Digest.of(_style()).short[:8]}.css"


class _Loader(BaseLoader):
    """Reads templates wherever the package keeps them, zip files included."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, None]:
        source = assets.asset_root("templates") / template
        if not source.is_file():
            raise TemplateNotFound(template)
        return source.read_text("utf-8"), None, None


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=_Loader(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["size"] = human_size
    environment.filters["path"] = lambda path: quote(path, safe="/:@!$&'()*+,;=~")
    return environment


def human_size(size: int) -> str:
    """`5.3 kB` and the like, in powers of 1000."""
    value = float(size)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"
