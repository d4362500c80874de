"""Imports only go down: a floor for every module, and one door for everything that is not ours."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import skillbuild

FLOORS = (
    """skillbuild errors model diagnostics rules.define rules.source rules.header rules.fields
    rules.files rules active uris media names inert flat jsontext fields scalars texts thinning
    wording cache safegit profile garbage""",
    """config assets stamp yamlhints yamlsafe highlight growth markdown archive store entryline
    record web remote""",
    "git history objects source discover header outline",
    """pngclean svgclean icons check.secrets check.fields check.files check.text check.icons check
    brand""",
    "pack",
    "emit emit.*",
    "retention places checksums stagewriter publish verify compare subjects",
    "jobs work workers looking press recall build",
    "serve serve.*",
    """reporting closing checking building differences published online summary preview commands
    cli __main__""",
)
"""From the ground up; on its own floor, a module imports only those to its left."""

DOORS = {
    "anyio": "serve",
    "deflate": "archive",
    "jinja2": "emit.site",
    "markdown_it": "markdown",
    "markupsafe": "emit.site",
    "mcp": "serve",
    "mcp_types": "serve",
    "mdit_py_plugins": "markdown",
    "pathspec": "discover",
    "pydantic": "serve",
    "pydantic_core": "serve",
    "pygments": "highlight",
    "shtab": "commands",
    "starlette": "serve",
    "uvicorn": "serve",
    "yaml": "yamlsafe",
    "subprocess": "safegit",
    "tarfile": "archive",
    "tomllib": "config",
    "zipfile": "archive",
    "http.client": "web",
    "http.server": "preview",
    "urllib.request": "web",
}
"""Who may import what; the last ones are parts of Python that reach beyond a module's own work."""

ROOT = Path(skillbuild.__file__).parent
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    .removesuffix("__init__")
    .rstrip("."): path
    for path in sorted(ROOT.rglob("*.py"))
}
TREES = {name or "skillbuild": ast.parse(path.read_bytes()) for name, path in FILES.items()}


def imports(module: str) -> Iterator[str]:
    """What a module imports, at its head and inside its functions; ours without `skillbuild.`."""
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            yield from (ours(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            for alias in node.names:
                inner = ours(f"{node.module}.{alias.name}")
                yield inner if inner in TREES else ours(str(node.module))


def ours(name: str) -> str:
    return name.removeprefix("skillbuild.")


def position(module: str) -> tuple[int, int] | None:
    """Floor and place on it; `emit.*` stands for every module of the package."""
    for number, floor in enumerate(FLOORS):
        names = floor.split()
        for name in (module, f"{module.partition('.')[0]}.*"):
            if name in names:
                return number, names.index(name)
    return None


def are_one_format(first: str, second: str) -> bool:
    """Parts of one package of a format, or of the server, may lean on each other."""
    package, *rest = first.split(".")
    depth = {"emit": 2, "serve": 1}.get(package, len(rest) + 1)
    return first.split(".")[:depth] == second.split(".")[:depth]


def test_every_module_has_a_floor() -> None:
    assert [module for module in TREES if position(module) is None] == []


def test_imports_only_go_down() -> None:
    upward = [
        f"{module} imports {target}"
        for module in TREES
        for target in imports(module)
        if target in TREES and target != module and not are_one_format(module, target)
        if (position(target) or (99, 0)) >= (position(module) or (0, 0))
    ]
    assert upward == []


def test_everything_else_comes_in_through_its_door() -> None:
    past = [
        f"{module} imports {target}"
        for module in TREES
        for target in imports(module)
        if target not in TREES and not is_at_door(module, target)
    ]
    assert past == []


def is_at_door(module: str, target: str) -> bool:
    package = target.partition(".")[0]
    door = DOORS.get(target, DOORS.get(package))
    if door is None:
        return package in sys.stdlib_module_names or package == "skillbuild"
    return f"{module}.".startswith(f"{door}.")


WRITING = {
    "mkdir",
    "rename",
    "rmtree",
    "symlink_to",
    "touch",
    "unlink",
    "write_bytes",
    "write_text",
}


def test_files_are_written_by_the_store_and_the_cache() -> None:
    """The cache is the user's and no part of an output; `publish` makes and moves its folders."""
    writers = {
        module
        for module in TREES
        for node in ast.walk(TREES[module])
        if isinstance(node, ast.Attribute) and node.attr in WRITING
        if not (isinstance(node.value, ast.Name) and node.value.id == "store")
    }
    assert writers == {"cache", "publish", "store"}


def test_the_server_reaches_nothing_that_can_build() -> None:
    reached = {module for module in TREES if module.partition(".")[0] == "serve"}
    waiting = list(reached)
    while waiting:
        new = {target for target in imports(waiting.pop()) if target in TREES} - reached
        reached |= new
        waiting += new
    builders = [
        "git",
        "objects",
        "source",
        "discover",
        "outline",
        "check",
        "icons",
        "pack",
        "emit",
        "publish",
        "work",
        "workers",
        "looking",
        "press",
        "build",
    ]
    assert {module.partition(".")[0] for module in reached} & set(builders) == set()


def test_a_package_of_formats_has_no_code_of_its_own() -> None:
    assert [type(node) for node in TREES["emit"].body] == [ast.Expr]


def test_a_module_is_one_idea_and_no_longer_than_four_hundred_lines() -> None:
    lengths = {name: len(path.read_text().splitlines()) for name, path in FILES.items()}
    assert {name: lines for name, lines in lengths.items() if lines > 400} == {}
