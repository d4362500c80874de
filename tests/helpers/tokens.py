"""Values of the form of secrets, made when a test runs: no file holds one that a forge refuses.

Each is random with a fixed seed, and stands for nothing.
"""

import base64
import json
import random
import string
import zlib

UPPER = string.ascii_uppercase + string.digits
LOWER = string.ascii_lowercase + string.digits
MIXED = string.ascii_letters + string.digits
BASE32 = string.ascii_uppercase + "234567"
BASE64 = MIXED + "+/"
URL64 = MIXED + "_-"
HEX = "0123456789abcdef"
DIGITS = string.digits
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"


def letters(alphabet: str, length: int, seed: str = "") -> str:
    """Characters of an alphabet that end neither in `-` nor `_`, and hold no word of a template."""
    maker = random.Random(f"{alphabet} {length} {seed}")
    return "".join(maker.choices(alphabet, k=length - 1)) + maker.choice(alphabet[:10])


def uuid(seed: str = "") -> str:
    return "-".join(letters(HEX, size, f"{seed} {i}") for i, size in enumerate((8, 4, 4, 4, 12)))


def with_crc(prefix: str, seed: str = "") -> str:
    """A token of GitHub or npm: 30 characters, then their CRC-32 in base 62."""
    body = letters(MIXED, 30, prefix + seed)
    number, digits = zlib.crc32(body.encode()), ""
    alphabet = string.digits + string.ascii_uppercase + string.ascii_lowercase
    while number:
        number, digit = divmod(number, 62)
        digits = alphabet[digit] + digits
    return prefix + body + digits.rjust(6, "0")


def grafana() -> str:
    head = "gl" + "sa_" + letters(MIXED, 32)
    return f"{head}_{zlib.crc32(head.encode()).to_bytes(4, 'little').hex()}"


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def jwt(claims: dict[str, object], *, algorithm: str = "HS256", size: int = 43) -> str:
    header = encoded({"alg": algorithm, "typ": "JWT"})
    return f"{header}.{encoded(claims)}.{letters(URL64, size)}"


def number(text: str) -> str:
    """The number of a Discord bot, as its token begins with it."""
    return base64.b64encode(text.encode()).rstrip(b"=").decode()


def login(user: str, password: str) -> str:
    return base64.b64encode(f"{user}:{password}".encode()).decode()


def private_key(name: str = "", body: str = "", line_end: str = "\n") -> str:
    body = body or "MIIEpAIBAAKC" + letters(BASE64, 52)
    lines = [body, letters(BASE64, 64), letters(BASE64, 40)]
    mark = f"{name} PRIVATE KEY".strip()
    begin, end = f"-----BEGIN {mark}-----", f"-----END {mark}-----"
    return line_end.join([begin, *lines, end])
