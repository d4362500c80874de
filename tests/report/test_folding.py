"""Findings with one remedy are told once; a note with nothing to do about it is not told."""

from dataclasses import replace

from helpers.support import MemorySource, check, skill_md
from skillbuild.diagnostics import Severity
from skillbuild.report.folding import folded

CLAW = skill_md("NAME", "metadata:\n  openclaw:\n    emoji: x\n")
NUMBER = skill_md("NAME", "metadata:\n  count: 25\n")


def messages(files: dict[str, bytes]) -> list[tuple[str, str]]:
    findings = folded(check(MemorySource(files)).findings)
    return [(item.path, item.message) for item in findings]


def skills(text: bytes, *names: str) -> dict[str, bytes]:
    return {f"{name}/SKILL.md": text.replace(b"NAME", name.encode()) for name in names}


def test_one_setting_for_all_skills_is_told_at_the_first() -> None:
    message = (
        "metadata.openclaw is a mapping, not a text:"
        " typed clients drop the whole MCP listing for it"
    )
    assert messages(skills(CLAW, "a")) == [("a/SKILL.md", message)]
    assert messages(skills(CLAW, "a", "b", "c")) == [
        ("a/SKILL.md", f"{message}; so it is with 2 more skills")
    ]
    # With a text to write, each place matters, if another value is to be written there.
    assert len(messages(skills(NUMBER, "a") | skills(NUMBER.replace(b"25", b"26"), "b"))) == 2


def test_copies_are_folded_with_the_directory_that_holds_no_other_skill() -> None:
    copies = {**skills(skill_md("NAME"), "a", "b")}
    both = {f"{folder}/{path}": data for folder in ("x", "y/z") for path, data in copies.items()}
    findings = folded(check(MemorySource(both)).findings)
    message = (
        "y/z/a/SKILL.md is the same skill: left out of discovery v0.1.0 (OpenCode);"
        " so it is with 3 more skills"
    )
    hint = 'exclude the copy: exclude = ["/y/"] in skillbuild.toml'
    assert [(item.path, item.message, item.hint) for item in findings] == [
        ("x/a/SKILL.md", message, hint)
    ]
    own = {**both, "y/c/SKILL.md": skill_md("c")}
    hints = {item.hint for item in folded(check(MemorySource(own)).findings)}
    assert hints == {'exclude the copy: exclude = ["/y/z/"] in skillbuild.toml'}


def test_skills_of_one_name_are_folded_for_each_name() -> None:
    files = {
        f"{folder}/{name}/SKILL.md": skill_md(name, body=folder)
        for folder in ("x", "y", "z")
        for name in ("a", "b")
    }
    message = (
        "y/{}/SKILL.md and 1 more have the same name:"
        " all are left out of discovery v0.1.0 (OpenCode)"
    )
    assert messages(files) == [(f"x/{name}/SKILL.md", message.format(name)) for name in ("a", "b")]


def test_links_that_seldom_matter_are_folded_where_they_are_the_same() -> None:
    files = skills(skill_md("NAME", body="The [license](../LICENSE)."), "a", "b", "c")
    message = "the link to ../LICENSE leads to nothing that is published"
    assert messages(files) == [("a/SKILL.md", f"{message}; so it is in 2 more texts")]
    matters = skills(skill_md("NAME", body="See [it](docs/x.md)."), "a", "b")
    assert len(messages(matters)) == 2


def test_a_file_that_no_other_name_helps_is_told_only_where_it_was_raised() -> None:
    files = {**skills(skill_md("NAME"), "a"), "a/run.mjs": b"x"}
    findings = check(MemorySource(files)).findings
    assert [item.rule.code for item in findings] == ["discovery-omitted"]
    assert folded(findings) == []
    raised = [replace(item, severity=Severity.WARNING) for item in findings]
    assert folded(raised) == raised
    pictured = {**skills(skill_md("NAME"), "a"), "a/assets/logo.svg": b"<svg/>"}
    assert len(messages(pictured)) == 1
    assert len(messages({**pictured, "a/view.html": b"x"})) == 0
