"""Finds the host in an address, and recognizes placeholders for host names."""

from __future__ import annotations

import re

_ADDRESS = re.compile(
    r"(?:https?|wss?|s?ftp|ssh|rsync|git(?:\+https?|\+ssh)?)://(?:[^\s/@'\"<>()]{1,64}@)?([^\s/?#'\"`\\|,;)]*)",
    re.IGNORECASE,
)
_HOST = re.compile(
    r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,24}"
)
LOCAL = "localhost"
"""The host of addresses of programs on this computer."""
HUB = "huggingface.co"
"""The host that Hugging Face's tools and libraries reach without naming it."""
ATTACKER = re.compile(r"[/.'\"@\s](?:attacker|evil)\.(?:com|net|org|example)\b")
"""A host that only samples of attacks name."""
_PORT = re.compile(r":\d{0,5}\Z")
_VARIABLE = re.compile(r"[$<>{}\[\]%*]|\byour|\bmy[-_.]|xxx", re.IGNORECASE)
_RESERVED = re.compile(
    r"(?:.*\.)?(?:test|invalid|localhost|onion)"
    r"|.*\.(?:internal|local|svc|lan|corp|home|intranet|cluster)"
)
_YOURS = re.compile(
    r"(?:.*[.-])?(?:(?=[A-Z_-]*[A-Z]{3})[A-Z]+(?:[_-][A-Z]+)*|project[_-]id)(?:-[^.]*)?"
    r"(?=(?:\.[a-z][a-z0-9-]*){2,}\Z)"
)
"""A label in capitals, which stands for the name that a user has at a service."""
_STAND_IN = re.compile(
    r"(?:.*[.-])?example(?:[.-].*)?"
    r"|(?:private|internal|intranet)\..*"
    r"|(?:.*\.)?(?:foo|bar|baz|acme|acmecorp|contoso|fabrikam|placeholder|sample|evil|attacker|xxx+"
    r"|yyy+)\..*"
    r"|(?:.*\.)?(?:my|your|our|the|some|any)[-_].*"
    r"|(?:.*\.)?(?:my|your|our)(?:domain|site|app|company|org|host|server|project|api|cluster|store"
    r"|shop|instance|registry|repo|blog|website|tenant|workspace|account|vault|partner|cli|tool)s?\..*"
    r"|(?:.*\.)?(?:company|partner|instance)\.com|tenant\..*"
    r"|(?:abc|xyz|hostname|domain|site|target|server|company|somewhere|host|tenant|website|[a-z])"
    r"\.(?:com|org|net|io|co)"
)
"""Placeholder names; a single letter is not a real host either."""
_STAND_IN_OWNER = re.compile(
    r"(?:github|gitlab|bitbucket)\.(?:com|org)[/:]"
    r"(?:\[|(?:example|org|owner|project|user(?:name)?|(?:my|your)[-_]?"
    r"(?:org|name|user(?:name)?|account|company|team|repo|project))/)",
    re.IGNORECASE,
)
"""A repository whose owner is a placeholder."""
_ADDRESS_OF_NET = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}")
_NOWHERE = re.compile(
    r"(?:0|10|127|192\.168|192\.0\.2|198\.51\.100|203\.0\.113|1\.2\.3|172\.(?:1[6-9]|2\d|3[01]))\..*"
)
"""IP addresses of this machine, of private networks, and for examples (RFC 5737)."""


def host_of(address: str) -> str | None:
    """Return the host of the address at the start of a text, in lower case.

    Returns an empty string for a placeholder, as in `https://$HOST/` or `https://example.com`, and
    `LOCAL` for this computer. Returns None if the text does not start with an address.
    """
    match = _ADDRESS.match(address)
    if match is None:
        return None
    if _STAND_IN_OWNER.match(address, match.start(1)):
        return ""
    return LOCAL if _LOCAL.fullmatch(match[1]) else host_name(match[1])


def host_name(text: str) -> str:
    """Return the host name or public IP address in a text such as `github.com:443`, in lower case
    and without the port.

    Empty for a placeholder and for any other text. Labels up to one that is a placeholder become
    `*`: `PROJECT.web.app` becomes `*.web.app`.
    """
    lowered = text.lower()
    name = _PORT.sub("", lowered).rstrip(".")
    is_changed = lowered != text or "project" in text
    if is_changed and (yours := _YOURS.match(_PORT.sub("", text))):
        rest = host_name(text[yours.end() + 1 :])
        return f"*.{rest}" if rest else ""
    if _ADDRESS_OF_NET.fullmatch(name):
        return "" if _NOWHERE.fullmatch(name) else name
    if _is_meant(name):
        return name
    labels = name.split(".")[-_MOST_LABELS:]
    rests = (".".join(labels[at:]) for at in range(1, len(labels) - 1))
    rest = next((rest for rest in rests if _is_meant(rest) and not _SUFFIX.fullmatch(rest)), "")
    return f"*.{rest}" if rest else ""


_SUFFIX = re.compile(r"(?:ac|co|com|edu|gov|net|org)\.[a-z]{2}")
"""The end of the hosts of a country, such as `co.uk`."""
_MOST_LABELS = 8


def _is_meant(name: str) -> bool:
    """Return whether a text is the name of a host that is not a placeholder."""
    is_host = _HOST.fullmatch(name) is not None and not _VARIABLE.search(name)
    return is_host and not (_RESERVED.fullmatch(name) or _STAND_IN.fullmatch(name))


_LOCAL = re.compile(
    r"(?:localhost|0\.0\.0\.0|127(?:\.\d+){3}|\[?::1\]?|host\.docker\.internal)(?:[:/?#].*)?",
    re.IGNORECASE,
)


def is_local(address: str) -> bool:
    """Return whether an address is on this computer. The address may lack a scheme."""
    return _LOCAL.fullmatch(address.partition("://")[2] or address) is not None
