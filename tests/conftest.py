"""`pytest --update` writes what the code says now into the expected parts of the cases."""

import pytest

pytest_plugins = ["serving"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expected results")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))
