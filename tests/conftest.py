"""`pytest --update` writes the present results into the expected parts of the case files."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

pytest_plugins = ["helpers.browsing", "helpers.serving"]

settings.register_profile("same every time", deadline=None, derandomize=True, database=None)
settings.load_profile("same every time")


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
