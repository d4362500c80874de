"""Creates the emitters of a build. Only this module of the package reads the `formats` setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skillbuild.config import Config
from skillbuild.emit.discovery import DiscoveryV01Emitter, DiscoveryV02Emitter
from skillbuild.emit.emitter import Emitter
from skillbuild.emit.index import IndexEmitter
from skillbuild.emit.marketplace import MarketplaceEmitter, marketplace_name
from skillbuild.emit.search import SearchEmitter
from skillbuild.emit.site.changes import ChangesEmitter
from skillbuild.emit.site.emitter import SiteEmitter
from skillbuild.emit.site.theme import Theme
from skillbuild.emit.web_files import LlmsEmitter
from skillbuild.model import Icon


def emitters(
    config: Config, icons: Sequence[Icon], templates: Mapping[str, str], prefix: str
) -> tuple[Emitter, ...]:
    """Return the emitters of a build. The emitters of `index.json` and of the search index are
    always included.

    `icons` are the icons of the catalog. `templates` maps the names of built-in templates to their
    replacements. `prefix` is the directory of the source inside its repository; it is empty or ends
    with `/`.
    """
    chosen: list[Emitter] = [IndexEmitter(), SearchEmitter.of(config)]
    formats = config.formats
    name = marketplace_name(config)
    has_pages = "pages" in formats
    if "discovery" in formats:
        changes = ChangesEmitter.path if has_pages and config.versions is not None else ""
        llms = LlmsEmitter(config.base_url, has_pages, changes)
        chosen += [DiscoveryV02Emitter(), DiscoveryV01Emitter(), llms]
    if name is not None and config.base_url is not None:
        chosen.append(MarketplaceEmitter(name, config.base_url, config.owner))
    if has_pages:
        theme = Theme(config, templates, tuple(icons), prefix, "discovery" in formats, name)
        chosen += [SiteEmitter(theme), ChangesEmitter(theme)]
    if len({emitter.path for emitter in chosen}) < len(chosen):
        raise ValueError("two emitters have the same path, so their lines cannot be distinguished")
    return tuple(chosen)
