"""Runs scripts of the site in Node, alone: what a browser would give them is not there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from skillbuild import assets

_PROGRAM = """
const fs = require("node:fs");
const vm = require("node:vm");
const { files, code, given } = JSON.parse(fs.readFileSync(0, "utf8"));
for (const file of files) vm.runInThisContext(fs.readFileSync(file, "utf8"), file);
globalThis.given = given;
globalThis.fs = fs;
(async () => JSON.stringify(await vm.runInThisContext(`(async () => {${code}})()`)))().then(
  (text) => process.stdout.write(text ?? "null"),
  (error) => { console.error(error); process.exitCode = 1; },
);
"""


def run(files: Sequence[str], code: str, given: object = None) -> Any:
    """What a piece of code returns in Node after these files of `site_src/`; `given` is its input.

    The test is skipped where Node is missing, unless `SKILLBUILD_BROWSER` says that it must not be.
    """
    node = shutil.which("node")
    if node is None:
        if os.environ.get("SKILLBUILD_BROWSER") == "required":
            pytest.fail("node is missing")
        pytest.skip("node is missing")
    paths = [str(Path(str(assets.asset_root("site_src"))) / name) for name in files]
    text = json.dumps({"files": paths, "code": code, "given": given})
    done = subprocess.run(
        [node, "-e", _PROGRAM], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
