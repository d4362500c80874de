"""The skill card and the evals of a skill. They help people to choose a skill.

Publishers put them beside SKILL.md, as `skill-card.md` and `evals/`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from skillbuild.emit.emitter import EmittedSkill
from skillbuild.emit.site.links import Links
from skillbuild.model import Change
from skillbuild.paths import EVALS
from skillbuild.text.json import depth_of
from skillbuild.text.markdown.render import render_markdown
from skillbuild.text.wording import plural

CARD_FILE = "skill-card.md"
_EVALS_FILE = f"{EVALS}/evals.json"
_LISTS = ("evals", "cases")
"""Keys of an object under which evals are listed."""
_LARGEST_EVALS, _DEEPEST_EVALS = 1024 * 1024, 100
_ID = re.compile(r'(?:(?<= id=")|(?<= href="#))user-content-')
"""The beginning of ids of headings, and of links to them, in rendered HTML."""


@dataclass(frozen=True, slots=True)
class Evals:
    """The evals of a skill: a phrase with their number, such as `3 evals`, the path of a file that
    contains evals, and the last change of the evals, if known.
    """

    words: str
    path: str
    change: Change | None


def card_html(links: Links) -> Markup | None:
    """Return the `skill-card.md` of a skill as HTML for the skill's page; None if there is no such
    file.

    Ids in the HTML get a prefix, because SKILL.md is on the same page and may have the same
    headings.
    """
    document = links.documents.of(CARD_FILE) if CARD_FILE in links.pages else None
    if document is None:
        return None
    resolve = links.resolver(links.own_page, CARD_FILE)

    def address(kind: str, target: str) -> str | None:
        found = resolve(kind, target)
        return f"index.html{found}" if found and found.startswith("#") else found

    body = render_markdown(document, address)
    # The renderer has escaped all text and raw HTML, so no text looks like an attribute.
    return Markup(_ID.sub("card-user-content-", body.html))  # noqa: S704


def evals_of(emitted: EmittedSkill) -> Evals | None:
    """Return the evals of a skill; None if it has none."""
    files = {file.path: file.data for file in emitted.skill.files}
    inside = [path for path in files if path.startswith(f"{EVALS}/")]
    if not inside:
        return None
    count = _count(files)
    words = (
        plural(count, "eval") if count else plural(len(inside), "file of evals", "files of evals")
    )
    path = _EVALS_FILE if count else inside[0]
    return Evals(words, path, emitted.evals_change)


def _count(files: Mapping[str, bytes]) -> int:
    """Return the number of evals that `evals/evals.json` lists; 0 if it cannot be read."""
    data = files.get(_EVALS_FILE, b"")
    if len(data) > _LARGEST_EVALS or depth_of(data) > _DEEPEST_EVALS:
        return 0
    try:
        value = json.loads(data)
    except ValueError:
        return 0
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if key in value), None)
    return len(value) if isinstance(value, list) else 0
