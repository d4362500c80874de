"""What secrets look like: the formats of tokens, keys and passwords, by those who issue them.

A format is looked for where its sign occurs; then its pattern must match, and the value must be
real by its checksum, by what it decodes to, or by as many different characters as random ones have.

No pattern repeats a repetition without an end, and what can fail behind a repetition is bounded:
the time is linear in the size of a file, whatever it holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from skillbuild.check import secret_values as values
from skillbuild.check.secret_values import HEX, RANDOM, Judge

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


@dataclass(frozen=True, slots=True)
class Format:
    """One form of secrets: the first group of the pattern is the value, the last what is random."""

    kind: str
    sign: bytes
    """Bytes that each such secret holds, or that stand before it."""
    source: str
    is_real: Judge
    inner: bool = False
    """Whether the sign does not begin the pattern: a search for such a pattern is slow."""

    @property
    def pattern(self) -> re.Pattern[bytes]:
        """The pattern, compiled when it is wanted: most files want none of them."""
        return _compiled(self.source)


@cache
def _compiled(source: str) -> re.Pattern[bytes]:
    return re.compile(source.encode())


_START = r"(?:(?<![\w~-])|(?<=\\[nrt]))"


def _code(kind: str, prefix: str, rest: str, is_real: Judge = RANDOM) -> Format:
    r"""A token that begins with letters of its own and ends where no more of its kind follow.

    What precedes the prefix is matched after it: a search for letters is quick. A letter before it
    must be that of an escape, as in `\n`.
    """
    sign = re.escape(prefix)
    start = rf"{sign}(?:(?<![A-Za-z0-9]{sign})|(?<=\\[nrt]{sign}))"
    return Format(kind, prefix.encode(), f"({start}({rest}))(?![A-Za-z0-9])", is_real)


def _assigned(kind: str, name: str, value: str, is_real: Judge = RANDOM) -> Format:
    """A value without letters of its own, which follows its name."""
    between = r"[\"'`]?[ \t]{0,8}(?:=>|:=|[:=])[ \t]{0,8}\\?[\"'`]?"
    return Format(kind, name.encode(), rf"{name}{between}({value})(?![A-Za-z0-9/+_-])", is_real)


def _address(kind: str, host: str, rest: str, is_real: Judge = RANDOM) -> Format:
    """An address that is a secret by itself; the value is the path and the query."""
    return Format(kind, host.encode(), rf"{re.escape(host)}(?::443)?({rest})", is_real)


def _inner(
    kind: str, sign: str, pattern: str, is_real: Judge = RANDOM, *, start: str = _START
) -> Format:
    """A code with its sign in the middle; no more characters of a word stand around it."""
    whole = rf"{start}({pattern})(?![\w~-])"
    return Format(kind, sign.encode(), whole, is_real, inner=True)


_AFTER_BOT = r"(?:(?<![\w~-])|(?<=\\[nrt])|(?<=\bbot))"


def _text(kind: str, sign: str, pattern: str, is_real: Judge) -> Format:
    """Anything else, by its whole pattern."""
    return Format(kind, sign.encode(), pattern, is_real)


_KEY = (
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:\\[nr]|\s)++|[A-Za-z-]{1,40}: [^\n]{0,200}\n){0,12}"
    r"[A-Za-z0-9+/=]{40,}(?:(?:\\[nr]|\s)++[A-Za-z0-9+/=]++)*+"
)
_URL_LOGIN = r"://[^\s/:@\"'`<>]{0,100}:([^\s/\"'`<>]{1,200})@(?=([^\s/\"'`<>,?#)\]\\:@]{1,255}))"
_JWT = _START + r"(eyJ[\w-]{10,}[.]eyJ[\w-]{10,}[.][\w-]{42,})"
_HUGGING_FACE = _code("a Hugging Face token", "hf_", "[A-Za-z0-9]{34,}")
"""Among the codes and among the names: some have no digit."""

CODES: tuple[Format, ...] = (
    # Clouds
    _code("an AWS access key", "AKIA", "[A-Z2-7]{16}", HEX),
    _code("an AWS access key", "ASIA", "[A-Z2-7]{16}", HEX),
    *(
        # Programs write it beside the key that it belongs to, whose prefix is easy to find.
        replace(
            _assigned("an AWS secret key", "ecretAccessKey", "[A-Za-z0-9/+]{40}", values.is_mixed),
            sign=sign,
        )
        for sign in (b"AKIA", b"ASIA")
    ),
    _code("an Amazon Bedrock key", "ABSK", "[A-Za-z0-9+/]{100,280}={0,2}"),
    _code("a Google API key", "AIza", "[A-Za-z0-9_-]{35}"),
    _code("a Google OAuth client secret", "GOCSPX-", "[A-Za-z0-9_-]{28}"),
    _code("a Google access token", "ya29.", "[A-Za-z0-9_-]{60,}"),
    _inner("an Azure client secret", "Q~", r"[\w~.]{3}[0-9]Q~[\w~.-]{31,34}"),
    _code("a DigitalOcean token", "dop_v1_", "[0-9a-f]{64}", HEX),
    _code("a DigitalOcean token", "doo_v1_", "[0-9a-f]{64}", HEX),
    _code("a DigitalOcean token", "dor_v1_", "[0-9a-f]{64}", HEX),
    _code("an Alibaba Cloud access key", "LTAI", "[A-Za-z0-9]{12,20}", HEX),
    _code("a Tencent Cloud access key", "AKID", "[A-Za-z0-9]{32}"),
    _code("a Cloudflare origin key", "v1.0-", "[0-9a-f]{24}-[0-9a-f]{146}"),
    _code("a Heroku key", "HRKU-AA", "[A-Za-z0-9_-]{58}"),
    _code("a Fly.io token", "fo1_", "[A-Za-z0-9_-]{43}"),
    _code("a Fly.io token", "fm2_", "[A-Za-z0-9+/]{100,}={0,3}"),
    _code("a Netlify token", "nfp_", "[A-Za-z0-9]{36,40}"),
    # Forges and what builds there
    *(
        _code("a GitHub token", f"gh{letter}_", "[A-Za-z0-9]{36}", values.ends_in_crc)
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
    _code("a Buildkite token", "bkua_", "[0-9a-f]{40}", HEX),
    _code("a SonarQube token", "squ_", "[0-9a-f]{40}", HEX),
    _code("a SonarQube token", "sqp_", "[0-9a-f]{40}", HEX),
    _code("a SonarQube token", "sqa_", "[0-9a-f]{40}", HEX),
    _code("a Sourcegraph token", "sgp_", "(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}", HEX),
    _code("a Sentry token", "sntrys_", "eyJ[A-Za-z0-9+/=]{50,400}_[A-Za-z0-9+/]{43}"),
    _code("a Sentry token", "sntryu_", "[0-9a-f]{64}", HEX),
    # Chats
    *(_code("a Slack token", f"xox{letter}-", "[A-Za-z0-9-]{24,}") for letter in "abceoprs"),
    _code("a Slack token", "xapp-", "[0-9]-[A-Z0-9]{9,13}-[0-9]{10,15}-[0-9a-f]{64}"),
    _inner("a Telegram bot token", ":AA", r"[0-9]{8,10}:AA[\w-]{33}", start=_AFTER_BOT),
    # Mail
    _code("a SendGrid key", "SG.", "[A-Za-z0-9_-]{22}[.][A-Za-z0-9_-]{43}"),
    _code("a Mailgun key", "key-", "[0-9a-f]{32}", HEX),
    _inner("a Mailchimp key", "-us", "[0-9a-f]{32}-us[0-9]{1,2}", HEX),
    _code("a Brevo key", "xkeysib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _code("a Brevo key", "xsmtpsib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _code("a Resend key", "re_", "[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    # Payments and shops
    _code("a Stripe key", "sk_live_", "[A-Za-z0-9]{20,}"),
    _code("a Stripe key", "rk_live_", "[A-Za-z0-9]{20,}"),
    _code("a webhook secret of Stripe", "whsec_", "[A-Za-z0-9+/]{32,64}={0,2}"),
    _code("a Square token", "EAAA", "[A-Za-z0-9_-]{60}"),
    _code("a Square token", "sq0atp-", "[A-Za-z0-9_-]{22}"),
    _code("a Square secret", "sq0csp-", "[A-Za-z0-9_-]{43}"),
    *(
        _code("a Shopify token", f"shp{name}_", "[0-9a-fA-F]{32}", HEX)
        for name in ("at", "ca", "pa", "ss")
    ),
    _code("a Plaid token", "access-production-", _UUID, HEX),
    # Models
    _code("an Anthropic key", "sk-ant-", "[A-Za-z0-9_-]{40,}"),
    _code("an OpenAI key", "sk-proj-", "[A-Za-z0-9_-]{40,}"),
    _code("an OpenAI key", "sk-svcacct-", "[A-Za-z0-9_-]{40,}"),
    _code("an OpenAI key", "sk-admin-", "[A-Za-z0-9_-]{40,}"),
    _code("an OpenRouter key", "sk-or-v1-", "[0-9a-f]{64}", HEX),
    _code("a Langfuse key", "sk-lf-", _UUID, HEX),
    _HUGGING_FACE,
    _code("a Replicate token", "r8_", "[A-Za-z0-9]{37}"),
    _code("a Groq key", "gsk_", "[A-Za-z0-9]{52}"),
    _code("an xAI key", "xai-", "[A-Za-z0-9]{80}"),
    _code("a Perplexity key", "pplx-", "[A-Za-z0-9]{48,}"),
    _code("an NVIDIA key", "nvapi-", "[A-Za-z0-9_-]{60,}"),
    _code("a Cerebras key", "csk-", "[A-Za-z0-9]{48}"),
    _code("a LangSmith key", "lsv2_", "(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", HEX),
    _code("a Tavily key", "tvly-", "(?:dev-|prod-)?[A-Za-z0-9_-]{32,}"),
    _code("a Firecrawl key", "fc-", "[0-9a-f]{32}", HEX),
    _code("a Pinecone key", "pcsk_", "[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,}"),
    _code("an ElevenLabs key", "sk_", "[0-9a-f]{48}", HEX),
    _code("an E2B key", "e2b_", "[0-9a-f]{40}", HEX),
    _code("a Together key", "tgp_v1_", "[A-Za-z0-9_-]{43}"),
    _code("a Jina key", "jina_", "[0-9a-f]{32}[A-Za-z0-9_-]{28}"),
    _code("an Apify token", "apify_api_", "[A-Za-z0-9]{36}"),
    # Registries of packages and images
    _code("an npm token", "npm_", "[A-Za-z0-9]{36}", values.ends_in_crc),
    _code("a PyPI token", "pypi-AgE", "[A-Za-z0-9_-]{50,}"),
    _code("a RubyGems key", "rubygems_", "[0-9a-f]{48}", HEX),
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
    _code("a Supabase token", "sbp_", "[0-9a-f]{40}", HEX),
    _code("a Supabase key", "sb_secret_", "[A-Za-z0-9_-]{31,}"),
    _code("a Neon key", "napi_", "[a-z0-9]{64}"),
    _code("an Aiven password", "AVNS_", "[A-Za-z0-9_-]{19}"),
    _code("a Databricks token", "dapi", "[0-9a-f]{32}(?:-[0-9])?", HEX),
    # Infrastructure
    _code("a Vault token", "hvs.", "[A-Za-z0-9_-]{24,}"),
    _code("a Vault token", "hvb.", "[A-Za-z0-9_-]{100,}"),
    _inner("a Terraform token", ".atlasv1.", "[A-Za-z0-9]{14}[.]atlasv1[.][A-Za-z0-9_=-]{60,70}"),
    *(
        _code("a Doppler token", f"dp.{name}.", "(?:[a-z0-9_-]{2,35}[.])?[A-Za-z0-9]{40,44}")
        for name in ("pt", "st", "ct", "sa", "scim", "audit", "said")
    ),
    _code("a Pulumi token", "pul-", "[0-9a-f]{40}", HEX),
    _code("a 1Password token", "ops_", "eyJ[A-Za-z0-9+/]{250,}={0,3}"),
    _code("an age key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    _code(
        "a Grafana token", "glsa_", "[A-Za-z0-9]{32}_[0-9a-fA-F]{8}", values.ends_in_crc_of_grafana
    ),
    _code("a Grafana Cloud token", "glc_", "eyJ[A-Za-z0-9+/]{40,400}={0,3}", values.holds_json),
    _code("a New Relic key", "NRAK-", "[A-Z0-9]{27}"),
    _code("a New Relic key", "NRII-", "[A-Za-z0-9_-]{32}"),
    _inner("a New Relic key", "NRAL", "[0-9a-f]{36}NRAL", HEX),
    _code("a Dynatrace token", "dt0c01.", "[A-Z0-9]{24}[.][A-Z0-9]{64}"),
    # Work
    _code("a Linear key", "lin_api_", "[A-Za-z0-9]{40}"),
    _code("a Linear token", "lin_oauth_", "[0-9a-f]{64}", HEX),
    _code("a Notion token", "ntn_", "[0-9]{11}[A-Za-z0-9]{35}"),
    _code("a Notion token", "secret_", "[A-Za-z0-9]{43}"),
    _code("an Airtable token", "pat", "[A-Za-z0-9]{14}[.][0-9a-f]{64}"),
    _code("a Postman key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
    _code("a Figma token", "figd_", "[A-Za-z0-9_-]{40,}"),
    Format(
        "a Discord bot token",
        b".",
        r"([MNO](?:(?<![\w~-][MNO])|(?<=\\[nrt][MNO]))"
        r"[A-Za-z0-9]{23,27}[.][\w-]{6}[.][\w-]{27,38})(?![\w~-])",
        values.is_bot_token,
        inner=True,
    ),
    _text("a Supabase service key", "eyJ", _JWT, values.is_service_role),
    _text("a signed JWT", "eyJ", _JWT, values.is_signed_token),
    _code("a key of a model vendor", "sk-", "[A-Za-z0-9]{32,}", HEX),
)
"""Formats with digits in a long row of characters, the more special before the general."""

NAMES: tuple[Format, ...] = (
    # A slash ends a row, so its sign is what stands around the last one.
    _text(
        "a Google refresh token",
        "/0",
        _START + r"(1//0([A-Za-z0-9_-]{60,200}))(?![A-Za-z0-9_/-])",
        RANDOM,
    ),
    _assigned("an AWS secret key", "ecret_access_key", "[A-Za-z0-9/+]{40}", values.is_mixed),
    _assigned("an AWS secret key", "ECRET_ACCESS_KEY", "[A-Za-z0-9/+]{40}", values.is_mixed),
    _assigned("a Cloudflare token", "CLOUDFLARE_API_TOKEN", "[A-Za-z0-9_-]{40}", values.is_mixed),
    _assigned("a Cloudflare key", "CLOUDFLARE_API_KEY", "[0-9a-f]{37}", HEX),
    _assigned("a Twilio token", "TWILIO_AUTH_TOKEN", "[0-9a-f]{32}", HEX),
    _text(
        "a password of a NuGet source",
        "ClearTextPassword",
        r"ClearTextPassword\"[ \t]{1,8}value=\"([^\"\s%$]{6,200})(?=\")",
        values.is_assigned_password,
    ),
    _HUGGING_FACE,
    *(
        _text(
            "an Azure storage key", sign, "AccountKey=([A-Za-z0-9+/]{86}==)", values.is_account_key
        )
        for sign in ("EndpointsProtocol", "AccountName")
    ),
    _assigned("an Azure access key", "SharedAccessKey", "[A-Za-z0-9+/]{43}="),
    _text(
        "a token of an npm registry",
        "_authToken=",
        r":_authToken=([A-Za-z0-9_.+/=-]{20,})",
        values.is_registry_token,
    ),
)
"""Formats that are looked for behind a long name, or in a long row of letters without digits."""

ADDRESSES: tuple[Format, ...] = (
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
        HEX,
    ),
    _address("a Feishu webhook", "open.feishu.cn", f"/open-apis/bot/v2/hook/{_UUID}", HEX),
    _address("a Lark webhook", "open.larksuite.com", f"/open-apis/bot/v2/hook/{_UUID}", HEX),
    _address(
        "a WeCom webhook", "qyapi.weixin.qq.com", rf"/cgi-bin/webhook/send[?]key={_UUID}", HEX
    ),
    _address(
        "a DingTalk webhook", "oapi.dingtalk.com", "/robot/send[?]access_token=([0-9a-f]{64})", HEX
    ),
    *(
        _address(
            "a signed address of Azure",
            host,
            r"/[^\s\"'`<>]{0,1000}?[?&;]sig=[A-Za-z0-9%_/+-]{40,80}=?",
        )
        for host in (".core.windows.net", ".logic.azure.com", ".powerplatform.com")
    ),
    _text("a password of a database", "@", _URL_LOGIN, values.is_database_login),
)
"""Formats that are looked for in the addresses of a file."""

TEXTS: tuple[Format, ...] = (
    _text(
        "a Google service account key",
        "PRIVATE KEY",
        rf"\\?\"private_key\\?\"\s{{0,8}}:\s{{0,8}}\\?\"({_KEY})",
        values.is_private_key,
    ),
    _text("a private key", "PRIVATE KEY", f"({_KEY})", values.is_private_key),
    _text(
        "a login of an image registry",
        '"auths"',
        r"\"auth\"\s{0,8}:\s{0,8}\"([A-Za-z0-9+/]{8,4000}={0,2})(?=\")",
        values.is_login,
    ),
)
"""Formats that are looked for in the whole text."""
