"""What the page of a skill says of the listings that leave it out."""

import pytest

from helpers import facts
from skillbuild.config import Config
from skillbuild.emit.site.skill_pages import internal, unlisted
from skillbuild.model import Listing, Unlisted, changed

ENTRY = facts.entry()
TYPED = {"mcp": ("allowed-tools-type", "metadata-type")}
PLAIN = {"discovery-0.1": ("discovery-omitted",)}
FOR_OTHERS = (
    "Some MCP clients cannot read this skill, because allowed-tools is not a string and metadata"
    " is not a mapping of strings, and would drop all other skills along with it. So the MCP"
    " list omits this skill as long as there are other skills that these clients can read. You can"
    " still fetch this skill by its address."
)
NOT_PLAIN = (
    "OpenCode and other installers that read discovery v0.1 do not see this skill, because"
    " discovery v0.1.0 cannot contain the skill's name or one of its files."
)


@pytest.mark.parametrize(
    ("left_out", "safe", "everyone"),
    [
        ({}, [], []),
        (TYPED, [FOR_OTHERS], []),
        ({**TYPED, **PLAIN}, [FOR_OTHERS, NOT_PLAIN], [NOT_PLAIN]),
        (
            dict.fromkeys(Listing, ("internal",)),
            [],
            [],
        ),
        (
            {"mcp": ("metadata-type", "of-a-later-version")},
            ["Not in the MCP list, because of-a-later-version."],
            ["Not in the MCP list, because of-a-later-version."],
        ),
    ],
)
def test_a_page_says_what_holds_whatever_other_skills_there_are(
    left_out: Unlisted, safe: list[str], everyone: list[str]
) -> None:
    entry = changed(ENTRY, unlisted=left_out)
    assert list(unlisted(entry, Config())) == safe
    assert list(unlisted(entry, Config(listing="all"))) == everyone


def test_the_page_of_an_internal_skill_says_that_nothing_names_it() -> None:
    entry = changed(ENTRY, unlisted=dict.fromkeys(Listing, ("internal",)))
    words = (
        "Internal: left out of search and of every list of skills. You can still fetch it by its"
        " address."
    )
    assert (list(internal(entry)), list(internal(ENTRY))) == ([words], [])
