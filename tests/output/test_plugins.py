"""`plugins`: the tree that clients install from, as a function of a published release."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.cli import main
from skillbuild.errors import OutputError
from skillbuild.model import changed
from skillbuild.output import verify
from skillbuild.output.plugins.contents import contents_of
from skillbuild.output.plugins.write import write_tree
from skillbuild.release.layout import blob_path
from skillbuild.storage import disk
from skillbuild.storage.files import Directory

INTERNAL = "---\nname: own\ndescription: Ours.\nmetadata:\n  internal: true\n---\nDo it.\n"
MANIFEST = {
    "name": "git",
    "version": "9.9.9",
    "description": "All about git.",
    "author": {"name": "Ada", "url": "https://ada.example"},
    "license": "MIT",
    "keywords": ["vcs"],
    "hooks": "./hooks/hooks.json",
    "mcpServers": {"x": {"command": "run"}},
}
FILES: repos.Files = {
    "skillbuild.toml": 'title = "Our skills"\n[plugins]\nexclude = ["plugins/git/skills/draft/"]\n',
    "plugins/git/.claude-plugin/plugin.json": json.dumps(MANIFEST),
    "plugins/git/hooks/hooks.json": "{}\n",
    "plugins/git/bin/tool": "#!/bin/sh\n",
    "plugins/git/skills/bisect/SKILL.md": skill_md("bisect", "Finds | the <b>commit</b>."),
    "plugins/git/skills/bisect/scripts/run.sh": repos.Program("#!/bin/sh\n"),
    "plugins/git/skills/bisect/data.bin": b"\0\r\n\xff",
    "plugins/git/skills/bisect/inner/SKILL.md": skill_md("inner"),
    "plugins/git/skills/draft/SKILL.md": skill_md("draft"),
    "skills/own/SKILL.md": INTERNAL,
    "a/review/SKILL.md": skill_md("review"),
    "b/review/SKILL.md": skill_md("review", "Another one."),
    "c/titled/SKILL.md": skill_md("PDF Toolkit"),
    "only/skills/last/SKILL.md": skill_md("last", "The only one."),
}
TREE = [
    ".agents/plugins/marketplace.json",
    ".claude-plugin/marketplace.json",
    ".cursor-plugin/marketplace.json",
    ".gitattributes",
    "README.md",
    *(
        f"plugins/{name}/{file}"
        for name in ("git", "only", "our-skills", "our-skills-b-review")
        for file in (
            ".claude-plugin/plugin.json",
            ".codex-plugin/plugin.json",
            ".cursor-plugin/plugin.json",
            "gemini-extension.json",
        )
    ),
    "plugins/git/skills/bisect/SKILL.md",
    "plugins/git/skills/bisect/data.bin",
    "plugins/git/skills/bisect/inner/SKILL.md",
    "plugins/git/skills/bisect/scripts/run.sh",
    "plugins/git/skills/inner/SKILL.md",
    "plugins/only/skills/last/SKILL.md",
    "plugins/our-skills-b-review/skills/review/SKILL.md",
    "plugins/our-skills/skills/review/SKILL.md",
    "plugins/our-skills/skills/c-titled/SKILL.md",
]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugins")
    repos.build(repos.repository(folder / "repo", FILES), folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def tree(out: Path) -> Path:
    assert main.main(["plugins", str(out), str(out.parent / "tree"), "--quiet"]) == 0
    return out.parent / "tree"


def written(folder: Path) -> dict[str, bytes]:
    return {path: (folder / path).read_bytes() for path in disk.files_below(folder)}


def loaded(tree: Path, path: str) -> object:
    return json.loads((tree / path).read_bytes())


def test_the_tree_has_the_manifests_of_all_clients_and_the_skills(tree: Path) -> None:
    assert sorted(written(tree)) == sorted(TREE)


def test_files_of_skills_keep_their_bytes_and_exec_bits(tree: Path) -> None:
    bisect = tree / "plugins/git/skills/bisect"
    assert (bisect / "data.bin").read_bytes() == b"\0\r\n\xff"
    assert (bisect / "SKILL.md").read_bytes() == str(
        FILES["plugins/git/skills/bisect/SKILL.md"]
    ).encode()
    executable = [path for path in written(tree) if (tree / path).stat().st_mode & 0o111]
    assert executable == ["plugins/git/skills/bisect/scripts/run.sh"]
    assert not [each for each in tree.rglob("*") if each.is_symlink()]


def test_nothing_but_texts_comes_from_a_manifest_of_the_source(tree: Path) -> None:
    manifest = loaded(tree, "plugins/git/.claude-plugin/plugin.json")
    assert isinstance(manifest, dict)
    version = manifest.pop("version")
    assert version.startswith("0.0.0+")
    assert manifest == {
        "name": "git",
        "description": "All about git.",
        "author": {"name": "Ada"},
        "license": "MIT",
        "keywords": ["vcs"],
    }
    assert loaded(tree, "plugins/git/gemini-extension.json") == {
        "name": "git",
        "version": version,
        "description": "All about git.",
    }
    assert loaded(tree, "plugins/git/.cursor-plugin/plugin.json") == {
        "displayName": "git",
        "name": "git",
        "version": version,
        **{key: value for key, value in manifest.items() if key != "name"},
        "skills": "./skills/",
    }


def test_marketplaces_list_every_plugin(tree: Path) -> None:
    def entry(name: str, description: str) -> dict[str, object]:
        return {"name": name, "source": f"./plugins/{name}", "description": description}

    plugins = [
        entry("git", "All about git."),
        entry("only", "The only one."),
        entry("our-skills", "2 skills: PDF Toolkit, review"),
        entry("our-skills-b-review", "Another one."),
    ]
    marketplace = {
        "name": "our-skills",
        "owner": {"name": "Our skills"},
        "metadata": {"description": "Our skills: 6 skills in 4 plugins"},
        "plugins": plugins,
    }
    assert loaded(tree, ".claude-plugin/marketplace.json") == marketplace
    assert loaded(tree, ".cursor-plugin/marketplace.json") == marketplace
    assert loaded(tree, ".agents/plugins/marketplace.json") == {
        "name": "our-skills",
        "interface": {"displayName": "Our skills"},
        "plugins": [
            {
                "name": each["name"],
                "source": {"source": "local", "path": each["source"]},
                "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                "category": "Productivity",
            }
            for each in plugins
        ],
    }


def test_the_readme_is_plain_and_says_what_is_left_out(tree: Path) -> None:
    text = (tree / "README.md").read_text()
    assert "| git | All about git. | bisect, inner |" in text
    assert "- git: hooks, mcpServers and bin\n" in text
    assert (tree / ".gitattributes").read_bytes() == b"* -text -filter -ident\n"


def test_a_commit_that_changes_no_skill_changes_no_byte(tmp_path: Path, tree: Path) -> None:
    repo = repos.repository(tmp_path / "repo", FILES)
    repos.commit(repo, {**FILES, "notes.txt": "New.\n"}, day=3)
    repos.build(repo, tmp_path / "out")
    assert main.main(["plugins", str(tmp_path / "out"), str(tmp_path / "tree"), "-q"]) == 0
    assert written(tmp_path / "tree") == written(tree)


def test_a_changed_skill_changes_the_version_of_its_plugin_alone(
    tmp_path: Path, tree: Path
) -> None:
    last = {"only/skills/last/SKILL.md": skill_md("last", "The only one.", "Do more.\n")}
    repos.build(repos.repository(tmp_path / "repo", {**FILES, **last}), tmp_path / "out")
    assert main.main(["plugins", str(tmp_path / "out"), str(tmp_path / "tree"), "-q"]) == 0
    before, after = written(tree), written(tmp_path / "tree")
    assert sorted(path for path in TREE if before[path] != after[path]) == [
        "plugins/only/.claude-plugin/plugin.json",
        "plugins/only/.codex-plugin/plugin.json",
        "plugins/only/.cursor-plugin/plugin.json",
        "plugins/only/gemini-extension.json",
        "plugins/only/skills/last/SKILL.md",
    ]


def test_agent_plugins_get_their_manifest_if_the_settings_say_so(tmp_path: Path) -> None:
    files = {**FILES, "skillbuild.toml": "[plugins]\nagent_plugins = true\nname = 'mine'\n"}
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    assert main.main(["plugins", str(tmp_path / "out"), str(tmp_path / "tree"), "-q"]) == 0
    portable = loaded(tmp_path / "tree", "plugins/git/plugin.json")
    manifest = loaded(tmp_path / "tree", "plugins/git/.claude-plugin/plugin.json")
    assert isinstance(portable, dict)
    assert portable.pop("$schema") == "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
    assert portable == manifest
    assert "draft" in (tmp_path / "tree/README.md").read_text()


def test_a_reserved_name_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"a/SKILL.md": skill_md("a")}
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    assert main.main(["plugins", str(tmp_path / "out"), str(tmp_path / "tree")]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("agent-skills-catalog: 1 plugin with 1 skill of 1; 10 files, ")
    assert told.err == (
        "skillbuild: note: Claude Code reserves agent-skills: the marketplace is called"
        " agent-skills-catalog; set plugins.name to choose another name\n"
    )


def test_remarks_name_what_clients_miss(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["plugins", str(out), str(out.parent / "told")]) == 0
    assert capsys.readouterr().err == (
        "skillbuild: note: Gemini CLI shows only one of several skills with the same name: review\n"
        "skillbuild: note: hooks, commands and other parts are not copied (README.md lists them);"
        " plugins with such parts: git\n"
    )


def test_only_an_empty_directory_is_written_to(
    tmp_path: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("full", "file", "link"):
        assert main.main(["plugins", str(out), str(tmp_path / name)]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"skillbuild: {tmp_path}/full is not empty; pass a new directory",
        f"skillbuild: {tmp_path}/file is not a directory",
        f"skillbuild: {tmp_path}/link is not a directory",
    ]
    (tmp_path / "new").mkdir()
    assert main.main(["plugins", str(out), str(tmp_path / "new"), "-q"]) == 0
    assert main.main(["plugins", str(tmp_path / "new"), str(tmp_path / "more")]) == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "full", "link", "new"]


def test_a_damaged_file_leaves_nothing_behind(tmp_path: Path, out: Path) -> None:
    damaged = tmp_path / "out"
    shutil.copytree(out, damaged)
    catalog = verify.load(damaged).catalog
    [last] = [each for each in catalog.entries if each.path == "only/last"]
    blob = damaged / blob_path(last.skill_md.digest)
    blob.chmod(0o644)
    blob.write_bytes(b"x" * last.skill_md.size)
    with pytest.raises(OutputError, match="is damaged; remove the output and build again"):
        write_tree(catalog, contents_of(catalog), Directory(damaged), tmp_path / "tree")
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    "path", ["../../evil", "/etc/x", "a/../../x", "a//b", ".git/config", "a\\b", "con", "skill.md"]
)
def test_a_forged_record_writes_nothing_outside(tmp_path: Path, out: Path, path: str) -> None:
    catalog = verify.load(out).catalog
    entries = []
    for entry in catalog.entries:
        forged = changed(entry.skill_md, path=path)
        entries.append(changed(entry, resources=(*entry.resources, forged)))
    forged_catalog = replace(catalog, entries=entries)
    with pytest.raises(OutputError, match="has a file with an invalid name"):
        write_tree(forged_catalog, contents_of(catalog), Directory(out), tmp_path / "tree")
    assert [*tmp_path.iterdir()] == []


def test_forged_groups_are_refused(out: Path) -> None:
    catalog = verify.load(out).catalog
    with pytest.raises(OutputError, match="does not define the group of a/review"):
        contents_of(replace(catalog, groups=()))
    with pytest.raises(OutputError, match="that did not support groups"):
        contents_of(replace(catalog, plugins=None))
    entries = [changed(entry, plugin="../x") for entry in catalog.entries]
    with pytest.raises(OutputError, match="a plugin without a valid name"):
        contents_of(replace(catalog, entries=entries[:1]))
    twice = [changed(entries[0], plugin="x")] * 2
    with pytest.raises(
        OutputError, match="two skills of the plugin x would share the folder review"
    ):
        contents_of(replace(catalog, entries=twice))
