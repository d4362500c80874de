"""The command `man`: the manual page, made from the grammar of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from skillbuild import __version__

_STATUS = (
    ("0", "Clean; warnings are allowed."),
    ("1", "Errors were found."),
    ("2", "The command could not run."),
)
_ENVIRONMENT = (
    ("NO_COLOR, FORCE_COLOR, CI", "No colors; colors always; no progress on a terminal."),
    (
        "SKILLBUILD_TOKEN, SKILLBUILD_TOKEN_FILE, SKILLBUILD_TOKEN_ORIGIN",
        "A token for a private catalog, or a file with it, and the one origin that it is sent to.",
    ),
    (
        "SKILLBUILD_SERVE, SKILLBUILD_ALLOW_HOST",
        "What skillbuild.serve:create_app serves, and the values of Host that it answers.",
    ),
    ("AWS_*, GOOGLE_*, AZURE_*", "Credentials of object stores, as programs of these find them."),
    ("XDG_CACHE_HOME", "Where the folder of cached results lies."),
)
_SEE_ALSO = "git(1); skillbuild explain lists the rules, skillbuild schema config the settings."


def run(options: argparse.Namespace) -> int:
    """Print the page in the macros of man(7), from the grammar in `options.parser`."""
    for line in page(options.parser):
        print(line)
    return 0


def page(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The lines of the page."""
    yield f'.TH SKILLBUILD 1 "" "skillbuild {__version__}" "User Commands"'
    yield ".SH NAME"
    yield _roff(f"skillbuild - {_phrase(parser.description or '')}")
    yield ".SH SYNOPSIS"
    yield rf"\fBskillbuild\fR \fICOMMAND\fR {_roff('[OPTION]... [ARGUMENT]...')}"
    yield ".SH COMMANDS"
    for name, command in _commands(parser).items():
        yield f".SS {_roff(_usage(name, command))}"
        yield _roff(command.description or "")
        for action in command._actions:
            if action.dest not in ("help", "quiet"):
                yield from _paragraph(_heading(action), _explained(action))
    yield ".SH OPTIONS OF ALL COMMANDS"
    yield from _paragraph(r"\fB\-h\fR, \fB\-\-help\fR", "Show the options of a command and end.")
    yield from _paragraph(r"\fB\-q\fR, \fB\-\-quiet\fR", "Print errors only.")
    yield from _section("EXIT STATUS", _STATUS)
    yield from _section("ENVIRONMENT", _ENVIRONMENT)
    yield ".SH SEE ALSO"
    yield _roff(_SEE_ALSO)


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    return {
        name: command
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, command in action.choices.items()
    }


def _usage(name: str, command: argparse.ArgumentParser) -> str:
    arguments = [action for action in command._actions if not action.option_strings]
    names = [_value(action) for action in arguments]
    optional = [
        f"[{each}]" if action.nargs == "?" else each
        for action, each in zip(arguments, names, strict=True)
    ]
    return " ".join([name, "[OPTION]...", *optional])


def _heading(action: argparse.Action) -> str:
    """The names of an option in bold and its value in italics; of an argument its name."""
    value = rf"\fI{_roff(_value(action))}\fR" if action.nargs != 0 else ""
    names = ", ".join(rf"\fB{_roff(name)}\fR" for name in action.option_strings)
    return " ".join(part for part in (names, value) if part)


def _value(action: argparse.Action) -> str:
    """What stands for the value: its name, or the values to choose from."""
    if action.metavar is not None:
        return str(action.metavar)
    return "|".join(map(str, action.choices)) if action.choices else action.dest.upper()


def _explained(action: argparse.Action) -> str:
    text = action.help or ""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}" if text else ""


def _section(heading: str, items: tuple[tuple[str, str], ...]) -> Iterator[str]:
    yield f".SH {heading}"
    for name, text in items:
        yield from _paragraph(rf"\fB{_roff(name)}\fR", text)


def _paragraph(heading: str, text: str) -> Iterator[str]:
    """A heading as macros have it, and a text below it that is quoted here."""
    yield from (".TP", heading)
    if text:
        yield _roff(text)


def _phrase(sentence: str) -> str:
    """A sentence as man(7) wants it beside a name: without capital and full stop."""
    return f"{sentence[:1].lower()}{sentence[1:]}".removesuffix(".")


def _roff(text: str) -> str:
    """A text of which no character means something to troff."""
    quoted = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    return rf"\&{quoted}" if quoted.startswith((".", "'")) else quoted
