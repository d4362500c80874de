"""Recognizes deletions in commands of tools and in function calls of programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from skillbuild.check.facts.found import marked_lines
from skillbuild.check.facts.found import words as _words
from skillbuild.check.facts.services import is_only_asked
from skillbuild.model import RunKind
from skillbuild.text.commands import SCRIPT

_VERB = re.compile(
    r"(?:[\w:.+-]*[:.+])?(?:(?:delete|destroy|purge|terminate(?=-))(?:-[\w-]+|all|table|family|row|column)?"
    r"|(?:delete|destroy|purge|remove)[A-Z]\w*)"
)
_SUBCOMMAND = re.compile(r"[a-z][\w:.-]*|--?[\w-]+(?:=\S+)?")
"""A word that may stand between the name of a tool and the verb."""
_OTHER_WORDS: Mapping[str, re.Pattern[str]] = {
    "aws": re.compile(r"s3 (?:rb|rm|sync .*--delete)\b.*"),
    "gsutil": re.compile(r"(?:-\w+ )*(?:rm|rb) .*"),
    "bq": re.compile(r"(?:-\S+ )*rm .*"),
    "helm": re.compile(r"uninstall .*"),
    "redis-cli": re.compile(r"(?i:(?:-\S+ )*(?:\S+ ){0,4}?flush(?:db|all)\b.*)"),
    "kubectl": re.compile(r"patch .*finalizers.*"),
    **dict.fromkeys(
        ["docker", "podman", "docker-compose"],
        re.compile(
            r"(?:volume|image) (?:rm|prune)\b.*|(?:system|container) prune\b.*|rmi .*|rmi"
            r"|rm(?: -\S+)*|rm .*\$\(\).*"
            r"|(?:compose )?(?:\S+ ){0,6}?down (?:.* )?(?:-v|--volumes)(?: .*)?"
        ),
    ),
    **dict.fromkeys(["vercel", "supabase"], re.compile(r"(?:remove|rm|db reset)\b.*")),
    "expo": re.compile(r"prebuild (?:.* )?--clean(?: .*)?"),
}
"""Commands that delete without such a verb, or only with an option."""
_DELETING_OPTION = re.compile(r"--(?:delete-(?!after|older|on-)[\w-]+|delete|purge(?:-[\w-]+)?)")
_REMOVING_OPTION = re.compile(r"--(?:remove|drop|wipe|clear)-(?!orphans|after)[\w-]+")
"""Options with which a program, or a program file, deletes something."""
_MOST_WORDS = 6
"""Maximum number of words of a command among which the verb is sought."""
_WITHOUT_VERB = _words("psql mysql mongosh sqlcmd ssh scp rsync sftp docker podman docker-compose")
_WHOLE_STACK = _words("terraform tofu pulumi")
"""Tools whose `destroy` needs no operand."""


def is_removal(name: str, words: Sequence[str], *, is_span: bool, is_service: bool) -> bool:
    """Return whether a command of a tool deletes something that the tool manages.

    `is_service` says whether the tool belongs to a known service. For any other tool, only the
    subcommands are searched, because its arguments may be normal text.
    """
    if is_only_asked(words):
        return False
    other = _OTHER_WORDS.get(name)
    if other and other.fullmatch(" ".join(words)):
        return True
    if name != "git" and any(map(_DELETING_OPTION.fullmatch, words)):
        return True
    if name in _WITHOUT_VERB:
        return False
    if SCRIPT.search(name) and any(map(_REMOVING_OPTION.fullmatch, words)):
        return True
    return _has_verb(name, words, is_span=is_span, is_service=is_service)


def _has_verb(name: str, words: Sequence[str], *, is_span: bool, is_service: bool) -> bool:
    """Return whether a command contains a verb such as `delete` and its object; a span may only
    name the command.
    """
    verbs = map(_VERB.fullmatch, words[:_MOST_WORDS])
    number = next((at for at, verb in enumerate(verbs) if verb), -1)
    is_whole = (name in _WHOLE_STACK or number > 1) and not is_span
    if not is_service and not all(map(_SUBCOMMAND.fullmatch, words[: max(number, 0)])):
        return False
    return number >= 0 and (number + 1 < len(words) or is_whole)


# Calls of programs.


_REQUESTS = ("DELETE", ".delete(", "PUT", ".put(", "PATCH", ".patch(")
_CALLS = ("rmtree(", "unlink", "rmSync(", "rimraf", "os.remove(", ".rm(", ".rmdir(")
MARKS = (*_REQUESTS, *_CALLS)
"""Substrings, at least one of which is in every program that deletes."""
_REQUEST = re.compile(
    r"\bmethod[\"']?\s*(?::|=(?!=))\s*[\"'`](DELETE|PUT|PATCH)[\"'`]"
    r"|\b\w*(?i:request|fetch|call|api)\w*\(\s*[\"'`](DELETE|PUT|PATCH)[\"'`]"
    r"|\b(?:requests|httpx|axios|session)\.(delete|put|patch)\("
)
"""A request that deletes or changes something."""
_DELETION = re.compile(
    r"\b(?:shutil\.rmtree|os\.(?:remove|unlink)|(?:fs|fsp|fs\.promises)\.(?:rm|rmdir|unlink)(?:Sync)?"
    r"|rmSync|unlinkSync|rimraf(?:\.sync)?)\(\s*(?P<given>[^,()\n]{1,80}(?:\([^()\n]{0,80}\))?)"
    r"|(?P<path>\b[\w.\[\]]{1,80})\.unlink\("
)
"""A call that deletes a file or folder, and the expression of its path."""
_OWN = re.compile(
    r"temp|tmp|cache|lock|pid|sock|partial|scratch|staging|stale|marker", re.IGNORECASE
)
"""Names of what a program made for itself."""
_MOST_CALLS = 200
HTTP_REQUESTS = "HTTP requests"
"""What is said of such a request of a program."""


def deleting_calls(text: str, code: str) -> Iterator[tuple[RunKind, str, int]]:
    """Yield the kind, words and index of each call in a script that deletes files, or that changes
    or deletes data with an HTTP request.

    `code` is the text with the content of strings and comments replaced by spaces. Calls that
    delete temporary files of the script itself are skipped.
    """
    for match in _in_lines(_REQUESTS, _REQUEST, text):
        if code[match.start()] != " ":
            method = next(filter(None, match.groups())).upper()
            kind = RunKind.REMOVES if method == "DELETE" else RunKind.CHANGES
            yield kind, HTTP_REQUESTS, match.start()
    own: dict[str, bool] = {}
    for match in _in_lines(_CALLS, _DELETION, text):
        path, start = match["given"] or match["path"], match.start()
        name = _VARIABLE.match(path)
        if name and name[0] not in own and len(own) < _MOST_VARIABLES:
            own[name[0]] = _is_own(name[0], text)
        is_own = (name is not None and own.get(name[0], False)) or _OWN.search(path)
        is_cleanup = _CLEANUP.search(text, max(0, start - _NEAR), start) is not None
        if code[start] != " " and not (is_own or is_cleanup):
            yield RunKind.DELETES, "", start


def _in_lines(signs: Sequence[str], pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the first match of a pattern in each of the lines with one of these words."""
    for start, line in islice(marked_lines(signs, text), _MOST_CALLS):
        if match := pattern.search(text, start, start + len(line)):
            yield match


_DATA_SIGNS = (
    *("DROP ", "DELETE FROM", "TRUNCATE ", "VACUUM ", "overwrite", ".delete", ".remove"),
    *(".terminate_", ".destroy"),
)
SQL = r"(?:DROP[ ]+(?:TABLE|DATABASE|SCHEMA|COLUMN)\b|DELETE[ ]+FROM[ ]+\S|TRUNCATE[ ]+\w)"
"""The start of a statement of SQL that deletes, as part of a pattern."""
_DATA = re.compile(
    rf"(?:^|[\"'`]|(?<![\"']);)[ \t]*(?P<SQL>(?:ALTER TABLE \S{{1,80}} )?{SQL}|VACUUM[ ]+\w)"
    r"|(?P<Spark>\.mode\([\"']overwrite[\"']\))"
    r"|(?<![\w.])(?P<calls>(?:client|\w{1,40}(?:_client|Client)|db|prisma|project|supabase"
    r"|session)(?:\.\w{1,40}){0,3}"
    r"\.(?:delete|remove|terminate|destroy)(?:(?:[A-Z]|_(?!cookie|private))\w{0,40})?\((?=[^)\s]))",
)
"""SQL that deletes, a write of Spark that overwrites a table, or a deleting call of a client."""


def deleted_data(text: str, first: int) -> Iterator[tuple[str, int, str]]:
    """Yield each way in which code deletes or overwrites data, with the number and text of the
    first such line.
    """
    seen: set[str] = set()
    for start, line in marked_lines(_DATA_SIGNS, text):
        for match in islice(_DATA.finditer(line), _MOST_CALLS):
            if match.lastgroup and match.lastgroup not in seen:
                seen.add(match.lastgroup)
                yield match.lastgroup, first + text.count("\n", 0, start), line


_NEAR, _MOST_VARIABLES = 160, 40
_CLEANUP = re.compile(r"\bfinally\b|\btry[ ]*\{[ ]*\Z")
"""Code before a call whose failure does not matter: it removes what the program made."""
_VARIABLE = re.compile(r"[\w.]+")


def _is_own(variable: str, text: str) -> bool:
    """Return whether a program writes the file of this variable, or gives it a temporary place."""
    name = re.escape(variable)
    made = (
        rf"\b{name}\b[^\n=]{{0,60}}=(?!=)[^\n]{{0,90}}?(?i:temp|tmp|cache|lock)"
        rf"|\b{name}\.write_|\b(?:open|write\w*)\(\s*{name}\b(?!\s*\))"
    )
    return re.search(made, text) is not None
