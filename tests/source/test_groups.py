"""The group of every skill: one rule for pages, search and plugins."""

import json
from collections.abc import Mapping

import pytest

from helpers.support import MemorySource, outline_in, skill_md
from skillbuild.config import Config, Owner, PluginSettings
from skillbuild.model import Party, SkillGroup
from skillbuild.source.groups import plugin_tree
from skillbuild.source.manifests import in_source, one_line, web_page
from skillbuild.source.names import free_marketplace, slug
from skillbuild.source.outline import Outline

TITLED = Config(title="Our skills", tagline="For us")


def outline_of(files: Mapping[str, object], config: Config = TITLED) -> Outline:
    """Skills are named by their directory; what is not in bytes becomes JSON."""
    contents = {
        path: skill_md(path.split("/")[-2])
        if path.endswith("SKILL.md")
        else value
        if isinstance(value, bytes)
        else json.dumps(value).encode()
        for path, value in files.items()
    }
    return outline_in(MemorySource(contents), config)


def groups_of(
    *directories: str, files: Mapping[str, object] | None = None, config: Config = TITLED
) -> dict[str, str]:
    """The group of the skill in each directory."""
    skills = {f"{each}/SKILL.md": None for each in directories}
    return {
        each.directory: each.group
        for each in outline_of({**skills, **(files or {})}, config).skills
    }


PLACES = {
    "a": "our-skills",
    "skills/a": "our-skills",
    "skills/data/a": "data",
    "skills/data/sub/a": "data",
    "web/skills/a": "web",
    "libs/web/skills/a": "web",
    "plugins/git/skills/a": "git",
    "plugins/git/a": "git",
    "plugins/git": "git",
    "deep/plugins/git/skills/x/a": "git",
    "plugins/Data Science/skills/a": "data-science",
    "plugins/aux/skills/a": "aux-skills",
}


@pytest.mark.parametrize(("directory", "group"), PLACES.items())
def test_without_manifests_the_place_decides(directory: str, group: str) -> None:
    assert groups_of(directory) == {directory: group}


def test_folders_that_begin_with_a_dot_name_no_group() -> None:
    hidden = Config(title="Our skills", roots=("/.claude/", "/.codex/"))
    directories = (".claude/skills/a", ".codex/plugins/.x/skills/b")
    assert {*groups_of(*directories, config=hidden).values()} == {"our-skills"}


def test_a_nested_skill_is_in_the_group_of_the_outermost() -> None:
    groups = groups_of("skills/a", "skills/a/b", "skills/a/skills/c/d", "plugins/p/x")
    assert groups == {
        "plugins/p/x": "p",
        "skills/a": "our-skills",
        "skills/a/b": "our-skills",
        "skills/a/skills/c/d": "our-skills",
    }


def test_the_nearest_manifest_comes_before_other_places_and_after_the_settings() -> None:
    files = {
        "plugins/p/.codex-plugin/plugin.json": {"name": "Outer"},
        "plugins/p/inner/gemini-extension.json": {"name": "inner plugin"},
        ".claude-plugin/marketplace.json": {
            "plugins": [{"name": "listed", "source": "./lib/x"}],
        },
    }
    skills = ("plugins/p/a", "plugins/p/inner/skills/b", "lib/x/skills/c", "skills/y/d")
    assert groups_of(*skills, files=files) == {
        "lib/x/skills/c": "listed",
        "plugins/p/a": "outer",
        "plugins/p/inner/skills/b": "inner-plugin",
        "skills/y/d": "y",
    }
    settings = PluginSettings(groups={"plugins/p/a": "mine", "/lib/": "outer", "plugins/": "all"})
    config = Config(title="Our skills", plugins=settings)
    assert groups_of(*skills, files=files, config=config) == {
        "lib/x/skills/c": "outer",
        "plugins/p/a": "mine",
        "plugins/p/inner/skills/b": "all",
        "skills/y/d": "y",
    }


def test_a_folder_joins_a_group_of_the_settings_and_tells_of_it() -> None:
    files = {
        "plugins/p/.claude-plugin/plugin.json": {"name": "docs", "description": "All of it."},
        "a/SKILL.md": None,
        "plugins/p/skills/b/SKILL.md": None,
    }
    config = Config(plugins=PluginSettings(groups={"/a/": "docs"}))
    outline = outline_of(files, config)
    assert [each.group for each in outline.skills] == ["docs", "docs"]
    assert outline.grouped.groups == {"docs": SkillGroup(name="docs", description="All of it.")}


def test_groupings_of_skills_sh_come_after_plugins_and_before_folders() -> None:
    groupings = [
        {"title": "Data & more", "description": "About data.", "skills": ["a", "b", "c", "n"]},
        {"title": "数据", "skills": ["d"]},
    ]
    files = {"skills.sh.json": {"groupings": groupings}}
    skills = ("skills/x/a", "plugins/p/skills/b", "c", "other/c", "d", "d/n")
    outline = outline_of({**{f"{each}/SKILL.md": None for each in skills}, **files})
    groups = {each.directory: each.group for each in outline.skills}
    number = groups.pop("d")
    assert len(number) == 8
    assert groups == {
        "c": "our-skills",
        "d/n": number,
        "other/c": "our-skills",
        "plugins/p/skills/b": "p",
        "skills/x/a": "data-more",
    }
    assert outline.grouped.groups["data-more"] == SkillGroup(
        name="data-more", title="Data & more", description="About data."
    )
    assert outline.grouped.groups[number].title == "数据"


BAD_NAMES = {
    "../../evil": "evil",
    "--upload-pack=x": "upload-pack-x",
    "$(touch x)\n::error::": "touch-x-error",
    "<img src=x onerror=alert(1)>": "img-src-x-onerror-alert-1",
    "\u202ecod\u200b.exe": "cod-exe",
    "\ud800x": "x",
    "NUL": "nul-skills",
    "t" * 100_000: "t" * 64,
}


@pytest.mark.parametrize(("name", "group"), BAD_NAMES.items(), ids=BAD_NAMES.values())
def test_a_name_from_a_source_is_no_more_than_letters_digits_and_hyphens(
    name: str, group: str
) -> None:
    files = {
        "p/.claude-plugin/plugin.json": {"name": name, "hooks": {"SessionStart": [name]}},
        "skills.sh.json": {"groupings": [{"title": name, "skills": ["b"]}]},
    }
    groups = groups_of("p/skills/a", "c/b", files=files)
    assert groups["p/skills/a"] == group
    assert groups["c/b"].startswith(group[:40])
    assert groups["c/b"] != group


def test_of_two_folders_with_one_name_the_first_keeps_it() -> None:
    assert groups_of("plugins/x/a", "skills/x/b", "z/x/skills/c") == {
        "plugins/x/a": "x",
        "skills/x/b": "skills-x",
        "z/x/skills/c": "z-x",
    }
    same = {f"plugins/{each}/.claude-plugin/plugin.json": {"name": "one"} for each in ("p", "p!")}
    groups = groups_of("plugins/p/skills/a", "plugins/p!/skills/b", files=same)
    assert groups == {"plugins/p/skills/a": "one", "plugins/p!/skills/b": "plugins-p"}


def test_the_root_is_one_plugin_only_if_one_is_listed_there() -> None:
    def marketplace(*names: str) -> Mapping[str, object]:
        plugins = [{"name": name, "source": "./"} for name in names]
        return {".claude-plugin/marketplace.json": {"plugins": plugins}}

    assert groups_of("skills/a", files=marketplace("one")) == {"skills/a": "one"}
    assert groups_of("skills/a", files=marketplace("one", "two")) == {"skills/a": "our-skills"}
    twice = {".cursor-plugin/marketplace.json": {"plugins": [{"name": "one", "source": "."}]}}
    assert groups_of("skills/a", files={**marketplace("one"), **twice}) == {"skills/a": "one"}


def test_texts_come_from_the_manifest_and_then_from_the_marketplace() -> None:
    manifest = {
        "name": "p",
        "description": " Two\n lines\u202e and \ud800 more. ",
        "author": "Somebody",
        "homepage": "http://plain.example/",
        "repository": {"url": "https://forge.example/r"},
        "keywords": ["a", "a", 1, "b\u0000c", *map(str, range(40))],
        "hooks": {"SessionStart": [{"command": "rm -rf /"}]},
        "interface": {"displayName": "The P", "category": "Tools"},
    }
    entry = {
        "name": "p",
        "source": {"source": "local", "path": "./plugins/p"},
        "description": "Never seen.",
        "homepage": "https://acme.example/p",
        "license": "MIT",
        "strict": False,
    }
    outline = outline_of(
        {
            "plugins/p/.codex-plugin/plugin.json": manifest,
            ".agents/plugins/marketplace.json": {"plugins": [entry]},
            "plugins/p/skills/a/SKILL.md": None,
            "plugins/p/commands/go.md": "x",
        }
    )
    assert [*outline.grouped.groups.values()] == [
        SkillGroup(
            name="p",
            title="The P",
            description="Two lines and more.",
            author=Party("Somebody"),
            homepage="https://acme.example/p",
            license="MIT",
            keywords=("a", "b c", *map(str, range(18))),
            category="Tools",
            left_out=("hooks", "commands"),
        )
    ]


PLUGIN, MARKET = "plugins/p/.claude-plugin/plugin.json", ".claude-plugin/marketplace.json"
CUT = ""
"""What is too long is cut, and what cannot be seen becomes a blank: nothing is said of that."""
UNUSED = "unusable values are ignored: "
HOSTILE: dict[str, tuple[str, object, str]] = {
    "a name of controls": (PLUGIN, {"name": "\u0000\u0007\u001b"}, "the name '\\x00\\x07\\x1b' is"),
    "a name of 100,000 characters": (PLUGIN, {"name": "x" * 100_000}, "xxx' is not valid"),
    "a path as name": (PLUGIN, {"name": "../../etc"}, "'../../etc' is not valid: Claude Code"),
    "an option as name": (PLUGIN, {"name": "--force"}, "the name '--force' is not valid"),
    "a device as name": (PLUGIN, {"name": "nul"}, CUT),
    "a name of a list": (PLUGIN, {"name": ["p"]}, f"{UNUSED}name"),
    "a name with bidi": (PLUGIN, {"name": "p\u202egpj"}, "the name 'p\\u202egpj' is not valid"),
    "half a character": (PLUGIN, {"license": "\udfff"}, f"{UNUSED}license"),
    "half a character as name": (PLUGIN, {"name": "\ud83d"}, "the name '\\ud83d' is not valid"),
    "a key twice": (PLUGIN, b'{"name": "a", "name": "b"}', "ignored: it has the key name twice"),
    "no number": (PLUGIN, b'{"name": "a", "x": NaN}', "ignored: it is not JSON: it contains NaN"),
    "a script as description": (PLUGIN, {"description": "<script>alert(1)</script>"}, CUT),
    "a huge description": (PLUGIN, {"description": "long " * 100_000}, CUT),
    "keywords that are objects": (PLUGIN, {"keywords": [{"a": 1}, None]}, f"{UNUSED}keywords"),
    "keywords without end": (PLUGIN, {"keywords": ["k"] * 100_000}, "keywords[5000] and later"),
    "an author of numbers": (PLUGIN, {"author": {"name": 1, "url": 2}}, f"{UNUSED}author"),
    "a scripted homepage": (PLUGIN, {"homepage": "javascript:alert(1)"}, f"{UNUSED}homepage"),
    "a homepage with a user": (PLUGIN, {"homepage": "https://e@acme.example"}, "homepage"),
    "a homepage with a line": (PLUGIN, {"homepage": "https://acme.example/\nx"}, "homepage"),
    "a bad address": (PLUGIN, {"homepage": "https://["}, f"{UNUSED}homepage"),
    "skills outside": (PLUGIN, {"skills": ["../../../etc", "/etc", "C:\\x"]}, f"{UNUSED}skills"),
    "hooks": (
        PLUGIN,
        {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "id"}]}]}},
        "skillbuild plugins copies only skills, not the hooks of this plugin",
    ),
    "numbers without end": (PLUGIN, {"name": 10**400}, f"{UNUSED}name"),
    "a tower of lists": (PLUGIN, b"[" * 100_000, "ignored: it is nested too deeply"),
    "brackets in a string": (PLUGIN, {"license": "[" * 90}, CUT),
    "a string that never ends": (
        PLUGIN,
        b'{"name": "' + b"\\" * 100_000,
        "ignored: it is not JSON",
    ),
    "no Unicode": (PLUGIN, b'{"name": "\xff"}', "ignored: it is not UTF-8 at byte 11"),
    "a mark of the byte order": (PLUGIN, b"\xef\xbb\xbf{}", "begins with a byte order mark"),
    "a source outside": (MARKET, {"plugins": [{"source": "../x"}]}, f"{UNUSED}plugins[0].source"),
    "a source at the root": (MARKET, {"plugins": [{"source": "/etc"}]}, "plugins[0].source"),
    "a root outside": (
        MARKET,
        {"metadata": {"pluginRoot": "/"}, "plugins": [{"source": "x"}]},
        f"{UNUSED}plugins[0].source",
    ),
    "plugins that are no list": (MARKET, {"plugins": {"a": 1}}, f"{UNUSED}plugins"),
    "a plugin that is a number": (MARKET, {"plugins": [7]}, f"{UNUSED}plugins[0]"),
    "an owner of lists": (MARKET, {"owner": [["x"]]}, f"{UNUSED}owner"),
    "groupings that are a text": ("skills.sh.json", {"groupings": "a"}, f"{UNUSED}groupings"),
    "a title of a list": (
        "skills.sh.json",
        {"groupings": [{"title": [], "skills": [[]]}, {"title": {"a": 1}, "skills": "a"}]},
        f"{UNUSED}groupings[0].skills, groupings[1].title and groupings[1].skills",
    ),
    "names of a grouping that lead out": (
        "skills.sh.json",
        {"groupings": [{"title": "../..", "skills": ["../../etc"]}]},
        "groups contain names that no skill has: ../../etc",
    ),
}
"""Files of a source with the skill plugins/p/skills/a, and what is said of each."""


@pytest.mark.parametrize(("path", "content", "line"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_told_in_one_line_and_harms_nothing(
    path: str, content: object, line: str
) -> None:
    outline = outline_of({path: content, "plugins/p/skills/a/SKILL.md": None})
    messages = [item.message for item in outline.grouped.findings]
    assert len(messages) == (line != CUT)
    assert all(line in message and message.isprintable() for message in messages)
    [group] = outline.grouped.groups.values()
    assert len(group.name) <= 64
    assert group.name == slug(group.name) != ""
    assert len(group.description) <= 1000
    for text in (group.title, group.description, group.license, group.category, *group.keywords):
        assert text.isprintable()
    assert (group.homepage, group.author) == ("", None)
    assert outline.skills[0].group == outline.skills[0].plugin == group.name


SOURCES = {
    "./plugins/a/": "plugins/a",
    ".": "",
    "./": "",
    "plugins/../b": "b",
    "../out": None,
    "a/../../out": None,
    "/etc": None,
    "~root": None,
    "https://acme.example/x": None,
    "C:\\x": None,
    "a\0b": None,
    "./skills/x/SKILL.md": "skills/x",
}


@pytest.mark.parametrize(("written", "path"), SOURCES.items(), ids=map(repr, SOURCES))
def test_a_path_of_a_manifest_never_leads_out_of_the_source(written: str, path: str | None) -> None:
    assert in_source(written) == path


def test_texts_are_cut_to_one_line() -> None:
    assert one_line(" a\u200b\n\tb ") == "a b"
    assert one_line("x" * 200) == "x" * 100
    assert one_line(7) == ""
    assert web_page("https://acme.example/a?b=c") == "https://acme.example/a?b=c"
    for wrong in (
        "http://a.example",
        "https://a.example/<x>",
        "https://a b",
        7,
        "https://é.example",
    ):
        assert web_page(wrong) == ""


def test_the_tree_is_called_like_the_repository_and_by_no_reserved_name() -> None:
    def name(config: Config) -> tuple[str, str]:
        tree = plugin_tree(config, outline_of({}, config).grouped.manifests)
        return tree.name, tree.wanted

    assert name(Config()) == ("agent-skills-catalog", "agent-skills")
    assert name(Config(title="Our skills")) == ("our-skills", "")
    assert name(Config(title="X", repository="https://f.example/acme/Good_Skills")) == (
        "good-skills",
        "",
    )
    assert name(Config(title="数据")) == ("skills", "")
    assert name(Config(title="Claude tools")) == ("claude-tools", "")
    assert name(Config(plugins=PluginSettings(name="mine"))) == ("mine", "")
    assert name(Config(title="x" * 300)) == ("x" * 64, "")


TRIED = {
    "claude": "claude",
    "anthropic-tools": "anthropic-tools",
    "awesome-claude-directory": "awesome-claude-directory",
    "claude-code-plugins-plus": "claude-code-plugins-plus",
    "claude-x-official": "claude-x-official",
    "agent-skills": "agent-skills-catalog",
    "anthropic-marketplace-y": "marketplace-y-catalog",
    "claude-directory": "directory-catalog",
    "claude-plugin-test": "claude-plugin-test-catalog",
    "claude-pluginsx": "pluginsx-catalog",
    "my-official-claude": "my-official-catalog",
    "synced": "synced-catalog",
}
"""Names with which marketplaces were added to Claude Code 2.1.330, or in place of which."""


@pytest.mark.parametrize(("name", "free"), TRIED.items())
def test_a_name_that_claude_code_refuses_is_replaced(name: str, free: str) -> None:
    assert free_marketplace(name) == free


def test_the_second_skill_of_a_name_in_a_group_is_a_plugin_of_its_own() -> None:
    left_out = PluginSettings(exclude=("/z/",))
    skills = ("skills/x/a", "skills/x/b/a", "skills/y/a", "z/a", f"{'long/' * 30}a", "skills/x/c")
    outline = outline_of(
        {f"{each}/SKILL.md": None for each in skills}, Config(title="T", plugins=left_out)
    )
    plugins = {each.directory: each.plugin for each in outline.skills}
    assert plugins == {
        f"{'long/' * 30}a": "t",
        "skills/x/a": "x",
        "skills/x/b/a": "x-x-b-a",
        "skills/x/c": "x",
        "skills/y/a": "y",
        "z/a": "",
    }


def test_folders_without_a_letter_have_a_number_that_depends_on_no_other() -> None:
    one, both = groups_of("plugins/数据/a"), groups_of("plugins/数据/a", "plugins/一/b")
    assert one["plugins/数据/a"] == both["plugins/数据/a"] != both["plugins/一/b"]
    assert all(len(name) == 8 for name in both.values())


def test_the_owner_is_that_of_the_settings_or_of_the_marketplace() -> None:
    files = {
        ".claude-plugin/marketplace.json": {"owner": {"name": "Them", "url": "https://t.example"}},
        "a/SKILL.md": None,
    }

    def owner(config: Config, files: Mapping[str, object]) -> Party:
        return plugin_tree(config, outline_of(files, config).grouped.manifests).owner

    assert owner(Config(title="T"), files) == Party("Them", "https://t.example")
    assert owner(Config(owner=Owner("We", "https://w.example")), files) == Party(
        "We", "https://w.example"
    )
    assert owner(Config(title="T"), {"a/SKILL.md": None}) == Party("T")
