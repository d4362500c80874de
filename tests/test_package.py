"""What the package says of itself where it is installed from."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = SETTINGS["project"]
_RELATIVE = re.compile(r"\]\((?!https?:|#)")


def test_the_author_is_the_holder_of_the_license() -> None:
    holder = re.search(r"^Copyright \(c\) \d+ (.+)$", (ROOT / "LICENSE").read_text(), re.MULTILINE)
    assert holder is not None
    assert PROJECT["authors"] == [{"name": holder[1]}]


def test_type_checkers_read_the_types_that_it_promises() -> None:
    """A package without `py.typed` is untyped to them (PEP 561)."""
    assert "Typing :: Typed" in PROJECT["classifiers"]
    assert (ROOT / "builder" / "skillbuild" / "py.typed").read_bytes() == b""


def test_links_of_the_description_are_absolute_once_the_project_has_an_address() -> None:
    """PyPI shows the README, and has neither its pictures nor the files beside it."""
    text = (ROOT / "README.md").read_text("utf-8")
    assert _RELATIVE.search(text) is not None
    if "urls" not in PROJECT:
        assert PROJECT["readme"] == "README.md"
        return
    hook = SETTINGS["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    for each in hook["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    assert _RELATIVE.search(text) is None
