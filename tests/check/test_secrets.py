"""Secrets are found at their place, examples are not taken for them, and no output repeats one."""

import json
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import facts, tokens
from helpers.support import check, skill_md
from helpers.tokens import (
    BASE32,
    BASE64,
    BECH32,
    DIGITS,
    HEX,
    LOWER,
    MIXED,
    UPPER,
    URL64,
    jwt,
    letters,
    login,
    private_key,
    uuid,
    with_crc,
)
from skillbuild import build
from skillbuild.check import environment, secrets
from skillbuild.model import Place
from skillbuild.report.findings import github_lines, text_lines
from skillbuild.report.json_reports import findings_from_json
from skillbuild.report.sarif import findings_sarif

SLACK = "https://hooks.slack.com/services"
TEAMS = "https://acme.webhook.office.com/webhookb2"
STRONG = letters(MIXED, 18, "password")

VALUES: list[tuple[str, str]] = [
    ("an AWS access key", "AKIA" + letters(BASE32, 16)),
    ("an AWS access key", "ASIA" + letters(BASE32, 16)),
    ("an Amazon Bedrock key", "ABSK" + letters(BASE64, 128)),
    ("a Google API key", "AIza" + letters(URL64, 35)),
    ("a Google OAuth client secret", "GOCSPX-" + letters(URL64, 28)),
    ("a Google access token", "ya29." + letters(URL64, 120)),
    ("a Google refresh token", "1//05" + letters(URL64, 98)),
    ("an Azure client secret", letters(MIXED, 3) + "8Q~" + letters(MIXED, 34)),
    ("a DigitalOcean token", "dop_v1_" + letters(HEX, 64)),
    ("a DigitalOcean token", "doo_v1_" + letters(HEX, 64)),
    ("a DigitalOcean token", "dor_v1_" + letters(HEX, 64)),
    ("an Alibaba Cloud access key", "LTAI" + letters(MIXED, 20)),
    ("a Tencent Cloud access key", "AKID" + letters(MIXED, 32)),
    ("a Cloudflare origin key", "v1.0-" + letters(HEX, 24) + "-" + letters(HEX, 146)),
    ("a Heroku key", "HRKU-AA" + letters(URL64, 58)),
    ("a Fly.io token", "fo1_" + letters(URL64, 43)),
    ("a Fly.io token", "fm2_" + letters(BASE64, 120)),
    ("a Netlify token", "nfp_" + letters(MIXED, 36)),
    *(("a GitHub token", with_crc(f"gh{letter}_")) for letter in "pousr"),
    ("a GitHub token", "ghs_" + letters(MIXED, 120)),
    ("a GitHub token", "github_pat_" + letters(MIXED, 22) + "_" + letters(MIXED, 59)),
    *(
        ("a GitLab token", f"gl{name}-" + letters(URL64, size))
        for name, size in (
            *(("pat", 20), ("oas", 64), ("dt", 20), ("rt", 20), ("rtr", 20), ("ptt", 40)),
            *(("ft", 20), ("imt", 25), ("agent", 50), ("wt", 20), ("soat", 20), ("ffct", 20)),
        )
    ),
    ("a GitLab token", "glcbt-64_" + letters(URL64, 20)),
    ("a GitLab token", "glpat-" + letters(URL64, 27) + ".01." + letters(LOWER, 9)),
    ("a GitLab token", "GR1348941" + letters(URL64, 20)),
    ("a Bitbucket app password", "ATBB" + letters(MIXED, 24) + letters(HEX, 8).upper()),
    ("an Atlassian token", "ATATT3" + letters(URL64, 177) + "=" + letters(HEX, 8).upper()),
    ("an Atlassian token", "ATCTT3" + letters(URL64, 177) + "=" + letters(HEX, 8).upper()),
    ("an Azure DevOps token", letters(MIXED, 76) + "AZDO" + letters(MIXED, 4)),
    ("a CircleCI token", "CCIPAT_" + letters(MIXED, 22) + "_" + letters(HEX, 40)),
    ("a Buildkite token", "bkua_" + letters(HEX, 40)),
    ("a SonarQube token", "squ_" + letters(HEX, 40)),
    ("a Sourcegraph token", "sgp_" + letters(HEX, 16) + "_" + letters(HEX, 40)),
    ("a Sentry token", "sntrys_eyJ" + letters(MIXED, 120) + "_" + letters(BASE64, 43)),
    ("a Sentry token", "sntryu_" + letters(HEX, 64)),
    ("a Slack token", "xoxb-" + letters(DIGITS, 12) + "-" + letters(MIXED, 24)),
    (
        "a Slack token",
        "xoxp-" + "-".join(letters(DIGITS, 12, s) for s in "abc") + "-" + letters(HEX, 32),
    ),
    (
        "a Slack token",
        "xapp-1-A" + letters(UPPER, 10) + "-" + letters(DIGITS, 13) + "-" + letters(HEX, 64),
    ),
    ("a Telegram bot token", letters(DIGITS, 10) + ":AA" + letters(URL64, 33)),
    ("a SendGrid key", "SG." + letters(URL64, 22) + "." + letters(URL64, 43)),
    ("a Mailgun key", "key-" + letters(HEX, 32)),
    ("a Mailchimp key", letters(HEX, 32) + "-us19"),
    ("a Brevo key", "xkeysib-" + letters(HEX, 64) + "-" + letters(MIXED, 16)),
    ("a Brevo key", "xsmtpsib-" + letters(HEX, 64) + "-" + letters(MIXED, 16)),
    ("a Resend key", "re_" + letters(MIXED, 8) + "_" + letters(MIXED, 24)),
    ("a Stripe key", "sk_live_" + letters(MIXED, 24)),
    ("a Stripe key", "rk_live_" + letters(MIXED, 99)),
    ("a Stripe webhook secret", "whsec_" + letters(MIXED, 32)),
    ("a Square token", "EAAA" + letters(URL64, 60)),
    ("a Square token", "sq0atp-" + letters(URL64, 22)),
    ("a Square secret", "sq0csp-" + letters(URL64, 43)),
    *(("a Shopify token", f"shp{name}_" + letters(HEX, 32)) for name in ("at", "ca", "pa", "ss")),
    ("a Plaid token", "access-production-" + uuid()),
    ("an Anthropic key", "sk-ant-api03-" + letters(URL64, 93) + "AA"),
    ("an OpenAI key", "sk-proj-" + letters(URL64, 74) + "T3BlbkFJ" + letters(URL64, 74, "b")),
    ("an OpenAI key", "sk-svcacct-" + letters(URL64, 58)),
    ("an OpenAI key", "sk-admin-" + letters(URL64, 58)),
    (
        "an API key for a model vendor",
        "sk-" + letters(MIXED, 20) + "T3BlbkFJ" + letters(MIXED, 20, "b"),
    ),
    ("an API key for a model vendor", "sk-" + letters(HEX, 32)),
    ("an OpenRouter key", "sk-or-v1-" + letters(HEX, 64)),
    ("a Langfuse key", "sk-lf-" + uuid()),
    ("a Hugging Face token", "hf_" + letters(MIXED[:52], 34)),
    ("a Replicate token", "r8_" + letters(MIXED, 37)),
    ("a Groq key", "gsk_" + letters(MIXED, 52)),
    ("an xAI key", "xai-" + letters(MIXED, 80)),
    ("a Perplexity key", "pplx-" + letters(MIXED, 48)),
    ("an NVIDIA key", "nvapi-" + letters(URL64, 64)),
    ("a Cerebras key", "csk-" + letters(LOWER, 48)),
    ("a LangSmith key", "lsv2_pt_" + letters(HEX, 32) + "_" + letters(HEX, 10)),
    ("a Tavily key", "tvly-dev-" + letters(MIXED, 32)),
    ("a Firecrawl key", "fc-" + letters(HEX, 32)),
    ("a Pinecone key", "pcsk_" + letters(MIXED, 6) + "_" + letters(MIXED, 62)),
    ("an ElevenLabs key", "sk_" + letters(HEX, 48)),
    ("an E2B key", "e2b_" + letters(HEX, 40)),
    ("a Together key", "tgp_v1_" + letters(URL64, 43)),
    ("a Jina key", "jina_" + letters(HEX, 32) + letters(URL64, 28)),
    ("an Apify token", "apify_api_" + letters(MIXED, 36)),
    ("an npm token", with_crc("npm_")),
    ("a PyPI token", "pypi-AgEIcHlwaS5vcmc" + letters(URL64, 150)),
    ("a RubyGems key", "rubygems_" + letters(HEX, 48)),
    ("a crates.io token", "cio" + letters(MIXED, 32)),
    ("a NuGet key", "oy2" + letters(LOWER, 43)),
    ("a Docker token", "dckr_pat_" + letters(URL64, 27)),
    ("a Docker token", "dckr_oat_" + letters(URL64, 32)),
    ("an Artifactory key", "AKCp" + letters(MIXED, 69)),
    ("an Artifactory token", "cmVmd" + letters(MIXED, 59)),
    ("a PlanetScale token", "pscale_tkn_" + letters(URL64, 43)),
    ("a PlanetScale token", "pscale_oauth_" + letters(URL64, 43)),
    ("a PlanetScale password", "pscale_pw_" + letters(URL64, 43)),
    ("a Supabase token", "sbp_" + letters(HEX, 40)),
    ("a Supabase key", "sb_secret_" + letters(URL64, 31)),
    ("a Neon key", "napi_" + letters(LOWER, 64)),
    ("an Aiven password", "AVNS_" + letters(URL64, 19)),
    ("a Databricks token", "dapi" + letters(HEX, 32)),
    ("a Vault token", "hvs." + letters(URL64, 95)),
    ("a Vault token", "hvb." + letters(URL64, 140)),
    ("a Terraform token", letters(MIXED, 14) + ".atlasv1." + letters(URL64, 67)),
    ("a Doppler token", "dp.pt." + letters(MIXED, 43)),
    ("a Doppler token", "dp.st.prd." + letters(MIXED, 43)),
    ("a Pulumi token", "pul-" + letters(HEX, 40)),
    ("a 1Password token", "ops_eyJ" + letters(BASE64, 300)),
    ("an age key", "AGE-SECRET-KEY-1" + letters(BECH32, 58)),
    ("a Grafana token", tokens.grafana()),
    ("a Grafana Cloud token", "glc_" + tokens.encoded({"o": "482913", "n": "agent", "k": STRONG})),
    ("a New Relic key", "NRAK-" + letters(UPPER, 27)),
    ("a New Relic key", "NRII-" + letters(URL64, 32)),
    ("a New Relic key", letters(HEX, 36) + "NRAL"),
    ("a Dynatrace token", "dt0c01." + letters(UPPER, 24) + "." + letters(UPPER, 64)),
    ("a Linear key", "lin_api_" + letters(MIXED, 40)),
    ("a Linear token", "lin_oauth_" + letters(HEX, 64)),
    ("a Notion token", "ntn_" + letters(DIGITS, 11) + letters(MIXED, 35)),
    ("a Notion token", "secret_" + letters(MIXED, 43)),
    ("an Airtable token", "pat" + letters(MIXED, 14) + "." + letters(HEX, 64)),
    ("a Postman key", "PMAK-" + letters(HEX, 24) + "-" + letters(HEX, 34)),
    ("a Figma token", "figd_" + letters(URL64, 40)),
    (
        "a Discord bot token",
        tokens.number("840261739528461037") + "." + letters(MIXED, 6) + "." + letters(URL64, 38),
    ),
    ("a Supabase service key", jwt({"iss": "supabase", "role": "service_role", "iat": 1735812345})),
    ("a signed JWT", jwt({"sub": "u-84026", "iss": "https://login.acme.io/"})),
    ("a signed JWT", jwt({"sub": "u-84026"}, algorithm="RS256", size=342)),
    (
        "a Slack webhook",
        f"{SLACK}/T{letters(UPPER, 8)}/B{letters(UPPER, 10)}/{letters(MIXED, 24)}",
    ),
    (
        "a Discord webhook",
        f"https://discord.com/api/webhooks/{letters(DIGITS, 18)}/{letters(URL64, 68)}",
    ),
    (
        "a Discord webhook",
        f"https://discordapp.com/api/webhooks/{letters(DIGITS, 18)}/{letters(URL64, 68)}",
    ),
    (
        "a Teams webhook",
        f"{TEAMS}/{uuid('a')}@{uuid('b')}/IncomingWebhook/{letters(HEX, 32)}/{uuid('c')}",
    ),
    ("a Feishu webhook", f"https://open.feishu.cn/open-apis/bot/v2/hook/{uuid()}"),
    ("a Lark webhook", f"https://open.larksuite.com/open-apis/bot/v2/hook/{uuid()}"),
    ("a WeCom webhook", f"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={uuid()}"),
    ("a DingTalk webhook", f"https://oapi.dingtalk.com/robot/send?access_token={letters(HEX, 64)}"),
    (
        "a signed Azure URL",
        f"https://acme.blob.core.windows.net/a?sv=2024-11-04&sig={letters(MIXED, 43)}%3D",
    ),
    *(
        ("a database password", f"{scheme}://acme_app:{STRONG}@db.acme.io/main")
        for scheme in (
            *("postgres", "postgresql", "postgresql+asyncpg", "mysql", "mariadb", "mongodb"),
            *("mongodb+srv", "rediss", "amqps", "mssql", "clickhouse", "neo4j"),
        )
    ),
    ("a database password", f"redis://:{STRONG}@cache.acme.io:6379/0"),
    ("a database password", f"postgres://app:{STRONG}@localhost/app"),
]
"""Kind and value; the names of the issuers that a user reads."""

PLACES = {
    "shell": "#!/bin/sh\nexport THE_VALUE={}\n",
    "quoted shell": "run --with='{}' --then\n",
    "YAML": "service:\n  value: {}\n  other: x\n",
    "JSON": '{{"a": {{"value": "{}"}}}}\n',
    "prose": "É: use `{}` for it.\n",
    "sentence": "Then enter {} and go on.\n",
    "escaped line": 'text = "first\\n{}\\n"\n',
    "end": "{}",
}
"""Surroundings, with `{}` where the value stands."""

WHOLE: list[tuple[str, str, str]] = [
    ("an AWS secret key", "export AWS_SECRET_ACCESS_KEY={}\n", letters(BASE64, 40)),
    ("an AWS secret key", "aws_secret_access_key = {}\n", letters(BASE64, 40)),
    ("a Cloudflare token", "CLOUDFLARE_API_TOKEN={}\n", letters(URL64, 40)),
    ("a Cloudflare key", "CLOUDFLARE_API_KEY: {}\n", letters(HEX, 37)),
    ("a Twilio token", "TWILIO_AUTH_TOKEN={}\n", letters(HEX, 32)),
    (
        "an Azure storage key",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};X=x\n",
        letters(BASE64, 86) + "==",
    ),
    ("an Azure access key", "Endpoint=sb://x/;SharedAccessKey={}\n", letters(BASE64, 43) + "="),
    ("a token for an npm registry", "//npm.acme.io/:_authToken={}\n", uuid()),
    ("a NuGet source password", '<add key="ClearTextPassword" value="{}" />\n', STRONG),
    (
        "a login for a container registry",
        '{{"auths": {{"ghcr.io": {{"auth": "{}"}}}}}}\n',
        login("acme", STRONG),
    ),
    (
        "a Telegram bot token",
        "https://api.telegram.org/bot{}/getMe\n",
        letters(DIGITS, 9) + ":AA" + letters(URL64, 33),
    ),
    ("a private key", "x: {}\n", private_key()),
    ("a private key", "{}", private_key("RSA")),
    ("a private key", "{}", private_key("RSA", line_end="\r\n")),
    ("a private key", "  {}", private_key("EC", "MHcCAQEEI" + letters(BASE64, 55), "\n    ")),
    ("a private key", "{}", private_key("OPENSSH", "b3BlbnNzaC1r" + letters(BASE64, 58))),
    ("a private key", '"{}"', private_key(line_end="\\n")),
    ("a private key", "{}", private_key("RSA", "Proc-Type: 4,ENCRYPTED\n\n" + letters(BASE64, 64))),
    (
        "a private key",
        "{}",
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nlQ{letters(BASE64, 62)}\n",
    ),
    (
        "a Google service account key",
        '{{"type": "service_account", "private_key": "{}"}}',
        private_key(line_end="\\n"),
    ),
]
"""Kind, surroundings and value, where the surroundings are part of the form."""

CASES = {
    **{name: [(kind, text, value) for kind, value in VALUES] for name, text in PLACES.items()},
    "surroundings of its own": WHOLE,
}


@pytest.mark.parametrize("cases", CASES.values(), ids=list(CASES))
def test_a_secret_is_found_once_at_its_place_and_can_be_blanked(
    cases: list[tuple[str, str, str]],
) -> None:
    for kind, text, value in cases:
        before, after = (part.replace("{{", "{").replace("}}", "}") for part in text.split("{}"))
        assert_found(kind, before, value, after)


def assert_found(kind: str, before: str, value: str, after: str) -> None:
    data = f"é\n{before}{value}{after}".encode()
    found = list(secrets.find(data))
    assert [secret.kind for secret in found] == [kind]
    (secret,) = found
    assert secret.value.decode() in value
    lines = f"é\n{before}".split("\n")
    column = len(lines[-1]) + 1 + value.index(secret.value.decode())
    assert secret.place == Place(len(lines), column)
    blanked = secrets.blanked(data)
    assert [len(line) for line in blanked.split(b"\n")] == [len(line) for line in data.split(b"\n")]
    assert blanked.startswith(f"é\n{before}".encode())
    assert blanked.endswith(after.encode())
    assert list(secrets.find(blanked)) == []
    assert all(part not in blanked for part in secret.value.split() if len(part) > 20)
    assert value not in repr(secret)


def test_more_than_a_hundred_kinds_are_known() -> None:
    assert len({kind for kind, *_ in [*VALUES, *WHOLE]}) > 100


EXAMPLES = {
    "AWS": "AKIAIOSFODNN7EXAMPLE",
    "a refresh token of documentation": "1//0" + "xEoDL4iW3cxlI7yDbSRFYNG01kVKM2C-259HOF2aQbI",
    "a path with 1//0": "cdn/1//0a1B2c3D4e5F6g7H8/i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a7b8c9d0e1f2",
    "AWS secret": "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "MinIO": "secret_access_key = MOJRH0mkL1IP" + "auahWITSVvyDrQbEEIwljvmxdq03",
    "AWS path": "aws_secret_access_key = /a/path/to/some/file/of/the/secret/key",
    "letters": "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "one letter": "ghp_" + "a" * 36,
    "words": "ghp_your_token_here",
    "a row": "ghp_" + "A1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q7R8",
    "the alphabet": "glpat-" + "ghijklmnopqrstuvwxyz",
    "documented by GitHub": "gho_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "no checksum": "ghp_" + letters(MIXED, 36),
    "no checksum of npm": "npm_" + letters(MIXED, 36),
    "no checksum of Grafana": "gl" + "sa_" + letters(MIXED, 32) + "_" + letters(HEX, 8),
    "too short": with_crc("ghp_")[:-1],
    "three dots": "sk-ant-api03-...",
    "in words": "sk-ant-api03-your-key-" + letters(URL64, 40),
    "numbers of Slack": "xoxb-123456789012-123456789012-" + letters(MIXED, 24),
    "Slack webhook": "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "Stripe tests": "sk_test_" + letters(MIXED, 24),
    "Stripe docs": "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "in a word": "xAKIA" + letters(BASE32, 16),
    "repeated": "dop_v1_" + "0a9b8c7d" * 8,
    "public key": "-----BEGIN PUBLIC KEY-----\n" + letters(BASE64, 64),
    "certificate": "-----BEGIN CERTIFICATE-----\nMIIE" + letters(BASE64, 60),
    "key of dots": "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "key of words": "-----BEGIN PRIVATE KEY-----\n<your key>\n-----END PRIVATE KEY-----",
    "no key": "-----BEGIN PRIVATE KEY-----\n" + "Q" + letters(BASE64, 63),
    "search": "grep -r 'BEGIN PRIVATE KEY' .",
    "jwt.io": jwt({"sub": "1234567890", "name": "John Doe", "iat": 1516239022}),
    "RFC 7519": jwt({"iss": "joe", "http://example.com/is_root": True}),
    "anonymous": jwt({"iss": "supabase", "role": "anon", "iat": 1735812345}),
    "local Supabase": jwt({"iss": "supabase-demo", "role": "service_role", "exp": 1983812996}),
    "a copied signature": jwt({"userId": 1234})[:-43] + "SflKxwRJSMeKKF2Q" + letters(URL64, 27),
    "unsigned": jwt({"sub": "u-84026"}, algorithm="none"),
    "short signature": jwt({"sub": "u-84026"}, size=42),
    "no JSON": "eyJ" + letters(MIXED, 30) + ".eyJ" + letters(MIXED, 40) + "." + letters(MIXED, 43),
    "Azurite": "AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1"
    + letters(BASE64, 54)
    + "==",
    "npm": "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
    "npm words": "//registry.npmjs.org/:_authToken=<your-npm-access-token>",
    "docker": '{"auths": {"ghcr.io": {"auth": "' + login("user", "password") + '"}}}',
    "docker words": '{"auths": {"ghcr.io": {"auth": "<base64 of user:token>"}}}',
    "no bot": letters(MIXED, 24) + ".abc123." + letters(MIXED, 38),
    **{
        f"database {address}": address
        for address in (
            "postgres://user:password@localhost:5432/db",
            "postgresql://user:pass@host:5432/db",
            "postgresql://postgres:postgres@db:5432/app",
            "postgres://username:p%40ssw0rd@db.acme.io/x",
            "postgresql://postgres:[YOUR-PASSWORD]@db.abc.supabase.co:5432/postgres",
            "postgres://app:${DB_PASSWORD}@db.acme.io/app",
            "postgres://app:$DB_PASSWORD@db.acme.io/app",
            "postgres://{user}:{password}@{host}/db",
            "postgres://app:<password>@db.acme.io/app",
            "postgres://app:****@db.acme.io/app",
            "postgres://app:%s@db.acme.io/app",
            "mysql://root:root@127.0.0.1:3306/x",
            "mysql://root:secret123@db.acme.io/x",
            "mongodb://admin:changeme@mongo.acme.io/x",
            "mongodb+srv://me:MyPassword@cluster0.acme.net/x",
            "redis://:mypassword@cache.acme.io:6379",
            "redis://localhost:6379",
            "amqp://guest:guest@rabbitmq:5672/",
            f"postgres://app:{STRONG}@db.example.com/x",
            f"https://user:{STRONG}@www.acme.io/",
            "postgres://app:Kq7Zt2@localhost/x",
        )
    },
}


@pytest.mark.parametrize("text", EXAMPLES.values(), ids=list(EXAMPLES))
def test_examples_and_placeholders_are_no_secrets(text: str) -> None:
    data = text.encode()
    assert list(secrets.find(data)) == []
    assert secrets.blanked(data) == data


def test_of_overlapping_kinds_the_most_special_is_named() -> None:
    token = with_crc("ghp_")
    text = f"postgres://app:{token}@db.acme.io/x and AWS_SECRET_ACCESS_KEY={token}"
    assert [secret.kind for secret in secrets.find(text.encode())] == ["a GitHub token"] * 2


def test_the_secret_beside_an_aws_key_is_found_too() -> None:
    key, secret = "AKIA" + letters(BASE32, 16), letters(BASE64, 40)
    for text in (
        f'{{"AccessKeyId": "{key}", "SecretAccessKey": "{secret}"}}',
        f"accessKeyId: {key}\nsecretAccessKey: {secret}\n",
    ):
        assert [(item.kind, item.value) for item in secrets.find(text.encode())] == [
            ("an AWS access key", key.encode()),
            ("an AWS secret key", secret.encode()),
        ]


def test_secrets_come_in_the_order_of_their_places() -> None:
    pairs = VALUES[:20]
    text = "\n".join(value for _, value in reversed(pairs))
    assert [secret.kind for secret in secrets.find(text.encode())] == [
        kind for kind, _ in reversed(pairs)
    ]


def codes(files: dict[str, bytes]) -> list[tuple[str, str]]:
    return [(item.code, item.path) for item in check(files).findings if item.is_error]


@pytest.mark.parametrize(
    "name", [".env", ".env.local", ".env.production", ".env.a-b", ".env.a.b", ".env.txt"]
)
def test_an_environment_file_with_values_is_a_secret(name: str) -> None:
    assert environment.is_environment_file(f"a/{name}")
    files = {"a/SKILL.md": skill_md("a"), f"a/x/{name}": b"PASSWORD=hunter2\n"}
    assert codes(files) == [("secret", f"a/x/{name}")]


@pytest.mark.parametrize(
    "name", [".env.example", ".env.sample", ".env.template", ".env.dist", ".envrc", "x.env", "env"]
)
def test_templates_of_environment_files_are_not(name: str) -> None:
    assert not environment.is_environment_file(f"a/{name}")


SETTINGS = [
    "",
    "# KEY=9f8a7b6c5d4e\n\n",
    "API_KEY=",
    'API_KEY=""',
    "API_KEY='' # the key of your account",
    "export API_KEY=your-key",
    "API_KEY=your_api_key_here",
    "API_KEY=<key>",
    "API_KEY=${API_KEY}",
    "API_KEY=$OTHER",
    "API_KEY=xxxxxxxxxxxx",
    "API_KEY=sk-xxxx",
    "OPENAI_API_KEY=sk-ant-your-key",
    "API_KEY=sk-...",
    "API_KEY=changeme",
    "API_KEY=none",
    "POSTGRES_PASSWORD=postgres",
    "MAX_TOKENS=4096",
    "TOKEN_TTL=15m",
    "AUTH_ENABLED=true",
    "AUTH_URL=https://login.acme.io/oauth2",
    "KEY_FILE=/run/secrets/key.pem",
    "PORT=8080",
    "RATE=0.5",
    "DEBUG=false",
    "NODE_ENV=production",
    "MODEL=claude-opus-4-5-20251101",
    "REGION=us-east-1 # the nearest",
    "BASE_URL=http://127.0.0.1:8080/v1",
    'NAME="My Skill"',
    "\ufeffPORT=1",
    "A=1\r\nB=2\r\n",
]
VALUED = [
    "API_KEY=hunter2",
    "API_KEY='Kq7Zt2'",
    "PASSWORD=48213",
    'DB_PASS="two words" # mine',
    "SECRET: Kq7Zt2",
    "SLACK_WEBHOOK=https://hooks.acme.io/services/T8A26K1P0/B8A26K1P0Q/x",
    "DATABASE_URL=postgres://app:Kq7Zt2wP@db.acme.io/x",
    "URL=https://app:Kq7Zt2wP@www.acme.io/",
    "ID=9f8a7b6c5d4e3f2a1b0c",
    "no assignment",
    'KEY="of two\nlines"',
    "PORT=1\nTOKEN=Kq7Zt2\n",
    "\0GITCRYPT\0",
]


@pytest.mark.parametrize("text", SETTINGS)
def test_an_environment_file_of_placeholders_and_settings_is_none(text: str) -> None:
    assert not environment.holds_values(text.encode())
    assert codes({"a/SKILL.md": skill_md("a"), "a/.env": text.encode()}) == []


@pytest.mark.parametrize("text", VALUED)
def test_any_other_value_in_an_environment_file_is_a_secret(text: str) -> None:
    assert environment.holds_values(text.encode())
    met = codes({"a/SKILL.md": skill_md("a"), "a/.env": text.encode()})
    assert set(met) == {("secret", "a/.env")}


def test_a_fingerprint_is_that_of_one_value_at_one_place() -> None:
    value = b"Zq8RtN5vKp2XwB7mLc4H"
    first = secrets.fingerprint("a token", "a/b.md", value)
    assert first == "4eebb49745447eaf"
    others = [
        secrets.fingerprint("a token", "a/b.md", value[:-1]),
        secrets.fingerprint("a token", "a/c.md", value),
        secrets.fingerprint("a key", "a/b.md", value),
        secrets.fingerprint("a token", "a/b\udcff.md", value),
    ]
    assert len({first, *others}) == 5


def test_each_finding_about_a_secret_has_its_fingerprint_in_every_format() -> None:
    token = with_crc("ghp_")
    files = {"a/SKILL.md": skill_md("a"), "a/x": token.encode(), "a/.env": b"PASSWORD=hunter2"}
    report = check(files)
    expected = [
        secrets.fingerprint(environment.KIND, "a/.env", files["a/.env"]),
        secrets.fingerprint("a GitHub token", "a/x", files["a/x"]),
    ]
    assert [item.fingerprint for item in report.findings] == expected
    text = "\n".join(outputs(report))
    assert [text.count(each) for each in expected] == [8, 8]
    [sarif] = json.loads(findings_sarif(report.findings, ""))["runs"]
    assert [result["fingerprints"] for result in sarif["results"]] == [
        {"skillbuild/v1": each} for each in expected
    ]
    written = facts.findings_json(report.findings)
    assert [item["fingerprint"] for item in json.loads(written)["diagnostics"]] == expected
    read = findings_from_json(written).findings
    assert read == tuple(report.findings)


def test_a_finding_about_anything_else_has_none() -> None:
    [item] = check({"a/SKILL.md": b"x"}).findings
    assert item.fingerprint == ""
    assert "fingerprint" not in facts.findings_json([item])
    assert "fingerprint" not in findings_sarif([item], "")


def outputs(report: build.Report) -> Iterator[str]:
    """The report in every format."""
    yield from text_lines(report.findings, "", color=True)
    yield from github_lines(report.findings, "")
    yield facts.findings_json(report.findings)
    yield findings_sarif(report.findings, "")
    yield json.dumps([str(item) for item in report.findings])


TOKENS = dict(reversed(VALUES)) | {"a private key": private_key()}
"""One of each kind."""


def parts_of(token: str) -> list[str]:
    """What no output may hold: the value that is found in a token, or lines of it."""
    [secret] = secrets.find(token.encode())
    return [part for part in secret.value.decode().split() if len(part) > 12]


PLACES_IN_A_SKILL = [
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


@pytest.mark.parametrize("text", PLACES_IN_A_SKILL)
def test_no_output_repeats_a_secret(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One skill for each kind of token; that fingerprints take long to work out is no matter."""
    monkeypatch.setattr("skillbuild.check.secrets._COST", 2)
    files = {}
    for number, token in enumerate(TOKENS.values()):
        files[f"s{number}/SKILL.md"] = text.replace("{}", token).encode()
        files[f"s{number}/docs/x.md"] = b"x"
    report = check(files)
    told = {item.path for item in report.findings if item.code == "secret"}
    assert told == {path for path in files if path.endswith("/SKILL.md")}
    output = "\n".join(outputs(report))
    parts = [part for token in TOKENS.values() for part in parts_of(token)]
    assert not [part for part in parts if part in output]


def test_no_output_repeats_a_value_of_an_environment_file() -> None:
    text = "PASSWORD=hunter2hunter\n[x](docs/hunter2hunter.md)\n"
    files = {"a/SKILL.md": skill_md("a"), "a/docs/x.md": b"", "a/.env.md": text.encode()}
    report = check(files)
    assert [item.code for item in report.findings if item.is_error] == ["secret"]
    assert "hunter2" not in "\n".join(outputs(report))


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
    assert not [part for part in parts_of(TOKENS[kind]) if part in output]


LONG = letters(BASE64, 60) * 30_000
ADVERSARIAL = {
    "headers without a key": "x: -----BEGIN PRIVATE KEY-----\n" * 60_000,
    "blanks after a mark": "-----BEGIN PRIVATE KEY-----" + " " * 2_000_000,
    "marks": "-----BEGIN " + "AAAA " * 400_000,
    "headers": "-----BEGIN PRIVATE KEY-----\n" + "A: b\n" * 400_000,
    "one run": "-----BEGIN PRIVATE KEY-----\nMI" + LONG,
    "lines": "-----BEGIN PRIVATE KEY-----\nMI" + f"{letters(BASE64, 64)}\n" * 30_000,
    "a long token": "sk-ant-" + LONG,
    "signs": "sk-ghp_AIzaxoxb-" * 120_000,
    "placeholders": ("ghp_" + "a" * 36 + " ") * 50_000,
    "addresses": "://a:" * 400_000,
    "an address": "postgres://a:" + "b:@" * 600_000,
    "signed addresses": "https://a.core.windows.net/" + "?" * 2_000_000,
    "many signed addresses": ".core.windows.net/?&" * 100_000,
    "parts of a JWT": "eyJ" + "a.eyJ" * 400_000,
    "JWTs": ("eyJ" + "a" * 50 + ".") * 40_000,
    "names": "aws_secret_access_key = " * 80_000,
    "auths": '"auths"' + '"auth": "' * 200_000,
    "bots": "M" * 2_000_000,
    "bots with dots": ("M" * 26 + ".") * 80_000,
    "numbers": "1" * 2_000_000 + ":AA",
    "hex": "-us" + "a" * 2_000_000,
    "tildes": "aaa8Q~" * 350_000,
    "words": "NRAL AZDO .atlasv1. " * 100_000,
    "JSON in base64": "eyJ" + "a" * 20 + ".eyJ" + "W1tb" * 400_000 + "." + letters(MIXED, 43),
    "GitLab": "glpat-" * 350_000,
    "doppler": "dp.st." * 350_000,
    "NuGet": "ClearTextPassword value=" * 80_000,
    "dashes": "-" * 2_000_000,
}


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of POSIX for a process")
@pytest.mark.nightly
def test_large_files_are_searched_in_time() -> None:
    from helpers import hostile

    skill = skill_md("a").decode()
    codes = hostile.checked(
        {name: {"a/SKILL.md": skill, "a/b": text} for name, text in ADVERSARIAL.items()}
    )
    assert list(codes) == list(ADVERSARIAL)
    assert set().union(*codes.values()) <= {"secret", "file-large", "discovery-omitted"}


PREFIXES = sorted({value[:12] for _, value in VALUES})


@settings(max_examples=200)
@given(
    st.lists(
        st.sampled_from([*PREFIXES, *(value for _, value in VALUES), "x", " ", ".", "\n"]),
        max_size=8,
    )
)
def test_any_text_is_searched_and_a_blanked_one_holds_no_secret(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    blanked = secrets.blanked(data)
    assert len(blanked) == len(data)
    assert all(secret.value in data for secret in secrets.find(data))
    assert list(secrets.find(blanked)) == []


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_any_bytes_are_searched(data: bytes) -> None:
    assert list(secrets.find(secrets.blanked(data))) == []
    assert isinstance(environment.holds_values(data), bool)


def test_of_a_file_full_of_secrets_a_hundred_are_listed_and_the_rest_cannot_be_silenced() -> None:
    text = "\n".join(with_crc("ghp_", str(number)) for number in range(500))
    report = check({"a/SKILL.md": skill_md("a"), "a/tokens": text.encode()})
    assert {item.code for item in report.findings} == {"secret"}
    whole, *others = report.findings
    assert len(others) == 100
    assert len({item.fingerprint for item in others}) == 100
    assert (whole.place, whole.fingerprint) == (None, "")
    assert whole.message == "more than 100 secrets in one file; the others are not listed"


def test_a_file_that_is_one_private_key_is_to_be_removed_and_no_other() -> None:
    key, escaped = private_key(), private_key(line_end="\\n")
    account = '{"type": "service_account", "private_key_id": "1", "private_key": "%s"}'
    texts = {"a.pem": f"{key}\n", "a.json": account % escaped, "a.yaml": f"x: {key}\n"}
    files = {f"a/{name}": text.encode() for name, text in texts.items()}
    report = check({"a/SKILL.md": skill_md("a"), **files})
    hints = {item.path: item.hint.partition(";")[0] for item in report.findings if item.is_error}
    whole = "revoke the key, and remove the file from the repository and its history"
    assert hints == {
        "a/a.pem": whole,
        "a/a.json": whole,
        "a/a.yaml": "revoke the secret, remove it from the history, and write a placeholder"
        " instead",
    }


def test_a_secret_hides_nothing_else_of_its_file() -> None:
    token = tokens.with_crc("ghp_")
    lines = [
        f"Token {token}, see [a](docs/a.md).",
        "",
        f"postgres://me:p\u00e4\u00df{token[4:30]}@h.dev/x [b](docs/b.md)",
    ]
    findings = check({"a/SKILL.md": skill_md("a", body="\n".join(lines))}).findings
    assert [item.code for item in findings if item.is_error] == ["secret", "secret"]
    [links] = [item for item in findings if not item.is_error]
    assert [(place.target, place.place) for place in links.places] == [
        (target, Place(number, lines[number - 5].index(target) + 1))
        for target, number in (("docs/a.md", 5), ("docs/b.md", 7))
    ]
    assert not any(token[4:30] in f"{item.message}{item.hint}" for item in findings)
