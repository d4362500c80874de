"""Findings with one remedy are told once; a note with nothing to do about it is not told."""

from dataclasses import replace

from helpers.support import MemorySource, check, skill_md
from skillbuild.diagnostics import Finding, Severity
from skillbuild.paths import parent
from skillbuild.report.folding import folded

CLAW = skill_md("NAME", "metadata:\n  openclaw:\n    emoji: x\n")
NUMBER = skill_md("NAME", "metadata:\n  count: 25\n")


def told(files: dict[str, bytes]) -> list[Finding]:
    report = check(MemorySource(files))
    return folded(report.findings, [parent(path) for path in files], report.copies)


def messages(files: dict[str, bytes]) -> list[tuple[str, str]]:
    findings = told(files)
    return [(item.path, item.message) for item in findings]


def skills(text: bytes, *names: str) -> dict[str, bytes]:
    return {f"{name}/SKILL.md": text.replace(b"NAME", name.encode()) for name in names}


def test_one_setting_for_all_skills_is_told_at_the_first() -> None:
    message = (
        "metadata.openclaw must be a string, not a mapping: FastMCP 4.1"
        " and the TypeScript SDK reject the whole MCP list if one skill has this problem"
    )
    assert messages(skills(CLAW, "a")) == [("a/SKILL.md", message)]
    assert messages(skills(CLAW, "a", "b", "c")) == [
        ("a/SKILL.md", f"{message}; 2 more skills: b, c")
    ]
    # With a text to write, each place matters, if another value is to be written there.
    assert len(messages(skills(NUMBER, "a") | skills(NUMBER.replace(b"25", b"26"), "b"))) == 2


def test_copies_are_folded_with_the_directory_that_holds_no_other_skill() -> None:
    copies = {**skills(skill_md("NAME"), "a", "b")}
    both = {f"{folder}/{path}": data for folder in ("x", "y/z") for path, data in copies.items()}
    findings = told(both)
    message = (
        "x/a/SKILL.md is the same skill, so this one is left out of discovery v0.1.0 (OpenCode);"
        " 1 more skill: b"
    )
    hint = 'exclude the copy: exclude = ["/y/"] in skillbuild.toml'
    assert [(item.path, item.message, item.hint) for item in findings] == [
        ("y/z/a/SKILL.md", message, hint)
    ]
    own = {**both, "y/c/SKILL.md": skill_md("c")}
    hints = {item.hint for item in told(own)}
    assert hints == {'exclude the copy: exclude = ["/y/z/"] in skillbuild.toml'}


def test_skills_of_one_name_are_folded_for_each_name() -> None:
    files = {
        f"{folder}/{name}/SKILL.md": skill_md(name, body=folder)
        for folder in ("x", "y", "z")
        for name in ("a", "b")
    }
    message = (
        "x/{}/SKILL.md has the same name, so this skill is left out of discovery v0.1.0 (OpenCode)"
    )
    assert messages(files) == [(f"y/{name}/SKILL.md", message.format(name)) for name in ("a", "b")]


def test_links_that_seldom_matter_are_folded_where_they_are_the_same() -> None:
    files = skills(skill_md("NAME", body="The [license](../LICENSE)."), "a", "b", "c")
    message = "the link points to ../LICENSE, which does not exist in the skill"
    assert messages(files) == [("a/SKILL.md", f"{message}; 2 more skills: b, c")]
    matters = skills(skill_md("NAME", body="See [it](docs/x.md)."), "a", "b")
    assert len(messages(matters)) == 2


def test_a_file_that_no_other_name_helps_is_told_only_where_it_was_raised() -> None:
    files = {**skills(skill_md("NAME"), "a"), "a/run.mjs": b"x"}
    findings = check(MemorySource(files)).findings
    assert [item.code for item in findings] == ["discovery-omitted"]
    assert folded(findings, ["a"], {}) == []
    raised = [replace(item, severity=Severity.WARNING) for item in findings]
    assert folded(raised, ["a"], {}) == raised
    pictured = {**skills(skill_md("NAME"), "a"), "a/assets/logo.svg": b"<svg/>"}
    assert len(messages(pictured)) == 1
    assert len(messages({**pictured, "a/view.html": b"x"})) == 0


def test_a_file_of_another_skill_that_several_need_is_told_once_with_their_names() -> None:
    run = "```bash\npython scripts/draw.py x\n```\n"
    files = {
        "diagrams/SKILL.md": skill_md("diagrams", body=run),
        "diagrams/scripts/draw.py": b"",
        "reports/SKILL.md": skill_md("reports", body=f"Use the diagrams skill.\n\n{run}"),
        "reports/scripts/own.py": b"",
        "slides/SKILL.md": skill_md("slides", body=f"Use the diagrams skill.\n\n{run}\n{run}"),
        "slides/scripts/own.py": b"",
    }
    [finding] = told(files)
    assert finding.message == (
        "runs scripts/draw.py, which does not exist in the skill; it is in diagrams, but is not"
        " installed with the skill; 1 more skill: slides"
    )
    assert [place.path for place in finding.places] == ["reports/SKILL.md"] + [
        "slides/SKILL.md"
    ] * 2


LONG = "\n".join(["word"] * 600)


def test_equal_files_of_several_skills_are_one_finding_with_its_copies() -> None:
    files = {f"{name}/SKILL.md": skill_md(name) for name in "abc"}
    files |= {f"{name}/big.txt": b"x\n" * 600_000 for name in "ab"}
    files["c/big.txt"] = b"y\n" * 600_000
    findings = [item for item in told(files) if item.code == "file-large"]
    assert [(item.path, item.copies) for item in findings] == [
        ("a/big.txt", ("b/big.txt",)),
        ("c/big.txt", ()),
    ]


def test_a_finding_names_its_file_in_the_copies_of_a_skill() -> None:
    text = skill_md("a", body=LONG)
    files = {f"{folder}/a/SKILL.md": text for folder in ("plugins", "skills")}
    assert [(item.path, item.copies) for item in told(files)] == [
        ("plugins/a/SKILL.md", ("skills/a/SKILL.md",))
    ]


def test_an_edited_text_is_no_copy_though_the_same_is_said_of_it() -> None:
    files = {f"{name}/SKILL.md": skill_md(name, body=LONG) for name in ("a", "b")}
    assert [(item.path, item.copies) for item in told(files)] == [
        ("a/SKILL.md", ()),
        ("b/SKILL.md", ()),
    ]


def test_the_original_is_told_before_its_translation() -> None:
    run = "```bash\npython scripts/draw.py x\n```\n"
    text = {
        name: skill_md(name, body=f"Use the diagrams skill.\n\n{run}")
        for name in ("reports", "slides")
    }
    files = {
        "diagrams/SKILL.md": skill_md("diagrams", body=run),
        "diagrams/scripts/draw.py": b"",
        "de/reports/SKILL.md": text["reports"],
        "de/reports/scripts/own.py": b"",
        "slides/SKILL.md": text["slides"],
        "slides/scripts/own.py": b"",
    }
    findings = [item for item in told(files) if item.code == "path-outside"]
    assert [[place.path for place in item.places] for item in findings] == [
        ["slides/SKILL.md", "de/reports/SKILL.md"]
    ]
