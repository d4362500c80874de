"""Finds secrets in files: private keys, tokens, and database passwords.

A finding names the kind and the position of a secret, and never repeats the secret itself.

Each format has a pattern and a marker (`sign`): bytes, such as a prefix, that every secret of this
format contains or follows. The pattern is tried only if the marker occurs in the file. The secret
must also look real: its checksum must match, its decoded content must make sense, or it must
contain enough different characters.

No pattern nests unbounded repetitions, and any part that can fail after a repetition has a limited
length. Searching therefore takes time linear in the size of the file.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import string
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from urllib.parse import unquote_to_bytes

from skillbuild.model import Place

# Placeholders in documentation and templates.

_WORDS = re.compile(
    rb"example|placeholder|your|xxxx|0000|1111|abcdef|123456|redacted|dummy|fake|sample|\.\.\."
    rb"|change_?-?me|replace|insert|foobar|deadbeef|qwerty|password|secret|token|not.?real|mock"
    rb"|demo|test|here|lorem",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(rb"[{}<>\[\]|*]|\$[A-Za-z_(]|^%|%[sd(]|\.\.\.|\xe2\x80\xa6|^\$")
"""Signs of a value that a shell, a program or a reader fills in."""
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


def _is_placeholder(value: bytes) -> bool:
    """Return whether a token contains a word or a sequence that no random value has."""
    return _WORDS.search(value) is not None or _counts_up(value) or _repeats(value)


def _is_varied(value: bytes, fewest: int) -> bool:
    """Return whether a value has at least `fewest` different characters, as random values do."""
    return len(set(value)) >= fewest


def is_template(value: bytes) -> bool:
    """Return whether a value is a placeholder to be replaced later: `${NAME}`, `<name>`, `%s`,
    `***`.
    """
    return _TEMPLATE.search(value) is not None


def is_trivial(value: bytes) -> bool:
    """Return whether a password consists only of words that are common in documentation, such as
    `secret`.
    """
    value = value[:_LONGEST_PASSWORD]
    return not _TRIVIAL.sub(b"", value) or not _TRIVIAL.sub(b"", value.translate(_LEET))


def _is_password(value: bytes) -> bool:
    """Return whether a value may be a password that is in use."""
    return (
        len(value) >= _SHORTEST_PASSWORD
        and _is_varied(value, 5)
        and not is_template(value)
        and not is_trivial(value)
    )


def _counts_up(value: bytes) -> bool:
    """Return whether six consecutive characters ascend, or five of every second character, as in
    `A1B2C3D4E5`.
    """
    return any(
        all(value[i + stride * (step + 1)] - value[i + stride * step] == 1 for step in range(steps))
        for stride, steps in ((1, 5), (2, 4))
        for i in range(len(value) - stride * steps)
    )


def _repeats(value: bytes) -> bool:
    """Return whether a value repeats itself: few of its four-character groups differ."""
    groups = len(value) - 3
    return groups > 12 and len({value[i : i + 4] for i in range(groups)}) * 5 < groups * 3


_Judge = Callable[[re.Match[bytes]], bool]

_LONGEST_VALUE = 512
"""Maximum number of bytes of a value that are examined, to limit the time."""
_BASE62 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _varied(fewest: int) -> _Judge:
    """Return a function that tells whether the last group of a match is varied and not a
    placeholder.
    """

    def is_real(match: re.Match[bytes]) -> bool:
        value = match[match.re.groups][:_LONGEST_VALUE]
        return _is_varied(value, fewest) and not _is_placeholder(value)

    return is_real


_RANDOM = _varied(12)
"""A test for values of a large alphabet."""
_HEX = _varied(9)
"""A test for hexadecimal digits, or values of few different characters."""


def _ends_in_crc(match: re.Match[bytes]) -> bool:
    """Return whether the last six characters are the CRC-32 in base 62, as in tokens of GitHub and
    npm.
    """
    value = match[1].rpartition(b"_")[2]
    number, digits = zlib.crc32(value[:30]), bytearray()
    while number:
        number, digit = divmod(number, 62)
        digits.insert(0, _BASE62[digit])
    return bytes(digits).rjust(6, b"0") == value[30:] and _RANDOM(match)


def _ends_in_crc_of_grafana(match: re.Match[bytes]) -> bool:
    """Return whether the last eight hex digits are the little-endian CRC-32 of everything before
    `_`.
    """
    value, _, last = match[1].rpartition(b"_")
    return zlib.crc32(value).to_bytes(4, "little").hex().encode() == last.lower()


def _decoded(value: bytes) -> bytes:
    """Decode base64 of either alphabet; return an empty value if it is invalid."""
    value = value.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    try:
        return base64.b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except binascii.Error:
        return b""


def _json_object(value: bytes) -> Mapping[str, object]:
    """Return the JSON object encoded in base64; empty if there is none."""
    try:
        decoded: object = json.loads(_decoded(value))
    except (ValueError, RecursionError):
        return {}
    return {str(key): item for key, item in decoded.items()} if isinstance(decoded, dict) else {}


_SIGNATURES = {"HS256": 43, "HS384": 64, "HS512": 86, "ES256": 86, "ES384": 128, "ES512": 176}
"""The length of a signature in characters, by algorithm (RFC 7518)."""
_DOCUMENTED_SIGNATURES = (b"SflKxwRJSMeKKF2Q", b"TJVA95OrM7E2cBab", b"dBjftJeZ4CVP-mB9")
"""Starts of signatures in RFC 7515 and on jwt.io, which people copy into other examples."""
_EXAMPLE_CLAIMS = re.compile(rb"1234567890|John Doe|Jane Doe|example|placeholder|supabase-demo")
_PUBLIC_ROLES = ("anon", "public")


def _is_signed_token(match: re.Match[bytes]) -> bool:
    """Return whether this is a JWT with valid parts and not an example.

    The anonymous role of Supabase is public, because every page that uses it contains it.
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
        and _is_varied(signature, 16)
        and not re.search(rb"(?i)signature|xxxx|example|your_|\.\.\.", signature)
        and not signature.startswith(_DOCUMENTED_SIGNATURES)
    )


def _is_service_role(match: re.Match[bytes]) -> bool:
    """Return whether this is a JWT that gives full access to a Supabase project."""
    claims = _json_object(match[1].split(b".")[1])
    return claims.get("role") == "service_role" and _is_signed_token(match)


def _holds_json(match: re.Match[bytes]) -> bool:
    """Return whether this is a token that consists of a prefix and JSON in base64."""
    value = match[1]
    start = value.rfind(b"_", 0, 10) + 1
    return bool(_json_object(value[start:])) and _RANDOM(match)


def _is_private_key(match: re.Match[bytes]) -> bool:
    """Return whether the first bytes of a key match its format (DER, OpenSSH or PGP), or the key is
    encrypted.
    """
    head, _, body = match[1].partition(b"KEY")
    body = re.sub(rb"\\[nr]|\s", b"", body[:_LONGEST_VALUE].split(b"-----", 1)[-1])
    plain = re.match(rb"M[A-P]|b3BlbnNzaC1r", body) is not None
    is_key = plain or b":" in body or b"PGP" in head
    return is_key and _is_varied(body, 20) and not _is_fake_key(body)


def _is_fake_key(body: bytes) -> bool:
    words = rb"(?i)example|placeholder|redacted|xxxx|\.\.\.|dummykey|fakekey"
    return re.search(words, body) is not None


def _is_login(match: re.Match[bytes]) -> bool:
    """Return whether this is a user and password in base64, as in the Docker configuration."""
    user, colon, password = _decoded(match[1]).partition(b":")
    return bool(user and colon) and password != user and _is_password(password)


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


def _is_database_login(match: re.Match[bytes]) -> bool:
    """Return whether the password in a database address is neither a placeholder nor for
    development.

    For a database on the local machine, only a password that looks random counts.
    """
    scheme = re.search(
        rb"(?:\\[nrt])?([a-z0-9+_]*)$", match.string[max(0, match.start() - 32) : match.start()]
    )
    user = match[0][len(b"://") :].partition(b":")[0]
    host, password = match[2], unquote_to_bytes(match[1])
    if scheme is None or not _SCHEMES.fullmatch(scheme[1]) or is_template(host + user):
        return False
    if not _is_password(password) or password == user or _EXAMPLE_HOST.fullmatch(host):
        return False
    if _LOCAL_HOST.fullmatch(host):
        return _STRONG.fullmatch(password) is not None and not _is_placeholder(password)
    return True


_SNOWFLAKE = re.compile(rb"[0-9]{17,20}")


def _is_bot_token(match: re.Match[bytes]) -> bool:
    """Return whether this is a Discord bot token, which begins with the bot's number in base64."""
    number, _, _ = match[1].partition(b".")
    return _SNOWFLAKE.fullmatch(_decoded(number)) is not None and _RANDOM(match)


def _is_mixed(match: re.Match[bytes]) -> bool:
    """Return whether a value has digits and letters of both cases, as nearly all random values
    do.
    """
    value = match[1]
    kinds = (rb"[0-9]", rb"[a-z]", rb"[A-Z]")
    return all(re.search(kind, value) for kind in kinds) and _RANDOM(match)


_DOCUMENTED_KEY = b"MOJRH0mkL1IPauahWITSVvyD"
"""The start of the secret key in the documentation of MinIO and rclone."""


def _is_aws_key(match: re.Match[bytes]) -> bool:
    return _is_mixed(match) and not match[1].startswith(_DOCUMENTED_KEY)


def _is_assigned_password(match: re.Match[bytes]) -> bool:
    return _is_password(match[1])


def _is_registry_token(match: re.Match[bytes]) -> bool:
    return _is_varied(match[1], 9) and not _is_placeholder(match[1]) and _is_password(match[1])


_DOCUMENTED_ACCOUNT = b"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1"
"""The start of the public key of the Azure storage emulator."""


def _is_account_key(match: re.Match[bytes]) -> bool:
    return _RANDOM(match) and not match[1].startswith(_DOCUMENTED_ACCOUNT)


# The formats, by issuer.

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


@dataclass(frozen=True, slots=True)
class _Format:
    """A format of secrets; the pattern's first group is the value, the last group is its random
    part.
    """

    kind: str
    sign: bytes
    """Bytes that each such secret contains or follows."""
    source: str
    is_real: _Judge

    @property
    def pattern(self) -> re.Pattern[bytes]:
        """The pattern. It is compiled on first use, because most files need no pattern."""
        return _compiled(self.source)


@cache
def _compiled(source: str) -> re.Pattern[bytes]:
    return re.compile(source.encode())


_START = r"(?:(?<![\w~-])|(?<=\\[nrt]))"


def _code(kind: str, prefix: str, rest: str, is_real: _Judge = _RANDOM) -> _Format:
    r"""Return the format of a token with a prefix, which ends at the last letter or digit.

    For speed, the text before the prefix is matched after the prefix. A letter before it must
    belong to an escape such as `\n`.
    """
    sign = re.escape(prefix)
    start = rf"{sign}(?:(?<![A-Za-z0-9]{sign})|(?<=\\[nrt]{sign}))"
    return _Format(kind, prefix.encode(), f"({start}({rest}))(?![A-Za-z0-9])", is_real)


def _assigned(kind: str, name: str, value: str, is_real: _Judge = _RANDOM) -> _Format:
    """Return the format of a value without a prefix that is assigned to a name."""
    between = r"[\"'`]?[ \t]{0,8}(?:=>|:=|[:=])[ \t]{0,8}\\?[\"'`]?"
    return _Format(kind, name.encode(), rf"{name}{between}({value})(?![A-Za-z0-9/+_-])", is_real)


def _address(kind: str, host: str, rest: str, is_real: _Judge = _RANDOM) -> _Format:
    """Return the format of an address that is a secret itself; the value is path and query."""
    return _Format(kind, host.encode(), rf"{re.escape(host)}(?::443)?({rest})", is_real)


def _inner(
    kind: str, sign: str, pattern: str, is_real: _Judge = _RANDOM, *, start: str = _START
) -> _Format:
    """Return the format of a token with its sign in the middle, not surrounded by word
    characters.
    """
    whole = rf"{start}({pattern})(?![\w~-])"
    return _Format(kind, sign.encode(), whole, is_real)


_AFTER_BOT = r"(?:(?<![\w~-])|(?<=\\[nrt])|(?<=\bbot))"


def _text(kind: str, sign: str, pattern: str, is_real: _Judge) -> _Format:
    """Return any other format, given by its whole pattern."""
    return _Format(kind, sign.encode(), pattern, is_real)


_KEY = (
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?>(?:\\[nr]|\s)+)|[A-Za-z-]{1,40}: [^\n]{0,200}\n){0,12}"
    r"[A-Za-z0-9+/=]{40,}(?>(?:(?>(?:\\[nr]|\s)+)[A-Za-z0-9+/=]++)*)"
)
_URL_LOGIN = r"://[^\s/:@\"'`<>]{0,100}:([^\s/\"'`<>]{1,200})@(?=([^\s/\"'`<>,?#)\]\\:@]{1,255}))"
_JWT = _START + r"(eyJ[\w-]{10,}[.]eyJ[\w-]{10,}[.][\w-]{42,})"
_HUGGING_FACE = _code("a Hugging Face token", "hf_", "[A-Za-z0-9]{34,}")
"""Listed among both codes and names, because some have no digit."""

_CODES: tuple[_Format, ...] = (
    # Clouds
    _code("an AWS access key", "AKIA", "[A-Z2-7]{16}", _HEX),
    _code("an AWS access key", "ASIA", "[A-Z2-7]{16}", _HEX),
    *(
        # The secret is usually next to its access key, whose prefix is easy to find.
        replace(
            _assigned("an AWS secret key", "ecretAccessKey", "[A-Za-z0-9/+]{40}", _is_aws_key),
            sign=sign,
        )
        for sign in (b"AKIA", b"ASIA")
    ),
    _code("an Amazon Bedrock key", "ABSK", "[A-Za-z0-9+/]{100,280}={0,2}"),
    _code("a Google API key", "AIza", "[A-Za-z0-9_-]{35}"),
    _code("a Google OAuth client secret", "GOCSPX-", "[A-Za-z0-9_-]{28}"),
    _code("a Google access token", "ya29.", "[A-Za-z0-9_-]{60,}"),
    _inner("an Azure client secret", "Q~", r"[\w~.]{3}[0-9]Q~[\w~.-]{31,34}"),
    _code("a DigitalOcean token", "dop_v1_", "[0-9a-f]{64}", _HEX),
    _code("a DigitalOcean token", "doo_v1_", "[0-9a-f]{64}", _HEX),
    _code("a DigitalOcean token", "dor_v1_", "[0-9a-f]{64}", _HEX),
    _code("an Alibaba Cloud access key", "LTAI", "[A-Za-z0-9]{12,20}", _HEX),
    _code("a Tencent Cloud access key", "AKID", "[A-Za-z0-9]{32}"),
    _code("a Cloudflare origin key", "v1.0-", "[0-9a-f]{24}-[0-9a-f]{146}"),
    _code("a Heroku key", "HRKU-AA", "[A-Za-z0-9_-]{58}"),
    _code("a Fly.io token", "fo1_", "[A-Za-z0-9_-]{43}"),
    _code("a Fly.io token", "fm2_", "[A-Za-z0-9+/]{100,}={0,3}"),
    _code("a Netlify token", "nfp_", "[A-Za-z0-9]{36,40}"),
    # Code hosting and CI
    *(
        _code("a GitHub token", f"gh{letter}_", "[A-Za-z0-9]{36}", _ends_in_crc)
        for letter in "pousr"
    ),
    *(_code("a GitHub token", f"gh{letter}_", "[A-Za-z0-9]{37,251}") for letter in "pousr"),
    _code("a GitHub token", "github_pat_", "[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    *(
        _code(
            "a GitLab token",
            f"gl{name}-",
            "[A-Za-z0-9_-]{20,300}(?:[.][0-9a-z]{2}[.]?[0-9a-z]{7})?",
        )
        for name in (
            *("pat", "oas", "dt", "rt", "rtr", "cbt", "ptt", "ft", "imt", "agent", "wt", "soat"),
            "ffct",
        )
    ),
    _code("a GitLab token", "GR1348941", "[A-Za-z0-9_-]{20}"),
    _code("a Bitbucket app password", "ATBB", "[A-Za-z0-9]{24}[0-9A-F]{8}"),
    _code("an Atlassian token", "ATATT3", "[A-Za-z0-9_=-]{150,250}"),
    _code("an Atlassian token", "ATCTT3", "[A-Za-z0-9_=-]{150,250}"),
    _inner("an Azure DevOps token", "AZDO", "[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    _code("a CircleCI token", "CCIPAT_", "[A-Za-z0-9]{22}_[0-9a-f]{40}"),
    _code("a CircleCI token", "CCIPRJ_", "[A-Za-z0-9]{22}_[0-9a-f]{40}"),
    _code("a Buildkite token", "bkua_", "[0-9a-f]{40}", _HEX),
    _code("a SonarQube token", "squ_", "[0-9a-f]{40}", _HEX),
    _code("a SonarQube token", "sqp_", "[0-9a-f]{40}", _HEX),
    _code("a SonarQube token", "sqa_", "[0-9a-f]{40}", _HEX),
    _code("a Sourcegraph token", "sgp_", "(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}", _HEX),
    _code("a Sentry token", "sntrys_", "eyJ[A-Za-z0-9+/=]{50,400}_[A-Za-z0-9+/]{43}"),
    _code("a Sentry token", "sntryu_", "[0-9a-f]{64}", _HEX),
    # Chat
    *(_code("a Slack token", f"xox{letter}-", "[A-Za-z0-9-]{24,}") for letter in "abceoprs"),
    _code("a Slack token", "xapp-", "[0-9]-[A-Z0-9]{9,13}-[0-9]{10,15}-[0-9a-f]{64}"),
    _inner("a Telegram bot token", ":AA", r"[0-9]{8,10}:AA[\w-]{33}", start=_AFTER_BOT),
    # Mail
    _code("a SendGrid key", "SG.", "[A-Za-z0-9_-]{22}[.][A-Za-z0-9_-]{43}"),
    _code("a Mailgun key", "key-", "[0-9a-f]{32}", _HEX),
    _inner("a Mailchimp key", "-us", "[0-9a-f]{32}-us[0-9]{1,2}", _HEX),
    _code("a Brevo key", "xkeysib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _code("a Brevo key", "xsmtpsib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _code("a Resend key", "re_", "[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    # Payments and shops
    _code("a Stripe key", "sk_live_", "[A-Za-z0-9]{20,}"),
    _code("a Stripe key", "rk_live_", "[A-Za-z0-9]{20,}"),
    _code("a Stripe webhook secret", "whsec_", "[A-Za-z0-9+/]{32,64}={0,2}"),
    _code("a Square token", "EAAA", "[A-Za-z0-9_-]{60}"),
    _code("a Square token", "sq0atp-", "[A-Za-z0-9_-]{22}"),
    _code("a Square secret", "sq0csp-", "[A-Za-z0-9_-]{43}"),
    *(
        _code("a Shopify token", f"shp{name}_", "[0-9a-fA-F]{32}", _HEX)
        for name in ("at", "ca", "pa", "ss")
    ),
    _code("a Plaid token", "access-production-", _UUID, _HEX),
    # AI models
    _code("an Anthropic key", "sk-ant-", "[A-Za-z0-9_-]{40,}"),
    _code("an OpenAI key", "sk-proj-", "[A-Za-z0-9_-]{40,}"),
    _code("an OpenAI key", "sk-svcacct-", "[A-Za-z0-9_-]{40,}"),
    _code("an OpenAI key", "sk-admin-", "[A-Za-z0-9_-]{40,}"),
    _code("an OpenRouter key", "sk-or-v1-", "[0-9a-f]{64}", _HEX),
    _code("a Langfuse key", "sk-lf-", _UUID, _HEX),
    _HUGGING_FACE,
    _code("a Replicate token", "r8_", "[A-Za-z0-9]{37}"),
    _code("a Groq key", "gsk_", "[A-Za-z0-9]{52}"),
    _code("an xAI key", "xai-", "[A-Za-z0-9]{80}"),
    _code("a Perplexity key", "pplx-", "[A-Za-z0-9]{48,}"),
    _code("an NVIDIA key", "nvapi-", "[A-Za-z0-9_-]{60,}"),
    _code("a Cerebras key", "csk-", "[A-Za-z0-9]{48}"),
    _code("a LangSmith key", "lsv2_", "(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", _HEX),
    _code("a Tavily key", "tvly-", "(?:dev-|prod-)?[A-Za-z0-9_-]{32,}"),
    _code("a Firecrawl key", "fc-", "[0-9a-f]{32}", _HEX),
    _code("a Pinecone key", "pcsk_", "[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,}"),
    _code("an ElevenLabs key", "sk_", "[0-9a-f]{48}", _HEX),
    _code("an E2B key", "e2b_", "[0-9a-f]{40}", _HEX),
    _code("a Together key", "tgp_v1_", "[A-Za-z0-9_-]{43}"),
    _code("a Jina key", "jina_", "[0-9a-f]{32}[A-Za-z0-9_-]{28}"),
    _code("an Apify token", "apify_api_", "[A-Za-z0-9]{36}"),
    # Package and image registries
    _code("an npm token", "npm_", "[A-Za-z0-9]{36}", _ends_in_crc),
    _code("a PyPI token", "pypi-AgE", "[A-Za-z0-9_-]{50,}"),
    _code("a RubyGems key", "rubygems_", "[0-9a-f]{48}", _HEX),
    _code("a crates.io token", "cio", "[A-Za-z0-9]{32}"),
    _code("a NuGet key", "oy2", "[a-z0-9]{43}"),
    _code("a Docker token", "dckr_pat_", "[A-Za-z0-9_-]{27}"),
    _code("a Docker token", "dckr_oat_", "[A-Za-z0-9_-]{32}"),
    _code("an Artifactory key", "AKCp", "[A-Za-z0-9]{69}"),
    _code("an Artifactory token", "cmVmd", "[A-Za-z0-9]{59}"),
    # Databases and data
    _code("a PlanetScale token", "pscale_tkn_", "[A-Za-z0-9_.=-]{32,}"),
    _code("a PlanetScale token", "pscale_oauth_", "[A-Za-z0-9_.=-]{32,}"),
    _code("a PlanetScale password", "pscale_pw_", "[A-Za-z0-9_.=-]{32,}"),
    _code("a Supabase token", "sbp_", "[0-9a-f]{40}", _HEX),
    _code("a Supabase key", "sb_secret_", "[A-Za-z0-9_-]{31,}"),
    _code("a Neon key", "napi_", "[a-z0-9]{64}"),
    _code("an Aiven password", "AVNS_", "[A-Za-z0-9_-]{19}"),
    _code("a Databricks token", "dapi", "[0-9a-f]{32}(?:-[0-9])?", _HEX),
    # Infrastructure
    _code("a Vault token", "hvs.", "[A-Za-z0-9_-]{24,}"),
    _code("a Vault token", "hvb.", "[A-Za-z0-9_-]{100,}"),
    _inner("a Terraform token", ".atlasv1.", "[A-Za-z0-9]{14}[.]atlasv1[.][A-Za-z0-9_=-]{60,70}"),
    *(
        _code("a Doppler token", f"dp.{name}.", "(?:[a-z0-9_-]{2,35}[.])?[A-Za-z0-9]{40,44}")
        for name in ("pt", "st", "ct", "sa", "scim", "audit", "said")
    ),
    _code("a Pulumi token", "pul-", "[0-9a-f]{40}", _HEX),
    _code("a 1Password token", "ops_", "eyJ[A-Za-z0-9+/]{250,}={0,3}"),
    _code("an age key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    _code("a Grafana token", "glsa_", "[A-Za-z0-9]{32}_[0-9a-fA-F]{8}", _ends_in_crc_of_grafana),
    _code("a Grafana Cloud token", "glc_", "eyJ[A-Za-z0-9+/]{40,400}={0,3}", _holds_json),
    _code("a New Relic key", "NRAK-", "[A-Z0-9]{27}"),
    _code("a New Relic key", "NRII-", "[A-Za-z0-9_-]{32}"),
    _inner("a New Relic key", "NRAL", "[0-9a-f]{36}NRAL", _HEX),
    _code("a Dynatrace token", "dt0c01.", "[A-Z0-9]{24}[.][A-Z0-9]{64}"),
    # Collaboration tools
    _code("a Linear key", "lin_api_", "[A-Za-z0-9]{40}"),
    _code("a Linear token", "lin_oauth_", "[0-9a-f]{64}", _HEX),
    _code("a Notion token", "ntn_", "[0-9]{11}[A-Za-z0-9]{35}"),
    _code("a Notion token", "secret_", "[A-Za-z0-9]{43}"),
    _code("an Airtable token", "pat", "[A-Za-z0-9]{14}[.][0-9a-f]{64}"),
    _code("a Postman key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
    _code("a Figma token", "figd_", "[A-Za-z0-9_-]{40,}"),
    _Format(
        "a Discord bot token",
        b".",
        r"([MNO](?:(?<![\w~-][MNO])|(?<=\\[nrt][MNO]))"
        r"[A-Za-z0-9]{23,27}[.][\w-]{6}[.][\w-]{27,38})(?![\w~-])",
        _is_bot_token,
    ),
    _text("a Supabase service key", "eyJ", _JWT, _is_service_role),
    _text("a signed JWT", "eyJ", _JWT, _is_signed_token),
    _code("an API key for a model vendor", "sk-", "[A-Za-z0-9]{32,}", _HEX),
)
"""Formats with digits in a long run of characters, special formats before general ones."""

_NAMES: tuple[_Format, ...] = (
    # A slash ends a run of characters, so the sign is the text around the last slash.
    _text(
        "a Google refresh token",
        "/0",
        _START + r"(1//0([A-Za-z0-9_-]{60,200}))(?![A-Za-z0-9_/-])",
        _RANDOM,
    ),
    _assigned("an AWS secret key", "ecret_access_key", "[A-Za-z0-9/+]{40}", _is_aws_key),
    _assigned("an AWS secret key", "ECRET_ACCESS_KEY", "[A-Za-z0-9/+]{40}", _is_aws_key),
    _assigned("a Cloudflare token", "CLOUDFLARE_API_TOKEN", "[A-Za-z0-9_-]{40}", _is_mixed),
    _assigned("a Cloudflare key", "CLOUDFLARE_API_KEY", "[0-9a-f]{37}", _HEX),
    _assigned("a Twilio token", "TWILIO_AUTH_TOKEN", "[0-9a-f]{32}", _HEX),
    _text(
        "a NuGet source password",
        "ClearTextPassword",
        r"ClearTextPassword\"[ \t]{1,8}value=\"([^\"\s%$]{6,200})(?=\")",
        _is_assigned_password,
    ),
    _HUGGING_FACE,
    *(
        _text("an Azure storage key", sign, "AccountKey=([A-Za-z0-9+/]{86}==)", _is_account_key)
        for sign in ("EndpointsProtocol", "AccountName")
    ),
    _assigned("an Azure access key", "SharedAccessKey", "[A-Za-z0-9+/]{43}="),
    _text(
        "a token for an npm registry",
        "_authToken=",
        r":_authToken=([A-Za-z0-9_.+/=-]{20,})",
        _is_registry_token,
    ),
)
"""Formats after a long name, or in a long run of letters without digits."""

_ADDRESSES: tuple[_Format, ...] = (
    _address(
        "a Slack webhook",
        "hooks.slack.com",
        "/(?:services|workflows|triggers)/[A-Z0-9]{8,12}/[A-Z0-9]{8,20}/[A-Za-z0-9/]{20,80}",
    ),
    _address(
        "a Discord webhook",
        "discord.com",
        r"/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{17,20}/[\w-]{60,80}",
    ),
    _address(
        "a Discord webhook",
        "discordapp.com",
        r"/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{17,20}/[\w-]{60,80}",
    ),
    _address(
        "a Teams webhook",
        ".webhook.office.com",
        rf"/webhookb2/{_UUID}@{_UUID}/IncomingWebhook/[0-9a-f]{{32}}/{_UUID}(?:/[\w-]{{20,80}})?",
        _HEX,
    ),
    _address("a Feishu webhook", "open.feishu.cn", f"/open-apis/bot/v2/hook/{_UUID}", _HEX),
    _address("a Lark webhook", "open.larksuite.com", f"/open-apis/bot/v2/hook/{_UUID}", _HEX),
    _address(
        "a WeCom webhook", "qyapi.weixin.qq.com", rf"/cgi-bin/webhook/send[?]key={_UUID}", _HEX
    ),
    _address(
        "a DingTalk webhook", "oapi.dingtalk.com", "/robot/send[?]access_token=([0-9a-f]{64})", _HEX
    ),
    *(
        _address(
            "a signed Azure URL",
            host,
            r"/[^\s\"'`<>]{0,1000}?[?&;]sig=[A-Za-z0-9%_/+-]{40,80}=?",
        )
        for host in (".core.windows.net", ".logic.azure.com", ".powerplatform.com")
    ),
    _text("a database password", "@", _URL_LOGIN, _is_database_login),
)
"""Formats that are searched for in the addresses of a file."""

_TEXTS: tuple[_Format, ...] = (
    _text(
        "a Google service account key",
        "PRIVATE KEY",
        rf"\\?\"private_key\\?\"\s{{0,8}}:\s{{0,8}}\\?\"({_KEY})",
        _is_private_key,
    ),
    _text("a private key", "PRIVATE KEY", f"({_KEY})", _is_private_key),
    _text(
        "a login for a container registry",
        '"auths"',
        r"\"auth\"\s{0,8}:\s{0,8}\"([A-Za-z0-9+/]{8,4000}={0,2})(?=\")",
        _is_login,
    ),
)
"""Formats that are searched for in the whole text."""


# The search.

_ORDER = {item: rank for rank, item in enumerate((*_TEXTS, *_CODES, *_ADDRESSES, *_NAMES))}
"""The rank of each format; if two formats match at one position, the earlier one is more
specific.
"""

_SHORTEST_ROW = 17
"""Minimum length of a run of characters in which formats of `_CODES` and `_NAMES` occur."""
_ROW = b"a" * _SHORTEST_ROW
_IN_ROW = (string.ascii_letters + string.digits + "_-.=~:").encode()
_ROWS = bytes(ord("a") if char in _IN_ROW else ord(" ") for char in range(256))
"""A table that maps characters of codes and names to one letter, and all others to a space."""
_NO_DIGITS = bytes({*range(256)} - {*string.digits.encode()})

_VISIBLE = re.compile(rb"[^\s\x80-\xbf][\x80-\xbf]*|[\x80-\xbf]")
"""A UTF-8 character, or a byte of another encoding; one letter for each keeps the columns."""

_MOST_OF_KEY = 4096
"""Maximum size in bytes of a JSON key file."""
_COST, _BLOCK = 2**12, 8
"""Parameters of scrypt for fingerprints: each takes 4 MiB and a few milliseconds.

Fingerprints are in logs and settings that others may read. Guessing a password from a fingerprint
costs this much for each guess.
"""


@dataclass(frozen=True, slots=True)
class Secret:
    """Something that looks like a secret; its `repr` does not show the value."""

    kind: str
    place: Place | None
    """The position; None for a whole file."""
    value: bytes = field(repr=False)


def find(data: bytes) -> Iterator[Secret]:
    """Yield everything in a file that looks like a secret and not like a placeholder, in order.

    If several formats match the same text, the most specific format is reported.
    """
    for kind, start, end in _apart(_spans(data)):
        yield Secret(kind, _place(data, start), data[start:end])


def is_key_file(data: bytes, secret: Secret) -> bool:
    """Return whether a file contains nothing but one private key.

    The file can be a PEM file, or a Google key file in JSON.
    """
    text = data.strip()
    if secret.kind == "a Google service account key":
        is_object = text.startswith(b"{") and text.endswith(b"}") and len(text) < _MOST_OF_KEY
        return is_object and b'"service_account"' in text and b'"private_key_id"' in text
    is_block = text.startswith(b"-----BEGIN ") and text.endswith(b"-----")
    return secret.kind == "a private key" and is_block and text.count(b"-----BEGIN ") == 1


def blanked(data: bytes) -> bytes:
    """Return the content with the characters of each secret replaced by `x`; white space is
    kept.
    """
    parts, done = [], 0
    for start, end, _, _ in _spans(data):
        if end > done:
            parts += [data[done : max(start, done)], without_text(data[max(start, done) : end])]
            done = end
    return b"".join([*parts, data[done:]])


def without_text(data: bytes) -> bytes:
    """Return the data with every character replaced by `x`; white space is kept."""
    return _VISIBLE.sub(b"x", data)


def fingerprint(kind: str, path: str, value: bytes) -> str:
    """Return 16 hex digits that identify a secret by its kind, path and value.

    The digits are the first 8 bytes of the scrypt hash (RFC 7914) of the value with N = 4,096, r =
    8 and p = 1. The salt is the kind, a NUL, and the path in the source.
    """
    salt = f"{kind}\0{path}".encode(errors="surrogateescape")
    return hashlib.scrypt(value, salt=salt, n=_COST, r=_BLOCK, p=1, dklen=8).hex()


def _spans(data: bytes) -> list[tuple[int, int, int, str]]:
    """Return start, end, rank and kind of all real values, in order."""
    return sorted(
        (match.start(1), match.end(1), _ORDER[item], item.kind)
        for item in _formats_in(data)
        for match in item.pattern.finditer(data)
        if item.is_real(match)
    )


def _apart(spans: list[tuple[int, int, int, str]]) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of the spans; of overlapping spans, only the one with the lowest
    rank.
    """
    best: tuple[int, int, int, str] | None = None
    for span in spans:
        if best is None or span[0] >= best[1]:
            if best is not None:
                yield best[3], best[0], best[1]
            best = span
        elif span[2] < best[2]:
            best = span
    if best is not None:
        yield best[3], best[0], best[1]


def _formats_in(data: bytes) -> Iterator[_Format]:
    """Yield the formats whose signs are in a file; most are sought only where values may be."""
    yield from (item for item in _TEXTS if item.sign in data)
    if b"://" in data:
        yield from (item for item in _ADDRESSES if item.sign in data)
    rows = _rows(data)
    names = b" ".join(rows)
    yield from (item for item in _NAMES if item.sign in names)
    codes = b" ".join([row for row in rows if row.translate(None, _NO_DIGITS)])
    yield from (item for item in _CODES if item.sign in codes)


def _rows(data: bytes) -> list[bytes]:
    """Return the long runs of letters, digits and joining characters, each with the character
    before it.
    """
    shape = data.translate(_ROWS)
    rows, start = [], shape.find(_ROW)
    while start >= 0:
        end = shape.find(b" ", start + _SHORTEST_ROW)
        end = len(data) if end < 0 else end
        rows.append(data[start and start - 1 : end])
        start = shape.find(_ROW, end)
    return rows


def _place(data: bytes, index: int) -> Place:
    start = data.rfind(b"\n", 0, index) + 1
    column = len(data[start:index].decode(errors="replace")) + 1
    return Place(data.count(b"\n", 0, index) + 1, column)
