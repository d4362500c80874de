"""Finds the hosts, programs and services that a file names, whether or not a step uses them.

`gather` keeps those that no other fact is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from skillbuild.check.facts.found import LONGEST_COMMAND, LONGEST_LINE, Found, one_of, shown, words
from skillbuild.check.facts.hosts import LOCAL, host_name, host_of
from skillbuild.check.facts.known import AMBIGUOUS, PRODUCTS
from skillbuild.check.facts.services import SERVICES
from skillbuild.check.facts.shell import COMMANDS
from skillbuild.check.facts.statements import EVERYDAY, is_program
from skillbuild.check.facts.texts import NAMES_TOOL
from skillbuild.model import RunKind
from skillbuild.text.markdown.document import Document

_MOST, _MOST_TRIED = 500, 20_000


def mentioned(text: str, document: Document | None) -> Iterator[Found]:
    """Yield the hosts and stores of data that a file names, and the programs and services that a
    text names, once each.

    The parsed text is `document` if the file is Markdown.
    """
    seen = {LOCAL}
    yield from _each(_ADDRESS, _host_after, text, seen)
    yield from _each(_ADDRESS, _store_of, text, seen)
    if document is not None:
        yield from _each(_TOP, _host_before, text, seen)
        yield from _each(_PROGRAM, _program_in, text, seen)
        for sign, pattern in _PRODUCTS.items():
            if sign in text:
                yield from _each(pattern, _product_in, text, seen)


def _each(
    pattern: re.Pattern[str],
    read: Callable[[re.Match[str]], Found | None],
    text: str,
    seen: set[str],
) -> Iterator[Found]:
    """Yield what `read` returns for the matches of a pattern, with the line, unless its name is in
    `seen`. The name is added to `seen`.
    """
    count = 0
    for match in islice(pattern.finditer(text), _MOST_TRIED):
        found = read(match)
        name = (found.host or found.words).lower() if found else ""
        if found and name not in seen:
            seen.add(name)
            count += 1
            yield found._replace(line=1 + text.count("\n", 0, match.start()))
        if count == _MOST:
            return


def _name(words: str, command: str, host: str = "") -> Found:
    """Return a fact about a name, without its line."""
    return Found(RunKind.NAMES, words, 0, shown(command), host)


# Hosts and stores of data.


_ADDRESS = re.compile("://")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9]{1,11})(?:\+[a-z0-9]{1,10})?\Z")
_AFTER_SCHEME = re.compile(r"[^\s\"'`<>)\]|\\]{0,300}")
_LONGEST_SCHEME, _LONGEST_HOST = 23, 80
_IDENTIFIERS = re.compile(
    r"(?:www\.)?w3\.org|schema\.org|json-schema\.org|purl\.org|(?:[\w-]+\.)?openxmlformats\.org"
    r"|schemas\.(?:microsoft|android|xmlsoap)\.\w+"
)
"""Hosts in the identifiers of formats."""
_SERVERS: Mapping[str, str] = {
    **dict.fromkeys(["postgres", "postgresql"], "PostgreSQL"),
    "mysql": "MySQL",
    "mongodb": "MongoDB",
    **dict.fromkeys(["redis", "rediss"], "Redis"),
    "mssql": "SQL Server",
    "clickhouse": "ClickHouse",
}
"""The databases that addresses with these schemes belong to; a host follows the scheme."""
_STORES: Mapping[str, str] = {
    **_SERVERS,
    **dict.fromkeys(["s3", "s3a"], "Amazon S3"),
    **dict.fromkeys(["gs", "gcs"], "Cloud Storage"),
    **dict.fromkeys(["az", "abfs", "abfss", "wasb", "wasbs"], "Azure Blob Storage"),
    "hf": "Hugging Face",
}
"""The services and databases that addresses with these schemes belong to."""
_TOP = re.compile(
    r"\.(?:(?:com|org|gov|edu|dev|net)(?=[/\s),;:`'\"\]]|\.?(?:\s|\Z))|(?:io|ai|co|cloud)(?=/[a-z]))"
)
_LABELS = re.compile(
    r"(?<![\w@./:+%-])(?<!apiVersion: )(?!(?:com|org|net|io|dev|app|ai|gov|asp|vb|ado)\b)"
    r"[a-z0-9-]+(?:\.[a-z0-9-]+){0,3}\Z"
)
"""The end of a host without a scheme in a sentence, and the rest of it."""
_IS_FIELD = re.compile(
    r"(?!(?:docker|gcr|ghcr|nvcr|quay)\.io\Z|.*\.(?:github|readthedocs)\.io\Z).*\.io"
    r"|[\w-]+\.(?:ai|co|cloud)"
)
"""A name that is more often a field of a variable, or a key of Kubernetes."""
_RESOURCE, _OF_PROCESSORS = re.compile(r"/gpu\b"), ("nvidia.com", "amd.com")
"""The names of processors that a container in Kubernetes asks for, as in `nvidia.com/gpu`."""


def _host_after(mark: re.Match[str]) -> Found | None:
    """Return the host of an address; None if it is the identifier of a format."""
    text, at = mark.string, mark.start()
    scheme = _SCHEME.search(text, max(0, at - _LONGEST_SCHEME), at)
    if scheme is None:
        return None
    start = "https" if scheme[1] in _SERVERS else scheme[0]
    host = host_of(f"{start}{text[at : at + _LONGEST_HOST]}")
    if not host or _IDENTIFIERS.fullmatch(host):
        return None
    return _name("", _rest_of(mark), host)


def _store_of(mark: re.Match[str]) -> Found | None:
    """Return the store of data that an address belongs to."""
    text, at = mark.string, mark.start()
    scheme = _SCHEME.search(text, max(0, at - _LONGEST_SCHEME), at)
    store = _STORES.get(scheme[1]) if scheme else None
    return _name(store, _around(mark)) if store else None


def _rest_of(mark: re.Match[str]) -> str:
    """Return an address without its scheme."""
    rest = _AFTER_SCHEME.match(mark.string, mark.end())
    return rest[0] if rest else ""


def _host_before(top: re.Match[str]) -> Found | None:
    """Return the host whose last label was found; None if it belongs to an address or a name."""
    before = top.string[max(0, top.start() - _LONGEST_HOST) : top.start()]
    labels = _LABELS.search(before)
    host = host_name(f"{labels[0]}{top[0]}") if labels else ""
    is_resource = _RESOURCE.match(top.string, top.end()) is not None and host in _OF_PROCESSORS
    if not host or is_resource or _IS_FIELD.fullmatch(host) or _IDENTIFIERS.fullmatch(host):
        return None
    return _name("", host, host)


# Programs.


_DULL = words(
    """
    awk bat cat cp curl df diff du egrep fgrep find gawk grep less ln locate ls mv open realpath
    readlink rg sed stat strings tar test tree uname
    """
)
"""Programs that most texts name."""
_WITH_OPERAND = (COMMANDS | SERVICES | EVERYDAY) - _DULL
"""Programs whose names may have other meanings, unless an operand follows."""
_NAMED_ALONE = (
    NAMES_TOOL
    | SERVICES
    | words(
        """
        actionlint afplay agent-browser alembic ansible-lint apktool bazel bcftools bedtools biber
        bibtex blastn blastp blastx bowtie2 buildah bwa certbot checkbashisms cliclick conda cosign
        ctest cursor-agent cutadapt dbt depcruise dev-browser difft dnf dotnet dsymutil duckdb
        dwarfdump fasterq-dump fastlane fastp fastqc ffuf fzf gatk ghostscript gnuplot gobuster
        gofmt gosec grpcurl gunicorn hashcat hyperfine infracost inkscape iqtree jmeter journalctl
        jupyter jupytext k3d k9s kallisto keytool kubeconform kubeseal kubeval kustomize latexmk
        libreoffice llvm-dwarfdump lualatex mafft magick mamba mergekit micromamba minikube minimap2
        mkdocs mmdc mongodump mongorestore msbuild multiqc mysqldump nerdctl nmap nsys nuget nvcc
        nvidia-smi objdump ollama opencode pa11y papermill pbcopy pbpaste pdfinfo pdflatex pdftotext
        pg_dump pg_restore pgbench pgrep pipenv pipx plantuml playwright playwright-cli plink2 prek
        protoc puppeteer qpdf quarto raxml rclone readelf restic samtools screencapture shfmt
        skaffold skopeo snakemake soffice sphinx-build sqlmap ssh-keygen staticcheck strace syft
        systemctl tcpdump terragrunt terrascan textutil torchrun trufflehog uvicorn vcftools vcpkg
        vllm weasyprint wkhtmltopdf wrk xclip xdg-open xelatex zipalign zizmor
        """
    )
)
"""Programs that a code span with only their name means."""
_PROGRAM = re.compile(
    r"`(?<!``)\$?[ ]?(?:(?:bundle[ ]exec|npx|uvx|(?:uv|poetry)[ ]run)[ ]|(?:\./)?vendor/bin/)?(?:"
    rf"(?P<program>{one_of(_WITH_OPERAND)})[ ](?!\d|with\b|and\b|or\b)[^`\n]{{1,300}}"
    r"|(?P<option>(?!with |via |the )[a-z][a-z0-9]+(?:[-_][a-z0-9]+)*)"
    r"(?:[ ][\w./<>-]{1,40}){0,3}?[ ]--?[a-z][^`\n]{0,300}"
    rf"|(?P<tool>{one_of(_NAMED_ALONE)})"
    r"|(?P<called>[a-z][a-z0-9-]{2,30})(?=`[ ](?:CLI\b(?![ ](?:sub)?commands?\b)"
    r"|(?:library|plugin|SDK|gem|crate)\b))"
    r"|(?:[^\s`/]{1,40}/){0,5}(?:scripts/(?P<script>[a-z][\w-]+\.py)"
    r"|(?P<file>[a-z][\w-]+\.(?:sh|(?:py|pl|R|jl)(?=[ ]))|[a-z][a-z0-9]*[_-][\w-]+\.py))"
    r"(?:[ ][^`\n]{0,300})?"
    r")`(?!`)"
)
"""A code span with a command, with the name of a tool or script, or with a name before `CLI`,
`library`, `plugin` or the like.
"""
_IS_RUN = re.compile(r"\b(?i:run|runs|running|use|uses|using|via|with|through|execute)(?: the)? \Z")
"""Words before a Python file that make it a program."""
_LONGEST_WORDS = 20
_VERBS = words("add build create delete deploy down get init list pull push run show update up")
"""Words that are subcommands of many programs, and no programs."""


def _program_in(match: re.Match[str]) -> Found | None:
    """Return the program in a match; None if the match begins at the end of a span, is an ordinary
    word, or is a Python file that nothing says to run.
    """
    kind, text, at = match.lastgroup or "", match.string, match.start()
    start = max(text.rfind("\n", 0, at) + 1, at - LONGEST_LINE)
    ends_span = text.count("`", start, at) % 2 == 1
    is_word = kind == "option" and (match[kind] in _VERBS or not is_program(match[kind]))
    is_file = kind == "file" and match[0].endswith(".py`") and "scripts/" not in match[0]
    if is_file and not _IS_RUN.search(text, max(start, at - _LONGEST_WORDS), at):
        return None
    return None if ends_span or is_word else _name(match[kind], match[0].strip("`"))


# Services and other products.


_SPELLED: Mapping[str, str] = {
    "Postgres": "PostgreSQL",
    "SLURM": "Slurm",
    "FluentD": "Fluentd",
    "ArgoCD": "Argo CD",
    "Colab": "Google Colab",
    "CrossRef": "Crossref",
    "wandb": "Weights & Biases",
    "\u5fae\u4fe1": "WeChat",
    "\u5fae\u535a": "Weibo",
    "\u77e5\u4e4e": "Zhihu",
    "\u5c0f\u7ea2\u4e66": "Xiaohongshu",
    "B\u7ad9": "Bilibili",
    "\u6296\u97f3": "Douyin",
    "\u6dd8\u5b9d": "Taobao",
    "\u98de\u4e66": "Feishu",
    "\u9489\u9489": "DingTalk",
    "\u5929\u773c\u67e5": "Tianyancha",
}
"""Other spellings of some names."""
_NOT_WITHIN = r"[\w.@&-]"
"""A character before a name that makes it a part of another name or of an address."""
_HAS = (
    r"(?=[`*\]]* (?:REST |GraphQL |Web )?(?:API|MCP|accounts?\b|connector|webhook|workspace"
    r"|tokens?\b|tickets?\b|issues?\b|app\b|integration|meetings?\b|recordings?\b))"
)
"""Something that a service has; it must follow an ambiguous name."""
_CAPITAL = re.compile("[a-z]*[A-Z0-9]")
"""The start of a name, up to its first capital letter or digit."""


def _product(start: str, names: Iterable[str]) -> str:
    """Return a pattern for names that begin with `start`: small letters, if any, and one capital
    letter or digit, such as `arX` of `arXiv`. The longest name is found.

    A match begins at that last character, which makes searches fast; `_product_in` adds the letters
    before it.
    """
    rests = (
        re.escape(name.removeprefix(start)) + (_HAS if name in AMBIGUOUS else r"(?!\.\w)")
        for name in sorted(names, key=len, reverse=True)
    )
    end = "(?![a-z0-9_-]|[A-Z]{2})"
    return rf"{start[-1]}(?<={start})(?<!{_NOT_WITHIN}{start})(?:{'|'.join(rests)}){end}"


def _products() -> Mapping[str, re.Pattern[str]]:
    """Return the patterns for all products, and for each a text that must occur.

    The text is empty for the one pattern of all names with a capital letter or digit.
    """
    by_start: dict[str, list[str]] = {}
    patterns: dict[str, str] = {}
    for name in sorted(PRODUCTS | _SPELLED.keys()):
        if not name.isascii():
            patterns[name] = re.escape(name)
        elif start := _CAPITAL.match(name):
            by_start.setdefault(start[0], []).append(name)
        else:
            patterns[name] = rf"(?<!{_NOT_WITHIN}){re.escape(name)}(?![\w-])"
    patterns[""] = "|".join(_product(start, names) for start, names in by_start.items())
    return {sign: re.compile(pattern) for sign, pattern in patterns.items()}


_PRODUCTS = _products()
_BEFORE_CAPITAL = re.compile(r"[a-z]{0,6}\Z")
_LISTED = re.compile(
    r"(?:^|[^\w./~:@-])[A-Z\u3000-\u9fff][\w+-]*(?:/[A-Z\u3000-\u9fff][\w+-]*)*/\Z"
)
"""Names with slashes between them, before one more, as in `GitHub/GitLab/`."""
_LONGEST_LIST, _LONGEST_START = 100, 6


def _product_in(match: re.Match[str]) -> Found | None:
    """Return the usual name of a product; None if the match is a part of a path."""
    text, at, name = match.string, match.start(), match[0]
    if name not in PRODUCTS and (
        before := _BEFORE_CAPITAL.search(text, max(0, at - _LONGEST_START), at)
    ):
        at, name = before.start(), f"{before[0]}{name}"
    if text[at - 1 : at] == "/" and not _LISTED.search(text[max(0, at - _LONGEST_LIST) : at]):
        return None
    return _name(_SPELLED.get(name, name), _around(match))


def _around(match: re.Match[str]) -> str:
    """Return the line that a match is on, or the part of a long line that is near it."""
    text, at = match.string, match.start()
    start = max(text.rfind("\n", 0, at) + 1, at - LONGEST_COMMAND // 2)
    end = text.find("\n", at, start + LONGEST_COMMAND)
    return text[start : end if end >= 0 else start + LONGEST_COMMAND]
