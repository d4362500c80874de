"""The grammar of the command line: commands, options, and suggestions for mistyped ones."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import NoReturn

from skillbuild import __version__

_FORMATS = ("text", "json", "github", "sarif")
_DIFF_FORMATS = ("text", "json", "markdown")
_FORMAT_HELP = "output format (default: text)"
_SCHEMAS = (
    *("index", "catalog", "release", "entry", "version", "config"),
    *("findings", "diff", "verify", "explain", "summary"),
)
_INSTEAD = {
    "--index-digest": "use --release with the digest of release.json instead",
    "--repo": "pass the repository as an argument",
}
"""What to write in place of an option that no longer exists, or that only another command has."""
_UNRECOGNIZED = "unrecognized arguments: "
_CHOICE = re.compile(r"invalid choice: ['\"](.*?)['\"] \(choose from (.*)\)")


class _Parser(argparse.ArgumentParser):
    """argparse with one-line errors, and a suggestion for a mistyped command or option."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"skillbuild: {message}{self._suggestion(message)}\n")

    def _suggestion(self, message: str) -> str:
        import difflib

        for word, choices in self._mistyped(message):
            if word in choices:
                return f"; write it after the command: {self.prog} {word}"
            if word in _INSTEAD:
                return f"; {_INSTEAD[word]}"
            close = difflib.get_close_matches(word, choices, n=1, cutoff=0.6)
            if close:
                return f"; did you mean {close[0]}?"
        return f"; see {self.prog} --help"

    def _mistyped(self, message: str) -> list[tuple[str, Sequence[str]]]:
        """Return the words that argparse rejected in `message`, each with its valid choices."""
        if choice := _CHOICE.search(message):
            return [(choice[1], re.findall(r"[\w-]+", choice[2]))]
        _, separator, words = message.partition(_UNRECOGNIZED)
        if not separator:
            return []
        options = sorted(self._option_string_actions)
        return [(word.partition("=")[0], options) for word in words.split()]


class _Version(argparse.Action):
    """An option that prints the version without loading the modules that argparse uses to wrap
    lines.
    """

    def __call__(self, top: argparse.ArgumentParser, *ignored: object) -> None:
        print(f"skillbuild {__version__}")
        top.exit()


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line (by default the arguments of this process) into typed options.

    The parser of the chosen command reports unknown arguments, because it can suggest options of
    that command. By default, argparse would report them with the main parser.
    """
    top = parser()
    options, unknown = top.parse_known_args(arguments)
    if unknown:
        commands = next(a.choices for a in top._actions if isinstance(a.choices, dict))
        commands[options.command].error(_UNRECOGNIZED + " ".join(unknown))
    return options


def parser() -> argparse.ArgumentParser:
    """Return the whole grammar of the command line."""
    top = _Parser(
        prog="skillbuild",
        description="Turn a git repository of Agent Skills into a catalog for people and agents.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
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
"""A function that adds a command with a name and a summary."""


def _source_commands(command: _Command) -> None:
    init = command("init", "Create a repository of skills, or add settings to an existing one.")
    init.add_argument(
        "directory", metavar="DIR", nargs="?", default=".", help="directory (default: .)"
    )
    init.add_argument(
        "--workflow",
        metavar="URL@REV",
        help="write a GitHub workflow that uses skillbuild from the repository at URL, at the"
        " commit"
        " or release REV",
    )

    check = command("check", "Report problems in skills, with file, line and fix.")
    check.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="directory to check (default: .), or files (checks the skills they belong to)",
    )
    _source_arguments(check)
    check.add_argument("--rev", metavar="REV", help="check a commit instead of the working tree")
    check.add_argument(
        "--fix", action="store_true", help="fix problems that have exactly one safe fix"
    )
    check.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="also make changes that need review: replace names, shorten descriptions, join lists"
        " into strings, and split lines that contain two fields",
    )
    check.add_argument(
        "--diff",
        action="store_true",
        help="show the fixes as a diff and write nothing; exit with status 1 if there are any",
    )

    build = command("build", "Build the catalog of one commit.")
    build.add_argument(
        "repo",
        metavar="REPO",
        nargs="?",
        default=".",
        help="git repository, or a directory in one (default: .)",
    )
    _source_arguments(build)
    build.add_argument("--rev", metavar="REV", help="commit to build (default: HEAD)")
    _build_arguments(build)

    preview = command(
        "preview",
        "Serve the catalog of the working tree on this machine, and rebuild it on every change.",
    )
    preview.add_argument(
        "repo",
        metavar="REPO",
        nargs="?",
        default=".",
        help="git repository, or a directory in one (default: .)",
    )
    preview.add_argument(
        "--port",
        metavar="PORT",
        type=_count,
        default=0,
        help="port on 127.0.0.1 (default: a free port)",
    )


def _output_commands(command: _Command) -> None:
    verify = command("verify", "Check an output or a published catalog against its hashes.")
    verify.add_argument(
        "out",
        metavar="OUT",
        help="output directory, or address of a published output: a URL, s3://, gs:// or az://",
    )
    _verify_arguments(verify)

    diff = command("diff", "Compare two catalogs.")
    diff.add_argument("old", metavar="A", help="older catalog: an output directory or a URL")
    diff.add_argument("new", metavar="B", help="newer catalog: an output directory or a URL")
    diff.add_argument(
        "--repo",
        action="store_true",
        help="also accept revisions of this repository as A and B; . stands for the working tree",
    )
    diff.add_argument(
        "--allow-missing",
        action="store_true",
        help="if nothing is published at URL A, report every skill in B as new",
    )
    diff.add_argument("--format", choices=_DIFF_FORMATS, default="text", help=_FORMAT_HELP)
    diff.add_argument(
        "--exit-code", action="store_true", help="exit with status 1 if anything changed"
    )

    publish = command("publish", "Upload an output to S3, GCS or Azure, or copy it to a directory.")
    publish.add_argument("out", metavar="OUT", help="output directory")
    publish.add_argument(
        "dest",
        metavar="DEST",
        help="s3://BUCKET/FOLDER, gs://BUCKET/FOLDER, az://BUCKET/FOLDER, or a directory",
    )
    _publish_arguments(publish)

    plugins = command("plugins", "Write plugins that clients can install from a git repository.")
    plugins.add_argument(
        "out",
        metavar="OUT",
        help="output directory, or address of a published output: a URL, s3://, gs:// or az://",
    )
    plugins.add_argument(
        "directory", metavar="DIR", help="directory to write to; must be new or empty"
    )

    summary = command("summary", "Write the job summary of a GitHub workflow, in Markdown.")
    summary.add_argument("out", metavar="OUT", help="output directory; does not have to exist")
    _summary_arguments(summary)

    serve = command("serve", "Serve a catalog read-only over MCP, via stdio or HTTP.")
    serve.add_argument(
        "out",
        metavar="OUT",
        help="output directory, or address of a published output: a URL, s3://, gs:// or az://",
    )
    _serve_arguments(serve)


def _other_commands(command: _Command, top: argparse.ArgumentParser) -> None:
    explain = command("explain", "Explain a rule, or list all rules.")
    explain.add_argument(
        "code",
        metavar="CODE",
        nargs="?",
        help="code of a rule, for example name-mismatch (default: all rules)",
    )
    explain.add_argument("--format", choices=_FORMATS[:2], default="text", help=_FORMAT_HELP)

    docs = command("docs", "Write the documentation of this version as a website.")
    docs.add_argument(
        "directory", metavar="DIR", help="directory to write to; must be new or empty"
    )

    schema = command(
        "schema", "Print the JSON Schema of a published file, the settings, or a report."
    )
    schema.add_argument(
        "file",
        choices=_SCHEMAS,
        help="what to describe: a published file, the settings (config), or the JSON report of a"
        " command",
    )

    completion = command("completion", "Print a completion script for a shell.")
    completion.add_argument(
        "shell", choices=("bash", "zsh", "fish", "tcsh"), help="shell to write completions for"
    )
    completion.set_defaults(parser=top)


def _source_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--strict", action="store_true", help="treat warnings as errors")
    command.add_argument("--format", choices=_FORMATS, default="text", help=_FORMAT_HELP)
    command.add_argument(
        "--report",
        metavar="FORMAT=FILE",
        type=_report,
        action="append",
        default=[],
        help="also write the findings to a file, for example sarif=FILE; may be repeated",
    )
    command.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="show all findings, including notes, and all ignored SKILL.md files and links",
    )
    command.add_argument(
        "--allow-empty", action="store_true", help="do not fail if the source has no skills"
    )
    command.add_argument(
        "--trust",
        metavar="FILE",
        help="read the [trust] table from this TOML file instead of the settings",
    )
    command.add_argument(
        "--jobs",
        metavar="N",
        type=_count,
        default=0,
        help="number of worker processes (default: depends on the number of cores)",
    )


def _build_arguments(build: argparse.ArgumentParser) -> None:
    build.add_argument(
        "-o", "--out", metavar="OUT", default="out", help="output directory (default: out)"
    )
    build.add_argument(
        "--base-url", metavar="URL", help="address where the output will be published"
    )
    build.add_argument(
        "--repository", metavar="URL", help="address of the source repository, for links on pages"
    )
    build.add_argument(
        "--without-versions",
        action="store_true",
        help="publish no older versions, even if [versions] is set; their addresses stop working",
    )
    build.add_argument(
        "--skip-invalid", action="store_true", help="leave out invalid skills and publish the rest"
    )
    build.add_argument(
        "--keep",
        metavar="N",
        type=_count,
        help="number of earlier releases whose files are kept (default: 2)",
    )
    build.add_argument(
        "--previous",
        metavar="URL|DIR",
        help="URL or directory of the last release; files of kept releases are copied from it",
    )
    build.add_argument("--recheck", action="store_true", help="build again even if nothing changed")
    build.add_argument(
        "--no-cache", action="store_true", help="neither read nor write cached results"
    )


def _verify_arguments(verify: argparse.ArgumentParser) -> None:
    verify.add_argument(
        "--whole",
        action="store_true",
        help="also check pages, index and SHA256SUMS; if the output is at a URL, this downloads"
        " every file",
    )
    verify.add_argument(
        "--max-bytes", metavar="N", type=_count, help="fail if the output is larger than N bytes"
    )
    verify.add_argument(
        "--release",
        metavar="DIGEST",
        type=_digest,
        help="fail unless this is the SHA-256 of release.json",
    )
    verify.add_argument(
        "--wait",
        metavar="SECONDS",
        type=_count,
        default=0,
        help="how long to wait for the URL to serve the release (default: 0)",
    )
    verify.add_argument("--format", choices=_FORMATS[:2], default="text", help=_FORMAT_HELP)


def _publish_arguments(publish: argparse.ArgumentParser) -> None:
    publish.add_argument(
        "--dry-run", action="store_true", help="print what would be uploaded, and write nothing"
    )
    publish.add_argument(
        "--prune", action="store_true", help="remove old files that no kept release uses"
    )
    publish.add_argument(
        "--grace",
        metavar="HOURS",
        type=_count,
        default=24,
        help="with --prune, keep unused files that are newer than this (default: 24)",
    )
    publish.add_argument("--recheck", action="store_true", help="upload every file again")
    publish.add_argument(
        "--unsafe-store",
        action="store_true",
        help="allow a store without conditional writes; safe only if nobody else publishes to it",
    )


def _summary_arguments(summary: argparse.ArgumentParser) -> None:
    for name, text in (
        ("--findings", "report written by skillbuild check or build with --format json"),
        ("--changes", "report written by skillbuild diff --format json"),
    ):
        summary.add_argument(name, metavar="FILE", help=text)
    for name, text in (
        ("--outputs", "append the step outputs to this file"),
        ("--subjects", "write to this file the paths of all files to attest"),
    ):
        summary.add_argument(name, metavar="FILE", help=text)
    summary.add_argument(
        "--source-url", metavar="URL", default="", help="web address of the source files, for links"
    )
    summary.add_argument(
        "--format",
        choices=("markdown", "json", "github"),
        default="markdown",
        help="output format; github prints warnings about removed skills (default: markdown)",
    )


def _serve_arguments(serve: argparse.ArgumentParser) -> None:
    serve.add_argument(
        "--http",
        metavar="HOST:PORT",
        help="serve HTTP at this address: MCP at /mcp, the catalog at /",
    )
    serve.add_argument(
        "--base-path",
        metavar="P",
        default="",
        help="path prefix for MCP and the catalog (default: none)",
    )
    serve.add_argument(
        "--allow-host",
        metavar="HOST",
        action="append",
        default=[],
        help="also answer requests with this Host header; may be repeated",
    )
    serve.add_argument(
        "--tools",
        action="store_true",
        help="also offer tools that read skills, for clients that cannot read resources",
    )
    serve.add_argument(
        "--prompts",
        action="store_true",
        help="also offer each skill as a prompt; many clients show prompts as slash commands",
    )
    serve.add_argument(
        "--only",
        metavar="GLOB",
        action="append",
        default=[],
        help="serve only skills whose path matches this glob; may be repeated",
    )
    serve.add_argument(
        "--access-log", action="store_true", help="print a line of JSON for each request"
    )
    serve.add_argument(
        "--refresh",
        metavar="SECONDS",
        type=_count,
        default=10,
        help="how often to check a URL for a new release (default: 10)",
    )
    serve.add_argument(
        "--cache",
        metavar="MB",
        type=_count,
        default=1024,
        help="maximum size of the disk cache for files from a URL (default: 1024)",
    )
    serve.add_argument(
        "--allow-rollback",
        action="store_true",
        help="serve the release at the URL even if it is older than the current one",
    )


def _report(text: str) -> tuple[str, str]:
    form, _, file = text.partition("=")
    if not file:
        raise argparse.ArgumentTypeError(f"{text!r} must have the form sarif=FILE")
    if form not in _FORMATS:
        choices = ", ".join(map(repr, _FORMATS))
        raise argparse.ArgumentTypeError(f"invalid choice: {form!r} (choose from {choices})")
    return form, file


def _digest(text: str) -> object:
    from skillbuild.model import Digest

    try:
        return Digest.parse(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} must be sha256: followed by 64 hex digits"
        ) from None


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)
