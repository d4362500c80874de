"""The command `init`: the files of a new repository of skills."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path

from skillbuild import assets
from skillbuild.errors import ConfigError
from skillbuild.storage import disk

_DOTTED = {"github": ".github", "gitignore": ".gitignore"}
"""Names at the top of the template that begin with a dot in the repository."""


def run(options: argparse.Namespace) -> int:
    """Write the files of `templates/init`; `ConfigError` if any of them is there already."""
    target = Path(options.directory)
    starter = dict(_files_below(assets.asset_root("templates") / "init"))
    for path in starter:
        if (target / path).exists() or (target / path).is_symlink():
            raise ConfigError(f"{target / path} exists; init does not overwrite anything")
    with disk.faults(target):
        for path, content in starter.items():
            disk.write(target / path, content)
            if content.startswith(b"#!"):
                (target / path).chmod(0o755)
    if not options.quiet:
        print(f"{len(starter)} files in {target}{os.sep}")
        print(f"next: cd {target} && git init && git add . && git commit -m 'First skill'")
        print("then: skillbuild check && skillbuild build")
    return 0


def _files_below(folder: Traversable, start: str = "") -> Iterator[tuple[str, bytes]]:
    """Path and content of the files to write; `start` is the path of the folder, with a `/`."""
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        name = item.name if start else _DOTTED.get(item.name, item.name)
        if item.is_dir():
            yield from _files_below(item, f"{start}{name}/")
        else:
            yield start + name, item.read_bytes()
