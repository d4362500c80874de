"""What the server tells on standard error: limited, and never a reason to end."""

import logging
import sys
import time
from pathlib import Path

import pytest

from helpers.talk import HttpServer
from skillbuild.serve.transport import logs


def told(handler: logging.Handler, *messages: str) -> None:
    for message in messages:
        handler.handle(logging.makeLogRecord({"msg": message}))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    now = {"seconds": 1000.0}
    monkeypatch.setattr(time, "monotonic", lambda: now["seconds"])
    return now


def test_so_many_lines_a_minute_and_how_many_were_left_out(
    clock: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    handler = logs.LimitedHandler()
    told(handler, *map(str, range(logs.MOST_LINES + 3)))
    clock["seconds"] += 61
    told(handler, "later")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        *(f"skillbuild: {number}" for number in range(logs.MOST_LINES)),
        "skillbuild: 3 more lines left out",
        "skillbuild: later",
    ]


def test_nobody_is_advised_to_install_something(out: Path) -> None:
    headers = {"connection": "upgrade", "upgrade": "websocket"}
    with HttpServer(out) as server:
        for _ in range(2):
            assert server.request("GET", "/index.json", headers=headers)[0] == 200
            assert server.error_line() == "skillbuild: Unsupported upgrade request."


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_log_that_cannot_be_written_is_no_fault(
    clock: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = logs.LimitedHandler()
    full = Path("/dev/full").open("w")  # noqa: SIM115 - to close it fails as well.
    monkeypatch.setattr(sys, "stderr", full)
    told(handler, *map(str, range(logs.MOST_LINES + 3)))
    clock["seconds"] += 61
    told(handler, "later")
    with pytest.raises(OSError, match="No space left"):
        full.close()
