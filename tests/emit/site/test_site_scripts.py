"""The scripts of the search, each alone in Node; `browser/` has the page as a whole."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers.browsing import skip_or_fail
from skillbuild.assets import asset_root

SCRIPTS = Path(__file__).with_name("scripts")


@pytest.mark.parametrize("name", sorted(path.name for path in SCRIPTS.glob("*.test.mjs")))
def test_a_script_does_what_its_tests_say(name: str) -> None:
    node = shutil.which("node")
    if node is None:
        skip_or_fail("node is not installed")
    where = {**os.environ, "SKILLBUILD_SCRIPTS": str(asset_root("site_src"))}
    command = [node, "--test", str(SCRIPTS / name)]
    ran = subprocess.run(command, env=where, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
