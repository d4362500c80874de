"""Finds the libraries that code imports, except standard libraries and the user's own modules."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

from skillbuild.check.facts.addresses import NETWORK_PYTHON, SERVICE_SCRIPT
from skillbuild.check.facts.found import Found, shown
from skillbuild.check.facts.found import words as _words
from skillbuild.model import RunKind

_OF_PYTHON = sys.stdlib_module_names | _words(
    """
    aifc annotationlib asynchat asyncore audioop cgi cgitb chunk compression concurrent crypt
    distutils imghdr imp lib2to3 mailcap msilib nis nntplib ossaudiodev pipes sndhdr spwd smtpd
    string sunau telnetlib uu xdrlib
    """
)
"""Modules of any version of Python, so that all versions find the same libraries."""
_OF_NODE = _words(
    """
    assert async_hooks buffer child_process cluster console constants crypto dgram
    diagnostics_channel dns domain events fs http http2 https inspector module net os path
    perf_hooks process punycode querystring readline repl stream string_decoder sys test timers tls
    tty url util v8 vm wasi worker_threads zlib
    """
)
_OF_R = _words(
    """
    base compiler datasets graphics grDevices grid methods parallel splines stats stats4 tcltk tools
    utils package pkg packagename
    """
)
_OF_RUST = _words("std core alloc crate self super proc_macro test")
_OF_APPLE = _words(
    """
    Accelerate Accessibility ActivityKit AdServices AppIntents AppKit ARKit AVFoundation AVKit
    AuthenticationServices BackgroundTasks CallKit Charts CloudKit Cocoa Combine Compression
    Contacts CoreBluetooth CoreData CoreFoundation CoreGraphics CoreHaptics CoreImage CoreLocation
    CoreML CoreMedia CoreMotion CoreNFC CoreSpotlight CoreText CoreTelephony CoreTransferable
    CoreVideo CryptoKit Darwin DeveloperToolsSupport DeviceCheck Dispatch EventKit FamilyControls
    Foundation FoundationModels GameKit GameplayKit Glibc GroupActivities HealthKit HomeKit ImageIO
    Intents LocalAuthentication MapKit MediaPlayer MessageUI Messages Metal MetalKit MetricKit
    MultipeerConnectivity MusicKit NaturalLanguage NearbyInteraction Network NetworkExtension
    Observation OSLog PDFKit PackageDescription PassKit PencilKit Photos PhotosUI PlaygroundSupport
    QuartzCore QuickLook RealityKit RegexBuilder SafariServices SceneKit Security Speech SpriteKit
    StoreKit Swift SwiftData SwiftUI Symbols Synchronization Testing TipKit UIKit
    UniformTypeIdentifiers UserNotifications Vision VisionKit WatchConnectivity WatchKit WeatherKit
    WebKit WidgetKit WorkoutKit XCTest XPC os simd
    """
)
"""Frameworks of the systems of Apple, and of Swift."""
_OF_FLUTTER = _words("flutter flutter_gen flutter_localizations flutter_test integration_test")
_OWN = re.compile(
    r"(?:app|apps|src|lib|libs|core|configs?|settings|utils?|helpers?|models?|main|tests?|conftest"
    r"|common|scripts?|schemas?|database|db|api|routes?|routers?|services?|components?|hooks?|types?"
    r"|constants|exceptions|errors|modules?|packages?|project|examples?|base|cli|client|server"
    r"|tools?|data|plugins?|pipelines?|shared|features?|domain|pages|screens|styles|assets|store"
    r"|stores|ui|views?|contexts?|repositories|repository|entities|dto|internal|generated|repo"
    r"|workspace|company|org|scope|acme|contoso|module-name|package-name|library|pkg|a|b|x|y|foo|bar"
    r"|(?:my|your|our|some|example|sample|test|other|acme|contoso)[-_.]?(?:org|app|module|package"
    r"|project|lib|library|company|server|plugin|crate|module)?s?|(?:my|your|our|some|example|sample"
    r"|test|local|acme|contoso)[-_]\S*|.*_?(?:pb2|pb2_grpc)|.*\bgenerated|(?:my|your)pkg"
    r"|(?-i:(?:My|Your)[A-Z]\w*))",
    re.IGNORECASE,
)
"""Names of modules that users write themselves, and placeholders."""
_VENDORS = _words(
    "com.google com.microsoft com.amazon com.facebook com.android org.apache io.flutter"
)
"""Owners of many libraries of Java."""
_FORGES = _words("github.com gitlab.com bitbucket.org golang.org go.uber.org")


def _python(match: re.Match[str]) -> Iterator[str]:
    """Yield the libraries of an import; those of `google` and `azure` have a name of two parts."""
    if match[1]:
        names = [f"{match[1]}.{match[2]}" if match[1] in ("google", "azure") else match[1]]
    else:
        names = [name.split()[0] for name in match[3].split(",") if name.strip()]
    for name in names:
        parts = name.split(".")
        if parts[0] not in _OF_PYTHON and not parts[0].startswith("_"):
            yield ".".join(parts[:2] if parts[0] in ("google", "azure") else parts[:1])


def _script(match: re.Match[str]) -> Iterator[str]:
    """Yield the package of an import; of services, the part of the package is named too."""
    name = match[1].removeprefix("npm:")
    parts = name.split("/")
    package = "/".join(parts[:2] if name[0] == "@" else parts[:1])
    package = re.sub(r"(?<=.)@.*", "", package)
    is_package = _PACKAGE.fullmatch(package) and package not in _OF_NODE
    if is_package and not any(map(_OWN.fullmatch, [parts[0].removeprefix("@"), package])):
        yield name if SERVICE_SCRIPT.search(f"from '{name}'") else package


_PACKAGE = re.compile(r"(?:@[a-z0-9][\w.-]*/)?[a-z0-9][a-z0-9._-]*")


def _go(match: re.Match[str]) -> Iterator[str]:
    parts = match[1].split("/")
    is_own = parts[1] != "x" and _OWN.fullmatch(parts[1])
    if not is_own and not parts[0].startswith("example."):
        yield "/".join(parts[: 3 if parts[0] in _FORGES else 2])


def _java(match: re.Match[str]) -> Iterator[str]:
    parts = match[1].split(".")
    is_of_language = parts[0] in ("java", "javax", "kotlin", "android", "scala", "dalvik")
    is_own = any(map(_OWN.fullmatch, parts[1:2])) or (
        parts[0] != "org" and _OWN.fullmatch(parts[0])
    )
    if not is_of_language and not is_own:
        yield ".".join(parts[: 3 if ".".join(parts[:2]) in _VENDORS else 2])


def _csharp(match: re.Match[str]) -> Iterator[str]:
    parts = match[1].split(".")
    is_own = re.search(rf"^\s*namespace {parts[0]}\b", match.string, re.MULTILINE)
    if parts[0] != "System" and not is_own and not _OWN.match(parts[0]):
        yield ".".join(parts[:2])


def _rust(match: re.Match[str]) -> Iterator[str]:
    if match[1] not in _OF_RUST and f"mod {match[1]}" not in match.string:
        yield match[1]


def _other(known: frozenset[str]) -> Callable[[re.Match[str]], Iterator[str]]:
    """Return a reader of imports that name the library itself, and not one of the `known` ones."""
    return lambda match: iter(() if match[1] in known else (match[1],))


_IMPORT_OF_PYTHON = (
    r"^[ \t]*(?:>>> |\.\.\. )?(?:from[ \t]+([A-Za-z_][\w.]*)[ \t]+import[ \t]+\(?[ \t]*(\w*)"
    r"|import[ \t]+([A-Za-z_][\w.]*(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[A-Za-z_][\w.]*"
    r"(?:[ \t]+as[ \t]+\w+)?){0,9})[ \t]*(?:[#;].*)?$)"
)
_IMPORT_OF_SCRIPT = (
    r"(?:\bfrom[ \t]*|\brequire\([ \t]*|\bimport[ \t]*\(?[ \t]*)[\"']"
    r"([@a-z][^\"'\n:$*]{0,80}|npm:[^\"'\n]{1,80})[\"']"
)
_IMPORT_OF_R = (
    r"\b(?:(?:library|require|requireNamespace|loadNamespace)\([ \t]*[\"']?(?=[A-Za-z])"
    r"|(?=[A-Za-z][\w.]*::))([A-Za-z][\w.]*)"
)
_IMPORT_OF_GO = (
    r"^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?\"((?:[a-z0-9-]+\.)+[a-z]+/[^\"\s]+)\"[ \t]*$"
)
_IMPORT_OF_RUST = r"^[ \t]*(?:pub[ \t]+)?use[ \t]+([a-z_]\w*)(?=::|;)"
_IMPORT_OF_JAVA = r"^[ \t]*import[ \t]+(?:static[ \t]+)?([a-z]\w*(?:\.[a-z_]\w*)*)(?=\.[A-Z*{\w])"
_IMPORT_OF_CSHARP = (
    r"^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?([A-Z]\w*(?:\.[A-Z]\w*)*);"
)
_IMPORT_OF_SWIFT = r"^[ \t]*import[ \t]+(?:[a-z]+[ \t]+)?([A-Z]\w*)"
_IMPORT_OF_DART = r"^[ \t]*import[ \t]+[\"']package:(\w+)/"
_READERS: Mapping[str, tuple[str, str, Callable[[re.Match[str]], Iterator[str]]]] = {
    "python py python3 ipython pycon": ("import", _IMPORT_OF_PYTHON, _python),
    "javascript js jsx mjs cjs typescript ts tsx vue svelte": ("", _IMPORT_OF_SCRIPT, _script),
    "r": ("", _IMPORT_OF_R, _other(_OF_R)),
    "go golang": ("", _IMPORT_OF_GO, _go),
    "rust rs": ("use ", _IMPORT_OF_RUST, _rust),
    "java kotlin kt scala groovy": ("import", _IMPORT_OF_JAVA, _java),
    "csharp c# cs": ("using", _IMPORT_OF_CSHARP, _csharp),
    "swift": ("import", _IMPORT_OF_SWIFT, _other(_OF_APPLE)),
    "dart": ("package:", _IMPORT_OF_DART, _other(_OF_FLUTTER)),
}
"""For languages: a substring of code with imports, the pattern of one, and a reader of its match.
"""
_BY_LANGUAGE = {
    language: (sign, re.compile(pattern, re.MULTILINE), reader)
    for languages, (sign, pattern, reader) in _READERS.items()
    for language in languages.split()
}
_MOST_IMPORTS = 200
_COMMENT = re.compile(r"[ \t]*(?:#|//|\*|/\*)")


def imports(text: str, first: int, language: str, kind: RunKind) -> Iterator[Found]:
    """Yield the libraries that a program or code sample imports, each library only once.

    `first` is the number of the first line.
    """
    sign, pattern, reader = _BY_LANGUAGE.get(language.lower(), ("", None, None))
    if pattern is None or reader is None or sign not in text:
        return
    seen: set[str] = set()
    for match in islice(pattern.finditer(text), _MOST_IMPORTS):
        for name in reader(match):
            start = text.rfind("\n", 0, match.end()) + 1
            is_quoted = text.count('"', start, match.start()) % 2 == 1
            if name in seen or is_quoted or _OWN.fullmatch(name) or _COMMENT.match(text, start):
                continue
            seen.add(name)
            if text.count('"""', 0, match.start()) % 2 == 0:
                end = text.find("\n", match.end())
                line = text[start : end if end >= 0 else len(text)]
                yield Found(kind, name, first + text.count("\n", 0, start), shown(line))


@lru_cache(maxsize=4096)
def is_of_service(name: str) -> bool:
    """Return whether a library accesses a service or the network."""
    is_script = SERVICE_SCRIPT.search(f"from '{name}'") is not None
    return is_script or NETWORK_PYTHON.search(f"import {name}") is not None
