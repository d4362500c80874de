"""What each command does; every one takes the parsed options and returns the exit status."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TextIO

from skillbuild import (
    assets,
    build,
    compare,
    config,
    differences,
    publish,
    remote,
    reporting,
    source,
    store,
)
from skillbuild.diagnostics import Diagnostic, escape
from skillbuild.emit.site import human_size
from skillbuild.errors import ConfigError
from skillbuild.record import Record
from skillbuild.rules import RULES


def run(options: argparse.Namespace) -> int:
    """Dispatch to the command the parser chose."""
    return {
        "init": _init,
        "check": _check,
        "build": _build,
        "preview": _preview,
        "verify": _verify,
        "diff": _diff,
        "explain": _explain,
        "schema": _schema,
        "completion": _completion,
    }[options.command](options)


def _check(options: argparse.Namespace) -> int:
    started = time.monotonic()
    origin = source.open_for_check(Path(options.repo), options.rev)
    leaves = origin.leaves()
    settings = source.read_config(origin, leaves)
    job = build.Job(origin, leaves, settings, _build_options(options), _progress(options))
    report = build.run_check(job)
    _print_findings(report, origin.prefix, options)
    seconds = time.monotonic() - started
    _print_summary(f"{_counts(report)} in {seconds:.1f} s", options)
    return 1 if _errors(report) else 0


def _build(options: argparse.Namespace) -> int:
    started = time.monotonic()
    origin = source.open_commit(Path(options.repo), options.rev or "HEAD")
    leaves = origin.leaves()
    settings = source.read_config(origin, leaves)
    settings = config.with_base_url(settings, options.base_url)
    settings = replace(settings, keep=options.keep or settings.keep)
    out = Path(options.out)
    job = build.Job(origin, leaves, settings, _build_options(options), _progress(options))
    report = build.build(job, out, _previous(options))
    _print_findings(report, origin.prefix, options)
    if report.release is None:
        _print_summary(_counts(report), options)
        _print_summary(_refusal(report), options, always=True)
        return 1
    seconds = time.monotonic() - started
    digest = escape(str(report.release.index_digest))
    size = "nothing changed" if report.unchanged else human_size(report.size)
    arrow = "\u2192" if "utf" in (sys.stdout.encoding or "").lower() else "->"
    done = f"{_counts(report)}, {size} in {seconds:.1f} s {arrow} {out}{os.sep} ({digest})"
    _print_summary(done, options)
    if report.size > _LARGE_OUTPUT:
        print(f"skillbuild: {_LARGE_REMEDY}", file=sys.stderr)
    return 0


def _previous(options: argparse.Namespace) -> remote.Remote | None:
    if options.previous is None:
        return None
    release = remote.opened(options.previous)
    if release is None and not options.quiet:
        where = escape(options.previous)
        print(f"skillbuild: no release is at {where} yet; this is the first", file=sys.stderr)
    return release


def _build_options(options: argparse.Namespace) -> build.Options:
    return build.Options(
        strict=options.strict,
        skip_invalid=getattr(options, "skip_invalid", False),
        allow_empty=options.allow_empty,
        allow_older=options.rev is not None,
        recheck=getattr(options, "recheck", False),
        jobs=options.jobs,
    )


_LARGE_OUTPUT = 500_000_000
_LARGE_REMEDY = "GitHub Pages takes 1 GB: leave out formats, or split the source"


def _errors(report: build.Report) -> int:
    return sum(item.is_error for item in report.found)


def _counts(report: build.Report) -> str:
    errors = _errors(report)
    warnings = len(report.found) - errors
    parts = [
        _plural(report.skills, "skill"),
        _plural(report.files, "file"),
        _plural(errors, "error"),
        _plural(warnings, "warning"),
    ]
    if report.unlisted:
        parts.append(f"{report.unlisted:,} unlisted")
    if report.release is not None and report.invalid:
        parts.append(f"{len(report.invalid)} invalid left out")
    if report.ignored:
        counted = sorted(Counter(report.ignored.values()).items())
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in counted)
        parts.append(f"{len(report.ignored):,} SKILL.md ignored ({reasons})")
    return ", ".join(parts)


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _refusal(report: build.Report) -> str:
    if not report.invalid:
        return "nothing was written"
    total = report.skills + len(report.invalid)
    verb = "is" if len(report.invalid) == 1 else "are"
    return (
        f"{len(report.invalid)} of {_plural(total, 'skill')} {verb} invalid;"
        " exclude them or build with --skip-invalid; nothing was written"
    )


def _print_findings(report: build.Report, prefix: str, options: argparse.Namespace) -> None:
    found = [item for item in report.found if item.is_error or not options.quiet]
    colour = _wants_colour(sys.stdout)
    lines = _rendered(found, report, prefix, options.format, colour=colour)
    if options.format == "text" and not options.verbose:
        lines = reporting.grouped_lines(found, prefix, colour=colour)
    for line in lines:
        print(line)
    if options.verbose and options.format == "text":
        for path, reason in sorted(report.ignored.items()):
            print(f"{escape(prefix + path)}: ignored: {reason}")
    for form, file in options.report:
        text = "".join(f"{line}\n" for line in _rendered(report.found, report, prefix, form))
        _write_file(Path(file), text)


def _write_file(path: Path, text: str) -> None:
    with store.faults(path):
        path.write_text(text, encoding="utf-8", newline="\n")


def _rendered(
    found: Sequence[Diagnostic],
    report: build.Report,
    prefix: str,
    form: str,
    *,
    colour: bool = False,
) -> Iterator[str]:
    match form:
        case "json":
            yield reporting.as_json(found, prefix, _summary(report))
        case "github":
            yield from reporting.github_lines(found, prefix)
        case "sarif":
            yield reporting.as_sarif(found, prefix)
        case _:
            yield from reporting.text_lines(found, prefix, colour=colour)


def _summary(report: build.Report) -> dict[str, object]:
    errors = _errors(report)
    digest = str(report.release.index_digest) if report.release else None
    return {
        "skills": report.skills,
        "files": report.files,
        "errors": errors,
        "warnings": len(report.found) - errors,
        "unlisted": report.unlisted,
        "invalid": list(report.invalid),
        "ignored": dict(report.ignored),
        "indexDigest": digest,
    }


def _print_summary(line: str, options: argparse.Namespace, *, always: bool = False) -> None:
    """The closing line; standard output stays pure data in the formats for machines."""
    if always or not options.quiet:
        print(line, file=sys.stdout if options.format == "text" else sys.stderr)


def _wants_colour(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def _progress(options: argparse.Namespace) -> build.Progress:
    """A counter on a terminal's last line; nothing anywhere else."""
    if options.quiet or not sys.stderr.isatty() or os.environ.get("CI"):
        return lambda done, total: None

    def show(done: int, total: int) -> None:
        if done % 25 == 0 or done == total:
            end = "\r\x1b[K" if done == total else ""
            print(f"\r{done:,} of {total:,} skills{end}", end="", file=sys.stderr, flush=True)

    return show


def _preview(options: argparse.Namespace) -> int:
    from skillbuild import preview

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    preview.run(Path(options.repo), options.port, say)
    return 0


def _verify(options: argparse.Namespace) -> int:
    if remote.is_url(options.out):
        return _verify_online(options)
    from skillbuild import verify

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
        count = f"{verdict.files:,} files, {human_size(verdict.size)}"
        state = "holds" if holds else "does not hold"
        print(f"{options.out} {state}: {count}, {len(verdict.faults) + len(further)} faults")
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
    from skillbuild import online

    faults = online.verify(options.out, options.index_digest, options.wait)
    for message in faults:
        print(f"{escape(options.out)}: error: {escape(message)}")
    if not options.quiet:
        state = "does not serve" if faults else "serves"
        print(f"{escape(options.out)} {state} the index of its record")
    return 1 if faults else 0


def _diff(options: argparse.Namespace) -> int:
    from skillbuild import published

    repository = Path() if options.repo else None
    with (
        published.opened(options.old, repository, or_empty=options.allow_missing) as old,
        published.opened(options.new, repository) as new,
    ):
        for name, side in ((options.old, old), (options.new, new)):
            for skipped in side.catalog.skipped if not options.quiet else ():
                print(f"note: invalid in {escape(name)}: {escape(skipped)}", file=sys.stderr)
        changes = compare.compare(old.catalog, new.catalog, old.read, new.read)
    print(differences.render(changes, options.format))
    return 0


def _explain(options: argparse.Namespace) -> int:
    if options.code is None:
        for rule in RULES.values():
            print(f"{rule.code:24} {rule.severity:8} {rule.summary}")
        return 0
    if options.code not in RULES:
        raise ConfigError(f"there is no rule {options.code!r}{_did_you_mean(options.code, RULES)}")
    print(reporting.explain(options.code), end="")
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
    with store.faults(target):
        for path, content in starter.items():
            store.write(target / path, content)
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
