"""Which file each command of a fence or code span runs, and where it stands."""

from __future__ import annotations

import re

import pytest

from skillbuild.text.commands import in_fence, in_span, is_shell
from skillbuild.text.markdown.document import Document

ONE_FILE = {
    "python3 -u a/x.py --all": "a/x.py",
    "$ A=1 B='2 3' sudo a/x.sh now": "a/x.sh",
    "uv run --with requests a/x.py": "a/x.py",
    "poetry run python a/x.py": "a/x.py",
    "npx -y tsx a/x.ts": "a/x.ts",
    "deno run --allow-net a/x.ts": "a/x.ts",
    "bun run a/x.ts": "a/x.ts",
    "timeout 30 node a/x.js": "a/x.js",
    "/usr/bin/env python a/x.py": "a/x.py",
    ".venv/bin/python a/x.py": "a/x.py",
    "$PYTHON a/x.py": "a/x.py",
    "pwsh -ExecutionPolicy Bypass -File a/x.ps1": "a/x.ps1",
    "bash -x a/x.sh": "a/x.sh",
    "source a/x.sh": "a/x.sh",
    '"${DIR}/a/x.sh" b': "${DIR}/a/x.sh",
    '"$DIR"/a/x.sh b': "$DIR/a/x.sh",
    "<the skill>/a/x.sh": "<the skill>/a/x.sh",
    "{base dir}/a/x.sh": "{base dir}/a/x.sh",
    "cat b.txt | a/x.sh": "a/x.sh",
    "make && a/x.sh": "a/x.sh",
    "X=$(python a/x.py)": "a/x.py",
    'X="$(python a/x.py b)"': "a/x.py",
    "if a/x.sh; then": "a/x.sh",
}
NO_FILE = [
    "# a/x.sh",
    "make # a/x.sh",
    "echo a/x.sh",
    "echo 'b; a/x.sh'",
    "python -m cProfile a/x.py",
    'python -c "a/x.py"',
    "npx tool a/x.py",
    "uv pip install a/x.py",
    "poetry add a/x.py",
]


@pytest.mark.parametrize("line", [*ONE_FILE, *NO_FILE])
def test_a_command_runs_a_file(line: str) -> None:
    document = Document(f"1. List:\n   ```sh\n   {line}\n   ```\n")
    [fence] = document.fences
    files = [each.file for each in in_fence(document, fence) if each.file is not None]
    wanted = ONE_FILE.get(line)
    assert [file.text for file in files] == ([] if wanted is None else [wanted])
    for file in files:
        shown = document.lines[file.place.line - 1][file.place.column - 1 :][: file.length]
        assert re.sub("[\"']", "", shown) == file.text


FENCE = """\
```console
$ python \\
    a/x.py --all \\
    b/x.py
cat > c.sh <<'EOF'
python c/x.py
EOF
d/x.sh && e/x.sh f
```
"""


def test_the_commands_of_a_fence_are_in_order_and_know_where_they_stand() -> None:
    document = Document(FENCE, first_line=10)
    [fence] = document.fences
    assert is_shell(fence)
    assert [
        (each.name, each.is_first, each.is_interpreted, each.has_arguments, each.file.text, at)
        for each in in_fence(document, fence)
        if each.file is not None and (at := (each.file.place.line, each.file.place.column))
    ] == [
        ("python", True, True, True, "a/x.py", (12, 5)),
        ("x.sh", True, False, False, "d/x.sh", (17, 1)),
        ("x.sh", False, False, True, "e/x.sh", (17, 11)),
    ]


def test_a_code_span_is_a_line() -> None:
    document = Document("Run `python a/x.py` or `a/x.sh`.\n")
    spans = document.references(re.compile("a/"))
    files = [command.file for span in spans for command in in_span(span)]
    assert [(file.text, file.place.column) for file in files if file] == [
        ("a/x.py", 13),
        ("a/x.sh", 25),
    ]
