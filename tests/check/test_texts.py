"""Texts of a skill: what their line ends and the place of their skill do not change."""

from helpers.support import check, skill_md
from skillbuild.config import Config

BODY = """\
See [it](docs/gone.md).

Read the list in
`docs/list.md`
is written by the script.

1. Run the tests.
2. Read `docs/more.md`
   before you begin.
"""


def test_line_ends_change_no_finding() -> None:
    def findings(body: str) -> list[tuple[object, ...]]:
        files = {"a/SKILL.md": skill_md("a", body=body), "a/docs/x.md": b"X.\n"}
        return [(item.code, item.place, item.message) for item in check(files).findings]

    assert len(findings(BODY)) == 2
    assert findings(BODY.replace("\n", "\r\n")) == findings(BODY)


def test_the_name_of_the_skill_s_directory_does_not_matter_for_tar() -> None:
    long = "x" * 100 + "/" + "y" * 130
    files = {"\u00e4/a/SKILL.md": skill_md("a"), f"\u00e4/a/{long}": b""}
    findings = check(files, Config(formats=("tar.gz",))).findings
    [message] = [item.message for item in findings if item.code == "tar-omitted"]
    assert message == "the path is too long for tar, so the skill has no tar.gz"
