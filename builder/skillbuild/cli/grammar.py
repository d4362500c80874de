"""The grammar of the command line: commands, options, and what is said of a mistyped one."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import NoReturn

from skillbuild import __version__

_FORMATS = ("text", "json", "github", "sarif")
_DIFF_FORMATS = ("text", "json", "markdown")
_SCHEMAS = (
    *("index", "catalog", "release", "entry", "version", "config"),
    *("findings", "diff", "verify", "explain", "summary"),
)
_FORMER = {"--index-digest": "--release takes the digest of release.json in its place"}
"""What to say of options that were there before."""
_CHOICE = re.compile(r"invalid choice: ['\"](.*?)['\"] \(choose from (.*)\)")


class _Parser(argparse.ArgumentParser):
    """argparse with errors of one line, and a suggestion for a mistyped command or option."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"skillbuild: {message}{self._suggestion(message)}\n")

    def _suggestion(self, message: str) -> str:
        import difflib

        for word, choices in self._mistyped(message):
            if word in _FORMER:
                return f"; {_FORMER[word]}"
            close = difflib.get_close_matches(word, choices, n=1, cutoff=0.6)
            if close:
                return f"; did you mean {close[0]}?"
        return f"; see {self.prog} --help"

    def _mistyped(self, message: str) -> list[tuple[str, Sequence[str]]]:
        """Words that argparse does not know by its message, with those that it would take."""
        if choice := _CHOICE.search(message):
            return [(choice[1], re.findall(r"[\w-]+", choice[2]))]
        _, separator, words = message.partition("unrecognized arguments: ")
        if not separator:
            return []
        commands = [action.choices for action in self._actions if isinstance(action.choices, dict)]
        parsers = [self, *(parser for named in commands for parser in named.values())]
        options = sorted({name for parser in parsers for name in parser._option_string_actions})
        return [(word.partition("=")[0], options) for word in words.split()]


class _Version(argparse.Action):
    """Prints the version, without the modules that argparse loads to wrap a line."""

    def __call__(self, top: argparse.ArgumentParser, *ignored: object) -> None:
        print(f"skillbuild {__version__}")
        top.exit()


def parser() -> argparse.ArgumentParser:
    """The whole grammar of the command line."""
    top = _Parser(
        prog="skillbuild",
        description="Compile a git repository of Agent Skills into an immutable catalog.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="show the version and end")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, summary: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        added.add_argument("-q", "--quiet", action="store_true", help="print errors only")
        return added

    _source_commands(command)
    _output_commands(command)
    _other_commands(command, top)
    return top


_Command = Callable[[str, str], argparse.ArgumentParser]
"""Adds a command by name and summary."""


def _source_commands(command: _Command) -> None:
    init = command("init", "Start a repository of skills, or add settings to one that has skills.")
    init.add_argument("directory", metavar="DIR", nargs="?", default=".", help="default: .")
    init.add_argument(
        "--workflow",
        metavar="URL@REV",
        help="the skillbuild that a workflow of GitHub calls: a repository at a commit or release",
    )

    check = command("check", "Say what is wrong with the skills, with file, line and fix.")
    check.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="a directory; or files, to check the skills that hold them; default: .",
    )
    _source_arguments(check)
    check.add_argument("--rev", metavar="REV", help="check a commit in place of the work tree")
    check.add_argument("--fix", action="store_true", help="fix what can be fixed in one way only")
    check.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="also fix names, cut long descriptions, and split lines that hold two fields",
    )
    check.add_argument(
        "--diff",
        action="store_true",
        help="show what would be fixed without writing; exit status 1 if there is anything",
    )

    build = command("build", "Build one commit into an immutable output.")
    build.add_argument(
        "repo", metavar="REPO", nargs="?", default=".", help="a git directory; default: ."
    )
    _source_arguments(build)
    build.add_argument("--rev", metavar="REV", help="the commit to build; default: HEAD")
    _build_arguments(build)

    preview = command("preview", "Show the catalog of the work tree, and again on every change.")
    preview.add_argument(
        "repo", metavar="REPO", nargs="?", default=".", help="a git directory; default: ."
    )
    preview.add_argument(
        "--port", metavar="PORT", type=_count, default=0, help="on 127.0.0.1; default: a free one"
    )


def _output_commands(command: _Command) -> None:
    verify = command("verify", "Re-hash an output: does it hold all it promises?")
    verify.add_argument(
        "out", metavar="OUT", help="the output directory, or where it is published: URL, s3:// ..."
    )
    _verify_arguments(verify)

    diff = command("diff", "Say what changed between two catalogs.")
    diff.add_argument("old", metavar="A", help="an output directory, or the URL of a catalog")
    diff.add_argument("new", metavar="B", help="the same, for the newer side")
    diff.add_argument(
        "--repo",
        action="store_true",
        help="A and B may be revisions of the repository here, or . for the work tree",
    )
    diff.add_argument(
        "--allow-missing", action="store_true", help="nothing at the URL A: all of B is new"
    )
    diff.add_argument("--format", choices=_DIFF_FORMATS, default="text", help="default: text")
    diff.add_argument("--exit-code", action="store_true", help="exit status 1 if anything changed")

    publish = command(
        "publish", "Publish an output to S3, GCS, Azure or a directory, the record last."
    )
    publish.add_argument("out", metavar="OUT", help="the output directory")
    publish.add_argument(
        "dest",
        metavar="DEST",
        help="s3://, gs:// or az://, with a bucket and maybe a folder; or a directory",
    )
    _publish_arguments(publish)

    plugins = command(
        "plugins", "Write the plugins that clients install from a git repository, by group."
    )
    plugins.add_argument(
        "out", metavar="OUT", help="the output directory, or where it is published: URL, s3:// ..."
    )
    plugins.add_argument("directory", metavar="DIR", help="a new directory, or an empty one")

    summary = command("summary", "Tell GitHub how a run ended: a job summary in Markdown.")
    summary.add_argument("out", metavar="OUT", help="the output directory, built or not")
    _summary_arguments(summary)

    serve = command("serve", "Serve an output over MCP, read-only; default: on standard streams.")
    serve.add_argument(
        "out", metavar="OUT", help="the output directory, or where it is published: URL, s3:// ..."
    )
    _serve_arguments(serve)


def _other_commands(command: _Command, top: argparse.ArgumentParser) -> None:
    explain = command("explain", "Explain a rule, or list all of them.")
    explain.add_argument("code", metavar="CODE", nargs="?", help="for example name-mismatch")
    explain.add_argument("--format", choices=_FORMATS[:2], default="text", help="default: text")

    schema = command("schema", "Print the JSON Schema of a published file, settings or a report.")
    schema.add_argument(
        "file",
        choices=_SCHEMAS,
        help="which: a published file (entry is one line of a part, version a version.json), config"
        " for skillbuild.toml, or what a command says with --format json (findings: check and"
        " build)",
    )

    completion = command("completion", "Print a completion script for a shell.")
    completion.add_argument("shell", choices=("bash", "zsh", "fish", "tcsh"))
    completion.set_defaults(parser=top)


def _source_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--strict", action="store_true", help="warnings are errors")
    command.add_argument("--format", choices=_FORMATS, default="text", help="default: text")
    command.add_argument(
        "--report",
        metavar="FORMAT=FILE",
        type=_report,
        action="append",
        default=[],
        help="write the findings to a file, too; may be repeated",
    )
    command.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="each finding, notes too, however many, and each SKILL.md or link that is ignored",
    )
    command.add_argument(
        "--allow-empty", action="store_true", help="a source without skills is no error"
    )
    command.add_argument(
        "--trust",
        metavar="FILE",
        help="a TOML file whose table [trust] takes the place of that of the settings",
    )
    command.add_argument(
        "--jobs", metavar="N", type=_count, default=0, help="worker processes; default: by cores"
    )


def _build_arguments(build: argparse.ArgumentParser) -> None:
    build.add_argument("-o", "--out", metavar="OUT", default="out", help="default: out")
    build.add_argument("--base-url", metavar="URL", help="where the output will be published")
    build.add_argument("--repository", metavar="URL", help="the page of the source's repository")
    build.add_argument(
        "--without-versions",
        action="store_true",
        help="publish no older versions, whatever the settings say; their addresses end",
    )
    build.add_argument(
        "--skip-invalid", action="store_true", help="leave invalid skills out and publish the rest"
    )
    build.add_argument(
        "--keep", metavar="N", type=_count, help="earlier releases whose files stay; default: 2"
    )
    build.add_argument(
        "--previous",
        metavar="URL|DIR",
        help="the release published now; what it keeps alive is fetched into OUT",
    )
    build.add_argument(
        "--recheck", action="store_true", help="build again even if nothing has changed"
    )
    build.add_argument(
        "--no-cache", action="store_true", help="neither use nor keep what an earlier build made"
    )


def _verify_arguments(verify: argparse.ArgumentParser) -> None:
    verify.add_argument(
        "--whole",
        action="store_true",
        help="pages, index and SHA256SUMS must agree too; at a URL, read every file",
    )
    verify.add_argument(
        "--max-bytes", metavar="N", type=_count, help="the output may not be larger than this"
    )
    verify.add_argument(
        "--release", metavar="DIGEST", type=_digest, help="of release.json, which it must hold"
    )
    verify.add_argument(
        "--wait",
        metavar="SECONDS",
        type=_count,
        default=0,
        help="until a URL serves it; default: 0",
    )
    verify.add_argument("--format", choices=_FORMATS[:2], default="text", help="default: text")


def _publish_arguments(publish: argparse.ArgumentParser) -> None:
    publish.add_argument(
        "--dry-run", action="store_true", help="say what would be sent, and write nothing"
    )
    publish.add_argument(
        "--prune", action="store_true", help="remove what no kept release names, once it is old"
    )
    publish.add_argument(
        "--grace",
        metavar="HOURS",
        type=_count,
        default=24,
        help="how old that must be; default: 24",
    )
    publish.add_argument(
        "--recheck", action="store_true", help="send every file again, whatever is there"
    )
    publish.add_argument(
        "--unsafe-store",
        action="store_true",
        help="use a store that ignores conditions, where nobody else publishes",
    )


def _summary_arguments(summary: argparse.ArgumentParser) -> None:
    for name, text in (
        ("--findings", "what check or build said with --format json"),
        ("--changes", "what diff said with --format json"),
    ):
        summary.add_argument(name, metavar="FILE", help=text)
    for name, text in (
        ("--outputs", "where the outputs of a step are appended"),
        ("--subjects", "where to list the files that an attestation names"),
    ):
        summary.add_argument(name, metavar="FILE", help=text)
    summary.add_argument(
        "--source-url", metavar="URL", default="", help="where the files of the source are shown"
    )
    summary.add_argument(
        "--format",
        choices=("markdown", "json", "github"),
        default="markdown",
        help="github: warnings of what is gone; default: markdown",
    )


def _serve_arguments(serve: argparse.ArgumentParser) -> None:
    serve.add_argument("--http", metavar="HOST:PORT", help="MCP at /mcp and the catalog at /")
    serve.add_argument("--base-path", metavar="P", default="", help="of both; default: none")
    serve.add_argument(
        "--allow-host", metavar="HOST", action="append", default=[], help="a further Host to answer"
    )
    serve.add_argument(
        "--tools", action="store_true", help="the skills as tools, too, for hosts without resources"
    )
    serve.add_argument(
        "--prompts", action="store_true", help="the skills as prompts, too: slash commands of hosts"
    )
    serve.add_argument(
        "--only",
        metavar="GLOB",
        action="append",
        default=[],
        help="serve the skills whose paths match, and no other; may be repeated",
    )
    serve.add_argument(
        "--access-log", action="store_true", help="a line of JSON for each request, on stdout"
    )
    serve.add_argument(
        "--refresh",
        metavar="SECONDS",
        type=_count,
        default=10,
        help="how often a new release is looked for elsewhere; default: 10",
    )
    serve.add_argument(
        "--cache",
        metavar="MB",
        type=_count,
        default=1024,
        help="disk for what was read from elsewhere; default: 1024",
    )
    serve.add_argument(
        "--allow-rollback", action="store_true", help="take up older releases from elsewhere, too"
    )


def _report(text: str) -> tuple[str, str]:
    form, _, file = text.partition("=")
    if not file:
        raise argparse.ArgumentTypeError(f"{text!r} is not like sarif=FILE")
    if form not in _FORMATS:
        choices = ", ".join(map(repr, _FORMATS))
        raise argparse.ArgumentTypeError(f"invalid choice: {form!r} (choose from {choices})")
    return form, file


def _digest(text: str) -> object:
    from skillbuild.model import Digest

    try:
        return Digest.parse(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not sha256: and 64 digits") from None


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)
