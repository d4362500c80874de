"""Ten skills as people write them, each with another fault of real life."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from helpers.tokens import with_crc

CODES = (
    "allowed-tools-type",
    "byte-order-mark",
    "description-too-long",
    "link-broken",
    "metadata-type",
    "name-invalid",
    "script-not-executable",
    "secret",
    "skill-file-case",
    "yaml-unquoted-colon",
)
"""What `check` has to say of them."""
NAMES = (
    "charts",
    "contracts",
    "deploy",
    "forms",
    "invoices",
    "log-reader",
    "meeting-notes",
    "pdf-tables",
    "reviews",
    "translate",
)
"""What they are called once they are fixed."""
_USE = "Use when somebody asks for it."


def write(source: Path) -> None:
    """Write the ten skills below `skills/` of a source."""
    for path, content in _files().items():
        file = source / "skills" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def token() -> str:
    """A value of the form of a token of GitHub, which stands for nothing."""
    return with_crc("gh" + "p_", "newcomer")


def _files() -> Mapping[str, bytes]:
    return {path: text if isinstance(text, bytes) else text.encode() for path, text in _texts()}


def _texts() -> Iterator[tuple[str, str | bytes]]:
    yield "pdf-tables/SKILL.md", _skill("pdf-tables", f"Reads PDF: text, tables. {_USE}")
    long = " ".join(f"Knows clause {number} of the contracts we sign." for number in range(1, 31))
    yield "contracts/SKILL.md", _skill("contracts", f"Reads contracts. {_USE} {long}")
    yield "Meeting_Notes/SKILL.md", _skill("Meeting_Notes", f"Writes the minutes. {_USE}")
    number = "metadata:\n  author: the office\n  version: 1.0\n"
    yield "invoices/SKILL.md", _skill("invoices", f"Checks invoices. {_USE}", number)
    yield "charts/SKILL.md", b"\xef\xbb\xbf" + _skill("charts", f"Draws charts. {_USE}").encode()
    yield "translate/skill.md", _skill("translate", f"Translates texts. {_USE}")
    linked = "Read [all fields](reference/fields.md) first.\n"
    yield "forms/SKILL.md", _skill("forms", f"Fills forms. {_USE}", body=linked)
    yield "forms/references/fields.md", "# Fields\n\nName and address.\n"
    run = "Run `bash scripts/push.sh`.\n"
    yield "deploy/SKILL.md", _skill("deploy", f"Deploys the site. {_USE}", body=run)
    yield "deploy/scripts/push.sh", f"#!/bin/bash\nTOKEN={token()}\necho pushed\n"
    run = "Run `scripts/last.sh` and read what it prints.\n"
    yield "log-reader/SKILL.md", _skill("log-reader", f"Reads logs. {_USE}", body=run)
    yield "log-reader/scripts/last.sh", "#!/bin/sh\ntail -n 20 /var/log/syslog\n"
    tools = "allowed-tools:\n  - Read\n  - Bash(git diff:*)\n"
    yield "reviews/SKILL.md", _skill("reviews", f"Reviews changes. {_USE}", tools)


def _skill(name: str, description: str, more: str = "", body: str = "Do it with care.\n") -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n\n# {name}\n\n{body}"
