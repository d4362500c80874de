"""The documentation is true: its commands run, its settings are read, its lists are complete.

A block of commands with the mark `not-run` after its language needs a network, GitHub or another
program, or does not end by itself; its calls of skillbuild must be right all the same.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

import pytest

from helpers import TESTS, documents, pages, searching
from helpers.commands import run, shell_variables
from helpers.documents import Block
from skillbuild import assets, config
from skillbuild.cli.grammar import parser
from skillbuild.config import Config
from skillbuild.emit.site.documentation import PAGES, PARTS, documentation
from skillbuild.release.search.ranking import ask
from skillbuild.rules.registry import RULES
from skillbuild.text.markdown.document import Document

ROOT = TESTS.parent
TEXTS = {page: assets.documentation_text(page) for page in PAGES}
TRIED_ELSEWHERE = ("publish", "verify")
"""Pages whose commands `test_publishing.py` and `test_trust_guide.py` run, with what they need."""
NOT_RUN: Mapping[str, int] = {"commands": 4, "releasing": 1, "serve": 4, "start": 6, "themes": 1}
"""How many blocks of commands of a page are not run."""
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "builder/README.md")),
    *sorted((ROOT / ".github").glob("*.md")),
    *(TESTS / name for name in ("README.md", "bench/README.md")),
    *sorted(documents.FOLDER.glob("*.md")),
]


def test_every_text_is_a_page() -> None:
    written = [file.stem for file in documents.FOLDER.glob("*.md")]
    assert sorted(PAGES) == sorted([*written, "internals"])
    assert [page for page, text in TEXTS.items() if not re.match(r"# [A-Z]", text)] == []


def test_the_first_page_lists_the_same_parts_as_the_menu() -> None:
    _, sections = documents.sections(TEXTS["index"])
    listed = {
        title: tuple(
            link.removesuffix(".md").replace("../../builder/README", "internals")
            for link in _links(sections[title])
        )
        for title in PARTS
    }
    assert listed == PARTS


@pytest.mark.parametrize("page", documents.GENERATED)
def test_generated_pages_say_what_the_code_says(page: str, request: pytest.FixtureRequest) -> None:
    wanted = documents.GENERATED[page](TEXTS[page])
    if request.config.getoption("--update"):
        (documents.FOLDER / f"{page}.md").write_text(wanted, "utf-8")
    else:
        assert TEXTS[page] == wanted


def _links(text: str) -> Iterator[str]:
    without_code = re.sub(r"^(`{3,}).*?^\1$|`[^`\n]+`", "``", text, flags=re.MULTILINE | re.DOTALL)
    yield from re.findall(r"\]\(([^)\s]+)\)", without_code)


def test_no_link_of_a_document_is_dead() -> None:
    anchors = {file: Document(file.read_text("utf-8")).anchors for file in DOCUMENTS}
    dead = []
    for file in DOCUMENTS:
        for link in _links(file.read_text("utf-8")):
            if re.match(r"https?:|mailto:", link):
                continue
            path, _, anchor = unquote(link).partition("#")
            target = (file.parent / path).resolve() if path else file
            known = anchors.get(target, {anchor})
            if not target.exists() or (anchor and anchor not in known):
                dead.append(f"{file.relative_to(ROOT)}: {link}")
    assert dead == []


# Settings.


def _settings() -> list[Block]:
    return [block for page in PAGES for block in documents.blocks(page, "toml")]


def test_every_block_of_settings_is_read() -> None:
    for block in _settings():
        if "[tool." not in block.text and "not-run" not in block.marks:
            config.parse(block.text.encode())


def test_every_setting_has_an_example() -> None:
    _, sections = documents.sections(TEXTS["configure"])
    for key in Config.__struct_fields__:
        (text,) = (text for title, text in sections.items() if title.strip("[]") == key)
        example = re.search(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        assert example is not None, key
        assert getattr(config.parse(example[1].encode()), key) != getattr(Config(), key)


# Commands.


def _scripts(page: str, *, run: bool) -> list[str]:
    blocks = [] if page in TRIED_ELSEWHERE else documents.blocks(page, "bash")
    return [block.text for block in blocks if ("not-run" not in block.marks) == run]


def test_blocks_that_are_not_run_are_counted() -> None:
    counts = {page: len(_scripts(page, run=False)) for page in sorted(PAGES)}
    assert {page: count for page, count in counts.items() if count} == NOT_RUN


def _calls(script: str) -> Iterator[list[str]]:
    """The arguments of each call of skillbuild."""
    for line in script.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while "skillbuild" in words:
            words = words[words.index("skillbuild") + 1 :]
            ends = [
                index for index, word in enumerate(words) if word in ("&&", "||", ">", "|", ";")
            ]
            yield words[: min(ends, default=len(words))]


def test_every_call_has_options_that_exist() -> None:
    known = documents.commands()
    for page in PAGES:
        for block in documents.blocks(page, "bash"):
            for call in _calls(block.text):
                if call and call[0] in known:
                    parser().parse_args(call)


def test_every_command_has_an_example() -> None:
    for name in documents.commands():
        calls = [
            each for block in documents.blocks("commands", "bash") for each in _calls(block.text)
        ]
        assert [call for call in calls if call[0] == name] != [], name


@pytest.mark.skipif(os.name == "nt", reason="the commands are for POSIX shells")
@pytest.mark.parametrize("page", [page for page in PAGES if _scripts(page, run=True)])
def test_the_commands_of_a_page_work(page: str, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    shutil.copytree(TESTS / "example", repository)
    variables = shell_variables(tmp_path)
    script = "git init --quiet . && git add . && git commit --quiet --message skills\n"
    run(script + "\n".join(_scripts(page, run=True)), repository, variables)


@pytest.mark.skipif(os.name == "nt", reason="the script is for POSIX shells")
def test_what_is_left_before_a_release_is_listed() -> None:
    script = str(ROOT / ".ci/releasable")
    done = subprocess.run([script, "--offline"], capture_output=True, text=True, check=False)
    steps = dict(re.findall(r"^(?:done|open)  (\w+)[^:\n]*(:?)", done.stdout, re.MULTILINE))
    assert sorted(steps) == ["addresses", "changelog", "tag", "version"]
    assert done.returncode == (":" in steps.values())


# The search.


@pytest.fixture(scope="module")
def site() -> dict[str, bytes]:
    files = documentation(TEXTS, Config(title="skillbuild documentation"))
    return {each.path: each.data for each in files}


def test_the_search_finds_each_name_first(site: Mapping[str, bytes]) -> None:
    index = searching.opened(site)
    names = [*RULES, *(f"skillbuild {name}" for name in documents.commands())]
    names += [title for title, _, _ in documents.settings()]
    missed = {}
    for name in names:
        answer = ask(index, name)
        first = [*answer.matches, *answer.also][:1] if answer else []
        title = index.row(first[0])[1] if first else None
        if title != name:
            missed[name] = title
    assert missed == {}


@pytest.mark.parametrize(
    ("asked", "section"),
    [
        ("unsigned", "verify.html#publish-a-catalog-that-refuses-unsigned-skills"),
        ("hide a skill", "versions.html#hide-a-skill"),
        ("internal", "versions.html#hide-a-skill"),
        ("themes", "themes.html#themes"),
        ("move a skill", "versions.html#move-a-skill"),
        ("private repository", "publish.html#private-repositories-and-github-enterprise"),
        ("cursor", "serve.html#cursor"),
    ],
)
def test_the_search_finds_the_section_that_answers_a_question(
    site: Mapping[str, bytes], asked: str, section: str
) -> None:
    index = searching.opened(site)
    answer = ask(index, asked)
    assert answer is not None
    path = str(index.row([*answer.matches, *answer.also][0])[0])
    assert path.replace("#user-content-", "#") == section


def test_the_search_shows_the_text_of_a_section_before_its_code(
    site: Mapping[str, bytes],
) -> None:
    index = searching.opened(site)
    answer = ask(index, "Look at the catalog")
    assert answer is not None
    assert TEXTS["start"].count("## Look at the catalog\n\n```bash not-run\n") == 1
    path, title, summary, *_ = index.row(answer.matches[0])
    assert (path, title) == ("start.html#user-content-look-at-the-catalog", "Look at the catalog")
    assert str(summary).startswith("This command builds the catalog from your working tree")
    rows = {row[1]: str(row[2]) for row in map(index.row, range(index.manifest.count))}
    assert rows["Themes"].startswith("A theme changes how the catalog looks.")
    assert rows["list.html"].startswith("`catalog`: the catalog\n`catalog.title`: the title")
    assert str(summary).endswith("\n\tskillbuild preview")


# The pages.


def test_no_link_of_a_page_is_dead(site: Mapping[str, bytes], tmp_path: Path) -> None:
    for path, data in site.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    every = pages.read(tmp_path)
    assert len(every) == len(PAGES)
    assert pages.dead_links(tmp_path, every) == []


def test_every_link_to_a_text_is_a_link_to_its_page(site: Mapping[str, bytes]) -> None:
    files = {f"{name}.md": name for name in PAGES} | {"../../builder/README.md": "internals"}
    for page, text in TEXTS.items():
        wanted = [files[path] for link in _links(text) if (path := link.partition("#")[0]) in files]
        html = (
            site[f"{page}.html"].decode().partition('id="docs-body"')[2].partition("</article>")[0]
        )
        assert re.findall(r'href="(?:\./)?([a-z]+)\.html', html) == wanted, page
