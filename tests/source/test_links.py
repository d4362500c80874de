"""Links and submodules that stand for skills are told, and no other one is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import repos
from helpers.repos import Link, Submodule
from helpers.support import MemorySource, outline_in, skill_md
from skillbuild.config import Config

SKILLS = ("skills/pdf", "skills/docs/word", "plugins/git/skills/commit")


def ignored(
    links: dict[str, str],
    submodules: tuple[str, ...] = (),
    skills: tuple[str, ...] = SKILLS,
    config: Config | None = None,
) -> dict[str, str]:
    """What is ignored of a source with these skills, two other files, and links with targets."""
    files = {f"{folder}/SKILL.md": skill_md(folder.rpartition("/")[2]) for folder in skills}
    files |= {"AGENTS.md": b"", "docs/guide.md": b""}
    source = MemorySource(files, links=list(links), targets=links, submodules=submodules)
    return dict(outline_in(source, config).ignored)


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("skills/alias", "pdf"),
        ("skills/alias", "./pdf/"),
        ("alias", "skills/docs/word"),
        (".claude/skills/pdf", "../../skills/pdf"),
        (".claude/skills", "../skills"),
        (".claude/skills", "../skills/"),
        (".cursor", "plugins"),
        ("docs/all", "../plugins/git"),
    ],
)
def test_a_link_to_a_skill_or_above_skills_is_counted(path: str, target: str) -> None:
    assert ignored({path: target}) == {path: "link"}


@pytest.mark.parametrize(
    "target", ["gone", "../../elsewhere/x", "/home/ada/x", "", "x", "../../../../../x", "a\0b"]
)
@pytest.mark.parametrize("path", ["skills/x", "plugins/git/skills/x", ".agents/skills/x"])
def test_a_link_that_leads_nowhere_is_counted_where_skills_stand(path: str, target: str) -> None:
    assert ignored({path: target}) == {path: "link"}


def test_a_link_that_leads_nowhere_is_counted_if_its_target_stood_among_skills() -> None:
    links = {"x": "../agent-skills/skills/x", "skills": "../skills", "data": "/mnt/data"}
    assert ignored(links, skills=("pdf",)) == {"x": "link", "skills": "link"}


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("CLAUDE.md", "AGENTS.md"),
        ("skills/docs/AGENTS.md", "../../AGENTS.md"),
        ("skills/guide", "../docs"),
        ("docs/gone", "nowhere"),
        ("skills/README.md", "gone.md"),
        ("skills/LICENSE", "../../LICENSE"),
        ("skills/self", "."),
        ("docs/top", ".."),
        ("skills/docs/up", "../../skills"),
        ("node_modules/pdf", "../skills/pdf"),
        ("node_modules/skills/x", "gone"),
    ],
)
def test_other_links_are_passed_over_without_a_word(path: str, target: str) -> None:
    assert ignored({path: target}) == {}


def test_a_link_is_followed_through_other_links_and_never_in_a_circle() -> None:
    links = {
        ".agents": ".claude",
        ".claude/skills": "../skills",
        ".cursor/skills": "../.agents/skills",
        "through": ".cursor/skills/pdf",
        "a": "b",
        "b": "a",
        "skills/circle": "circle",
    }
    assert ignored(links) == dict.fromkeys(
        [".claude/skills", ".cursor/skills", "through", "skills/circle"], "link"
    )


def test_a_link_inside_of_a_skill_is_an_error_of_that_skill_alone() -> None:
    assert ignored({"skills/pdf/word": "../docs/word", "skills/pdf/a/skills/x": "gone"}) == {}
    assert ignored({"alias": "skills/pdf"}, skills=("", "skills/pdf")) == {}


def test_a_link_that_is_excluded_says_so() -> None:
    config = Config(exclude=("/tests/",))
    links = {"tests/skills/x": "../../skills/pdf", "tests/docs": "../docs", "other": "skills/pdf"}
    assert ignored(links, config=config) == {"tests/skills/x": "excluded", "other": "link"}


def test_a_link_to_a_skill_that_is_ignored_itself_is_counted() -> None:
    skills = ("skills/pdf", ".claude/skills/web")
    assert ignored({".codex/skills": "../.claude/skills"}, skills=skills) == {
        ".claude/skills/web/SKILL.md": "dot-directory",
        ".codex/skills": "link",
    }


def test_a_submodule_is_counted_where_skills_and_plugins_stand() -> None:
    submodules = ("skills/x", "plugins/cloud/sql", "team/docs/y", "vendor/lib", "docs/theme")
    skills = ("team/docs/z", "pdf")
    assert ignored({}, submodules, skills) == dict.fromkeys(
        ["skills/x", "plugins/cloud/sql", "team/docs/y"], "submodule"
    )


def test_a_link_that_is_too_long_to_be_one_is_not_read() -> None:
    target = "skills/pdf/" + "./" * 3000
    assert ignored({"alias": target}) == {}
    assert ignored({"skills/alias": target}) == {"skills/alias": "link"}


SEGMENT = st.sampled_from(["a", "b", "skills", "pdf", "..", ".", ""])
PATH = st.lists(SEGMENT, min_size=1, max_size=6).map("/".join)


@given(st.dictionaries(st.sampled_from(["a", "b", "skills/a", "c/b", "c/d"]), PATH | st.text()))
def test_any_links_are_counted_or_passed_over(links: dict[str, str]) -> None:
    assert set(ignored(links)) <= set(links)


def test_a_commit_and_its_checkout_count_the_same(tmp_path: Path) -> None:
    md = skill_md("pdf").decode()
    files: repos.Files = {
        "skills/pdf/SKILL.md": md,
        "skills/alias": Link("pdf"),
        "skills/gone": Link("../../elsewhere"),
        "skills/module": Submodule(),
        ".claude/skills": Link("../skills"),
        "CLAUDE.md": Link("AGENTS.md"),
        "AGENTS.md": "x",
        "other/SKILL.md": Link("../skills/pdf/SKILL.md"),
    }
    wanted = dict.fromkeys([".claude/skills", "other/SKILL.md"], "link")
    wanted |= {"skills/alias": "link", "skills/gone": "link", "skills/module": "submodule"}
    top = repos.repository(tmp_path / "repo", files)
    built = repos.build(top, tmp_path / "out")
    assert built.release is not None
    assert built.release.catalog.ignored == wanted
    assert repos.check(top).ignored == repos.check(top, "HEAD").ignored == wanted


def test_where_links_lead_in_a_subdirectory_is_judged_by_the_subdirectory(tmp_path: Path) -> None:
    files: repos.Files = {
        "team/skills/pdf/SKILL.md": skill_md("pdf").decode(),
        "other/web/SKILL.md": skill_md("web").decode(),
        "team/alias": Link("../other/web"),
        "team/skills/web": Link("../../other/web"),
    }
    top = repos.repository(tmp_path / "repo", files)
    assert repos.check(top).ignored == {"team/alias": "link", "team/skills/web": "link"}
    assert repos.check(top / "team").ignored == {"skills/web": "link"}
    assert repos.check(top / "team", "HEAD").ignored == {"skills/web": "link"}


def test_a_missing_object_of_a_link_matters_to_nobody(tmp_path: Path) -> None:
    files: repos.Files = {
        "skills/pdf/SKILL.md": skill_md("pdf").decode(),
        "alias": Link("skills/pdf"),
        "skills/x": Link("pdf"),
    }
    top = repos.repository(tmp_path / "repo", files)
    repos.unpack(top)
    for path in ("alias", "skills/x"):
        repos.object_file(top, repos.git(top, "rev-parse", f"HEAD:{path}")).unlink()
    report = repos.build(top, tmp_path / "out")
    assert (report.findings, report.ignored) == ((), {"skills/x": "link"})
