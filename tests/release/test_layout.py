"""Which files stand at fixed addresses, and are covered by `filesDigest`."""

from __future__ import annotations

import pytest

from skillbuild.model import Digest
from skillbuild.release import checksums
from skillbuild.release.checksums import Checksums
from skillbuild.release.layout import is_at_fixed_address

FIXED = (
    ".well-known/agent-skills/index.json",
    ".well-known/skills/index.json",
    ".well-known/skills/pdf/SKILL.md",
    ".well-known/skills/pdf/-/a\nb",
    "claude/marketplace.json",
    "index.json",
    "llms.txt",
    "search/manifest.js",
    "groups/office/.well-known/agent-skills/index.json",
    "skills/acme/pdf/.well-known/agent-skills/index.json",
    "skills/pdf/.well-known/agent-skills/index.json",
    "versions/0123456789abcdef/.well-known/agent-skills/index.json",
)
OTHERS = (
    "SHA256SUMS",
    "blobs/sha256/index.json",
    "catalog.json",
    "history.json",
    "index.html",
    "release.json",
    "search/dates.js",
    "skills/pdf/-/files/.well-known/agent-skills/index.json.html",
    "skills/pdf/index.html",
    "skills/pdf/llms.txt",
    "versions/0123456789abcdef/index.html",
    "versions/0123456789abcdef/version.json",
)


@pytest.mark.parametrize("path", [*FIXED, *OTHERS])
def test_clients_read_indexes_and_what_is_beside_them_at_fixed_addresses(path: str) -> None:
    assert is_at_fixed_address(path) is (path in FIXED)


def test_the_digest_over_them_is_that_of_their_lines_in_the_order_of_paths() -> None:
    digests = {path: Digest.of(path.encode()) for path in (*OTHERS, *FIXED)}
    text = "".join(f"{digests[path].hex}  {path}\n" for path in sorted(FIXED))
    expected = Digest.of(text.encode())
    assert checksums.files_digest(Checksums(checksums.lines(digests))) == expected
    index = [checksums.line("index.json", digests.pop("index.json"))]
    assert checksums.files_digest(Checksums(checksums.lines(digests)), index) == expected
