"""The words for what a skill may do, the same on pages, in comparisons and in answers."""

from __future__ import annotations

from collections.abc import Mapping

from skillbuild.model import DANGERS, License, LicenseKind, RunFact, RunKind
from skillbuild.release.frontmatter import NONE_FOUND

TITLES: Mapping[str, str] = {
    RunKind.DOWNLOAD: "Runs what it downloads",
    RunKind.DECODED: "Runs what it decodes",
    RunKind.TELLS_DOWNLOAD: "Tells you to run a download",
    RunKind.OPENS_SHELL: "Opens a shell to the network",
    RunKind.OVERWRITES_DISK: "Overwrites a disk",
    RunKind.DELETES_ALL: "Deletes a whole folder",
    RunKind.ON_LOAD: "Runs commands when it is loaded",
    RunKind.HOOK: "Has hooks",
    RunKind.AGENT: "Starts an agent that asks for no permission",
    RunKind.CREDENTIALS: "Reads credentials",
    RunKind.LATER: "Starts again later",
    RunKind.SENDS: "Sends files",
    RunKind.ASKS: "Asks for more rights",
    RunKind.REACHES: "Reaches the network",
    RunKind.INSTALLS: "Installs packages",
    RunKind.MCP_SERVER: "Adds an MCP server",
    RunKind.SCRIPT: "Scripts",
    RunKind.TEST_SCRIPT: "Scripts in tests and examples",
    RunKind.DELETES: "Deletes folders",
    RunKind.PUSHES: "Pushes to a git remote",
    RunKind.RESETS: "Discards changes in git",
    RunKind.CLOUD: "Runs command lines of services",
    RunKind.EVAL: "Evaluates text as code",
    RunKind.LOADS_PAGE: "Has pages that load from other hosts",
}
"""Of the rows of each kind, the kinds in the order in which they are shown."""
LOUD = DANGERS | {RunKind.ON_LOAD, RunKind.HOOK, RunKind.AGENT, RunKind.CREDENTIALS}
"""Kinds that ask for a look at the skill before it is installed."""
PROGRAMS = frozenset([RunKind.SCRIPT, RunKind.TEST_SCRIPT])
"""Kinds whose facts are files."""


def phrase(fact: RunFact) -> str:
    """What a skill does, as words that follow its name: `reaches example.org`."""
    match fact.kind:
        case RunKind.REACHES:
            return f"reaches {fact.host or fact.words or 'the network'}"
        case RunKind.INSTALLS:
            return f"installs {fact.words} packages" if fact.words else "installs packages"
        case RunKind.ASKS:
            return f"asks for {fact.words or 'more rights'}"
        case RunKind.DOWNLOAD if fact.host:
            return f"runs what it downloads from {fact.host}"
        case RunKind.SCRIPT | RunKind.TEST_SCRIPT:
            return f"has the script {fact.path}"
        case _:
            title = TITLES.get(fact.kind, fact.kind)
            return f"{title[:1].lower()}{title[1:]}"


_LONGEST_TERMS = 60
"""Characters of a license's words in one line with other facts."""


def license_words(terms: License, most: int = 0) -> str:
    """What is known of a license, and whose it is: `MIT (of the repository)`.

    `most` is how many characters of words that name no license are shown; 0 is all of them.
    """
    value = terms.value
    if most and len(value) > most and terms.kind != LicenseKind.SEVERAL:
        value = f"{value[:most].rstrip()}\u2026"
    if terms.kind == LicenseKind.NONE:
        value = f"license: {NONE_FOUND}"
    elif terms.kind == LicenseKind.PROPRIETARY and "proprietary" not in value.lower():
        value = f"Proprietary: {value}"
    if terms.origin in ("plugin", "repository"):
        value += f" (of the {terms.origin})"
    is_unknown = terms.declared and terms.origin != "skill"
    return f"{terms.declared} (declared); {value}" if is_unknown else value


def license_labels(terms: License) -> tuple[str, ...]:
    """The values that a skill has in the facet of licenses, in lists and in the search."""
    match terms.kind:
        case LicenseKind.SPDX:
            return (terms.value,)
        case LicenseKind.SEVERAL:
            return tuple(terms.value.split(", "))
        case LicenseKind.PROPRIETARY:
            return ("proprietary",)
        case LicenseKind.NONE:
            return (NONE_FOUND,)
        case _:
            return ("custom terms",)
