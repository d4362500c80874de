"""Lighthouse on single pages, with the settings of its mobile report.

`SKILLBUILD_LIGHTHOUSE` names the folder of npm packages that has `lighthouse`, and `node` where the
one of the machine is too old for it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from helpers.browsing import chromium, skip_or_fail

CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
Throttling = Literal["simulate", "provided"]
"""`simulate` reckons with a slow phone; `provided` takes the machine as it is, and is quicker."""


@dataclass(frozen=True)
class Verdict:
    """The result of one run on one page."""

    scores: Mapping[str, float]
    """From 0 to 1, by category."""
    failed: tuple[str, ...]
    """Audits with less than the full score, in all categories but `performance`."""
    requests: tuple[str, ...]
    bytes_loaded: int
    layout_shift: float
    blocked: float
    """Total blocking time, in milliseconds."""
    painted: float
    """Largest contentful paint, in milliseconds."""


def tools() -> tuple[str, ...]:
    """The command of Lighthouse; where a part of it is missing, the test is skipped or fails."""
    folder = os.environ.get("SKILLBUILD_LIGHTHOUSE")
    if folder is None:
        skip_or_fail("SKILLBUILD_LIGHTHOUSE names no folder with lighthouse (npm lighthouse)")
    script = Path(folder) / "lighthouse/cli/index.js"
    node = shutil.which("node", path=f"{folder}/node/bin") or shutil.which("node")
    if not script.is_file() or chromium() is None:
        skip_or_fail(f"no {script} or no chromium")
    return node or "node", str(script)


def judge(url: str, throttling: Throttling = "simulate") -> Verdict:
    command = [
        *tools(),
        url,
        "--quiet",
        "--output=json",
        "--output-path=stdout",
        "--chrome-flags=--headless=new --no-sandbox",
        f"--only-categories={','.join(CATEGORIES)}",
        f"--throttling-method={throttling}",
        "--no-enable-error-reporting",
    ]
    environment = {**os.environ, "CHROME_PATH": chromium() or ""}
    done = subprocess.run(command, capture_output=True, env=environment, check=False, text=True)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert "runtimeError" not in report, report["runtimeError"]
    audits = report["audits"]
    loaded = audits["network-requests"]["details"]["items"]
    return Verdict(
        scores={name: report["categories"][name]["score"] for name in CATEGORIES},
        failed=tuple(_failed(report)),
        requests=tuple(
            request["url"] for request in loaded if not request["url"].startswith("data:")
        ),
        bytes_loaded=sum(request["transferSize"] for request in loaded),
        layout_shift=audits["cumulative-layout-shift"]["numericValue"],
        blocked=audits["total-blocking-time"]["numericValue"],
        painted=audits["largest-contentful-paint"]["numericValue"],
    )


def _failed(report: Mapping[str, Any]) -> Iterator[str]:
    for name in CATEGORIES[1:]:
        for part in report["categories"][name]["auditRefs"]:
            audit = report["audits"][part["id"]]
            if part["weight"] and audit["score"] not in (1, None):
                yield f"{name}: {audit['title']} {audit.get('displayValue', '')}".strip()
