"""Decides whether a program sends a request to an address, judging by the code before the
address.
"""

from __future__ import annotations

import re

from skillbuild.check.facts.found import words as _words
from skillbuild.check.facts.hosts import is_local

NETWORK_PYTHON = re.compile(
    r"^[ \t]*(?:import[ \t]+(?:[\w. \t]{1,60},){0,8}[ \t]*|from[ \t]+)"
    r"(requests|httpx|urllib\.request|urllib3|aiohttp|websockets?"
    r"|paramiko|boto3|openai|anthropic|stripe|playwright|selenium|yt_dlp|grpc|smtplib|imaplib|ftplib"
    r"|telegram|http\.client|tweepy|slack_sdk|google\.cloud|google\.generativeai|google\.genai"
    r"|googleapiclient|pymongo|psycopg2?|redis|praw|feedparser|cloudscraper|curl_cffi|pycurl|socketio"
    r"|Bio\.Entrez|wandb|tavily|firecrawl|exa_py|notion_client|gspread|replicate|elevenlabs|cohere"
    r"|mistralai|groq|litellm|langchain_openai|langchain_anthropic|kaggle|transformers|msal"
    r"|huggingface_hub|azure\.\w+|pinecone|qdrant_client|weaviate|asyncpg|elasticsearch|opensearchpy"
    r"|supabase|twilio|sendgrid|snowflake\.connector|databricks|clickhouse_connect|mysql\.connector"
    r"|pymysql|ee|geemap|osmnx|cdsapi|geopy|sentinelsat|sentinelhub|pystac_client|planetary_computer"
    r"|earthaccess|sentence_transformers|voyageai|fal_client|langsmith|langfuse|mygene|gget"
    r"|bioservices|chembl_webresource_client|pubchempy|arxiv|wikipedia|yfinance|ccxt|fredapi"
    r"|pandas_datareader|synapseclient|pyzotero|dxpy|cellxgene_census|httplib2|requests_html|asyncssh"
    r"|aioboto3|botocore|confluent_kafka|pika|slack_bolt|discord|Bio\.ExPASy|scholarly|web3"
    r"|google\.(?:ads|analytics)|github|gitlab|jira|atlassian|spotipy|telethon"
    r"|ollama|together|deepgram|assemblyai|composio|e2b|modal|browserbase|browser_use|serpapi"
    r"|duckduckgo_search|ddgs|semanticscholar|habanero|pyalex|crossref|vertexai|shopify|hubspot"
    r"|plaid|simple_salesforce|newspaper|trafilatura|instaloader|pytube|gdown|roboflow|comet_ml|neptune"
    r"|langchain_google_genai|langchain_google_vertexai|claude_agent_sdk|posthog|resend)\b"
    r"|^[ \t]*from[ \t]+(?:urllib|http|google|Bio)[ \t]+import[ \t]+"
    r"(request|client|genai|Entrez|ExPASy)\b",
    re.MULTILINE,
)
"""Imports of Python libraries that access the network."""
_OF_SERVICES = (
    r"axios|openai|@anthropic-ai/[\w-]+|@aws-sdk/[\w-]+|stripe|@stripe/[\w-]+|googleapis|@google/genai"
    r"|@google-cloud/[\w-]+|@azure/(?!abort|logger|core-|functions)[\w-]+|@supabase/[\w-]+|@slack/[\w-]+|@octokit/[\w-]+|octokit"
    r"|@notionhq/client|twilio|nodemailer|resend|@sendgrid/mail|mongodb|mysql2|pg|ioredis|@upstash/[\w-]+"
    r"|@vercel/(?:blob|kv|edge-config|postgres)|@netlify/functions|@netlify/blobs|firebase(?:/[\w-]+)?"
    r"|firebase-admin(?:/[\w-]+)?|web3|ethers|viem|@solana/web3\.js|@ai-sdk/[\w-]+|@sentry/[\w-]+"
    r"|posthog-js|posthog-node|@elastic/elasticsearch|@pinecone-database/pinecone|discord\.js"
    r"|@linear/sdk|@hubspot/api-client|@shopify/shopify-api|@convex-dev/[\w-]+|@clerk/[\w-]+"
    r"|@neondatabase/serverless|@planetscale/database|@modelcontextprotocol/sdk/client[\w/.-]*"
)
"""Names of JavaScript libraries for services."""
_IMPORTS = r"(?:require\(|from\s|import\()[ \t]*[\"'`]"
SERVICE_SCRIPT = re.compile(rf"\b{_IMPORTS}({_OF_SERVICES})[\"'`]")
"""Imports of JavaScript libraries for services."""
NETWORK_SCRIPT = re.compile(
    r"\b(?=[afghikrsEWX])(?:"  # Nearly all words are skipped at their first letter.
    r"(?:(?<![$.#])|(?<=\bglobalThis\.)|(?<=\bwindow\.))(?<!\basync )(?<!\bfunction )"
    r"(fetch)\s*\((?!(?:[^()]|\([^()]*\)){0,400}\)\s*(?::\s*Promise\b|(?::[^=;{}()]{1,80})?\{))"
    r"|(?<![$.])(axios|got|ky|XMLHttpRequest|WebSocket|EventSource|superagent)\b\s*[.(]"
    rf"|(?<!\.)(https?)\.(?:get|request)\(|{_IMPORTS}(got|ky|node-fetch|undici|ws|puppeteer"
    r"|playwright|cross-fetch|isomorphic-fetch|graphql-request|socket\.io-client"
    rf"|{_OF_SERVICES})[\"'`])"
)
"""Imports of JavaScript libraries that access the network, and built-in functions that do."""
SOCKET = re.compile(
    r"\b(?:create_connection|connect)\(\(\s*(?:[^\s\"']|[\"'](?!localhost|127\.|0\.0))"
)

HTTPX = re.compile(
    r"\bhttpx\.(?:get|post|put|patch|delete|request|stream|head|options)\b"
    r"|\b(?:Async)?Client\((?![^)]{0,300}?(?:\bapp=|[AW]SGITransport|MockTransport|//test\b))"
)
"""A use of httpx that accesses the network; a client of an application in this process does
not.
"""

_CALLED = _words(
    """
    get post put patch delete head options request urlopen urlretrieve Request fetch stream connect
    goto Client AsyncClient OpenAI AsyncOpenAI Anthropic read_csv read_json read_html read_table
    read_excel read_parquet axios got ky WebSocket EventSource create_connection ws_connect download
    retrieve open_url load_dataset from_url ClientSession Session navigate websocket ajax getJSON
    connect_over_cdp open download_file wget download_url sparql SPARQLWrapper Http request_json
    fetch_json get_json api_get api_post send HttpClient client remote read_file SentinelAPI
    Get Post PostForm NewRequest NewRequestWithContext GetAsync PostAsync PutAsync DeleteAsync
    GetStringAsync GetFromJsonAsync PostAsJsonAsync curl_init file_get_contents
    """
)
"""Functions that call the address in their first or second argument."""
_KEYWORD = re.compile(
    r"(?:\w*_)?(?:url|uri|endpoint|base|api|server|host)|base_?url|api_?(?:base|url|endpoint)",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"(?:base|api|endpoint|server|host)(?:_?(?:ur[li]|base|root|endpoint|host))?", re.IGNORECASE
)
_LINK_KEYS = _words("url uri href src link")
_OTHER_NAME = re.compile(
    r"doc|schema|\bns\b|_ns|ns_|nsmap|namespace|xmlns|licen[cs]e|homepage|home_page|help|readme"
    r"|reference|citation|user.?agent|referer|origin|example|message|\bmsg|author|website|source_?url|file_ur[il]"
    r"|link|badge|logo|icon|image|avatar|repo|issue|credit|about|footer|header|description|template"
    r"|test|sample|dummy|placeholder|redirect|callback|scope|html|epilog|usage|prompt|\bid\b|title"
    r"|comment|hint|text|vocab|ontolog|prefix|context|profile|pattern|regex|allowed|cors|whitelist"
    r"|blocklist|expected|canonical|ATOM|RSS_",
    re.IGNORECASE,
)
"""Names of variables and keys whose address is for people, or is an identifier."""
_SHOWN = _words(
    """
    print add_argument info debug warning warn error exception critical log echo ArgumentParser
    write raise ValueError RuntimeError Exception Error SystemExit append_text fail help secho click
    Panel Markdown table add_row assert assertEqual startswith endsWith startsWith endswith replace
    split includes match compile sub search findall strip join set_author set_title setAttribute
    querySelector
    """
)
"""Functions that only show or compare their arguments."""
_JOINS = _words(
    "format join urljoin rstrip URL Path str URI Uri URI.create parse quote in of ( [ {"
) | {""}
"""Functions that an address may pass through before it is assigned."""
_COMPARES = ("==", "!=", "in", "not in", "and", "or")
_KEYWORD_BEFORE = re.compile(r"(\w+)\s*(?::\s*[\w\[\]., |]{1,40})?=\s*\Z")
_HELD = re.compile(
    r"[ \t]*(?:export[ \t]+)?"
    r"(?:(?:const|let|var|static|readonly|private|public|protected)[ \t]+)*"
    r"((?:self\.|this\.|cls\.)?[\w.$]+(?:\[[^\]\n]{0,40}\])?)[ \t]*(?::[^=\n]{1,60})?=(?!=)"
)
"""The start of a statement that assigns a value."""
_LOOPS = re.compile(r"[ \t]*for[ \t]+\(?(?:const[ \t]+|let[ \t]+)?(\w+)[ \t]+(?:in|of)[ \t]+[\[(]")
"""The start of a loop over addresses."""
_RETURNS = re.compile(r"[ \t]*(?:return|yield|await)\b")


def is_shown(function: str) -> bool:
    """Return whether a function only shows or compares its arguments."""
    return function.rpartition(".")[2] in _SHOWN


def starts_statement(line: str) -> bool:
    """Return whether a line begins a loop, or a statement that assigns or returns a value."""
    return any(pattern.match(line) for pattern in (_HELD, _RETURNS, _LOOPS))


def is_called(function: str, before: str, number: int, address: str) -> bool | None:
    """Return whether a function sends a request to an address that it gets as an argument; None if
    unclear.

    `before` is the code directly before the address, and `number` is the index of the argument.
    """
    owner, _, last = function.rpartition(".")
    if last in _SHOWN or owner in ("responses", "respx", "httpretty", "requests_mock"):
        return False
    if function in _JOINS:
        return None
    if keyword := _KEYWORD_BEFORE.search(before):
        name = keyword[1]
        return _KEYWORD.fullmatch(name) is not None and not _OTHER_NAME.search(name)
    if "environ" in function or last == "getenv":
        return None if number else False
    if last in _CALLED:
        return number <= 1
    if is_local(address) and last.isidentifier() and not _OTHER_NAME.search(function):
        return True  # Names of functions differ, but hardly anybody links to this computer.
    return None if last in _JOINS else False


def is_held(statement: str, before: str, key: str) -> bool:
    """Return whether a statement stores or returns an address for a later request.

    `before` is the code directly before the address. `key` is the key of the address if the address
    is a value in an object.
    """
    held = _HELD.match(statement)
    if key and _KEY.fullmatch(key):
        return True
    if key.lower() in _LINK_KEYS or before.strip().endswith(_COMPARES):
        return False
    if loop := _LOOPS.match(statement):
        return not key and not _OTHER_NAME.search(loop[1])
    if held is None:  # A key of what is returned belongs to an answer.
        return not key and _RETURNS.match(statement) is not None
    return not _OTHER_NAME.search(f"{held[1]} {key}")
