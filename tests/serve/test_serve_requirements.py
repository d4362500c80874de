"""Every sentence of the specifications that binds a server, and the test that proves it.

`cases/serve-requirements.txt` has one line for each; a line without a test says why. The other
way round, every test of the protocol is in the table or under "Beyond the texts".
"""

import ast
import re
from pathlib import Path

from helpers import CASES

HERE = Path(__file__).parent
TABLE = (CASES / "serve-requirements.txt").read_text()
LINE = re.compile(r"(MUST|MUST NOT|SHOULD|SHOULD NOT|MAY) [^|]+ \| (?P<proof>\S.*)")
PROTOCOL = ("listing", "reading", "hello", "change", "versions")
TEXTS, _, BEYOND = TABLE.partition("== Beyond the texts ==\n")
ROWS = [line for line in TEXTS.splitlines() if line and line[0] not in "=#"]


def named_in(module: str) -> set[str]:
    tree = ast.parse((HERE / f"test_serve_{module}.py").read_text())
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {f"{module}.{name}" for name in functions if name.startswith("test_")}


def proofs() -> list[str]:
    matches = [LINE.fullmatch(row) for row in ROWS]
    assert [row for row, match in zip(ROWS, matches, strict=True) if match is None] == []
    return [match["proof"] for match in matches if match is not None]


def test_every_requirement_has_a_test_or_a_reason() -> None:
    tests = {
        name for module in (*PROTOCOL, "tools", "stdio", "unlisted") for name in named_in(module)
    }
    without = [proof for proof in proofs() if proof not in tests]
    assert [proof for proof in without if not re.match(r"(superseded|declined): \w", proof)] == []


def test_every_test_of_the_protocol_is_in_the_table() -> None:
    there = {name for module in PROTOCOL for name in named_in(module)}
    named = set(proofs()) | set(BEYOND.split())
    assert there - named == set()
    assert set(BEYOND.split()) - there == set()
    assert set(BEYOND.split()) & set(proofs()) == set()
