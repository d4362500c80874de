"""Templates of a source get the values that `site_src/docs/themes.md` names, and no others."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from jinja2 import Environment, meta

from helpers import TESTS, lifecycle, pages, repos, versions
from helpers.browsing import example_files
from helpers.versions import Past
from skillbuild.config import Config
from skillbuild.emit.site import changes, theme
from skillbuild.emit.site.emitter import SiteEmitter

_TEXT = (TESTS.parent / "site_src/docs/themes.md").read_text("utf-8")
_EVERY, _OTHERS = "Every template", "Filters and functions"
_BLOCK = re.compile(r"^`theme/(\S+)`:\n\n```jinja\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OWN: Mapping[str, str] = {
    **dict(_BLOCK.findall(_TEXT)),
    "file.html": """{% extends "base.html" %}
{% block main %}<h1>{{ item.path | visible }}, {{ item.size | size }}</h1>
<p><a href="{{ skill_page }}">{{ entry.title | visible }}</a> {{ shown }} of {{ lines }} lines,
<a id="cut" href="{{ blob }}">bytes</a></p>
{% if source %}<pre class="numbered"><code>{{ source }}</code></pre>{% endif %}
{% if body %}{{ body }}{% endif %}
{% endblock %}
""",
}
"""The theme of the documentation, and the page of a file of documented names alone."""


def documented() -> Iterator[tuple[str, str, str]]:
    """Section, name and row; a row may have several names or attributes of one, and a section
    several templates.
    """
    for section in _TEXT.split("\n## ")[1:]:
        title, _, rest = section.partition("\n")
        for row in re.findall(r"^\| (`.*?) \| (.*) \|$", rest, re.MULTILINE):
            for name in re.findall(r"`(\w+)(?:\.(?!html`)\w+)*`", row[0]):
                for part in title.split(", "):
                    yield part, name, " ".join(row)


def names_of(section: str) -> set[str]:
    return {name for part, name, _ in documented() if part == section}


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, object]]]:
    """What each template was rendered with: for skills removed, with versions, moved and gone."""
    seen: dict[str, list[dict[str, object]]] = defaultdict(list)
    fill = theme._fill

    def noting(given: theme.Theme, template: str, root: str, values: Mapping[str, object]) -> bytes:
        seen[template].append({**values})
        return fill(given, template, root, values)

    folder = tmp_path_factory.mktemp("themes")
    files: repos.Files = {**example_files(), "skills/gone/SKILL.md": repos.skill_md("gone")}
    repo = repos.empty(folder / "repo")
    repos.commit(repo, files)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(theme, "_fill", noting)
        repos.build(repo, folder / "out")
        repos.commit(repo, example_files(), day=1)
        repos.build(repo, folder / "out")
        repos.build(lifecycle.repository(folder / "moved"), folder / "moved-out")
        two = [
            Past(versions.content({"SKILL.md": repos.skill_md("pdf", text)})) for text in ("1", "2")
        ]
        site = SiteEmitter(theme.Theme(Config()))
        assert [*site.emit_version(two[1].content)]
        assert [*site.emit_comparison("pdf", versions.compared(two[1], two[0]))]
        assert [*site.emit_skill(versions.emitted_skill(two)).files]
        assert [*changes.changes_pages(theme.Theme(Config()), [], [], frozenset())]
    return seen


def test_every_value_of_a_template_is_documented_and_exists(
    rendered: dict[str, list[dict[str, object]]],
) -> None:
    shared = {"config", "root", "assets", "brand", "shared_picture"}
    assert names_of(_EVERY) == shared
    given = {name: set(values[0]) - shared for name, values in rendered.items()}
    assert given.pop("compare.html") == set()
    sections = {part for part, _, _ in documented()} - {_EVERY, _OTHERS}
    assert {section: names_of(section) for section in sections} == given


def test_every_attribute_that_is_documented_exists(
    rendered: dict[str, list[dict[str, object]]],
) -> None:
    missing = []
    for section, name, text in documented():
        for attribute in re.findall(rf"`{name}\.(\w+)`", text):
            values = [each[name] for each in rendered.get(section, []) if each.get(name)]
            if section in rendered and not all(_has(value, attribute) for value in values):
                missing.append(f"{section}: {name}.{attribute}")
    assert missing == []


def _has(value: object, attribute: str) -> bool:
    """The build is over: what a property reads from its files is gone."""
    return hasattr(type(value), attribute) or hasattr(value, attribute)


def test_filters_and_functions_are_documented_and_exist() -> None:
    environment = theme.environment_for({})
    plain = Environment(autoescape=True)
    own = {*environment.filters} - {*plain.filters} | {"count"}
    own |= {*environment.globals} - {*plain.globals}
    assert names_of(_OTHERS) == own


def test_a_theme_of_documented_names_makes_whole_pages(tmp_path: Path) -> None:
    lines = sum(text.count("\n") for _, text in _BLOCK.findall(_TEXT))
    assert lines == 20
    environment = Environment(autoescape=True)
    environment.filters |= theme.environment_for({}).filters
    for name, text in OWN.items():
        used = meta.find_undeclared_variables(environment.parse(text))
        assert used <= names_of(name) | names_of(_EVERY) | names_of(_OTHERS), name
    config = example_files()["skillbuild.toml"]
    assert isinstance(config, bytes)
    files: repos.Files = {
        **example_files(),
        "skillbuild.toml": b'templates = "theme"\n' + config,
        **{f"theme/{name}": text for name, text in OWN.items()},
    }
    out = tmp_path / "out"
    repos.build(repos.repository(tmp_path / "repo", files), out)
    site = pages.read(out)
    assert [address for address in pages.dead_links(out, site) if "#" not in address] == []
    assert all(
        "<p>Made by the tools team. Example Skills</p>" in file.read_text()
        for file in out.rglob("*.html")
    )
    assert ">9 skills, the latest of 2023-11-14</p>" in (out / "index.html").read_text()
