"""Templates are compiled once for all builds of a user, and never taken from anybody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment

from helpers import repos
from helpers.repos import skill_md
from skillbuild import assets
from skillbuild.cache import templates
from skillbuild.emit.site import bytecode
from skillbuild.emit.site.templates import own_environment

NAMES = sorted(item.name for item in assets.asset_root("templates").iterdir() if item.is_file())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the cache; the process begins without templates, and forgets them again."""
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path / 'cache'}")
    own_environment.cache_clear()
    yield tmp_path / "cache/skillbuild"
    own_environment.cache_clear()


def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The templates that are compiled when all are wanted."""
    names: list[str | None] = []
    compile_it = Environment.compile

    def note(self: Environment, source: str, name: str | None, filename: str | None) -> object:
        names.append(name)
        return compile_it(self, source, name, filename)

    with monkeypatch.context() as patched:
        patched.setattr(Environment, "compile", note)
        for name in NAMES:
            own_environment().get_template(name)
    return names


def test_what_was_stored_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not templates.restore()
    templates.store()
    own_environment.cache_clear()
    assert templates.restore()
    assert compiled(monkeypatch) == []


def test_templates_of_another_program_or_jinja2_are_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    templates.store()
    for module, name in [(assets, "fingerprint"), (bytecode, "compiler")]:
        with monkeypatch.context() as patched:
            patched.setattr(module, name, lambda: "other")
            own_environment.cache_clear()
            assert not templates.restore()
    assert compiled(monkeypatch) == NAMES


def test_a_changed_or_foreign_file_is_not_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates.store()
    [path] = [path for path in folder.iterdir() if path.name != "key"]
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    own_environment.cache_clear()
    assert not templates.restore()
    path.write_bytes(whole)
    (folder / "key").write_bytes(b"k" * 32)
    assert not templates.restore()
    assert compiled(monkeypatch) == NAMES


def test_builds_with_stored_templates_give_the_same_bytes(tmp_path: Path, folder: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": skill_md("a")})
    outs = {}
    for name, options in {"first": [], "second": [], "none": ["--no-cache"]}.items():
        with repos.skillbuild("build", f"{repo}", "-o", f"{tmp_path / name}", *options) as run:
            assert run.wait() == 0
        outs[name] = repos.digests(tmp_path / name)
        assert len([*folder.glob("*.templates")]) == 1
    assert outs["first"] == outs["second"] == outs["none"]
