"""Secrets are found at their place, examples are not taken for them, and no output repeats one."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.support import check, skill_md
from skillbuild import build
from skillbuild.check import secrets
from skillbuild.model import Place
from skillbuild.report.findings import github_lines, text_lines
from skillbuild.report.json_reports import findings_json
from skillbuild.report.sarif import findings_sarif

VARIED = "Zq8RtN5vKp2XwB7mLc4HdJ9sGf6TyUiEoQaWxSb3VnMkPjRhDgFzCyLt1uAeIo0"
UPPER = "Q3EGJ7XLR2NPTK5D"
KEY = f"{VARIED}\n{VARIED[::-1]}\nQmN="

TOKENS = {
    "an AWS access key": "AKIA" + UPPER,
    "a GitHub token": "ghp_" + VARIED[:36],
    "a GitLab token": "glpat-" + VARIED[:20],
    "a Slack token": "xoxb-" + VARIED[:24],
    "an Anthropic key": "sk-ant-api03-" + VARIED[:40],
    "an OpenAI key": "sk-proj-" + VARIED[:40],
    "a Google API key": "AIza" + VARIED[:35],
    "a Stripe key": "sk_live_" + VARIED[:24],
    "an npm token": "npm_" + VARIED[:36],
    "a PyPI token": "pypi-AgE" + VARIED[:60],
    "a Hugging Face token": "hf_" + VARIED[:34],
    "a private key": f"-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----",
}
MORE = [
    ("a GitHub token", "gho_" + VARIED[:36]),
    ("a GitHub token", "ghs_" + VARIED[:36]),
    ("a GitHub token", "github_pat_" + VARIED[:22] + "_" + VARIED[:50]),
    ("an OpenAI key", "sk-" + VARIED[:48]),
    ("a Stripe key", "rk_live_" + VARIED[:24]),
    ("a private key", f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}"),
    ("a private key", f"-----BEGIN OPENSSH PRIVATE KEY-----\r\n{VARIED}\r\n"),
    ("a private key", f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{KEY}"),
    ("a private key", f"-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{KEY}"),
    ("a private key", rf"-----BEGIN PRIVATE KEY-----\n{VARIED}\n{VARIED}"),
    ("a private key", f"  -----BEGIN PRIVATE KEY-----\n    {VARIED}\n    {VARIED}"),
]


@pytest.mark.parametrize(("kind", "token"), [*TOKENS.items(), *MORE])
def test_a_secret_is_found_at_its_place_and_can_be_blanked(kind: str, token: str) -> None:
    data = f"é\n é={token} and more\n".encode()
    indent = len(token) - len(token.lstrip())
    assert list(secrets.find(data)) == [(kind, Place(2, 4 + indent))]
    blanked = secrets.blanked(data)
    assert [len(line) for line in blanked.split(b"\n")] == [len(line) for line in data.split(b"\n")]
    assert blanked.startswith("é\n é=".encode())
    assert list(secrets.find(blanked)) == []
    assert VARIED[:20].encode() not in blanked
    assert UPPER.encode() not in blanked
    assert VARIED[::-1][:20].encode() not in blanked


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_" + "a" * 36,
        "ghp_your_token_here",
        "ghp_" + "A1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q7R8",
        "ghp_" + VARIED[:35],
        "sk-ant-api03-...",
        "sk-ant-api03-your-key-" + VARIED[:40],
        "xoxb-123456789012-123456789012-" + VARIED[:24],
        "sk_test_" + VARIED[:24],
        "xAKIA" + UPPER,
        "-----BEGIN PUBLIC KEY-----\n" + VARIED,
        "-----BEGIN CERTIFICATE-----\n" + VARIED,
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n<your key>\n-----END PRIVATE KEY-----",
        "grep -r 'BEGIN PRIVATE KEY' .",
    ],
)
def test_examples_and_placeholders_are_no_secrets(text: str) -> None:
    data = text.encode()
    assert list(secrets.find(data)) == []
    assert secrets.blanked(data) == data


@pytest.mark.parametrize("name", [".env", ".env.local", ".env.production", ".env.a-b", ".env.a.b"])
def test_environment_files_are_secrets_whatever_they_hold(name: str) -> None:
    assert secrets.is_environment_file(f"a/{name}")
    assert [
        item.rule.code for item in check({"a/SKILL.md": skill_md("a"), f"a/x/{name}": b""}).findings
    ] == ["secret"]


@pytest.mark.parametrize(
    "name", [".env.example", ".env.sample", ".env.template", ".env.dist", ".envrc", "x.env", "env"]
)
def test_templates_of_environment_files_are_not(name: str) -> None:
    assert not secrets.is_environment_file(f"a/{name}")


def outputs(report: build.Report) -> Iterator[str]:
    """The report in every format."""
    yield from text_lines(report.findings, "", colour=True)
    yield from github_lines(report.findings, "")
    yield findings_json(report.findings, "", {})
    yield findings_sarif(report.findings, "")
    yield json.dumps([str(item) for item in report.findings])


PLACES = [
    "---\nname: a\ndescription: use: {}\n---\nx",
    "---\nname: a\ndescription: {}: x: y\n---\nx",
    "---\nname: {}\ndescription: x\n---\nx",
    "---\nname: a\ndescription: x\nmetadata:\n  {}: 1.10\n---\nx",
    "---\nname: a\ndescription: x\nk: *{}\n---\nx",
    "---\nname: a\ndescription: x\nallowed-tools:\n- {}\n---\nx",
    "---\nname: a\ndescription: '{}\n---\nx",
    "---\nname: a\ndescription: x\n{}: x\n{}: y\n---\nx",
    "---\nname: a\ndescription: x\n---\n[x](docs/{}.md) ![x]({}.png) `docs/{}.md` \u200b{}",
    "---\nname: a\ndescription: x\n---\n[x]: /{}\n[x]\n",
    "{}",
]


@pytest.mark.parametrize("text", PLACES)
@pytest.mark.parametrize("token", TOKENS.values(), ids=list(TOKENS))
def test_no_output_repeats_a_secret(text: str, token: str) -> None:
    secret = text.replace("{}", token)
    files = {"a/SKILL.md": secret.encode(), "a/docs/x.md": b"x"}
    report = check(files)
    assert "secret" in {item.rule.code for item in report.findings}
    output = "\n".join(outputs(report))
    for part in (VARIED[:16], VARIED[::-1][:16], UPPER):
        assert part not in output


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(TOKENS)),
    st.text("abc:[]()`'\"/. \n-#&*!|", max_size=20),
    st.text("abc:[]()`'\"/. \n-#&*!|", max_size=20),
)
def test_no_output_repeats_a_secret_anywhere_in_a_skill_md(
    kind: str, before: str, after: str
) -> None:
    text = f"---\nname: a\ndescription: {before} {TOKENS[kind]} {after}\n---\n{before}\n"
    text += f"{before} {TOKENS[kind]} {after}"
    output = "\n".join(outputs(check({"a/SKILL.md": text.encode(), "a/docs/x.md": b"x"})))
    for part in (VARIED[:16], VARIED[::-1][:16], UPPER):
        assert part not in output


HEAVY = {
    "headers without a key": "x: -----BEGIN PRIVATE KEY-----\n" * 60_000,
    "blanks after a mark": "-----BEGIN PRIVATE KEY-----" + " " * 2_000_000,
    "marks": "-----BEGIN " + "AAAA " * 400_000,
    "one run": "-----BEGIN PRIVATE KEY-----\n" + VARIED * 30_000,
    "lines": "-----BEGIN PRIVATE KEY-----\n" + f"{VARIED}\n" * 30_000,
    "a long token": "sk-ant-" + VARIED * 30_000,
    "signs": "sk-ghp_AIzaxoxb-" * 120_000,
    "placeholders": ("ghp_" + "a" * 36 + " ") * 50_000,
}


@pytest.mark.parametrize("text", HEAVY.values(), ids=list(HEAVY))
def test_large_files_are_searched_in_time(text: str) -> None:
    findings = check({"a/SKILL.md": skill_md("a"), "a/b": text.encode()}).findings
    assert {item.rule.code for item in findings} <= {"secret", "file-large", "discovery-omitted"}


def test_a_file_of_secrets_is_reported_often_enough_and_at_once() -> None:
    tokens = "".join(f"ghp_{VARIED[:31]}{n:05d}\n" for n in range(20_000)).replace("0000", "x9Q7")
    findings = check({"a/SKILL.md": skill_md("a"), "a/tokens": tokens.encode()}).findings
    assert {item.rule.code for item in findings} == {"secret"}
    assert len(findings) == 100
