"""Completion, asked for by the shells themselves."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from skillbuild.cli import main
from skillbuild.rules.registry import RULES

Capture = pytest.CaptureFixture[str]
NAMES = sorted(code for code in RULES if code.startswith("name-"))


def printed(capsys: Capture, *arguments: str) -> str:
    assert main.main([*arguments]) == 0
    return capsys.readouterr().out


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
