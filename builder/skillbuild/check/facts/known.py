"""Lists services and programs by the names that texts use, and recognizes services by their keys,
client libraries and tools.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from skillbuild.check.facts.found import words

_TOOLS = """
AWS: aws sam cdk eksctl
Google Cloud: gcloud gsutil bq cbt
Azure: az azd
GitHub: gh
GitLab: glab
Firebase: firebase flutterfire
Expo: eas
Vercel: vercel
Netlify: netlify
Cloudflare: wrangler
Heroku: heroku
Fly.io: fly flyctl
Railway: railway
Stripe: stripe
Supabase: supabase
DigitalOcean: doctl
Oracle Cloud: oci
IBM Cloud: ibmcloud
Databricks: databricks
Snowflake: snow snowsql
Lark: lark-cli
Twilio: twilio
Sentry: sentry-cli
Hugging Face: hf huggingface-cli
Weights & Biases: wandb
NVIDIA Brev: brev
NVIDIA NGC: ngc
Kaggle: kaggle
Modal: modal
Salesforce: sf sfdx
Shopify: shopify
Google Apps Script: clasp
Snyk: snyk
ngrok: ngrok
Convex: convex
Neon: neonctl
PyPI: twine
the npm registry: npm pnpm
Anthropic: claude
OpenAI: codex
"""
"""The services whose tools store the user's login."""
_NAMES = """
Gemini, Mistral, Cohere, Groq, Perplexity, OpenRouter, Replicate, Together AI, Fireworks AI,
DeepSeek, DeepL, ElevenLabs, AssemblyAI, Deepgram, MiniMax, Moonshot, Zhipu, xAI, Stability AI,
Runway, fal.ai, Luma AI, Midjourney, Ideogram, Vertex AI, Amazon Bedrock, Bedrock, Azure OpenAI,
Cerebras, Voyage AI, Jina, NVIDIA NIM, LangSmith, Langfuse, Braintrust, Ollama Cloud, Pinecone,
Weaviate Cloud, Qdrant Cloud, Zilliz, Tavily, Exa, SerpAPI, Serper, Firecrawl, Brave Search,
Browserbase, Apify, Bright Data, ScrapingBee, Diffbot, Google Search, Bing, DuckDuckGo, Kagi, Slack,
Discord, Telegram, WhatsApp, Microsoft Teams, Zoom, Google Meet, Webex, Mattermost, Gmail, Outlook,
SendGrid, Mailgun, Mailchimp, Postmark, Resend, Amazon SES, Klaviyo, Brevo, Customer.io, Braze,
Intercom, Zendesk, Freshdesk, Front, Drift, Plivo, Vonage, Notion, Confluence, Jira, Linear, Asana,
Trello, ClickUp, Monday.com, Airtable, Basecamp, Todoist, Coda, Evernote, Obsidian Sync, Miro,
Figma, Canva, Lucidchart, Webflow, Zeplin, Google Drive, Google Docs, Google Sheets, Google Slides,
Google Calendar, Google Workspace, Google Forms, Google Chat, Google Maps, Google Fonts,
Google Analytics, Google Ads, Search Console, Google Play, Play Console, App Store Connect,
TestFlight, YouTube, BigQuery, Cloud Storage, Firestore, Google Scholar, Google Patents, Dropbox,
OneDrive, SharePoint, iCloud, Microsoft Graph, Office 365, Microsoft 365, Power BI, Dynamics 365,
Azure DevOps, Entra ID, Microsoft Foundry, Copilot Studio, Bitbucket, Gitea, CircleCI, Jenkins,
Buildkite, Travis CI, GitHub Actions, Codecov, SonarCloud, SonarQube, Semgrep, LaunchDarkly,
Split.io, Statsig, Amplitude, Mixpanel, PostHog, Segment, Heap, Hotjar, Datadog, New Relic,
Grafana Cloud, Grafana, Splunk, PagerDuty, Opsgenie, Honeycomb, Dynatrace, Logz.io, Sumo Logic,
Better Stack, Rollbar, Bugsnag, Crashlytics, Elastic Cloud, Elasticsearch, Kibana, OpenSearch,
Algolia, ServiceNow, Workday, SAP, Oracle, NetSuite, HubSpot, Pipedrive, Zoho, Attio, Marketo,
Pardot, Apollo.io, Clearbit, ZoomInfo, Crunchbase, PitchBook, LinkedIn, Twitter, Facebook,
Instagram, TikTok, Reddit, Pinterest, Threads, Bluesky, Mastodon, Medium, Substack, Ghost,
WordPress, WordPress.com, Hashnode, Product Hunt, Hacker News, Buffer, Hootsuite, Meta Ads,
LinkedIn Ads, Ahrefs, Semrush, Moz, DataForSEO, Similarweb, PayPal, Square, Adyen, Braintree, Plaid,
QuickBooks, Xero, Wise, Coinbase, Binance, Alpaca, Brex, Ramp, RevenueCat, Chargebee, Recurly,
Paddle, Lemon Squeezy, BigCommerce, WooCommerce, Magento, Etsy, eBay, Amazon Seller, Morningstar,
FactSet, Bloomberg, Refinitiv, Daloopa, Moody's, Alpha Vantage, Polygon.io, Yahoo Finance, EDGAR,
FRED, S&P Global, Etherscan, Infura, Alchemy, Moralis, QuickNode, OpenSea, CoinGecko, MongoDB Atlas,
PlanetScale, Upstash, Redis Cloud, CockroachDB, Turso, Fauna, Hasura, Prisma Cloud,
ClickHouse Cloud, MotherDuck, Amazon S3, DynamoDB, CloudWatch, Lambda, SageMaker, Cloud Run,
Cloud Build, Cloud SQL, GKE, EKS, Azure Blob Storage, HCP Terraform, Terraform Cloud,
Terraform Registry, HashiCorp Vault, HCP Packer, Pulumi Cloud, Spacelift, Render, Hetzner, Linode,
Vultr, OVH, Scaleway, RunPod, Lambda Labs, CoreWeave, Vast.ai, E2B, Daytona, Replit, CodeSandbox,
StackBlitz, Lovable, Okta, Auth0, Clerk, WorkOS, Keycloak, OneLogin, 1Password, Bitwarden, Doppler,
Infisical, Zapier, Make.com, n8n, IFTTT, Pipedream, Workato, Tray.io, Composio, Typeform,
SurveyMonkey, Calendly, Cal.com, DocuSign, HelloSign, Box, Egnyte, Loom, Vimeo, Mux, Cloudinary,
Unsplash, Pexels, Pixabay, Giphy, Iconify, Spotify, SoundCloud, Twitch, OpenStreetMap, Mapbox,
HERE Maps, OpenWeather, OpenWeatherMap, Yelp, Google Places, Uber, Amadeus, Skyscanner, PubMed,
NCBI, UniProt, Ensembl, ChEMBL, PubChem, KEGG, Reactome, STRING, ClinicalTrials.gov, openFDA,
ClinVar, gnomAD, GEO, arXiv, bioRxiv, medRxiv, Semantic Scholar, OpenAlex, Crossref, Unpaywall,
ORCID, Zenodo, Figshare, Zotero, Mendeley, Scopus, Web of Science, RCSB PDB, AlphaFold DB,
Open Targets, COSMIC, cBioPortal, CELLxGENE, Benchling, DNAnexus, LatchBio, Protocols.io,
LabArchives, OMERO, Opentrons, Ginkgo, Seqera Platform, Galaxy, Wikidata, Wikipedia, DBpedia,
NASA ADS, USPTO, SEC EDGAR, World Bank, Eurostat, Data Commons, CourtListener, Westlaw, LexisNexis,
Docker Hub, Artifactory, Quay.io, GitHub Packages, Context7, Greptile, CodeRabbit, Sourcegraph,
Fireflies, Otter.ai, Gong, Granola, Fathom, Greenhouse, Lever, Ashby, BambooHR, Gusto, Rippling,
Deel, Lattice, Feishu, DingTalk, WeChat, Weibo, Zhihu, Xiaohongshu, Bilibili, Douyin, Taobao,
Alibaba Cloud, Tencent Cloud, Baidu, Tianyancha, LINE, KakaoTalk, Naver, Yandex, VK, Postman, Percy,
Chromatic, Contentful, Sanity, Apollo, Hunter.io, Gumroad, Beehiiv, Trustpilot, Infracost,
NotebookLM, Google Translate, Google Trends, Google Photos, Google Lens, Google Colab, G2, Capterra,
AlternativeTo, SaaSHub, BetaList, Indie Hackers, Dev.to, PhantomBuster, Clay, Lemlist, Outreach.io,
Salesloft, Wappalyzer, BuiltWith, SpyFu, SparkToro, AnswerThePublic, TrustRadius, Buttondown,
Patreon, Kickstarter, ChatGPT, GitHub Copilot, PageSpeed Insights, Strapi
"""
"""The names of other services, as texts write them."""
_OTHER_KEYS = """
GH: GitHub
HF: Hugging Face
HUGGINGFACE: Hugging Face
HUGGING_FACE: Hugging Face
WANDB: Weights & Biases
CLAUDE: Anthropic
GOOGLE_APPLICATION: Google Cloud
GCP: Google Cloud
CF: Cloudflare
TFC: HCP Terraform
TFE: HCP Terraform
TF_API: HCP Terraform
DD: Datadog
FAL: fal.ai
XAI: xAI
NGC: NVIDIA NGC
NVIDIA: NVIDIA
BRAVE: Brave Search
POLYGON: Polygon.io
MONDAY: Monday.com
NPM: the npm registry
TWINE: PyPI
FIGMA: Figma
OTEL_EXPORTER_OTLP: your telemetry service
DATABASE: your database
DB: your database
POSTGRES: your database
MYSQL: your database
ARTIFACTORY: Artifactory
TOWER: Seqera Platform
NOTION: Notion
S2: Semantic Scholar
NASA: NASA
BOTO3: AWS
BOTOCORE: AWS
COMET_ML: Comet
MORALIS: Moralis
ATLASSIAN: Atlassian
CONFLUENT: Confluent Cloud
"""
"""The prefixes of key names, and names of libraries, for services with another name."""


def _lines(text: str) -> Mapping[str, str]:
    """Return the two parts of each line."""
    return dict(line.split(": ", 1) for line in text.strip().split("\n"))


_PROGRAMS = """
PostgreSQL, MySQL, MariaDB, MongoDB, Redis, Valkey, Memcached, SQLite, DuckDB, ClickHouse,
Cassandra, ScyllaDB, InfluxDB, TimescaleDB, Neo4j, SQL Server, Milvus, Qdrant, Weaviate, ChromaDB,
pgvector, Kafka, RabbitMQ, NATS, Prometheus, Alertmanager, Loki, Jaeger, Zipkin, OpenTelemetry,
Fluentd, Fluent Bit, Logstash, Filebeat, Kubernetes, Docker Compose, Docker, Podman, Istio, Envoy,
Traefik, Nginx, Argo CD, Flux CD, Helm, Terraform, OpenTofu, Terragrunt, Ansible, Pulumi, Vagrant,
Slurm, Snakemake, Nextflow, Airflow, Dagster, Celery, Apache Spark, PySpark, Flink, Hadoop, Trino,
MLflow, TensorBoard, Kubeflow, KServe, Triton, TensorRT, vLLM, SGLang, Ollama, LM Studio, llama.cpp,
ComfyUI, Stable Diffusion, Playwright, Puppeteer, Selenium, Cypress, WebdriverIO, Appium, Detox,
Maestro, Lighthouse, Chrome DevTools, React DevTools, Flipper, Storybook, Burp Suite, ZAP,
Wireshark, Metasploit, Nmap, Nuclei, Ghidra, IDA Pro, Binary Ninja, Frida, AFL++, libFuzzer, CodeQL,
Trivy, Dependabot, Renovate, Gitleaks, TruffleHog, OSV-Scanner, Checkov, Xcode, Android Studio,
Gradle, Maven, CocoaPods, Fastlane, Homebrew, Chocolatey, LibreOffice, OpenOffice, PowerPoint,
Microsoft Word, Microsoft Excel, InDesign, Photoshop, After Effects, Premiere Pro, DaVinci Resolve,
Blender, Unreal Engine, AutoCAD, SolidWorks, FreeCAD, OpenSCAD, Omniverse, Isaac Sim, FFmpeg,
ImageMagick, Inkscape, Graphviz, PlantUML, Pandoc, TeX Live, Tesseract, MATLAB, RStudio, JupyterLab,
Jupyter, Tableau, Looker, Metabase, Superset, Obsidian, Logseq, Raycast, AppleScript, Drupal,
Nextcloud, ImageJ, QuPath, PyMOL, ChimeraX, Cytoscape, IGV, BLAST, GATK, SAMtools, Bioconductor,
Cell Ranger, MultiQC, AlphaFold, AutoDock, GROMACS, OpenMM, Codex CLI, Gemini CLI, OpenCode,
Copilot CLI, Cursor CLI, Screaming Frog, Linkerd, Kiali
"""
"""The names of programs, as texts write them."""
_TOOLS_OF_AGENTS = "WebSearch, WebFetch, CronCreate, ScheduleWakeup, Claude in Chrome"
"""Tools of agents that reach the web, drive a browser, or run the agent again later."""


def _listed(names: str) -> frozenset[str]:
    """Return the names in a list that is separated by commas."""
    return frozenset(re.split(r",\s+", names.strip()))


AMBIGUOUS = words(
    """
    Alchemy Alpaca Amplitude Apollo Box Braze Buffer Chromatic Clay Clerk Coda Convex DeepSeek Detox
    Doppler Drift Exa Fathom Fauna Front Galaxy GEO Ghost Ginkgo Gong Granola Greenhouse Heap
    Honeycomb Ideogram Lambda Lattice Lever LINE Linear Loom Lovable Maestro Medium Mistral Modal
    Mux Neon Nuclei Oracle Outlook Paddle Percy Perplexity Railway Ramp Raycast Render Renovate
    Replicate Resend Rippling Runway Sanity Segment Square STRING Superset Threads Wise Workday ZAP
    Zoom
    """
)
"""Names that are also common words, or names of models. They count only before something that a
service has.
"""

BY_TOOL = {tools: service for service, tools in _lines(_TOOLS).items()}
"""The service that each tool contacts with the login that it keeps for the user."""
NAMES = _listed(_NAMES).union(BY_TOOL.values())
"""The names of all services."""
PRODUCTS = frozenset(name for name in NAMES if not name.startswith("the ")).union(
    _listed(_PROGRAMS), _listed(_TOOLS_OF_AGENTS)
)
"""The names of services, programs and tools that a text may contain as given here."""


def _by_key() -> Mapping[str, str]:
    keys = {re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_"): name for name in sorted(NAMES)}
    short = {key.replace("_", ""): name for key, name in keys.items()}
    return {**short, **keys, **_lines(_OTHER_KEYS)}


# Names that begin with RENDER are often of programs that draw, not of the host Render.
_BY_KEY = {key: service for key, service in _by_key().items() if key != "RENDER"}


def service_of(key: str) -> str:
    """Return the service whose key is in a variable such as `OPENAI_API_KEY`; empty if unknown."""
    parts = key.split("_")
    starts = ("_".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
    return next((_BY_KEY[start] for start in starts if start in _BY_KEY), "")


def service_of_library(name: str) -> str:
    """Return the service in the name of a client library such as `@slack/web-api`; empty if no
    known service is named.
    """
    # This is where a library of Go is, and a client of servers of the user's own.
    if name.startswith(("github.com/", "confluent_kafka")):
        return ""
    own = name.lower().removeprefix("langchain_").removeprefix("@ai-sdk/")
    return service_of(re.sub(r"[^A-Z0-9]+", "_", f"{own}_key".upper()).strip("_"))


OF_SERVICE = "the service "
"""The start of the words of a fact about a service that a skill uses."""


def as_helper(service: str) -> str:
    """Return the words that a fact uses for a service: `the service Slack` for `Slack`.

    A name that begins with `a`, `the` or `your` is returned unchanged.
    """
    return service if service.startswith(("a ", "the ", "your ")) else f"{OF_SERVICE}{service}"


def squeezed(name: str) -> str:
    """Return only the letters and digits of a name, in lower case.

    In this form, the name of a service can be found in hosts and phrases.
    """
    return re.sub(r"[^a-z0-9]+", "", name.lower())
