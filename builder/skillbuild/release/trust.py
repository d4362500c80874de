"""Describes the signatures and scanner results of a skill, for findings, pages and MCP answers.

The texts say what was compared and what was proven. No text says that a skill is good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from skillbuild.model import VERDICT_LEVELS, ScannerVerdict, Signature, Trust, changed
from skillbuild.paths import SKILL_FILE
from skillbuild.text.wording import joined, plural

_MOST_NAMES = 10
"""Maximum number of files that a sentence names."""
_MOST_VERDICTS = 20
"""Maximum number of verdicts that a comparison lists for one skill."""


def only_adds(signature: Signature) -> bool:
    """Return whether files were added after signing, while SKILL.md and all signed files are
    unchanged.
    """
    is_changed = bool(signature.differs or signature.missing)
    return bool(signature.unsigned) and not is_changed and SKILL_FILE not in signature.unsigned


def stale_words(signature: Signature) -> str:
    """Return a clause that says how the files have changed since they were signed."""
    if only_adds(signature):
        return f"added after signing: {_names(signature.unsigned)}"
    parts = [
        _with_verb(signature.differs, "has", "have", "changed"),
        _with_verb(signature.missing, "is", "are", "gone"),
        _with_verb(signature.unsigned, "was", "were", "not signed"),
    ]
    return f"changed since it was signed: {'; '.join(filter(None, parts))}"


def unpublished_words(signature: Signature) -> str:
    """Return a clause that names the signed files that the catalog does not publish; empty if there
    are none.
    """
    return _with_verb(signature.unpublished, "was", "were", "signed, but not published")


def left_out_words(signature: Signature) -> str:
    """Return a phrase such as `leaves out a.md and b.md`, which names the files that the signature
    does not cover.
    """
    return f"leaves out {_names(signature.left_out)}"


def coverage_words(signature: Signature) -> str:
    """Return what the signature proves about the files, as a sentence without a period."""
    if signature.fault:
        return f"The signature proves nothing: it {signature.fault}"
    if signature.is_stale:
        words = stale_words(signature)
        return words[0].upper() + words[1:]
    if signature.left_out:
        files = f"{plural(signature.covered, 'file')}, and {left_out_words(signature)}"
    else:
        files = "the only file" if signature.covered == 1 else f"all {signature.covered:,} files"
    more = f"; {unpublished_words(signature)}" if signature.unpublished else ""
    return f"The signature covers {files}{more}"


def signer_words(signature: Signature) -> str:
    """Return who signed the skill and whether this is proven, as a sentence without a period."""
    signer = signature.signer
    if signer is None:
        return "" if signature.fault else "The signer was not checked"
    start = "The signature is" if signature.is_stale else "Signed"
    if signer.root is None:
        return f"{start} by an unknown key ({signer.key.short})"
    name = signer.name or f"a key without a name ({signer.key.short})"
    root = f"the root in this catalog's settings ({signer.root.short})"
    return f"{start} by {name}, under {root}"


def sentences(signature: Signature) -> Sequence[str]:
    """Return all sentences about a signature."""
    return [words for words in (coverage_words(signature), signer_words(signature)) if words]


def by_tool(verdicts: Sequence[ScannerVerdict]) -> Sequence[Sequence[ScannerVerdict]]:
    """Group verdicts by tool and version; the groups are sorted by name."""
    groups: dict[tuple[str, str], list[ScannerVerdict]] = {}
    for each in verdicts:
        groups.setdefault((each.tool, each.version), []).append(each)
    return [groups[key] for key in sorted(groups)]


def reported_words(verdicts: Sequence[ScannerVerdict]) -> str:
    """Return what one tool reported, as a sentence without a period."""
    counts = Counter(each.level for each in verdicts)
    parts = [plural(counts[level], level) for level in VERDICT_LEVELS if counts[level]]
    return f"{_tool(verdicts[0])} reports {joined(parts)}"


def _tool(verdict: ScannerVerdict) -> str:
    return f"{verdict.tool} {verdict.version}".strip()


def trust_json(trust: Trust) -> dict[str, object]:
    """Return the trust data of a skill as JSON values, for programs and for models."""
    signatures = [
        {"path": each.path, "doubtful": is_doubtful(each), "says": sentences(each)}
        for each in trust.signatures
    ]
    scanners = [reported_words(each) for each in by_tool(trust.verdicts)]
    fields: dict[str, object] = {"signatures": signatures, "scanners": scanners}
    return {key: value for key, value in fields.items() if value}


def trust_changes(old: Trust | None, new: Trust | None) -> Iterator[str]:
    """Say how the signatures and scanner results of a skill changed.

    For a new skill, a signature is mentioned only if it is doubtful.
    """
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
    """Say what scanners report about a file that they did not report before."""
    known = {_reported(each) for each in old}
    fresh = dict.fromkeys(each for each in map(_reported, new) if each not in known)
    yield from islice(fresh, _MOST_VERDICTS)
    if len(fresh) > _MOST_VERDICTS:
        yield plural(
            len(fresh) - _MOST_VERDICTS,
            "more new scanner result",
            "more new scanner results",
        )


def _reported(verdict: ScannerVerdict) -> str:
    return f"{verdict.tool} reports {verdict.rule} ({verdict.level}): {verdict.path}"


def _signing(signature: Signature | None) -> Signature | None:
    """Return a signature without the number of files it covers, which any new file would change."""
    return signature and changed(signature, covered=0)


def is_doubtful(signature: Signature) -> bool:
    """Whether a signature proves less than a reader would expect."""
    signer = signature.signer
    is_unknown = signer is not None and signer.root is None
    return bool(signature.fault or signature.is_stale or signature.left_out or is_unknown)


def _with_verb(paths: Sequence[str], one: str, many: str, rest: str) -> str:
    """Return a clause about files; empty if there are no files."""
    return f"{_names(paths)} {one if len(paths) == 1 else many} {rest}" if paths else ""


def _names(paths: Sequence[str]) -> str:
    """Name the first files and say how many more there are."""
    named = list(paths[:_MOST_NAMES])
    more = len(paths) - len(named)
    return joined([*named, *([plural(more, "more file")] if more else [])])
