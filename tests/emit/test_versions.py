"""What changed from one version to the next, and the index by which one version is installed."""

from __future__ import annotations

import json

import pytest

from helpers import versions
from helpers.repos import Program, skill_md
from skillbuild.config import Config
from skillbuild.emit.discovery import SCHEMA, DiscoveryV02Emitter
from skillbuild.emit.versions import Difference, Names, VersionContent

TEXT = "---\nname: pdf\ndescription: Fills forms.\n{}---\n{}"


def compared(older: versions.Contents, newer: versions.Contents) -> Difference:
    pair = (versions.Past(versions.content(files)) for files in (newer, older))
    return versions.compared(*pair).difference


def test_a_difference_names_files_lines_tools_and_what_the_skill_does() -> None:
    older: versions.Contents = {
        "SKILL.md": TEXT.format("allowed-tools: Read Grep\n", "`curl https://docs.python.org/x`\n"),
        "gone.py": "print()\n",
        "notes.md": "Old.\n",
        "run.sh": "echo\n",
    }
    newer: versions.Contents = {
        "SKILL.md": TEXT.format("allowed-tools: Read Bash\n", "Do it.\nThen rest.\n"),
        "notes.md": "New.\n",
        "run.sh": Program("echo\n"),
        "scripts/fetch.py": "import requests\nrequests.get('https://pypi.org/simple')\n",
    }
    different = compared(older, newer)
    tokens = versions.content(newer).facts.all_tokens - versions.content(older).facts.all_tokens
    assert different == Difference(
        files=Names(("scripts/fetch.py",), ("gone.py",), ("SKILL.md", "notes.md", "run.sh")),
        tools=Names(("Bash",), ("Grep",)),
        does=Names(
            (
                "reaches the network (requests)",
                "reaches pypi.org",
                "has the script scripts/fetch.py",
            ),
            ("reaches docs.python.org", "has the script gone.py"),
        ),
        lines_added=3,
        lines_removed=2,
        tokens=tokens,
    )


SHORT = {
    "no file changed": Difference(),
    "SKILL.md +12 -3 lines; +310 tokens": Difference(
        Names(changed=("SKILL.md",)), lines_added=12, lines_removed=3, tokens=310
    ),
    "SKILL.md -3 lines; a changed; -1 token": Difference(
        Names(changed=("SKILL.md", "a")), lines_removed=3, tokens=-1
    ),
    "SKILL.md changed": Difference(Names(changed=("SKILL.md",))),
    "now reaches example.org; may now use X without asking; SKILL.md +1 line; z added": Difference(
        Names(("z",), (), ("SKILL.md",)),
        Names(("X",), ("Read",)),
        Names(("reaches example.org",)),
        lines_added=1,
        tokens=1200,
    ),
    "2 files added; 3 files removed": Difference(
        Names(("a" * 41, "b"), ("a", "b", "c")),
    ),
    "now has hooks, sends files and 2 more; no longer asks for sudo; +7 tokens": Difference(
        does=Names(("has hooks", "sends files", "a", "b"), ("asks for sudo",)),
        tokens=7,
    ),
    "may now use 1 tool without asking; x.py removed; +1,200 tokens": Difference(
        Names((), ("x.py",)),
        tools=Names(("Bash(" + "x" * 40,)),
        tokens=1200,
    ),
}


@pytest.mark.parametrize("line", SHORT)
def test_one_line_has_at_most_four_parts_and_the_risky_ones_first(line: str) -> None:
    assert SHORT[line].in_one_line == line


def index_of(content: VersionContent) -> object:
    files = [*DiscoveryV02Emitter().emit_version(content)]
    if not files:
        return None
    path = f"{content.address}/.well-known/agent-skills/index.json"
    assert [file.path for file in files] == [path]
    return json.loads(files[0].data)


@pytest.mark.parametrize(
    ("declared", "name"), [("pdf", "pdf"), ("My PDF!", "my-pdf"), ("文書", "skill")]
)
def test_an_index_has_one_version_under_a_name_of_its_own(declared: str, name: str) -> None:
    files = {"SKILL.md": skill_md(declared, "Fills forms."), "rules.md": "Rules.\n"}
    given = versions.content(files)
    archive = given.entry.archives[0]
    assert index_of(given) == {
        "$schema": SCHEMA,
        "skills": [
            {
                "name": name,
                "type": "archive",
                "description": "Fills forms.",
                "url": f"../../../../archives/{archive.file_name}",
                "digest": str(archive.digest),
            }
        ],
    }


def test_a_version_of_one_file_is_offered_as_that_file() -> None:
    given = versions.content({"SKILL.md": skill_md("pdf")}, config=Config(formats=()))
    index = index_of(given)
    assert isinstance(index, dict)
    (entry,) = index["skills"]
    digest = given.entry.skill_md.digest
    assert (entry["type"], entry["digest"]) == ("skill-md", str(digest))
    assert entry["url"] == f"../../../../archives/pdf-{digest.short}.md"


def test_a_version_that_cannot_be_fetched_has_no_index() -> None:
    files = {"SKILL.md": skill_md("pdf"), "rules.md": "Rules.\n"}
    assert index_of(versions.content(files, config=Config(formats=()))) is None
