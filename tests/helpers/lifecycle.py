"""A repository in which skills were changed, reverted, renamed, replaced, removed and yanked."""

from __future__ import annotations

from pathlib import Path

from helpers import repos, versions
from helpers.repos import Content, skill_md

BASE = "https://example.org/repo/"
OLD_REPORT = "Ask Mrs. Example.\n"
"""What the version of `report` says that is yanked."""
YANKED = versions.content({"SKILL.md": skill_md("report", body=OLD_REPORT)}).digest
"""The skill digest of that version."""
SETTINGS = f"""base_url = "{BASE}"
[versions]
since = "first"
[moved]
"merge" = "csv"
[deprecated]
"tables" = {{ reason = "nobody fixes it", use = "csv" }}
[yanked]
"{YANKED}" = "contained a customer name"
"""
_STEPS = "".join(
    f"{number}. Reads page {number} and writes down its text.\n" for number in range(40)
)
_MORE = _STEPS.replace("its text", "what `the_text_of_a_whole_page_without_any_break()` gives")


def repository(folder: Path) -> Path:
    """`pdf` has three versions; `csv` was reverted, and took the place of `merge`.

    `sheet` was renamed to `office/sheet`, `lonely` is gone, `tables` is deprecated, and of `report`
    one version is yanked and one left out.
    """
    pdf = [
        skill_md("pdf", body=body).replace("\n---\n", f"\nversion: {number}\n---\n", 1)
        for number, body in (("1.0", "One.\n"), ("1.1", _STEPS), ("2.0", _MORE))
    ]
    still = _skills(tables="Sort.\n")
    ended = _skills(lonely="Wait.\n", merge="Join.\n", sheet="Add.\n")
    days: list[dict[str, Content]] = [
        {**_skills(csv="First.\n", report=OLD_REPORT), **ended},
        {**_skills(csv="Second.\n"), **ended, "skills/report/SKILL.md": "no frontmatter"},
        {
            **_skills(csv="First.\n", report="Ask nobody.\n"),
            "skills/office/sheet/SKILL.md": skill_md("sheet", body="Add.\n"),
        },
    ]
    repo = repos.empty(folder)
    for day, files in enumerate(days):
        given = {"skillbuild.toml": SETTINGS, "skills/pdf/SKILL.md": pdf[day]}
        repos.commit(repo, {**given, **still, **files}, day=day)
    return repo


def _skills(**bodies: str) -> dict[str, Content]:
    return {f"skills/{name}/SKILL.md": skill_md(name, body=body) for name, body in bodies.items()}
