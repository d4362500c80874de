"""What each command does; every one takes the parsed options and returns the exit status."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Iterable, Iterator
from importlib.resources.abc import Traversable
from pathlib import Path

from skillbuild import assets
from skillbuild.cli import build
from skillbuild.diagnostics import escape
from skillbuild.errors import ConfigError
from skillbuild.output import publish, remote
from skillbuild.release.compare import compare_catalogs
from skillbuild.release.record import Record
from skillbuild.report.changes import render_changes
from skillbuild.report.findings import explain_rule
from skillbuild.rules.registry import RULES
from skillbuild.storage import disk
from skillbuild.text.wording import human_size, plural


def run(options: argparse.Namespace) -> int:
    """Dispatch to the command the parser chose."""
    return {
        "init": _init,
        "build": build.run,
        "preview": _preview,
        "verify": _verify,
        "diff": _diff,
        "summary": _summary,
        "explain": _explain,
        "schema": _schema,
        "completion": _completion,
    }[options.command](options)


def _preview(options: argparse.Namespace) -> int:
    from skillbuild.cli import preview

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    preview.run(Path(options.repo), options.port, say)
    return 0


def _verify(options: argparse.Namespace) -> int:
    if remote.is_url(options.out):
        return _verify_online(options)
    from skillbuild.output import verify

    out = Path(options.out)
    verdict = verify.verify(out)
    for fault in verdict.faults:
        severity = "error" if fault.core or options.whole else "warning"
        print(f"{escape(fault.path)}: {severity}: {escape(fault.message)}")
    further = list(_further_faults(verdict.release, publish.size_of(out), options))
    for message in further:
        print(f"{escape(options.out)}: error: {message}")
    holds = verdict.holds(whole=options.whole) and not further
    if not options.quiet:
        for remark in verdict.remarks:
            print(f"note: {escape(remark)}")
        count = f"{plural(verdict.files, 'file')}, {human_size(verdict.size)}"
        faults = plural(len(verdict.faults) + len(further), "fault")
        state = "holds" if holds else "does not hold"
        print(f"{options.out} {state}: {count}, {faults}")
    return 0 if holds else 1


def _further_faults(release: Record, size: int, options: argparse.Namespace) -> Iterator[str]:
    if options.max_bytes and size > options.max_bytes:
        most = human_size(options.max_bytes)
        yield f"{human_size(size)}, and the most is {most}: leave out formats, or split the source"
    if options.index_digest not in {None, release.index_digest}:
        yield f"the index is {release.index_digest} in place of {options.index_digest}"


def _verify_online(options: argparse.Namespace) -> int:
    if options.whole or options.max_bytes:
        raise ConfigError("--whole and --max-bytes need the output directory")
    from skillbuild.output import verify_url

    faults = verify_url.verify(options.out, options.index_digest, options.wait)
    for message in faults:
        print(f"{escape(options.out)}: error: {escape(message)}")
    if not options.quiet:
        state = "does not serve" if faults else "serves"
        print(f"{escape(options.out)} {state} the index of its record")
    return 1 if faults else 0


def _diff(options: argparse.Namespace) -> int:
    from skillbuild.cli import catalogs

    repository = Path() if options.repo else None
    with (
        catalogs.opened(options.old, repository, or_empty=options.allow_missing) as old,
        catalogs.opened(options.new, repository) as new,
    ):
        for name, side in ((options.old, old), (options.new, new)):
            for skipped in side.catalog.skipped if not options.quiet else ():
                print(f"note: invalid in {escape(name)}: {escape(skipped)}", file=sys.stderr)
        changes = compare_catalogs(old.catalog, new.catalog, old.read, new.read)
    print(render_changes(changes, options.format))
    return 0


def _summary(options: argparse.Namespace) -> int:
    from skillbuild.output import attestation
    from skillbuild.report import summary

    out = Path(options.out)
    run = summary.read_run(options.findings, options.changes, out, options.source_url)
    if options.outputs is not None:
        summary.append_outputs(run, out, Path(options.outputs))
    if options.subjects is not None and run.output is not None:
        disk.write_text(Path(options.subjects), attestation.subject_lines(out))
    print(summary.markdown(run), end="")
    return 0


def _explain(options: argparse.Namespace) -> int:
    if options.code is None:
        for rule in RULES.values():
            print(f"{rule.code:24} {rule.severity:8} {rule.summary}")
        return 0
    if options.code not in RULES:
        raise ConfigError(f"there is no rule {options.code!r}{_did_you_mean(options.code, RULES)}")
    print(explain_rule(options.code), end="")
    return 0


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else "; `skillbuild explain` lists them"


def _schema(options: argparse.Namespace) -> int:
    print(assets.schema(options.file), end="")
    return 0


def _completion(options: argparse.Namespace) -> int:
    import shtab

    print(shtab.complete(options.parser, shell=options.shell))
    return 0


_DOTTED = {"github": ".github", "gitignore": ".gitignore"}


def _init(options: argparse.Namespace) -> int:
    target = Path(options.directory)
    starter = dict(_starter(assets.asset_root("templates") / "init", ""))
    for path in starter:
        if (target / path).exists() or (target / path).is_symlink():
            raise ConfigError(f"{target / path} exists; init does not overwrite anything")
    with disk.faults(target):
        for path, content in starter.items():
            disk.write(target / path, content)
            if content.startswith(b"#!"):
                (target / path).chmod(0o755)
    if not options.quiet:
        print(f"{len(starter)} files in {target}{os.sep}")
        print(f"next: cd {target} && git init && git add . && git commit -m 'First skill'")
        print("then: skillbuild check && skillbuild build")
    return 0


def _starter(folder: Traversable, start: str) -> list[tuple[str, bytes]]:
    files = []
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        name = _DOTTED.get(item.name, item.name) if not start else item.name
        if item.is_dir():
            files += _starter(item, f"{start}{name}/")
        else:
            files.append((start + name, item.read_bytes()))
    return files
