"""Packages and which of them may import which, from one table (builder/README.md draws it)."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbuild

ROOMS = [
    *("cli", "fix", "build", "cache", "compile", "report", "serve", "check", "emit", "output"),
    *("source", "release", "text", "media", "storage", "config", "rules", "root"),
]
"""From the top down: a package imports itself and the packages after it here."""

ROOT_MODULES = {
    *(
        "",
        "__main__",
        "assets",
        "diagnostics",
        "errors",
        "model",
        "paths",
        "setting_lines",
        "uris",
    ),
}

WALLS = {
    "serve": {
        *("release", "storage", "text.json", "text.terms", "text.wording", "media.types"),
        *("media.identicon", "root"),
    },
    "emit": {"source", "release", "text", "media", "rules", "config", "root"},
    "text": {"root"},
    "media": {"root"},
    "storage": {"root"},
}
"""Packages that may import less than their place in the order allows."""

CACHE_USERS = {"cache", "cli", "build"}

DOORS: dict[str, str | tuple[str, ...]] = {
    "anyio": "serve",
    "cryptography": "check.trust.signers",
    "deflate": "media.archive",
    "httpx2": "storage.http",
    "jinja2": "emit.site",
    "markdown_it": "text.markdown",
    "markupsafe": "emit.site",
    "mcp": "serve",
    "mcp_types": "serve",
    "mdit_py_plugins": "text.markdown",
    "msgspec": ("cache", "config", "model", "release", "report"),
    "obstore": "storage.cloud",
    "packaging": "text.licenses",
    "pathspec": "source.globs",
    "pydantic": "serve",
    "pydantic_core": "serve",
    "pygments": "text.highlighting",
    "shtab": "cli",
    "snowballstemmer": "text.terms",
    "starlette": "serve",
    "uvicorn": "serve",
    "yaml": "text.yaml",
    "subprocess": "source.git_process",
    "tarfile": "media.archive",
    "tomllib": "config",
    "zipfile": "media.archive",
    "http.client": "nowhere",
    "http.server": "cli.preview",
    "urllib.request": "nowhere",
}
"""Modules, or rooms, that may import a library, and after the libraries parts of Python."""

ROOT = Path(skillbuild.__file__).parent
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    .removesuffix("__init__")
    .rstrip("."): path
    for path in sorted(ROOT.rglob("*.py"))
}
TREES = {name: ast.parse(path.read_bytes()) for name, path in FILES.items()}


def imports(module: str) -> Iterator[str]:
    """What a module imports, anywhere in its text; own modules without `skillbuild.`."""
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            yield from (ours(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            for alias in node.names:
                inner = ours(f"{node.module}.{alias.name}")
                yield inner if inner in TREES else ours(str(node.module))


def ours(name: str) -> str:
    return name.removeprefix("skillbuild").lstrip(".") if name.startswith("skillbuild") else name


def own_imports() -> Iterator[tuple[str, str]]:
    """Every pair of the project's modules of which the first imports the second."""
    for module in TREES:
        yield from ((module, target) for target in imports(module) if target in TREES)


def room(module: str) -> str:
    return "root" if module in ROOT_MODULES else module.partition(".")[0]


def is_below(module: str, name: str) -> bool:
    return module == name or module.startswith(f"{name}.")


def test_every_module_is_in_a_package() -> None:
    assert {room(module) for module in TREES} == set(ROOMS)


def test_packages_import_only_from_lower_packages() -> None:
    upward = [
        f"{module} imports {target}"
        for module, target in own_imports()
        if module != "__main__" and ROOMS.index(room(target)) < ROOMS.index(room(module))
    ]
    assert upward == []


def test_no_modules_import_each_other() -> None:
    """A module without imports from its importer can be read, and tested, without it."""
    needs: dict[str, set[str]] = {module: set() for module in TREES}
    for module, target in own_imports():
        needs[module].add(target)
    while free := {module for module, targets in needs.items() if not targets - {module}}:
        needs = {module: targets - free for module, targets in needs.items() if module not in free}
    assert sorted(needs) == []


def test_walled_packages_import_only_what_their_wall_allows() -> None:
    holes = [
        f"{module} imports {target}"
        for module, target in own_imports()
        if room(module) in WALLS and room(target) != room(module)
        if room(target) not in WALLS[room(module)]
        if not any(is_below(target, name) for name in WALLS[room(module)])
    ]
    assert holes == []


def test_only_the_pipeline_and_the_command_line_know_the_cache() -> None:
    knowing = {room(module) for module, target in own_imports() if room(target) == "cache"}
    assert knowing <= CACHE_USERS
    telling = [
        module
        for module, path in FILES.items()
        if room(module) not in CACHE_USERS
        if "skillbuild.cache" in path.read_text() or "SkillCache" in path.read_text()
    ]
    assert telling == []


def test_only_three_modules_read_the_setting_formats() -> None:
    """A new format is a module, a line in the registry and its name in `config.FORMATS`."""
    readers = {
        module
        for module in TREES
        for node in ast.walk(TREES[module])
        if isinstance(node, ast.Attribute) and node.attr == "formats"
        if not (isinstance(node.value, ast.Name) and node.value.id in {"rule", "self"})
    }
    assert readers == {"compile.pack", "emit.registry", "check.levels"}


def test_each_library_is_imported_by_its_assigned_package_alone() -> None:
    past = [
        f"{module} imports {target}"
        for module in TREES
        for target in imports(module)
        if target not in TREES and not is_at_door(module, target)
    ]
    assert past == []


def test_no_library_is_entered_by_a_private_name() -> None:
    private = [
        f"{module} imports {target}"
        for module in TREES
        for target in imports(module)
        if target not in TREES and re.search(r"\._(?!_)", f".{target}")
    ]
    assert private == []


def is_at_door(module: str, target: str) -> bool:
    package = target.partition(".")[0]
    door = DOORS.get(target, DOORS.get(package))
    if door is None:
        return package in sys.stdlib_module_names or package == "skillbuild"
    return any(is_below(module, name) for name in ([door] if isinstance(door, str) else door))


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


def test_only_output_and_storage_write_files() -> None:
    """The cache is the user's and no part of an output; a stage makes and moves its folders."""
    writers = {
        room(module)
        for module in TREES
        for node in ast.walk(TREES[module])
        if isinstance(node, ast.Attribute) and node.attr in WRITING
        if not (isinstance(node.value, ast.Name) and node.value.id == "disk")
    }
    assert writers == {"cache", "output", "storage"}


def test_the_init_of_a_package_imports_nothing() -> None:
    """A build with nothing to do loads packages; each holds its docstring and no import."""
    faces = [module for module, path in FILES.items() if path.name == "__init__.py" and module]
    kinds = {module: [type(node) for node in TREES[module].body] for module in faces}
    assert kinds.pop("serve") == [ast.Expr, ast.FunctionDef]  # `create_app` imports when called.
    assert kinds == {module: [ast.Expr] for module in faces if module != "serve"}


def test_no_class_has_a_name_twice() -> None:
    seen: dict[str, list[str]] = {}
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                seen.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in seen.items() if len(modules) > 1} == {}


DOCUMENTS = ("builder/README.md", ".github/CONTRIBUTING.md", "tests/README.md")
_NAMED_FILE = re.compile(r"`([\w./-]+\.(?:py|mjs))`")
_PLACEHOLDERS = ("NAME", "GROUP")
"""In names of files that a reader is to add."""


@pytest.mark.parametrize("document", DOCUMENTS)
def test_documents_name_files_that_exist(document: str) -> None:
    """A path is meant from the top, from the package, or from the tests."""
    top = ROOT.parents[1]
    every = {path.name for folder in ("builder", "tests") for path in (top / folder).rglob("*.*")}
    missing = [
        name
        for name in _NAMED_FILE.findall((top / document).read_text())
        if not any(word in name for word in _PLACEHOLDERS)
        if not any((folder / name).is_file() for folder in (top, ROOT, top / "tests"))
        if "/" in name or name not in every
    ]
    assert missing == []


RETIRED = {
    *("anew", "basis", "behind", "brand", "inert", "landed", "looked", "looking", "memo", "press"),
    *("recall", "standing", "surface", "thinning", "told", "witness"),
}
"""Words that only the authors understood; builder/README.md has the ones that are used."""
RETIRED_MODULES = {*RETIRED, "active", "closing", "growth", "guard", "places", "prepared", "stamp"}


def test_retired_words_name_nothing() -> None:
    met = {
        f"{module}: {name}"
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        for name in names_given_by(node)
        if {*name.lower().strip("_").split("_")} & RETIRED
    }
    assert met == set()
    assert {module.rpartition(".")[2] for module in TREES} & RETIRED_MODULES == set()


def names_given_by(node: ast.AST) -> Iterator[str]:
    """Names that a node introduces: of classes, functions, parameters, variables and fields."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            yield name
