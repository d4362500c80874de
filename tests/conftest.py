"""`pytest --update` writes what the code says now into the expected parts of the cases."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

pytest_plugins = ["browsing", "serving"]

settings.register_profile("same every time", deadline=None, derandomize=True, database=None)
settings.load_profile("same every time")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expected results")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads what a build of this user kept, nor leaves anything there."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = f"{tmp_path_factory.mktemp('cache')}"
    yield
    del os.environ["XDG_CACHE_HOME"]
    if before is not None:
        os.environ["XDG_CACHE_HOME"] = before
