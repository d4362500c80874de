#!/usr/bin/env python3
"""Rehearse a backfill that is interrupted, resumed and raced by an application."""

from __future__ import annotations

import sqlite3
import sys

ROWS = 10_500
BATCH = 1_000
FAIL_IN_BATCH = 5

SCHEMA = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, country TEXT NOT NULL, region TEXT);
CREATE TABLE backfill (name TEXT PRIMARY KEY, last INTEGER NOT NULL);
CREATE TABLE writes (id INTEGER NOT NULL, source TEXT NOT NULL);
INSERT INTO backfill VALUES ('orders.region', 0);
"""


class Interrupted(Exception):
    """Stands for a lost connection or a killed job."""


def prepare() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.executescript(SCHEMA)
    # Gaps in the key are normal: deleted rows, failed inserts.
    rows = ((number * 3, ("PT", "PE")[number % 2]) for number in range(1, ROWS + 1))
    with database:
        database.executemany("INSERT INTO orders (id, country) VALUES (?, ?)", rows)
    return database


def run_batch(database: sqlite3.Connection, *, fail: bool = False) -> bool:
    """Fill one batch; rows and position are committed together or not at all."""
    with database:
        (last,) = database.execute("SELECT last FROM backfill").fetchone()
        keys = database.execute(
            "SELECT id FROM orders WHERE id > ? ORDER BY id LIMIT ?", (last, BATCH)
        ).fetchall()
        if not keys:
            return False
        end = keys[-1][0]
        database.execute(
            "INSERT INTO writes SELECT id, 'backfill' FROM orders"
            " WHERE id > ? AND id <= ? AND region IS NULL",
            (last, end),
        )
        database.execute(
            "UPDATE orders SET region = CASE country WHEN 'PT' THEN 'eu' ELSE 'sa' END"
            " WHERE id > ? AND id <= ? AND region IS NULL",
            (last, end),
        )
        if fail:
            raise Interrupted
        database.execute("UPDATE backfill SET last = ?", (end,))
    return True


def application_writes(database: sqlite3.Connection, key: int) -> None:
    with database:
        database.execute("UPDATE orders SET region = 'manual' WHERE id = ?", (key,))
        database.execute("INSERT INTO writes VALUES (?, 'application')", (key,))


def run(database: sqlite3.Connection, *, fail_in: int | None = None) -> int:
    batches = 0
    while run_batch(database, fail=batches + 1 == fail_in):
        batches += 1
    return batches


def one(database: sqlite3.Connection, query: str) -> int:
    (value,) = database.execute(query).fetchone()
    return int(value)


def main() -> int:
    database = prepare()
    try:
        run(database, fail_in=FAIL_IN_BATCH)
    except Interrupted:
        last = one(database, "SELECT last FROM backfill")
        filled = one(database, "SELECT count(*) FROM orders WHERE region IS NOT NULL")
        print(f"interrupted: {filled} rows filled, position {last}")
    application_writes(database, key=ROWS * 3)
    print(f"resumed: {run(database)} more batches")
    print(f"second run: {run(database)} batches")

    checks = {
        "no row is left": "SELECT count(*) = 0 FROM orders WHERE region IS NULL",
        "each row was written once": (
            "SELECT count(*) = count(DISTINCT id) AND count(*) ="
            " (SELECT count(*) FROM orders) FROM writes"
        ),
        "the application's value stands": (
            "SELECT region = 'manual' FROM orders ORDER BY id DESC LIMIT 1"
        ),
    }
    passed = True
    for label, query in checks.items():
        holds = bool(one(database, query))
        passed = passed and holds
        print(f"{'ok' if holds else 'FAILED'}: {label}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
