"""Options, tiers and surroundings of all tests.

`pytest --update` writes the present results into the expected parts of the case files. A test is a
`unit` test unless its module, or a fixture that it asks for, can start git or another process; what
takes long carries the marker `nightly` in its own file (`tests/README.md`).
"""

import gc
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

from helpers import TESTS

pytest_plugins = ["helpers.browsing", "helpers.publishing", "helpers.serving"]

settings.register_profile("same every time", deadline=None, derandomize=True, database=None)
settings.load_profile("same every time")


STARTING = {
    "subprocess",
    *("helpers.browsing", "helpers.hostile", "helpers.lifecycle", "helpers.lighthouse"),
    *("helpers.outputs", "helpers.pages", "helpers.publishing", "helpers.repos"),
    *("helpers.scripts", "helpers.serving"),
    *("helpers.slowest", "helpers.swaps", "helpers.talk", "helpers.versions", "helpers.web"),
}
"""Modules whose functions start git or another process, or need what such a function has made."""


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    from helpers import browsing, serving  # Pytest has to import these plugins before others do.

    fixtures = {*vars(browsing), *vars(serving)}
    of_modules: dict[ModuleType, bool] = {}
    for item in items:
        if not isinstance(item, pytest.Function):
            continue
        if item.module not in of_modules:
            of_modules[item.module] = _can_start(vars(item.module).values())
        if not of_modules[item.module] and fixtures.isdisjoint(item.fixturenames):
            item.add_marker("unit")


def _can_start(values: Iterable[object]) -> bool:
    """Whether one of the values of a module is a module of `STARTING`, or was defined in one."""
    names = (
        value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        for value in values
    )
    return not STARTING.isdisjoint(names)


def pytest_collection_finish() -> None:
    """What was loaded and collected stays: without it, to collect garbage takes half the time."""
    gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What a browser shows is tried where it is named, as in `pytest tests/browser`."""
    if collection_path != TESTS / "browser":
        return None
    return None if any("browser" in argument for argument in config.args) else True


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expected results")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))


@pytest.fixture(scope="session", autouse=True)
def own_surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test uses the cache of this user, or a proxy for connections to this machine; and none
    waits long to try again.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", f"{tmp_path_factory.mktemp('cache')}")
        patched.setenv("no_proxy", "127.0.0.1")
        patched.setattr("skillbuild.storage.http.FIRST_PAUSE", 0.001)
        yield
