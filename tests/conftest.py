"""`pytest --update` writes what the code says now into the expected parts of the cases."""

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
