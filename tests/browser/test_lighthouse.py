"""The audits of Lighthouse for each kind of page, without those that measure time."""

from __future__ import annotations

import pytest

from helpers import lighthouse, views

PAGES = {
    "list": "index.html",
    "skill": "skills/contrast-check/index.html",
    "file": "skills/contrast-check/-/files/scripts/contrast.py.html",
    "tag": "tags/sql/index.html",
    "comparison": "compare/index.html?s=contrast-check&s=sql-migrations",
    "not found": "404.html",
}
QUICK = "skill"
"""The one that every change has to pass."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=kind, marks=() if kind == QUICK else pytest.mark.nightly)
        for kind, path in PAGES.items()
    ],
)
def test_lighthouse_has_nothing_to_object_to(address: str, path: str) -> None:
    verdict = lighthouse.judge(address + path, "provided")
    assert verdict.failed == ()
    scores = {name: verdict.scores[name] for name in lighthouse.CATEGORIES[1:]}
    assert scores == {"accessibility": 1, "best-practices": 1, "seo": 1}
    loaded = [url for url in verdict.requests if not url.endswith("/-/compare.js")]
    assert len(views.shell(loaded)) <= 5, loaded
    assert len(loaded) <= 6, loaded
    assert verdict.bytes_loaded <= 100_000
    assert verdict.layout_shift <= 0.01
