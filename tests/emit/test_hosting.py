"""What hosts of static files are told of the files of an output."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from helpers import repos
from skillbuild.release.layout import is_addressed


def headers_of(rules: str, path: str) -> dict[str, str]:
    """The headers of a file, as the hosts that read `_headers` find them."""
    headers: dict[str, str] = {}
    applies = False
    for line in rules.splitlines():
        if not line.startswith(" "):
            applies = fnmatchcase(f"/{path}", line)
        elif applies:
            name, _, value = line.strip().partition(": ")
            assert name not in headers, "hosts join the values of two rules"
            headers[name] = value
    return headers


def test_only_files_named_by_their_content_are_kept_for_ever(tmp_path: Path) -> None:
    """Those of the search are not, as rules cannot tell them from its manifest."""
    repo = repos.empty(tmp_path / "repo")
    repos.commit(repo, {"a/SKILL.md": repos.skill_md("a"), "a/page.html": "<script>a()</script>"})
    repos.build(repo, tmp_path / "out")
    rules = (tmp_path / "out/_headers").read_text("utf-8")
    for path in repos.digests(tmp_path / "out"):
        headers = headers_of(rules, path)
        assert headers["X-Content-Type-Options"] == "nosniff"
        is_kept = is_addressed(path) and not path.startswith("search/")
        assert ("Cache-Control" in headers) == (is_kept or path.startswith("assets/"))
        assert ("Content-Security-Policy" in headers) == path.startswith("blobs/")
