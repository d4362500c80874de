"""Texts that were made to take long are checked in linear time; the findings are not the point."""

import sys

import pytest

if sys.platform == "win32":
    pytest.skip("needs limits of POSIX for a process", allow_module_level=True)

from helpers import hostile
from helpers.support import skill_md

SCRIPTS = {f"a/{folder}/x.sh": "#!/bin/sh\n" for folder in ("bin", "scripts")}
BODIES = {
    "angles before a script": "<a> " * 50_000 + "x.sh\n",
    "open angles before a script": ("<" * 290 + "x.sh\n") * 800,
    "angles and blanks before a script": "<a <a" * 30 + " x.sh\n",
    "closed angles before a script": "<a>" * 40 + " x.sh\n",
    "variables": "`" + "${a}$b" * 40_000 + " x.sh`\n",
    "variables and a blank": "`" + "$" * 40 + "{a}" + "$a" * 40 + " x.sh`\n",
    "programs": ("sh -a b " * 35 + "x.sh\n") * 800,
    "scripts": "x.sh" * 60_000,
    "spans": "run `x.sh a` " * 18_000,
    "commands": "```sh\n" + "./x.sh\n" * 35_000,
    "paths that are missing": "`docs/z.md` " * 20_000,
    "many missing paths": "".join(f"See `docs/{number}.md`.\n" for number in range(13_000)),
    "commands of missing paths": "```sh\n" + "python docs/z.py\n" * 14_000,
    "one command of missing paths": "```sh\n" + "python docs/z.py; " * 13_000,
    "a command that goes on": "```sh\n" + "python docs/z.py \\\n" * 12_000,
    "fences": "```sh\npython docs/z.py\n```\n" * 9_000,
    "headings": "# a\nSee `docs/z.md`.\n" * 9_000,
    "folders": "docs/" * 50_000 + "x.md",
    "names of folders": "docs/a" * 40_000,
    "variables before a path": "{baseDir}/" * 20_000 + "x.md",
    "quotes": "```sh\n" + "\"'" * 100_000 + " docs/z.py\n",
    "here-documents": "```sh\n" + "cat <<E\npython docs/z.py\n" * 9_000,
    "anchors": "# Heading\n" * 6_000 + "[a](#b) " * 10_000,
    "different anchors": "".join(f"# {n}\n[a](#a{n})\n" for n in range(8_000)),
    "links to nothing": "[a](undefined) " * 16_000,
    "a list item": "- " + "see `docs/x.md`, " * 15_000,
    "a row": "| " + "see `docs/x.md`, " * 15_000,
    "blanks and links": " " * 100_000 + "[a](b.md) " * 15_000,
    "a word": "see `docs/x.md` " + "a" * 240_000,
    "a word with hyphens": "see `docs/x.md` " + "a-" * 120_000,
    "zero widths between commas": "\u200b,a" * 80_000,
    "a row of zero widths": "a" + "\u200b\u202e" * 100_000,
    "blanks between marks": "\u202e-" * 120_000,
    "apps and hosts": "".join(f"The connected Ab{n} app.\n" for n in range(5_000))
    + "```sh\n"
    + "".join(f"curl https://h{n}.dev/x\n" for n in range(5_000)),
    "keys and libraries": "```python\n"
    + "".join(f"import lib{n}\nk = os.environ['A{n}_API_KEY']\n" for n in range(4_000)),
    "services": "Post to Slack, GitHub and Jira via the API, " * 5_000,
    "a service on many lines": "Post to Slack via its API.\n" * 9_000,
    "credentials": "It requires an API key, " * 9_000,
    "tools of servers": "MCP `get_a`, `delete_b` " * 9_000,
    "requests": "- DELETE /a/b\n" * 9_000,
    "commands in a list": "- `make a` or `npm ls b`\n" * 8_000,
    "tools": "Run pytest, use `gh` CLI, " * 9_000,
    "messages": 'echo "pip install a" ' * 9_000,
    "options of a command that installs": "```sh\n" + "tool install " + "--a --a " * 20_000,
    "pages": "Read https://a.dev/x and https://b.dev/y, " * 5_000,
    "pages in a list": "Read these pages:\n" + "- https://a.dev/x\n" * 9_000,
    "imports in strings": "```python\n" + "import a\n" * 9_000 + '"' * 50_000,
    "redirections": "```sh\n" + "echo a > ~/b\n" * 9_000,
    "requests that change": "```sh\n" + "curl -X POST https://a.dev/b/c\n" * 6_000,
}
PROGRAMS = {
    f"a/scripts/x{number}.py": "".join(f"import lib{number}x{each}\n" for each in range(200))
    for number in range(900)
}
DESCRIPTIONS = {
    "words in a row": "create " + "a," * 500,
    "commas": "create " + "a" + "," * 1_000,
    "verbs": "create-" * 1_500,
    "verbs without skills": "create a b c d " * 700,
}


@pytest.mark.nightly
def test_texts_that_take_long_are_checked_in_time() -> None:
    more = {**SCRIPTS, "a/docs/y.md": "Y.\n"}
    texts = {
        name: {"a/SKILL.md": skill_md("a", body=body).decode(), **more}
        for name, body in BODIES.items()
    } | {
        name: {"a/SKILL.md": f"---\nname: a\ndescription: {text}\n---\nSee `docs/x.md`.\n", **more}
        for name, text in DESCRIPTIONS.items()
    }
    texts["imports of programs"] = {"a/SKILL.md": skill_md("a").decode(), **PROGRAMS}
    assert list(hostile.checked(texts)) == list(texts)
