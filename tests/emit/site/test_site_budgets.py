"""What a reader's device has to load: bytes over the wire, each kind within a budget of its own."""

import gzip
import random
import re
import statistics
from pathlib import Path

import pytest

from helpers import repos
from helpers.browsing import example_files

CROWD = 120
_LICENSES = ("MIT", "Apache-2.0", "BSD-3-Clause", "Proprietary. See LICENSE.txt")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("budgets")
    repos.build(repos.repository(folder / "repo", example_files()), folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More skills than a page of the list holds, with descriptions of usual length."""
    # Drawn as often as they occur in the example: real text is no even mix of words.
    words = [word for text in _prose() for word in re.findall(r"[a-z]+", text)]
    chance = random.Random(1)
    files = {}
    for number in range(CROWD):
        name = f"{'-'.join(chance.sample(words, 2))}-{number}"
        text = " ".join(chance.choices(words, k=45))
        tags = ", ".join(chance.sample(words, 3))
        more = f"license: {chance.choice(_LICENSES)}\nmetadata:\n  tags: {tags}\n"
        header = f"---\nname: {name}\ndescription: {text}\n{more}---\n"
        files[f"skills/{chance.choice(words[:12])}/{name}/SKILL.md"] = f"{header}Do it.\n"
    folder = tmp_path_factory.mktemp("crowd")
    repos.build(repos.repository(folder / "repo", files), folder / "out")
    return folder / "out"


def _prose() -> list[str]:
    files = example_files().items()
    return [
        data.decode() for path, data in files if path.endswith(".md") and isinstance(data, bytes)
    ]


def weight(*files: Path) -> int:
    """Bytes of these files as a web server would send them."""
    return sum(len(gzip.compress(file.read_bytes(), mtime=0)) for file in files)


def shared(out: Path, *names: str) -> list[Path]:
    """Shared files by the beginning of their name; each must be there."""
    matches = [sorted((out / "assets").glob(f"{name}.*")) for name in names]
    assert all(matches)
    return [file for files in matches for file in files]


@pytest.mark.parametrize(
    ("names", "most"),
    [
        (("style",), 7_000),
        (("history",), 1_300),
        (("table",), 600),
        # What a wide screen shows of closed lists is opened for who reads by other means.
        (("theme", "page"), 2_350),
        (("theme", "skill"), 5_000),
        (("theme", "version"), 3_500),
        (("theme", "compare"), 5_000),
        # Also what loads files of the index, which is a script of its own for the documentation,
        # and what moves the filters to the search on a narrow screen.
        (("theme", "list"), 5_120),
        (("theme", "missing"), 5_500),
        (("search",), 15_360),
    ],
    ids=[
        "styles",
        "styles of changes",
        "styles of a comparison",
        "most pages",
        "a skill",
        "a version",
        "a comparison",
        "the list",
        "a missing page",
        "the search",
    ],
)
def test_shared_files_stay_small(example: Path, names: tuple[str, ...], most: int) -> None:
    assert weight(*shared(example, *names)) <= most


def test_no_shared_file_is_outside_the_budgets(example: Path) -> None:
    kinds = {file.name.split(".")[0] for file in (example / "assets").iterdir()}
    assert kinds - {"snowball"} == {
        *("style", "history", "table", "theme", "page", "list", "missing", "search", "choose"),
        *("skill", "version", "compare"),
    }


def test_the_search_is_loaded_only_by_who_searches(example: Path) -> None:
    page = (example / "index.html").read_text()
    loaded = re.findall(r'<(?:script src|link rel="stylesheet" href)="assets/(\w+)', page)
    assert loaded == ["style", "theme", "list", "choose"]


def test_a_page_of_the_list_stays_small(crowd: Path) -> None:
    page = crowd / "index.html"
    cards, _, _ = page.read_text().partition("<template")
    assert cards.count('class="card"') == 100
    assert weight(page) <= 20_000


def test_pages_of_skills_stay_small(example: Path) -> None:
    skills = [path for path in example.glob("skills/**/index.html") if "-" not in path.parts]
    assert statistics.median(weight(path) for path in skills) <= 15_000
