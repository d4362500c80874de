"""The words for who vouches for a skill, the same in findings, on pages, and in answers.

They say what was compared and what was proved, and no more. Nothing here says that a skill is good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from skillbuild.model import VERDICT_LEVELS, ScannerVerdict, Signature, Trust, changed
from skillbuild.text.wording import joined, plural

_MOST_NAMES = 10
"""Files that a sentence names."""
_MOST_VERDICTS = 20
"""Of one skill, in a comparison."""


def stale_words(signature: Signature) -> str:
    """How the files differ from the signed ones, without a capital and a full stop."""
    parts = [
        _with_verb(signature.differs, "has", "have", "changed"),
        _with_verb(signature.missing, "is", "are", "gone"),
        _with_verb(signature.unsigned, "was", "were", "not signed"),
    ]
    return "; ".join(filter(None, parts))


def unpublished_words(signature: Signature) -> str:
    """Which signed files the catalog leaves out, without a capital and a full stop."""
    return _with_verb(signature.unpublished, "was", "were", "signed, and not published")


def left_out_words(signature: Signature) -> str:
    """What the signature leaves out, as words that follow its name."""
    return f"leaves out {_names(signature.left_out)}"


def coverage_words(signature: Signature) -> str:
    """What the signature proves of the files, as a sentence without a full stop."""
    if signature.fault:
        return f"The signature proves nothing: it {signature.fault}"
    if signature.is_stale:
        return f"Not what was signed: {stale_words(signature)}"
    if signature.left_out:
        files = f"{plural(signature.covered, 'file')}, and {left_out_words(signature)}"
    else:
        files = "the only file" if signature.covered == 1 else f"all {signature.covered:,} files"
    more = f"; {unpublished_words(signature)}" if signature.unpublished else ""
    return f"The signature covers {files}{more}"


def signer_words(signature: Signature) -> str:
    """Who signed, as far as it is proved, as a sentence without a full stop."""
    signer = signature.signer
    if signer is None:
        return "" if signature.fault else "Who signed was not checked"
    start = "The signature is" if signature.is_stale else "Signed"
    if signer.root is None:
        return f"{start} by an unknown key ({signer.key.short})"
    name = signer.name or f"a key without a name ({signer.key.short})"
    root = f"the root that this catalog's settings name ({signer.root.short})"
    return f"{start} by {name}, under {root}"


def sentences(signature: Signature) -> Sequence[str]:
    """All that is to be said of a signature."""
    return [words for words in (coverage_words(signature), signer_words(signature)) if words]


def by_tool(verdicts: Sequence[ScannerVerdict]) -> Sequence[Sequence[ScannerVerdict]]:
    """The verdicts of each tool in one version, by name; the gravest are first."""
    groups: dict[tuple[str, str], list[ScannerVerdict]] = {}
    for each in verdicts:
        groups.setdefault((each.tool, each.version), []).append(each)
    return [groups[key] for key in sorted(groups)]


def reported_words(verdicts: Sequence[ScannerVerdict]) -> str:
    """What one tool reported, as a sentence without a full stop."""
    counts = Counter(each.level for each in verdicts)
    parts = [plural(counts[level], level) for level in VERDICT_LEVELS if counts[level]]
    return f"{_tool(verdicts[0])} reports {joined(parts)}"


def _tool(verdict: ScannerVerdict) -> str:
    return f"{verdict.tool} {verdict.version}".strip()


def trust_json(trust: Trust) -> dict[str, object]:
    """The same for programs, and for models that read what programs are told."""
    signatures = [
        {"path": each.path, "doubtful": is_doubtful(each), "says": sentences(each)}
        for each in trust.signatures
    ]
    scanners = [reported_words(each) for each in by_tool(trust.verdicts)]
    fields: dict[str, object] = {"signatures": signatures, "scanners": scanners}
    return {key: value for key, value in fields.items() if value}


def trust_changes(old: Trust | None, new: Trust | None) -> Iterator[str]:
    """What is new about who vouches for a skill; of a skill that is new, only what is doubtful."""
    was = {each.path: each for each in old.signatures} if old else {}
    now = {each.path: each for each in new.signatures} if new else {}
    for path, signature in now.items():
        before = was.get(path)
        if before is None and not is_doubtful(signature):
            continue
        said = sentences(before) if before else ()
        if _signing(before) != _signing(signature):
            yield from (f"{path}: {words}" for words in sentences(signature) if words not in said)
    yield from (f"no longer signed: {path}" for path in was if path not in now)
    yield from _new_verdicts(old.verdicts if old else (), new.verdicts if new else ())


def _new_verdicts(old: Sequence[ScannerVerdict], new: Sequence[ScannerVerdict]) -> Iterator[str]:
    """What a tool reports of a file that it did not report of that file before."""
    known = {_reported(each) for each in old}
    fresh = dict.fromkeys(each for each in map(_reported, new) if each not in known)
    yield from islice(fresh, _MOST_VERDICTS)
    if len(fresh) > _MOST_VERDICTS:
        yield plural(
            len(fresh) - _MOST_VERDICTS,
            "more new result of scanners",
            "more new results of scanners",
        )


def _reported(verdict: ScannerVerdict) -> str:
    return f"{verdict.tool} reports {verdict.rule} ({verdict.level}): {verdict.path}"


def _signing(signature: Signature | None) -> Signature | None:
    """A signature without how many files it covers, which follows from the files."""
    return signature and changed(signature, covered=0)


def is_doubtful(signature: Signature) -> bool:
    """Whether a signature proves less than a reader would take it for."""
    signer = signature.signer
    is_unknown = signer is not None and signer.root is None
    return bool(signature.fault or signature.is_stale or signature.left_out or is_unknown)


def _with_verb(paths: Sequence[str], one: str, many: str, rest: str) -> str:
    """A clause about files; empty without any."""
    return f"{_names(paths)} {one if len(paths) == 1 else many} {rest}" if paths else ""


def _names(paths: Sequence[str]) -> str:
    """The first of some files by name, and how many more there are."""
    named = list(paths[:_MOST_NAMES])
    more = len(paths) - len(named)
    return joined([*named, *([plural(more, "more file")] if more else [])])
