"""Recognizes commands that delete what a service manages, such as resources in a cloud."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from skillbuild.check.facts.found import words as _words

_VERB = re.compile(r"(?:[\w:-]+:)?(?:delete|destroy|purge)(?:-[\w-]+|all|table|family|row|column)?")
_OTHER_WORDS: Mapping[str, re.Pattern[str]] = {
    "aws": re.compile(r"s3 (?:rb|rm|sync .*--delete)\b.*"),
    "gsutil": re.compile(r"(?:-\w+ )*(?:rm|rb) .*"),
    "bq": re.compile(r"(?:-\S+ )*rm .*"),
    "helm": re.compile(r"uninstall .*"),
    **dict.fromkeys(
        ["docker", "podman", "docker-compose"],
        re.compile(
            r"volume (?:rm|prune)\b.*|system prune\b.*"
            r"|(?:compose )?(?:\S+ ){0,6}?down (?:.* )?(?:-v|--volumes)(?: .*)?"
        ),
    ),
    **dict.fromkeys(["vercel", "supabase"], re.compile(r"(?:remove|rm|db reset)\b.*")),
}
"""Commands that delete without such a verb, or only with an option."""
_NOT_DONE = re.compile(
    r"--dry-?run(?:=(?!none|false).*)?|--help|-h|help|can-i|--generate-cli-skeleton"
)
"""Words of commands that only say what would be deleted, or whether it is allowed."""
_MOST_WORDS = 6
"""Maximum number of words of a command among which the verb is sought."""
_WITHOUT_VERB = _words("psql mysql mongosh sqlcmd ssh scp rsync sftp docker podman docker-compose")
_WHOLE_STACK = _words("terraform tofu pulumi")
"""Tools whose `destroy` needs no operand."""


def is_removal(name: str, words: Sequence[str], *, is_span: bool) -> bool:
    """Return whether a command of a service's tool deletes something that the service manages."""
    if any(map(_NOT_DONE.fullmatch, words)):
        return False
    other = _OTHER_WORDS.get(name)
    if other and other.fullmatch(" ".join(words)):
        return True
    return name not in _WITHOUT_VERB and _has_verb(name, words, is_span=is_span)


def _has_verb(name: str, words: Sequence[str], *, is_span: bool) -> bool:
    """Return whether a command says `delete` and what; a span may only name the command."""
    verbs = map(_VERB.fullmatch, words[:_MOST_WORDS])
    number = next((at for at, verb in enumerate(verbs) if verb), -1)
    is_whole = name in _WHOLE_STACK and not is_span
    return number >= 0 and (number + 1 < len(words) or is_whole)
