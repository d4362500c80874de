"""The audits of Lighthouse for each kind of page, without those that measure time."""

from __future__ import annotations

import pytest

from helpers import lighthouse, views

PAGES = {
    "list": "index.html",
    "skill": "skills/contrast-check/index.html",
    "file": "skills/contrast-check/-/files/scripts/contrast.py.html",
    "tag": "tags/sql/index.html",
    "not found": "404.html",
}


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_lighthouse_has_nothing_to_object_to(address: str, path: str) -> None:
    verdict = lighthouse.judge(address + path, "provided")
    assert verdict.failed == ()
    scores = {name: verdict.scores[name] for name in lighthouse.CATEGORIES[1:]}
    assert scores == {"accessibility": 1, "best-practices": 1, "seo": 1}
    assert len(views.shell(verdict.requests)) <= 5, verdict.requests
    assert len(verdict.requests) <= 6, verdict.requests
    assert verdict.bytes_loaded <= 100_000
    assert verdict.layout_shift <= 0.01
