"""The hint of each rule is followed: its finding goes, and no other comes.

A hint that holds the very text or command is applied to the letter; of one that leaves a choice,
one of the ways that it names is taken.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from helpers import repos, sarif, signing
from helpers.support import MemorySource, check
from skillbuild.config import Config
from skillbuild.diagnostics import Finding
from skillbuild.rules.registry import RULES
from skillbuild.source import tree

Texts = Mapping[str, str]
Fix = Callable[[dict[str, str], Finding], None]
GOOD = "name: a\ndescription: Does one thing.\n"


def skill(fields: str = GOOD, body: str = "Do it.\n") -> str:
    return f"---\n{fields}---\n{body}"


def write_line(files: dict[str, str], item: Finding) -> None:
    """`write LINE`: in place of the line that the finding names."""
    assert item.place is not None
    lines = files[item.path].split("\n")
    lines[item.place.line - 1] = item.hint.removeprefix("write ")
    files[item.path] = "\n".join(lines)


def write_value(files: dict[str, str], item: Finding) -> None:
    """The text after `to`, `:` or `write`: from the place of the finding to the end of the line."""
    assert item.place is not None
    match = re.search(
        r'(?:^rename the skill to |^quote it: |^write |^[^"]*: ?)("[^"]*"|[\w-]+)', item.hint
    )
    assert match is not None
    lines = files[item.path].split("\n")
    line = lines[item.place.line - 1]
    lines[item.place.line - 1] = line[: item.place.column - 1] + match[1]
    files[item.path] = "\n".join(lines)


def write_target(files: dict[str, str], item: Finding) -> None:
    assert item.place is not None
    lines = files[item.path].split("\n")
    start, line = item.place.column - 1, lines[item.place.line - 1]
    rest = line[start:].partition(")")[2]
    lines[item.place.line - 1] = f"{line[:start]}{item.hint.removeprefix('write ')}){rest}"
    files[item.path] = "\n".join(lines)


def add_field(files: dict[str, str], item: Finding) -> None:
    """`add KEY: VALUE`, as a line of the frontmatter."""
    line = item.hint.removeprefix("add ")
    files[item.path] = files[item.path].replace("---\n", f"---\n{line}\n", 1)


def put(path: str, text: str) -> Fix:
    return lambda files, item: files.update({path: text})


def swap(old: str, new: str, path: str = "a/SKILL.md") -> Fix:
    return lambda files, item: files.update({path: files[path].replace(old, new)})


def move(old: str, new: str) -> Fix:
    def moved(files: dict[str, str], item: Finding) -> None:
        for path in [path for path in files if path.startswith(old)]:
            files[new + path.removeprefix(old)] = files.pop(path)

    return moved


def remove(path: str) -> Fix:
    def removed(files: dict[str, str], item: Finding) -> None:
        del files[path]

    return removed


def both(*fixes: Fix) -> Fix:
    def done(files: dict[str, str], item: Finding) -> None:
        for fix in fixes:
            fix(files, item)

    return done


@dataclass(frozen=True)
class Case:
    code: str
    files: Texts
    fix: Fix


def one(code: str, text: str, fix: Fix, **more: str) -> Case:
    return Case(code, {"a/SKILL.md": text, **more}, fix)


def fields(code: str, extra: str, fix: Fix) -> Case:
    return one(code, skill(GOOD + extra), fix)


LONG = "x" * 1025
_MARKET = ".claude-plugin/marketplace.json"


def signed(text: str, **others: str) -> str:
    """A signature of a skill with this SKILL.md."""
    files = {"SKILL.md": text, **others}
    return signing.unproved({path: data.encode() for path, data in files.items()}).decode()


def signed_by(holder: signing.Holder) -> str:
    return signing.signed({"SKILL.md": skill().encode()}, holder).decode()


SCAN = {"skillbuild.toml": 'trust = { verdicts = ["scan.sarif"], gate = "error" }\n'}
NO_RESULTS = sarif.log(sarif.run()).decode()
RESCAN = both(swap("Do it", "Do that"), put("scan.sarif", NO_RESULTS))


def scanned(level: str, saw: str) -> dict[str, str]:
    """A scan that has seen a SKILL.md."""
    results = sarif.result("a/SKILL.md", level=level)
    run = sarif.run(results, seen={"a/SKILL.md": saw.encode()})
    return {**SCAN, "scan.sarif": sarif.log(run).decode()}


ROOT = signing.holder("Tools root", vouches=True)
TEAM = signing.holder("Tools team", ROOT)
SIGNED = {"a/skill.oms.sig": signed(skill(body="Do.\n"))}
POINTER = "version https://git-lfs.github.com/spec/v1\n"
CASES = [
    one("name-missing", skill("description: Does one thing.\n"), add_field),
    one("name-type", skill("name: 123\ndescription: D.\n"), swap("123", '"a"')),
    one("name-invalid", skill("name: PDF Toolkit\ndescription: D.\n"), write_value),
    Case(
        "name-invalid",
        {"My Dir/x/claude-code/SKILL.md": skill("name: Claude Code\ndescription: D.\n")},
        both(
            swap("Claude Code", "code", "My Dir/x/claude-code/SKILL.md"),
            move("My Dir/x/claude-code/", "My Dir/x/code/"),
        ),
    ),
    Case(
        "name-invalid",
        {
            "x/a/SKILL.md": skill("name: x/a\ndescription: D.\n"),
            "y/a/SKILL.md": skill("name: y/a\ndescription: D.\n"),
        },
        both(
            swap("x/a", "x-a", "x/a/SKILL.md"),
            move("x/a/", "x/x-a/"),
            swap("y/a", "y-a", "y/a/SKILL.md"),
            move("y/a/", "y/y-a/"),
        ),
    ),
    Case(
        "name-invalid",
        {
            "x/a/SKILL.md": skill("name: A Title\ndescription: D.\n"),
            "skillbuild.toml": '[paths]\n"x/a" = "y/better"\n',
        },
        both(write_value, move("x/a/", "x/better/"), swap("x/a", "x/better", "skillbuild.toml")),
    ),
    Case(
        "name-without-place",
        {"SKILL.md": skill("name: A Title\ndescription: D.\n")},
        swap("A Title", "a-title", "SKILL.md"),
    ),
    Case(
        "name-shared",
        {
            "a/SKILL.md": skill("name: A Title\ndescription: D.\n"),
            "b/SKILL.md": skill("name: A Title\ndescription: D.\n"),
        },
        both(swap("A Title", "a"), swap("A Title", "b", "b/SKILL.md")),
    ),
    one("name-mismatch", skill("name: b\ndescription: D.\n"), move("a/", "b/")),
    Case(
        "name-mismatch",
        {
            "a/SKILL.md": skill("name: b\ndescription: D.\n"),
            "skillbuild.toml": '[paths]\n"a" = "x/b"\n',
        },
        both(move("a/", "b/"), swap('"a"', '"b"', "skillbuild.toml")),
    ),
    Case(
        "name-invalid",
        {
            "x/a/SKILL.md": skill("name: A Title\ndescription: D.\n"),
            "skillbuild.toml": '[paths]\n"x/a" = "y/a"\n',
        },
        write_value,
    ),
    one("name-mismatch", skill("name: b\ndescription: D.\n"), swap("name: b", "name: a")),
    Case(
        "name-reserved",
        {"claude-a/SKILL.md": skill("name: claude-a\ndescription: D.\n")},
        both(swap("claude-a", "b", "claude-a/SKILL.md"), move("claude-a/", "b/")),
    ),
    one("description-missing", skill("name: a\n"), swap("name: a\n", GOOD)),
    one("description-type", skill("name: a\ndescription: 1\n"), swap(": 1", ": Does one thing.")),
    one("description-blank", skill("name: a\ndescription: ''\n"), swap("''", "Does one thing.")),
    one(
        "description-too-long",
        skill(f"name: a\ndescription: {LONG}\n"),
        swap(LONG, LONG[:1024]),
    ),
    Case(
        "description-covered",
        {
            "scan/SKILL.md": skill("name: scan\ndescription: Scans all code for holes.\n"),
            "deep-scan/SKILL.md": skill(
                "name: deep-scan\ndescription: Scans all code for holes.\n"
            ),
        },
        swap("holes", "holes in a minute", "scan/SKILL.md"),
    ),
    one("description-markup", skill("name: a\ndescription: A <b>.\n"), swap("<b>", "b")),
    fields("metadata-type", "metadata: a\n", swap("metadata: a", "metadata:\n  a: b")),
    fields("metadata-type", "metadata:\n  a: true\n", write_value),
    fields("metadata-type", "metadata:\n  version: 1.10\n", swap("1.10", '"1.10"')),
    fields("metadata-type", "metadata:\n  a: [b, c]\n", write_value),
    fields("metadata-type", "metadata:\n  a: ~\n", write_value),
    fields("metadata-type", "metadata: [a]\n", swap("[a]", "\n  a: b")),
    fields(
        "metadata-reserved",
        "metadata:\n  io.modelcontextprotocol/x: a\n",
        swap("io.modelcontextprotocol", "org.example"),
    ),
    fields("allowed-tools-type", "allowed-tools: [Bash, Read]\n", write_value),
    fields("compatibility-type", "compatibility: [a]\n", swap("[a]", "a")),
    fields("compatibility-too-long", f"compatibility: {LONG}\n", swap(LONG, LONG[:500])),
    fields("field-type", "argument-hint: [file]\n", swap("[file]", '"[file]"')),
    fields("field-type", "user-invocable: 1\n", swap(": 1", ": true")),
    fields("field-unknown", "version: v1\n", swap("version: v1", "metadata:\n  version: v1")),
    one("byte-order-mark", "\ufeff" + skill(), swap("\ufeff", "")),
    one("nul-byte", skill(body="Do\0 it.\n"), swap("\0", "")),
    one("frontmatter-missing", f"{GOOD}---\nDo it.\n", put("a/SKILL.md", skill())),
    one("frontmatter-fence", skill().replace("---", "--- ", 1), swap("--- ", "---")),
    one("frontmatter-unclosed", f"---\n{GOOD}", put("a/SKILL.md", skill())),
    one("frontmatter-not-mapping", skill("- a\n"), swap("- a\n", GOOD)),
    one("yaml-invalid", skill(GOOD + "license: 'MIT\n"), swap("'MIT", "MIT")),
    one("yaml-unquoted-colon", skill("name: a\ndescription: Use: it\n"), write_line),
    one(
        "yaml-unquoted-colon",
        skill("name: a\ndescription: Does it.license: MIT\n"),
        swap(".license", ".\nlicense"),
    ),
    fields("yaml-feature", "license: &a MIT\n", swap("&a ", "")),
    fields("yaml-duplicate-key", "license: MIT\nlicense: MIT\n", swap("MIT\nlicense: MIT", "MIT")),
    fields("yaml-key-type", "metadata:\n  1: a\n", swap("1: a", '"1": a')),
    fields("yaml-number", "license: .inf\n", write_value),
    fields("yaml-line-break", "license: a\u2028b\n", swap("\u2028", "")),
    fields(
        "yaml-too-large",
        f"x: {'[' * 40}{']' * 40}\n",
        swap(f"x: {'[' * 40}{']' * 40}\n", ""),
    ),
    fields("yaml-ambiguous", "license: yes\n", write_value),
    fields("yaml-float", "license: 1.10\n", write_value),
    fields("yaml-integer", "license: 9007199254740993\n", write_value),
    one("yaml-comment", skill("name: a\ndescription: For issue #12\n"), write_line),
    fields("yaml-style", "license: [a]\n", swap("[a]", "\n- a")),
    fields("yaml-style", "license: 'a\n  b'\n", swap("'a\n  b'", ">-\n  a\n  b")),
    one("body-empty", skill(body=""), put("a/SKILL.md", skill())),
    one(
        "body-long",
        skill(body="Do it.\n" * 501),
        both(put("a/SKILL.md", skill(body="See [more](more.md).\n")), put("a/more.md", "Do it.\n")),
    ),
    one("link-broken", skill(body="See [it](docs/a.md).\n"), put("a/docs/a.md", "A.\n")),
    one(
        "link-broken",
        skill(body="See [it](reference/a.md#b) here.\n"),
        write_target,
        **{"a/references/a.md": "# B\n"},
    ),
    one(
        "link-broken",
        skill(body="See [it](reference/%61.md#b) here.\n"),
        write_target,
        **{"a/references/a.md": "# B\n"},
    ),
    one(
        "link-broken",
        skill(body="See [it](a.md) here.\n"),
        write_target,
        **{"a/my docs (old)/a.md": "A.\n"},
    ),
    Case(
        "link-broken",
        {"a/SKILL.md": skill(body="See [it](../docs/a.md).\n"), "docs/a.md": "A.\n"},
        both(swap("../docs", "docs"), put("a/docs/a.md", "A.\n")),
    ),
    one("link-stale", skill(body="See [it](/docs/b).\n"), swap("/docs", "https://example.org")),
    one(
        "path-missing",
        skill(body="Read `docs/b.md`.\n"),
        put("a/docs/b.md", "B.\n"),
        **{"a/docs/a.md": "A.\n"},
    ),
    one(
        "path-missing",
        skill(body="Read `docs/B.md`.\n"),
        swap("docs/B.md", "docs/b.md"),
        **{"a/docs/b.md": "B.\n"},
    ),
    one("link-broken", skill(body="See [it](undefined).\n"), swap("undefined", "https://a.org")),
    one(
        "anchor-missing",
        skill(body="See [it](#a-b).\n\n## A & B\n"),
        lambda files, item: swap("#a-b", item.hint.removeprefix("write "))(files, item),
    ),
    one(
        "path-outside",
        skill(body="Run `python scripts/draw.py`.\n"),
        put("a/scripts/draw.py", "print()\n"),
        **{"scripts/draw.py": "print()\n"},
    ),
    one(
        "path-outside",
        skill(body="Run `python scripts/draw.py`.\n"),
        swap("scripts/draw.py", "${CLAUDE_PLUGIN_ROOT}/scripts/draw.py"),
        **{"scripts/draw.py": "print()\n", ".claude-plugin/plugin.json": "{}\n"},
    ),
    one("text-plain", skill(), put("a/a.md", "A.\n"), **{"a/a.md": "x" * 262_145}),
    one("invisible-text", skill(body="a\u200bb\n"), swap("\u200b", "")),
    one("hidden-comment", skill(body="<!-- a\n\nb\n"), swap("<!-- a", "<!-- a -->")),
    one("hidden-comment", skill(body="[//]: # (a)\n"), swap("[//]: # (a)", "(a)")),
    one("hidden-html", skill(body="<p hidden>a</p>\n"), swap("<p hidden>a</p>", "a")),
    one("unused-definition", skill(body="[a]: b\n"), swap("[a]", "\\[a]")),
    one("hidden-by-space", skill(body="a\n" + "\n" * 31 + "b\n"), swap("\n" * 31, "")),
    one("packed-text", skill(body=f"{'QWxsIGdvb2QgdGhpbmdzIGVuZC4g' * 9}\n"), swap("QWxsI", "a B")),
    one("mixed-script", skill(body="https://p\u0430y.dev/\n"), swap("\u0430", "a")),
    one("file-name", skill(), move("a/x:y", "a/x-y"), **{"a/x:y.txt": ""}),
    one("file-name-git", skill(), move("a/.git.", "a/git.txt"), **{"a/.git.": ""}),
    one("file-collision", skill(), move("a/B", "a/c"), **{"a/b.txt": "", "a/B.txt": ""}),
    one("file-junk", skill(), remove("a/.DS_Store"), **{"a/.DS_Store": ""}),
    one(
        "signature-missing",
        skill(),
        put("a/skill.oms.sig", signed(skill())),
        **{"skillbuild.toml": "trust.required = true\n"},
    ),
    one("signature-stale", skill(), put("a/SKILL.md", skill(body="Do.\n")), **SIGNED),
    one(
        "signature-stale",
        skill(),
        remove("a/x.md"),
        **{"a/skill.oms.sig": signed(skill()), "a/x.md": ""},
    ),
    one(
        "signer-unknown",
        skill(),
        put("a/skill.oms.sig", signed_by(TEAM)),
        **{
            "skillbuild.toml": 'trust.roots = ["root.pem"]\n',
            "root.pem": ROOT.pem.decode(),
            "a/skill.oms.sig": signed_by(signing.holder("Tools team")),
        },
    ),
    one("scanner-result", skill(), RESCAN, **scanned("error", skill())),
    one("scanner-file", skill(), put("scan.sarif", NO_RESULTS), **SCAN, **{"scan.sarif": "{}"}),
    one("scanner-unproven", skill(), put("scan.sarif", NO_RESULTS), **scanned("error", "")),
    one("signature-invalid", skill(), remove("a/skill.oms.sig"), **{"a/skill.oms.sig": ""}),
    one(
        "signature-partial",
        skill(body="Do.\n"),
        put("a/skill.oms.sig", SIGNED["a/skill.oms.sig"]),
        **{"a/.gitkeep": "", "a/skill.oms.sig": signed(skill(body="Do.\n"), **{".gitkeep": ""})},
    ),
    one("secret", skill(), remove("a/.env"), **{"a/.env": "PASSWORD=hunter2\n"}),
    one("file-large", skill(), put("a/x", ""), **{"a/x": "x" * 1_048_577}),
    one("file-lfs", skill(), put("a/x.txt", "the content"), **{"a/x.txt": POINTER}),
    one(
        "tar-omitted",
        skill(),
        move("a/\u00e9", "a/e"),
        **{"a/\u00e9": "", "skillbuild.toml": 'formats = ["tar.gz"]\n'},
    ),
    one("icon-invalid", skill(), remove("a/assets/icon.png"), **{"a/assets/icon.png": "no image"}),
    one("discovery-omitted", skill(), move("a/x.svg", "a/x.txt"), **{"a/x.svg": "<svg/>"}),
    one(
        "discovery-omitted",
        skill(),
        put("skillbuild.toml", 'exclude = ["/a/.claude-plugin/"]\n'),
        **{"a/.claude-plugin/plugin.json": "{}\n"},
    ),
    *(
        Case(
            code,
            {"a/SKILL.md": skill(), "skillbuild.toml": text},
            put("skillbuild.toml", ""),
        )
        for code, text in (
            ("ignore-unused", '[[ignore]]\nrule = "body-long"\nreason = "r"\n'),
            ("pattern-unused", 'exclude = ["/gone/"]\n'),
        )
    ),
    Case(
        "skill-at-root",
        {"SKILL.md": skill("name: r\ndescription: D.\n"), "a/SKILL.md": skill()},
        put("skillbuild.toml", 'exclude = ["/SKILL.md"]\n'),
    ),
    Case(
        "skill-path-segment",
        {"x:y/a/SKILL.md": skill()},
        put("skillbuild.toml", '[paths]\n"x:y" = "x"\n'),
    ),
    Case(
        "skill-path-name",
        {"a/SKILL.md": skill(), "skillbuild.toml": '[paths]\n"a" = "x/b"\n'},
        lambda files, item: files.update(
            {
                "skillbuild.toml": '[paths]\n"a" = '
                + item.hint.removeprefix("map the directory to ")
                + "\n"
            }
        ),
    ),
    Case(
        "skill-path-authority",
        {"@acme/a/SKILL.md": skill()},
        put("skillbuild.toml", '[paths]\n"@acme" = "acme"\n'),
    ),
    Case(
        "skills-hidden",
        {
            "a/SKILL.md": skill(),
            ".github/skills/b/SKILL.md": skill("name: b\ndescription: Does another thing.\n"),
        },
        lambda files, item: files.update(
            {"skillbuild.toml": item.hint[item.hint.index("roots") : item.hint.index(" in ")]}
        ),
    ),
    Case(
        "skills-backup",
        {
            "a/SKILL.md": skill(),
            "backups/a/SKILL.md": skill("name: b\ndescription: Does another thing.\n"),
        },
        lambda files, item: files.update(
            {"skillbuild.toml": item.hint[item.hint.index("exclude") : item.hint.index(" in ")]}
        ),
    ),
    Case("no-skills", {"README.md": "No skill.\n"}, put("a/SKILL.md", skill())),
    Case(
        "manifest-invalid",
        {"a/SKILL.md": skill(), ".claude-plugin/marketplace.json": "[]"},
        put(".claude-plugin/marketplace.json", "{}"),
    ),
    Case(
        "grouping-unused",
        {"a/SKILL.md": skill(), "skills.sh.json": '{"groupings": [{"skills": ["b"]}]}'},
        put("skills.sh.json", '{"groupings": [{"skills": ["a"]}]}'),
    ),
    Case(
        "marketplace-lossy",
        {"a/skills/a/SKILL.md": skill(), _MARKET: '{"plugins": [{"name": "a", "source": "./b"}]}'},
        put(_MARKET, '{"plugins": [{"name": "a", "source": "./a"}]}'),
    ),
    Case(
        "marketplace-reserved",
        {"a/SKILL.md": skill(), _MARKET: '{"name": "agent-skills"}'},
        put(_MARKET, '{"name": "our-skills"}'),
    ),
    Case(
        "plugin-drift",
        {
            "skills/a/SKILL.md": skill(),
            ".claude-plugin/plugin.json": '{"version": "1"}',
            "gemini-extension.json": '{"version": "2"}',
        },
        put("gemini-extension.json", '{"version": "1"}'),
    ),
]
BY_COMMAND = {"skill-file-case", "exec-markdown", "script-not-executable", "script-mode"}
"""Their hints are commands; `test_commands_in_hints_mend_a_work_tree` runs them."""
ELSEWHERE = {
    "not-utf8": "the encoding is a choice of the editor",
    "file-link": "bytes take its place",
    "file-submodule": "files take its place",
    "file-special": "no file can be written in its place",
    "file-unreadable": "git has to fetch the object",
    "too-many-files": "10,001 files; test_sizes.py follows it",
    "skill-too-large": "100 MiB; test_sizes.py follows it",
    "skill-large": "513 files; the hint is that of too-many-files",
    "skill-very-large": "1,001 files; the hint is that of too-many-files",
    "source-too-large": "2 GiB",
    "too-many-entries": "a million files",
    "nested-left-out": "only of builds with --skip-invalid",
    "version-address": "only of builds with versions",
    "uri-too-long": "names of 2,048 bytes",
    "skill-path-collision": "the case files have both sides",
    "skill-path-moved": "the case files have both sides",
    "plugin-parts": "what a plugin has is up to its author",
}
"""Rules whose hints a text in memory cannot follow, and why."""


def findings_in(files: Texts) -> tuple[Finding, ...]:
    source = MemorySource({path: text.encode() for path, text in files.items()})
    config: Config = tree.read_config(source, source.leaves())
    return check(source, config).findings


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_what_a_hint_says_mends_the_source_and_breaks_nothing(case: Case) -> None:
    before = findings_in(case.files)
    met = [item for item in before if item.code == case.code]
    assert met, before
    files = dict(case.files)
    case.fix(files, met[0])
    after = findings_in(files)
    assert [item.code for item in after if item.code == case.code] == []
    new = {item.code for item in after} - {item.code for item in before}
    assert new == set(), after


def test_every_rule_has_a_hint_that_is_followed() -> None:
    assert {case.code for case in CASES} | BY_COMMAND | ELSEWHERE.keys() == set(RULES)


@pytest.mark.skipif(os.name == "nt", reason="the commands are those of a POSIX shell")
@pytest.mark.parametrize("state", ["tracked", "untracked", "no repository"])
def test_commands_in_hints_mend_a_work_tree(tmp_path: Path, state: str) -> None:
    files = {
        "lower/skill.md": skill("name: lower\ndescription: D.\n"),
        "a/SKILL.md": skill(body="```sh\n./run.sh\n```\n"),
        "a/README.md": "```sh\n./other.sh\n```\n",
        "a/run.sh": "#!/bin/sh\n",
        "a/other.sh": "#!/bin/sh\n",
        "a/docs/x.md": "X.\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "a/docs/x.md").chmod(0o755)
    if state != "no repository":
        repos.empty(tmp_path)
    if state == "tracked":
        repos.git(tmp_path, "add", "--all")
    before = checked(tmp_path)
    assert {item.code for item in before} == BY_COMMAND
    for item in before:
        command = item.hint.partition(";")[0]
        subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, capture_output=True)
    assert checked(tmp_path) == ()


def checked(folder: Path) -> tuple[Finding, ...]:
    return repos.check(folder).findings
