"""Finds the keys, tokens and logins that a skill uses. Most of them are in environment
variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from skillbuild.check.facts.found import Found, marked_lines, shown
from skillbuild.check.facts.services import OF_LOGIN
from skillbuild.model import RunKind

_ENDINGS = (
    re.compile(
        "_(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS|PAT|APIKEY|HEADERS|EMAIL|STRING"
        "|URL(?<=DATABASE_URL))"
    ),
)
_ENDING = r"(?:TOKEN|API_?KEY|SECRET(?:_?KEY)?|ACCESS_KEY|PASSWORD|(?<=_)PAT)"
NAME_OF_KEY = rf"(?:[A-Z][A-Z0-9_]*)?{_ENDING}(?![A-Za-z0-9_])"
"""The name of an environment variable with a key of the user."""
READ = (
    r"(?:(?:\benviron(?:\.get\(|\[)|\b[Gg]etenv\(|\benv\.get\(|\bprocess\.env\[|\bENV\.fetch\("
    r"|\bGetEnvironmentVariable\(|\benv::var\()\s*[\"']"
    r"|\b(?:process|this|c)\.env\.)"
)
"""The start of an expression with which a program reads a variable, up to the name."""
_SET = (
    r"^[ \t]*(?=[A-Z0-9_]{4,90}(?:: str\b|=[\"']?"
    r"(?:your|<|\.\.\.|xxx|sk-|changeme|[\"']|\s*(?:\#.*)?$)))"
)
"""The start of a line of a `.env` file without a value, or of a field of a class of settings."""
_VARIABLE = re.compile(
    rf"(?:{READ}|\$\{{?|`|export[ ]|\bENV\[[\"']|\"variable\"\s*:\s*\"|{_SET})"
    rf"(?P<name>[A-Z][A-Z0-9_]{{1,80}}?_(?:{_ENDING}|ACCESS_KEY_ID|PRIVATE_KEY|APP_KEY|CREDENTIALS"
    r"|CONNECTION_STRING|URL(?<=DATABASE_URL)|EMAIL(?<!USER_EMAIL)(?=[\"'])"
    r"|HEADERS(?=.*uthorization=)))(?![A-Za-z0-9_])"
)
"""A variable as programs and shells read it, or in a code span.

A name of one word, such as TOKEN, is left out, because examples use it for any key.
"""
_NO_KEY = re.compile(
    r"\w*(?:_DISABLE_|_ENABLE_|_USE_|_REQUIRE_)|(?:\w+_)?(?:INVALID|MISSING|EXPIRED)_|(?:API|SECRET|ACCESS)_KEY\Z|(?:MY|YOUR|SOME|EXAMPLE|TEST|DUMMY|FAKE)_"
    r"|(?:AUTH|ACCESS|REFRESH|BEARER|SESSION|ID|JWT|CSRF|XSRF|NEXT|PAGE|SYNC)_TOKEN\Z"
    r"|(?:PAD|EOS|BOS|UNK|CLS|SEP|MASK|SPECIAL|START|END|STOP|DESIGN)_TOKEN\Z"
)
"""Names in examples, of tokens that programs obtain themselves, and of tokens of models."""
_ASKS = re.compile(
    r"\b(?i:set|export|requires?|required|needs?|provide|configure|add|put|store|use[sd]?|using|via"
    r"|env|environment|variables?|keys?|tokens?|credentials?)\b|[|=]"
)
"""A word of a line that asks the reader to set the variable named in it."""
_STOLEN = re.compile(r"\b(?:stolen|steal|exfiltrat|attacker)", re.IGNORECASE)
_MOST = 200


def keys_in(text: str, samples: Sequence[range] = ()) -> Iterator[Found]:
    """Yield the first mention of each key that a file reads from the environment or tells users to
    set.

    `samples` are the lines of sample code for programs that users write. On these lines, only code
    that reads a variable counts.
    """
    seen: set[tuple[str, RunKind]] = set()
    for start, line in marked_lines(_ENDINGS, text):
        matches = list(_VARIABLE.finditer(line))
        number = text.count("\n", 0, start) + 1 if matches else 0
        kind = RunKind.USES_KEY
        if matches and any(number in lines for lines in samples):
            kind = RunKind.SAMPLES
            matches = [match for match in matches if match[0][0] not in "$`"]
        for match in matches:
            name = match["name"]
            is_mention = match[0][0] == "`" and not _ASKS.search(line)
            is_mention = is_mention or _STOLEN.search(line) is not None
            is_no_key = _NO_KEY.match(name)
            is_own = name.endswith("_PAT") and f"{name}=$(" in text  # It is often a pattern.
            if (name, kind) not in seen and not (is_mention or is_no_key or is_own):
                seen.add((name, kind))
                yield Found(kind, name, number, shown(line))
        if len(seen) > _MOST:
            return


def is_no_key(name: str) -> bool:
    """Return whether a variable name is only a placeholder, or stands for something other than a
    key that the user supplies.
    """
    return _NO_KEY.match(name) is not None


_HEADER = re.compile(
    r"uthorization[\"']?\s{0,4}[:=,]\s{0,4}[\"'`]?(?P<scheme>Bearer|ApiKey|Basic|Token|token|bearer)\s+"
    r"(?:<[^>\n]{1,40}>|[$%{]|[Yy][Oo][Uu][Rr]|[A-Z_]{4})"
    r"|(?P<ApiKey>[xX]-[aA][pP][iI]-[kK]ey|\bapi-key)[\"']?\s{0,4}:\s{0,4}[\"'`]?(?:<|\$|\{|[Yy][Oo][Uu][Rr])"
    r"|\b(?P<Given>api_?[kK]ey)\s{0,2}[=:]\s{0,2}[\"'](?:[Yy][Oo][Uu][Rr]|<|\.\.\.|xxx)"
    r"|\b(?P<Secret>client_?(?:secret|Secret))\s{0,9}[=:]\s{0,2}(?:[\"'](?:[Yy][Oo][Uu][Rr]|<|\.\.\.|xxx)|var\.)"
    r"|\bcurl\b.*\s(?P<Basic>-u|--user) [\"']?[^\s:\"']{1,60}:[^\s\"']"
)
"""A login in a header or option of a request, with a placeholder or a variable."""
_LOGIN_SIGNS = (
    *("uthorization", "api_key", "apiKey", "client_secret", "clientSecret"),
    re.compile("-(?:[aA][pP][iI]-[kK]ey|u (?<= -u )|user (?<=--user ))"),
)
"""Every line with such a login contains one of these."""
_SCHEMES = {
    "given": "an API key",
    "secret": "a client secret",
    "apikey": "an API key",
    "basic": "a user name and password",
    "token": "an API token",
}


def logins_in(text: str, samples: Sequence[range] = ()) -> Iterator[Found]:
    """Yield the kinds of logins that the requests in a text or program use, each kind only once.

    `samples` are the lines of sample code; logins on these lines are yielded separately, as facts
    about sample code.
    """
    seen: set[object] = set()
    for start, line in marked_lines(_LOGIN_SIGNS, text):
        match = _HEADER.search(line)
        if match is None or _VARIABLE.search(line):
            continue  # The key in a variable is told by its name.
        scheme = (match["scheme"] or match.lastgroup or "").lower()
        number = text.count("\n", 0, start) + 1
        kind = RunKind.SAMPLES if any(number in lines for lines in samples) else RunKind.USES_KEY
        if (kind, scheme) not in seen:
            seen.add((kind, scheme))
            yield Found(kind, _SCHEMES.get(scheme, "a bearer token"), number, shown(line))


# Logins, and keys that a command is given.


_LOGIN = re.compile(
    r"(?:(?!mcp )[a-z][\w-]* ){0,2}(?:login|signin)(?::(?:list|add|ci|use))?(?: .*)?|sso login\b.*"
)
_LOGIN_WORD = re.compile(r"(?:login|signin)(?::\w+)?\Z")
_SECRETS = re.compile(
    r"(?:[\w:-]*[: ])?secrets?(?: versions)?[: ](?:set|put|create|add|bulk|upload)(?: .*)?"
)
_OTHER_LOGINS = {"aws": re.compile(r"configure(?: sso)?"), "eas": re.compile(r"credentials\b.*")}
_KEY_OPTION = re.compile(
    r"--(?:password|passphrase|api-?key|(?:access|auth)-token|(?:client-)?secret)"
)
_NO_TOOL = frozenset(["", "auth", "user", "admin", "account"])
_NO_LOGIN = re.compile(r"--help|-h|help|status|logout")


def keys_of(tool: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the login, secrets and keys that a command uses; `tool` is its program."""
    if tool in _NO_TOOL or any(map(_NO_LOGIN.fullmatch, words)):
        return
    text = " ".join(words)
    is_login = any(map(_LOGIN_WORD.match, words[:3])) and _LOGIN.fullmatch(text) is not None
    if is_login or (tool in _OTHER_LOGINS and _OTHER_LOGINS[tool].fullmatch(text)):
        yield f"{OF_LOGIN}{tool}"
    elif _SECRETS.fullmatch(text):
        yield f"secrets for {tool}"
    pairs = (
        word.partition("=")[::2] if "=" in word else (word, after)
        for word, after in pairwise([*words, ""])
    )
    for option, value in pairs:
        if _KEY_OPTION.fullmatch(option) and value and value[0] not in "$-<":
            yield f"the {option} option of {tool}"
