"""Whether what has the form of a secret is one: checksums, placeholders, random characters.

Each judge takes the match of a pattern whose first group is the value, and whose last
is what is random in it.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable, Mapping
from urllib.parse import unquote_to_bytes

# What stands where a secret would stand, in documentation and templates, and is none.

_WORDS = re.compile(
    rb"example|placeholder|your|xxxx|0000|1111|abcdef|123456|redacted|dummy|fake|sample|\.\.\."
    rb"|change_?-?me|replace|insert|foobar|deadbeef|qwerty|password|secret|token|not.?real|mock"
    rb"|demo|test|here|lorem",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(rb"[{}<>\[\]|*]|\$[A-Za-z_(]|^%|%[sd(]|\.\.\.|\xe2\x80\xa6|^\$")
"""Marks of a value that a shell, a program or a reader is to fill in."""
_TRIVIAL_WORDS = (
    "abc access admin all any api app auth bar baz change changeit changeme client credential "
    "credentials database db default dev development dummy enter example fake fill foo "
    "generate generated get guest here hidden id in insert is key letmein local long me "
    "mongo mongodb my mysql new none null of or our own pass passphrase passwd password pg "
    "placeholder postgres postgresql prod production put pw pwd qwerty rabbit rabbitmq random "
    "real redacted redis removed replace root sample secret secure server service set some "
    "staging string strong super tbd test testing that the this to todo token url user "
    "username value welcome with your "
)
_TRIVIAL = re.compile(
    rb"%b|(?<!\d)\d{1,4}(?!\d)|123456789?0?|xx+|[\W_]"
    % "|".join(sorted(_TRIVIAL_WORDS.split(), key=len, reverse=True)).encode(),
    re.IGNORECASE,
)
_LEET = bytes.maketrans(b"0134579$@", b"oleastgsa")
_SHORTEST_PASSWORD, _LONGEST_PASSWORD = 6, 200


def is_placeholder(value: bytes) -> bool:
    """Whether a value of a token's form contains a word or a row that no random one has."""
    return _WORDS.search(value) is not None or _counts_up(value) or _repeats(value)


def is_varied(value: bytes, fewest: int) -> bool:
    """Whether a value has at least `fewest` different characters, as random ones do."""
    return len(set(value)) >= fewest


def is_template(value: bytes) -> bool:
    """Whether a value is filled in later: `${NAME}`, `<name>`, `%s`, `***`."""
    return _TEMPLATE.search(value) is not None


def is_trivial(value: bytes) -> bool:
    """Whether a password is what documentation writes: nothing but words such as `secret`."""
    value = value[:_LONGEST_PASSWORD]
    return not _TRIVIAL.sub(b"", value) or not _TRIVIAL.sub(b"", value.translate(_LEET))


def is_password(value: bytes) -> bool:
    """Whether a value can be a password that is in use."""
    return (
        len(value) >= _SHORTEST_PASSWORD
        and is_varied(value, 5)
        and not is_template(value)
        and not is_trivial(value)
    )


def _counts_up(value: bytes) -> bool:
    """Whether six characters ascend one by one, or five of every second, as in `A1B2C3D4E5`."""
    return any(
        all(value[i + stride * (step + 1)] - value[i + stride * step] == 1 for step in range(steps))
        for stride, steps in ((1, 5), (2, 4))
        for i in range(len(value) - stride * steps)
    )


def _repeats(value: bytes) -> bool:
    """Whether a value says the same again and again: few of its groups of four are different."""
    groups = len(value) - 3
    return groups > 12 and len({value[i : i + 4] for i in range(groups)}) * 5 < groups * 3


Judge = Callable[[re.Match[bytes]], bool]

_LONGEST_VALUE = 512
"""Bytes of a value that are judged: to judge an endless one would take too much time."""
_BASE62 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def varied(fewest: int) -> Judge:
    """A value whose random part, the last group, is varied and has no word of a placeholder."""

    def is_real(match: re.Match[bytes]) -> bool:
        value = match[match.re.groups][:_LONGEST_VALUE]
        return is_varied(value, fewest) and not is_placeholder(value)

    return is_real


RANDOM = varied(12)
"""Characters of a larger alphabet."""
HEX = varied(9)
"""Hexadecimal digits, or few characters."""


def ends_in_crc(match: re.Match[bytes]) -> bool:
    """The last six characters of tokens of GitHub and npm: a CRC-32 in base 62."""
    value = match[1].rpartition(b"_")[2]
    number, digits = zlib.crc32(value[:30]), bytearray()
    while number:
        number, digit = divmod(number, 62)
        digits.insert(0, _BASE62[digit])
    return bytes(digits).rjust(6, b"0") == value[30:] and RANDOM(match)


def ends_in_crc_of_grafana(match: re.Match[bytes]) -> bool:
    """The last eight hex digits: a CRC-32 of all before the `_`, its lowest byte first."""
    value, _, last = match[1].rpartition(b"_")
    return zlib.crc32(value).to_bytes(4, "little").hex().encode() == last.lower()


def _decoded(value: bytes) -> bytes:
    """What base64 of either alphabet stands for; empty if it is none."""
    value = value.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    try:
        return base64.b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except binascii.Error:
        return b""


def _json_object(value: bytes) -> Mapping[str, object]:
    """The JSON object that base64 stands for; empty if it is none."""
    try:
        decoded: object = json.loads(_decoded(value))
    except (ValueError, RecursionError):
        return {}
    return {str(key): item for key, item in decoded.items()} if isinstance(decoded, dict) else {}


_SIGNATURES = {"HS256": 43, "HS384": 64, "HS512": 86, "ES256": 86, "ES384": 128, "ES512": 176}
"""Characters of a signature, by algorithm (RFC 7518)."""
_DOCUMENTED_SIGNATURES = (b"SflKxwRJSMeKKF2Q", b"TJVA95OrM7E2cBab", b"dBjftJeZ4CVP-mB9")
"""How signatures begin in RFC 7515 and on jwt.io; people copy them below other contents."""
_EXAMPLE_CLAIMS = re.compile(rb"1234567890|John Doe|Jane Doe|example|placeholder|supabase-demo")
_PUBLIC_ROLES = ("anon", "public")


def is_signed_token(match: re.Match[bytes]) -> bool:
    """A JWT whose parts are what they must be, about nobody's example.

    The anonymous role of Supabase stands in every page that uses it.
    """
    header, payload, signature = match[1].split(b".")
    fields, claims = _json_object(header), _json_object(payload)
    algorithm = str(fields.get("alg"))
    length = _SIGNATURES.get(algorithm)
    fits = len(signature) == length if length else algorithm[:2] in ("RS", "PS", "Ed")
    stated = json.dumps(claims).encode()[:4096]
    return (
        fits
        and bool(claims)
        and claims.get("role") not in _PUBLIC_ROLES
        and not _EXAMPLE_CLAIMS.search(stated)
        and is_varied(signature, 16)
        and not re.search(rb"(?i)signature|xxxx|example|your_|\.\.\.", signature)
        and not signature.startswith(_DOCUMENTED_SIGNATURES)
    )


def is_service_role(match: re.Match[bytes]) -> bool:
    """A JWT that opens a Supabase project to whoever has it."""
    claims = _json_object(match[1].split(b".")[1])
    return claims.get("role") == "service_role" and is_signed_token(match)


def holds_json(match: re.Match[bytes]) -> bool:
    """A token that is JSON in base64 behind a prefix."""
    value = match[1]
    start = value.rfind(b"_", 0, 10) + 1
    return bool(_json_object(value[start:])) and RANDOM(match)


def is_private_key(match: re.Match[bytes]) -> bool:
    """A key whose first bytes are those of its form: DER, OpenSSH or PGP, or encrypted."""
    head, _, body = match[1].partition(b"KEY")
    body = re.sub(rb"\\[nr]|\s", b"", body[:_LONGEST_VALUE].split(b"-----", 1)[-1])
    plain = re.match(rb"M[A-P]|b3BlbnNzaC1r", body) is not None
    is_key = plain or b":" in body or b"PGP" in head
    return is_key and is_varied(body, 20) and not _is_fake_key(body)


def _is_fake_key(body: bytes) -> bool:
    words = rb"(?i)example|placeholder|redacted|xxxx|\.\.\.|dummykey|fakekey"
    return re.search(words, body) is not None


def is_login(match: re.Match[bytes]) -> bool:
    """A name and a password in base64, as in the configuration of Docker."""
    user, colon, password = _decoded(match[1]).partition(b":")
    return bool(user and colon) and password != user and is_password(password)


_SCHEMES = re.compile(
    rb"(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|valkey|amqps?|mssql|sqlserver|clickhouse"
    rb"|cockroachdb|oracle|neo4j|bolt|nats|cassandra)(?:\+[a-z0-9_]{1,20})?"
)
_LOCAL_HOST = re.compile(rb"127\.[\d.]+|0\.0\.0\.0|[^.]*|.*\.(?:local|localhost|internal|test)")
_EXAMPLE_HOST = re.compile(
    rb"(?i).*example.*|.*\.invalid|(?:[a-z]+\.)?(?:db|my)?-?_?(?:host|hostname|server|endpoint)"
    rb"|(?:my|your|some|the)[-_.].*|.*(?:[-_.](?:host|hostname)|placeholder|xxx)[-_.]?.*"
)
_STRONG = re.compile(rb"(?=.*\d)(?=.*[A-Za-z]).{12,}", re.DOTALL)


def is_database_login(match: re.Match[bytes]) -> bool:
    """A password in the address of a database, but neither a placeholder nor one of a developer.

    What stands for a database on one's own machine counts only with a password like a random one.
    """
    scheme = re.search(
        rb"(?:\\[nrt])?([a-z0-9+_]*)$", match.string[max(0, match.start() - 32) : match.start()]
    )
    user = match[0][len(b"://") :].partition(b":")[0]
    host, password = match[2], unquote_to_bytes(match[1])
    if scheme is None or not _SCHEMES.fullmatch(scheme[1]) or is_template(host + user):
        return False
    if not is_password(password) or password == user or _EXAMPLE_HOST.fullmatch(host):
        return False
    if _LOCAL_HOST.fullmatch(host):
        return _STRONG.fullmatch(password) is not None and not is_placeholder(password)
    return True


_SNOWFLAKE = re.compile(rb"[0-9]{17,20}")


def is_bot_token(match: re.Match[bytes]) -> bool:
    """A token of a Discord bot: it begins with the number of the bot, in base64."""
    number, _, _ = match[1].partition(b".")
    return _SNOWFLAKE.fullmatch(_decoded(number)) is not None and RANDOM(match)


def is_mixed(match: re.Match[bytes]) -> bool:
    """Digits and letters of both cases, as nearly all random values have them."""
    value = match[1]
    kinds = (rb"[0-9]", rb"[a-z]", rb"[A-Z]")
    return all(re.search(kind, value) for kind in kinds) and RANDOM(match)


def is_assigned_password(match: re.Match[bytes]) -> bool:
    return is_password(match[1])


def is_registry_token(match: re.Match[bytes]) -> bool:
    return is_varied(match[1], 9) and not is_placeholder(match[1]) and is_password(match[1])


_DOCUMENTED_ACCOUNT = b"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1"
"""How the key of the emulator of Azure storage begins, which everybody has."""


def is_account_key(match: re.Match[bytes]) -> bool:
    return RANDOM(match) and not match[1].startswith(_DOCUMENTED_ACCOUNT)
