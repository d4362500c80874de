"""Finds the facts about programs in other languages, such as Ruby and R.

Python, JavaScript and shell scripts have modules of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbuild.check.facts.blocks import packages_of_r
from skillbuild.check.facts.found import LONGEST_LINE, Found, shown
from skillbuild.check.facts.hosts import host_of
from skillbuild.check.facts.shell import commands_in
from skillbuild.check.facts.statements import CREDENTIALS
from skillbuild.model import RunKind

_CALLS = re.compile(
    r"Net::HTTP|\bURI\b|HTTParty|Faraday|RestClient|LWP|HTTP::Tiny|->(?:get|post|request)\b|curl_"
    r"|file_get_contents|fopen|\bopen\(|download|\burl\(|read[._]\w+\(|fread\(|source\(|request|\bGET\("
    r"|\bPOST\(|\bHTTP\.|fromJSON\("
)
"""Calls whose argument is an address on the same line."""
_NETWORK = re.compile(
    r"require [\"'](net/http|open-uri|socket|httparty|faraday|rest-client)[\"']"
    r"|\b(Net::HTTP|LWP::\w+|HTTP::Tiny|IO::Socket|curl_init|GuzzleHttp|fsockopen)\b"
    r"|\b(?:library|require)\([\"']?(httr2?|RCurl|curl|biomaRt|rentrez|GEOquery|AnnotationHub"
    r"|TCGAbiolinks|KEGGREST|STRINGdb)\b"
)
_STARTS = re.compile(
    r"\b(?:system2?|exec|shell_exec|passthru|popen)\s*\(?\s*([\"'`])([^\n]{1,400}?)\1"
)
_SHOWS = re.compile(
    r"\s*(?:#|//|--|\*|(?:puts|print|printf|say|echo|cat|message|stop|warning|die|abort)\b)"
)
_ADDRESS = re.compile(r"https?://[^\s\"'`<>)]+")
_NO_CALL = re.compile(r"w3\.org|schema|purl\.org|/LICENSE|licenses?/")
_MOST = 200


def other_program(text: str) -> Iterator[Found]:
    """Yield the facts about a program: hosts that it calls, commands that it starts, packages that
    it installs, credentials that it reads.
    """
    yield from packages_of_r(text, 1)
    if network := _NETWORK.search(text):
        number = 1 + text.count("\n", 0, network.start())
        name = network[network.lastindex or 0]
        yield Found(RunKind.REACHES, f"the network ({name})", number, shown(network[0]))
    count = 0
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole[:LONGEST_LINE]
        if _SHOWS.match(line) or count > _MOST:
            continue
        for item in _of_line(line, number):
            count += 1
            yield item


def _of_line(line: str, number: int) -> Iterator[Found]:
    if "://" in line and _CALLS.search(line):
        for match in _ADDRESS.finditer(line):
            host = "" if _NO_CALL.search(match[0]) else host_of(match[0])
            if host:
                yield Found(RunKind.REACHES, "", number, shown(line), host)
    if ("." in line or "/etc" in line) and CREDENTIALS.search(line):
        yield Found(RunKind.CREDENTIALS, "", number, shown(line))
    if started := _STARTS.search(line):
        yield from commands_in(started[2], number, names_programs=True)
