"""Completion and the manual page, asked for by the shells and by groff themselves."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from skillbuild.cli import grammar, main
from skillbuild.cli.man import page
from skillbuild.rules.registry import RULES

Capture = pytest.CaptureFixture[str]
NAMES = sorted(code for code in RULES if code.startswith("name-"))


def printed(capsys: Capture, *arguments: str) -> str:
    assert main.main([*arguments]) == 0
    return capsys.readouterr().out


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        shutil.which(program) is None, reason=f"{program} is not installed: apt-get install"
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_a_completion_script_knows_options_and_rules(capsys: Capture, shell: str) -> None:
    script = printed(capsys, "completion", shell)
    assert "skip-invalid" in script
    assert "name-mismatch" in script


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_valid(capsys: Capture, tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(printed(capsys, "completion", shell))
    subprocess.run([shell, "-n", str(tmp_path / "script")], check=True)


def completed(shell: str, script: Path, words: list[str]) -> list[str]:
    """What a shell offers in place of the last word."""
    line = " ".join(words)
    if shell == "fish":
        asked = f"source {script}; complete -C '{line}'"
    else:
        array = " ".join(f"'{word}'" for word in words)
        asked = (
            f"source {script}; COMP_WORDS=({array}); COMP_CWORD={len(words) - 1};"
            ' function=$(complete -p skillbuild | sed "s/.*-F \\([^ ]*\\) .*/\\1/");'
            f' "$function" skillbuild "{words[-1]}" "{words[-2]}";'
            ' printf "%s\\n" "${COMPREPLY[@]}"'
        )
    done = subprocess.run(
        [shell, "-c", asked], check=True, capture_output=True, text=True, cwd=script.parent
    )
    return sorted(entry.split("\t")[0].strip() for entry in done.stdout.splitlines())


@pytest.mark.parametrize("shell", ["bash", "fish"])
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["skillbuild", "expl"], ["explain"]),
        (["skillbuild", "explain", "name-"], NAMES),
        (["skillbuild", "schema", "fin"], ["findings"]),
        (["skillbuild", "diff", "--ex"], ["--exit-code"]),
    ],
    ids=lambda value: value[-1],
)
def test_a_shell_completes(
    capsys: Capture, tmp_path: Path, shell: str, words: list[str], offered: list[str]
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(printed(capsys, "completion", shell))
    assert completed(shell, script, words) == offered


# The manual page.


def test_the_manual_page_has_every_command_and_option(capsys: Capture) -> None:
    text = printed(capsys, "man").replace("\\-", "-")
    assert text.startswith('.TH SKILLBUILD 1 "" "skillbuild ')
    for action in grammar.parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                _, separator, section = text.partition(f"\n.SS {name} ")
                assert separator, name
                section = re.split(r"\n\.S[SH] ", section)[0]
                options = {option for each in command._actions for option in each.option_strings}
                general = {"-h", "--help", "-q", "--quiet"}
                bold = {option for option in options - general if f"\\fB{option}\\fR" in section}
                assert bold == options - general


@needs("groff")
def test_the_manual_page_is_without_faults_for_groff(capsys: Capture) -> None:
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8"],
        input=printed(capsys, "man"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert "Default: ." in done.stdout


def test_no_text_of_the_grammar_is_a_macro() -> None:
    parser = argparse.ArgumentParser(description="x")
    commands = parser.add_subparsers()
    command = commands.add_parser("a", description=".de a\\b 'c")
    command.add_argument("--o", metavar="-x", help="'br")
    lines = list(page(parser))
    assert "\\&.de a\\eb \\(aqc" in lines
    assert "\\(aqbr." in lines
    assert {line[:3] for line in lines if line.startswith(".")} == {".TH", ".SH", ".SS", ".TP"}
