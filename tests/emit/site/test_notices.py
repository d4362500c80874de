"""What the page of a skill says of the listings that leave it out."""

import pytest

from helpers import facts
from skillbuild.config import Config
from skillbuild.emit.site.skill_pages import notices
from skillbuild.model import Listing, Unlisted, changed

ENTRY = facts.entry()
TYPED = {"mcp": ("allowed-tools-type", "metadata-type")}
PLAIN = {"discovery-0.1": ("discovery-omitted",)}
FOR_OTHERS = (
    "Some MCP clients cannot read this skill, as allowed-tools is not a string and metadata is not"
    " a mapping of strings, and would drop all others with it. So the MCP list leaves it"
    " out if it has any that such a client can read. It can be fetched by its address."
)
NOT_PLAIN = (
    "Installers that know only discovery v0.1 do not see this skill, as a file or the name of the"
    " skill cannot be offered in discovery v0.1.0."
)


@pytest.mark.parametrize(
    ("unlisted", "safe", "everyone"),
    [
        ({}, [], []),
        (TYPED, [FOR_OTHERS], []),
        ({**TYPED, **PLAIN}, [FOR_OTHERS, NOT_PLAIN], [NOT_PLAIN]),
        (
            dict.fromkeys(Listing, ("internal",)),
            ["Internal: no list, search or listing names it. It can be fetched by its address."],
            ["Internal: no list, search or listing names it. It can be fetched by its address."],
        ),
        (
            {"mcp": ("metadata-type", "of-a-later-version")},
            ["Not in the MCP list, as of-a-later-version."],
            ["Not in the MCP list, as of-a-later-version."],
        ),
    ],
)
def test_a_page_says_what_holds_whatever_other_skills_there_are(
    unlisted: Unlisted, safe: list[str], everyone: list[str]
) -> None:
    entry = changed(ENTRY, unlisted=unlisted)
    assert list(notices(entry, Config())) == safe
    assert list(notices(entry, Config(listing="all"))) == everyone
