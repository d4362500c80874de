"""The `init` command: writes the files of a new repository of skills, or adds missing files to an
existing repository.

Existing files are not changed. A directory outside of any git repository becomes a repository.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from importlib.resources.abc import Traversable
from pathlib import Path
from urllib.parse import urlsplit

from skillbuild import __version__, assets
from skillbuild.config import CONFIG_FILE
from skillbuild.diagnostics import escape
from skillbuild.errors import ConfigError
from skillbuild.paths import SKILL_FILE, base_name
from skillbuild.source import git_process, tree
from skillbuild.storage import disk

_DOTTED = {"github": ".github", "gitignore": ".gitignore"}
"""Maps names at the top of the template to names in the repository, which begin with a dot."""
_WORKFLOWS = ".github/workflows/"
_WORKFLOW = f"{_WORKFLOWS}skills.yml"
_CALLED = f"OWNER/NAME/{_WORKFLOWS}publish.yml@{'0' * 40}"
"""The reference in the workflow template that `_workflow` replaces."""
_WITHOUT_WORKFLOW = (
    "no workflow was written: skillbuild has no release yet that a workflow could use; pass"
    " --workflow URL@COMMIT to write one that uses this commit of skillbuild"
)
_LABEL = "Source"
"""The key in `[project.urls]` of pyproject.toml whose value is the URL of skillbuild's repository.
"""
_REPOSITORY = re.compile(r"/([A-Za-z0-9_][A-Za-z0-9_-]*)/([A-Za-z0-9_.-]+)")
_PINNED = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|v[0-9]+\.[0-9]+\.[0-9]+")
_WANTED = "must have the form https://github.com/OWNER/REPOSITORY@COMMIT"


@dataclass(frozen=True, slots=True)
class _Target:
    """Where files are written: the source, and the repository that contains it."""

    source: Path
    repository: Path
    prefix: str
    """The path from the repository to the source: empty, or with a final `/`."""
    has_skills: bool


def run(options: argparse.Namespace) -> int:
    """Write the files that are missing: the settings, the workflow, and a first skill if there is
    no skill.
    """
    workflow = _pinned(options.workflow)
    is_seen = workflow is None or options.workflow is None or _is_seen(workflow)
    target = _target_of(Path(options.directory))
    wanted = dict(_wanted(target, workflow))
    missing = {path: content for path, content in wanted.items() if not os.path.lexists(path)}
    _write(missing, target)
    is_new = git_process.find(target.source) is None
    if is_new:
        git_process.create(target.source)
    if not options.quiet:
        there = [_shown(path, target) for path in wanted.keys() - missing.keys()]
        for line in _report(target, [_shown(path, target) for path in missing], sorted(there)):
            print(line)
        if is_new:
            print("git init: created a repository")
        if workflow is None:
            print(_WITHOUT_WORKFLOW)
        elif not is_seen:
            print(f"could not check whether {workflow.repository} has {workflow.revision}")
    return 0


def _target_of(source: Path) -> _Target:
    """Return where to write: a directory inside a repository becomes one of its catalogs; any other
    becomes a new repository.

    GitHub reads workflows only at the top of a repository.
    """
    if not source.is_dir():
        return _Target(source, source, "", has_skills=False)
    opened = tree.open_for_check(source, None)
    if not any(base_name(leaf.path) == SKILL_FILE for leaf in opened.leaves()):
        return _Target(source, source, "", has_skills=False)
    absolute = Path(os.path.normpath(source.absolute()))
    depth = opened.prefix.count("/")
    repository = absolute.parents[depth - 1] if depth else source
    return _Target(source, repository, opened.prefix, has_skills=True)


def _wanted(target: _Target, workflow: _Pinned | None) -> Iterator[tuple[Path, bytes]]:
    """Yield the path and content of each file that `init` can write."""
    for path, content in _files_below(assets.asset_root("templates") / "init"):
        if path == _WORKFLOW:
            if workflow is not None:
                yield _workflow_file(target), _workflow(content, workflow, target.prefix)
        elif path == CONFIG_FILE or not target.has_skills:
            yield target.source / path, content


def _workflow_file(target: _Target) -> Path:
    """Return the path of the workflow; a catalog in a subdirectory has its own, named after it."""
    slug = re.sub(r"[^a-z0-9]+", "-", target.prefix.lower()).strip("-")
    name = f"{_WORKFLOWS}skills-{slug}.yml" if slug else _WORKFLOW
    return target.repository / name


def _workflow(template: bytes, called: _Pinned, prefix: str) -> bytes:
    """Return the template with the called workflow filled in, and with `prefix` in a quoted YAML
    string.
    """
    if not prefix.isprintable() or {'"', "\\"} & {*prefix}:
        raise ConfigError(f"{escape(prefix)} cannot be used in a workflow; rename the directory")
    text = template.decode()
    text = text.replace(_CALLED, f"{called.repository}/{_WORKFLOWS}publish.yml@{called.revision}")
    return text.replace('path: "."', f'path: "{prefix.rstrip("/") or "."}"').encode()


def _write(files: Mapping[Path, bytes], target: _Target) -> None:
    """Create all files, or none; raise `ConfigError` if a folder on the way is a symbolic link."""
    for path in files:
        for folder in path.parents:
            if folder in (target.source, target.repository):
                break
            if folder.is_symlink():
                raise ConfigError(f"{folder} is a symbolic link, which init does not follow")
    with disk.faults(target.source):
        for path, content in files.items():
            disk.write(path, content)
            if content.startswith(b"#!"):
                path.chmod(0o755)


def _report(target: _Target, written: list[str], there: list[str]) -> Iterator[str]:
    where = f"{escape(str(target.source))}{os.sep}"
    if target.has_skills:
        yield f"written: {', '.join(written) or 'nothing'}"
    else:
        yield f"{len(written)} files in {where}"
    if there:
        yield f"unchanged: {', '.join(there)}"
    if target.has_skills:
        yield f"next: skillbuild check {shlex.quote(escape(str(target.source)))}"
    else:
        yield f"next: cd {where[:-1]} && git add . && git commit -m 'First skill'"
        yield "then: skillbuild check && skillbuild build"


def _shown(path: Path, target: _Target) -> str:
    """Return a path as the report shows it: relative to the repository."""
    absolute = Path(os.path.normpath(path.absolute()))
    start = Path(os.path.normpath(target.repository.absolute()))
    return escape(absolute.relative_to(start).as_posix())


def _files_below(folder: Traversable, start: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of each file to write; `start` is the path of `folder`, with a
    final `/`.
    """
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        name = item.name if start else _DOTTED.get(item.name, item.name)
        if item.is_dir():
            yield from _files_below(item, f"{start}{name}/")
        else:
            yield start + name, item.read_bytes()


@dataclass(frozen=True, slots=True)
class _Pinned:
    """A repository on GitHub or GitHub Enterprise, and one commit or release of it."""

    url: str
    repository: str
    """Owner and name, as workflows on the same server write them."""
    revision: str


def _source_url() -> str | None:
    """Return the URL of skillbuild's own repository; None if pyproject.toml does not name it."""
    try:
        named = metadata.metadata("skillbuild").get_all("Project-URL", [])
    except metadata.PackageNotFoundError:
        return None
    urls = dict(str(url).split(", ", 1) for url in named)
    return urls.get(_LABEL)


def _pinned(address: str | None) -> _Pinned | None:
    """Return the repository and revision that `URL@REV` names.

    Without an address, returns the release of this version, or None if the URL of the project is
    not set. Raises `ConfigError` if the address has another form or the revision can change.
    """
    if address is None:
        home = _source_url()
        return None if home is None else _pinned(f"{home.rstrip('/')}@v{__version__}")
    url, _, revision = address.rpartition("@")
    parts = urlsplit(url)
    match = _REPOSITORY.fullmatch(parts.path.removesuffix("/").removesuffix(".git"))
    if parts.scheme != "https" or not parts.hostname or match is None:
        raise ConfigError(f"--workflow {escape(address)} {_WANTED}")
    if not _PINNED.fullmatch(revision):
        raise ConfigError(
            f"{escape(revision)} is not a fixed revision; give a full commit id, or a release like"
            " v1.2.3"
        )
    return _Pinned(url, f"{match[1]}/{match[2]}", revision)


def _is_seen(workflow: _Pinned) -> bool:
    """Return whether the revision was found in the repository; False if git could not tell.

    Raises `ConfigError` if the repository does not have it.
    """
    revision = workflow.revision
    reference = f"refs/tags/{revision}" if revision.startswith("v") else revision
    has_revision = git_process.has_revision(workflow.url, reference)
    if has_revision is False:
        url = escape(workflow.url)
        raise ConfigError(
            f"{url} has no {revision}; give a commit or release that exists in this repository"
        )
    return has_revision is True
