"""Gathers all facts about one skill."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice

from skillbuild.check.facts.blocks import as_sample
from skillbuild.check.facts.found import Found, one_of, shown, words
from skillbuild.check.facts.hosts import ATTACKER, LOCAL
from skillbuild.check.facts.known import (
    OF_SERVICE,
    PRODUCTS,
    as_helper,
    service_of,
    service_of_library,
    squeezed,
)
from skillbuild.check.facts.libraries import is_of_service
from skillbuild.check.facts.license import license_of
from skillbuild.check.facts.mentions import mentioned
from skillbuild.check.facts.needs import REQUESTS, is_unnamed, of_words
from skillbuild.check.facts.programs import OF_LIBRARY
from skillbuild.check.facts.prose import OF_SERVER
from skillbuild.check.facts.removals import HTTP_REQUESTS
from skillbuild.check.facts.services import OF_LOGIN, REACHED, SERVICES, reached_by
from skillbuild.check.facts.shell import OF_MODULE, commands_in
from skillbuild.check.facts.statements import EVERYDAY, TOOLS, UPLOADED
from skillbuild.check.facts.texts import (
    CODE_FENCES,
    COPIED,
    DELETED,
    MARKDOWN,
    found_in,
    hooks_in,
    hooks_of_file,
    language_of,
    on_load,
)
from skillbuild.check.hidden import Hidden, hidden_in
from skillbuild.media.types import decode
from skillbuild.model import (
    DANGERS,
    Facts,
    File,
    HiddenFact,
    RunFact,
    RunKind,
    Skill,
    changed,
)
from skillbuild.paths import SKILL_FILE, base_name
from skillbuild.release.facts import is_for_tests, sentence
from skillbuild.release.frontmatter import tools_of
from skillbuild.source.documents import Documents
from skillbuild.source.licenses import FolderTerms
from skillbuild.source.tree import Reader
from skillbuild.text.commands import SCRIPT, is_shell
from skillbuild.text.markdown.document import Document

MOST_FACTS = 100
"""Maximum number of facts of one kind; a hostile skill could have a million."""
_MOST_FOUND = 3000
"""Maximum number of facts of one kind from which `MOST_FACTS` are chosen."""
_ONCE = frozenset(
    [
        *(RunKind.REACHES, RunKind.PROGRAM, RunKind.ASKS, RunKind.UNPROTECTS, RunKind.EVAL),
        *(RunKind.LOADS_PAGE, RunKind.USES_KEY, RunKind.PACKAGE, RunKind.SAMPLES),
        *(RunKind.LOCAL, RunKind.LIBRARY, RunKind.CONTROLS, RunKind.WORKS_WITH, RunKind.OPENS_PAGE),
        *(RunKind.CHANGES, RunKind.OVERWRITES, RunKind.UNASKED, RunKind.NAMES),
    ]
)
"""Kinds of facts for which only the first place in each file is kept."""


_ONCE_A_SKILL = frozenset(
    [
        *(RunKind.PROGRAM, RunKind.LIBRARY, RunKind.CONTROLS, RunKind.LOCAL, RunKind.WORKS_WITH),
        *(RunKind.OPENS_PAGE, RunKind.NAMES),
    ]
)
"""Kinds of facts for which only the first place in the skill is kept."""
_OUTSIDE = (RunKind.REACHES, RunKind.USES_KEY)
"""Kinds of facts about services. Their hosts and keys are not reported for samples again, and a
skill without such a fact does not send the requests that it lists.
"""
_SUBCOMMANDS = re.compile(
    r"(?:[ \t]+[a-z][a-z0-9:-]*(?=\s|\Z)){1,3}|--(?:fix|write|delete|force)\b"
)
"""Arguments that are plain words, as subcommands are, or an option that changes what a program
does.
"""
_SEPARATOR = re.compile(r"[|;&]| #")
_MOST_SUBCOMMANDS = 2
_REPOSITORY = re.compile(
    r"\bgit clone .*?((?:https?://|git@)[^\s\"']+)|((?:github|gitlab)\.com[:/][\w.-]+/[\w.-]+)"
)
"""The repository in a command that clones it or reads from GitHub or GitLab."""
_PORT = re.compile(r"(?:localhost|127\.0\.0\.1):(\d{2,5})")
_PROBE = re.compile(
    r"(?:if )?(?:command -v|which|Get-Command) "
    r"|(?:[\w./@-]+ ){1,3}?(?:--version|--help|-V|version)(?=\s*(?:\Z|[|&;#>)2]))"
)
"""The start of a command that only asks whether a program is there, or how it is used."""
_WITH_SUBCOMMANDS = frozenset([RunKind.PROGRAM, RunKind.PACKAGE])
"""Kinds of facts for which a place of each of its subcommands is kept."""
_WITHOUT_SUBCOMMANDS = EVERYDAY - words(
    "brew bun cargo conda gem launchctl npm pip pip3 pnpm rustup systemctl uv yarn"
)
"""Programs whose first argument is not a subcommand."""


def gather(
    skill: Skill,
    documents: Documents,
    around: tuple[Sequence[FolderTerms], Reader] | None = None,
    hidden: Sequence[Hidden] | None = None,
) -> Facts:
    """Return the facts about a skill.

    Paths are relative to the skill, except the path of the license, which is relative to the
    source. `around` contains the folders above the skill and a reader for their license files. Old
    versions of a skill are checked without `around`; their license must be in the skill itself.
    `hidden` is the hidden text that the check found; if it is None, the files are searched again.
    """
    terms = license_of(skill, around)
    runs = _in_order(_without_own(_runs(skill, documents), skill))
    tools = tools_of(skill.frontmatter.value)
    every = hidden_in(skill, documents) if hidden is None else hidden
    unseen = tuple(
        HiddenFact(each.rule.code, each.path, each.place.line) for each in islice(every, MOST_FACTS)
    )
    acts = [fact for fact in runs if fact.kind != RunKind.NAMES]
    texts = () if acts else _texts(skill, documents)
    has_commands = any(map(_has_commands, texts))
    has_code = not acts and (any(map(_has_code, texts)) or any(map(_is_code, skill.files)))
    line = sentence(acts, unseen, tools, terms, has_commands=has_commands, has_code=has_code)
    return Facts(terms, runs, unseen, line)


_LOOKS_RUN = re.compile(
    r"(?:`|^[ \t]*\$ )(?:[a-z][\w.+-]*|<\w+>)[ \t]+(?:[a-z][\w-]*[ \t]+){0,3}"
    r"(?:--?[a-zA-Z][\w-]*[=\s`]|\$\(|[\w./<>-]*\w\.(?:py|sh|m?js|ts|rb|R)\b)"
    r"|`[\w.]+::[\w.]+\(",
    re.MULTILINE,
)
"""The start of a code span with a program and an option, with a program and the file that it
runs, or with a call of R.
"""


def _texts(skill: Skill, documents: Documents) -> Sequence[Document]:
    """Return the Markdown texts of a skill."""
    every = (documents.of(file.path) for file in skill.files if file.path.endswith(MARKDOWN))
    return [document for document in every if document]


def _has_commands(text: Document) -> bool:
    """Return whether a text has commands: a block, or a code span that looks like one."""
    return _LOOKS_RUN.search(text.text) is not None or any(map(is_shell, text.fences))


def _has_code(text: Document) -> bool:
    """Return whether a text has a block of code."""
    return any(each.language.lower().strip("{}.") in CODE_FENCES for each in text.fences)


def _is_code(file: File) -> bool:
    """Return whether a file is a program or a notebook."""
    language = language_of(file.path, file.data, executable=False)
    return bool(language) or file.path.endswith(".ipynb")


_MAY_DEFINE = (*MARKDOWN, ".sh", ".bash", ".zsh")
_FUNCTION = re.compile(rb"\n[ \t]*(?:function[ \t]+([\w.-]+)|([\w.-]+)[ \t]?\(\))")
"""The definition of a shell function."""


_DEFINES = (b"add_parser(", b".command(", b"case ")
_SUBCOMMAND = re.compile(rb"(?:add_parser\(|\.command\(|case )\s*[\"']([\w-]+)")
"""The definition of a subcommand of a program."""


def _without_own(facts: Iterator[RunFact], skill: Skill) -> Iterator[RunFact]:
    """Yield the facts, except for programs that are shell functions or files of the skill, and for
    mentions of the skill itself.
    """
    own: dict[str, Set[str]] = {}
    modules: Set[str] | None = None
    own_names = {skill.name, base_name(skill.directory)}
    own_skill = frozenset(own_names)
    own_names |= {base_name(file.path)[:-3] for file in skill.files if file.path.endswith(".md")}
    forms = ("the skill {}", "/{}", "/skill:{}")
    names = {form.format(name) for name in own_names for form in forms}
    for fact in _called(facts, skill):
        if fact.kind == RunKind.WORKS_WITH and fact.words in names:
            continue
        if fact.kind in _IMPORTS and not fact.host:
            modules = _own_modules(skill) if modules is None else modules
            if fact.words in modules:
                continue
        if fact.kind not in DANGERS and _installs(fact.command, own_skill):
            continue  # The skill itself is copied to where a client finds it.
        is_program = not (fact.host or fact.words in SERVICES or fact.words in PRODUCTS)
        if fact.kind in _OF_PROGRAMS and is_program:
            if fact.kind not in own:
                subcommands = _subcommands(skill) if fact.kind == RunKind.NAMES else frozenset()
                own[fact.kind] = _own_names(skill) | subcommands
            is_own = fact.words.removeprefix(OF_MODULE) in own[fact.kind]
            if is_own or base_name(fact.words) in own[fact.kind]:
                continue
            if SCRIPT.search(fact.words):
                yield changed(fact, words=f"{fact.words} (not in the skill)")
                continue
        yield fact


_OF_PROGRAMS = (RunKind.PROGRAM, RunKind.NAMES)
"""Kinds of facts with the name of a program."""
_OF_SKILLS = re.compile(
    r"(?:cp|mv|ln|rsync) .*/\.[a-z]+(?:/\w+)?/skills\b|npx skills (?:add|install) "
)
_JOINED = re.compile(r"[;&|\n`]|\$\(")


def _installs(command: str, names: Set[str]) -> bool:
    """Return whether a command, and no other command on its line, installs one of these skills."""
    if not _OF_SKILLS.match(command) or _JOINED.search(command):
        return False
    return any(re.search(rf"/{re.escape(name)}(?![\w-])", command) for name in names if name)


_AT_TOP = re.compile(
    rb"^(?:export (?:async )?function|(?:async )?def) (\w+)|^[A-Za-z@]", re.MULTILINE
)
"""The start of a function, or of another statement that is not indented."""


_MOST_JUDGED = 20
"""Maximum number of facts about requests for which all files are searched."""


def _called(facts: Iterator[RunFact], skill: Skill) -> Iterator[RunFact]:
    """Yield the facts, except for requests in functions that nothing in the skill calls."""
    judged = 0
    for fact in facts:
        if fact.words == HTTP_REQUESTS and judged < _MOST_JUDGED:
            judged += 1
            if _is_unused(fact, skill):
                continue
        yield fact


def _is_unused(fact: RunFact, skill: Skill) -> bool:
    """Return whether a fact is about a function of a script that nothing in the skill calls."""
    data = next(file.data for file in skill.files if file.path == fact.path)
    above = b"\n".join(data.split(b"\n")[: fact.line])
    name: bytes | None = None
    for match in _AT_TOP.finditer(above):
        name = match[1]
    return name is not None and sum(file.data.count(name) for file in skill.files) == 1


_IMPORTS = frozenset([RunKind.LIBRARY, RunKind.SAMPLES])
_CODE = (".py", ".js", ".ts", ".mjs", ".R", ".cs")


_PATH_OF_MODULE = re.compile(rb"(?<![\w./-])[\w./-]++(?<=\.py)")


def _own_modules(skill: Skill) -> Set[str]:
    """Return the names of modules that are not libraries: those of the skill's programs and their
    folders, and those of Python files that its texts mention, which the user or the agent writes.
    """
    paths = (file.path.rpartition(".")[0] for file in skill.files if file.path.endswith(_CODE))
    own = {part.removesuffix("_reference") for path in paths for part in path.split("/")}
    for file in skill.files:
        for path in set(_PATH_OF_MODULE.findall(file.data)) if b".py" in file.data else ():
            folder, _, rest = path.decode().removesuffix(".py").partition("/")
            own |= {folder, rest.rpartition("/")[2]}
    return own


def _subcommands(skill: Skill) -> Set[str]:
    """Return the names of the subcommands that the programs of a skill define."""
    texts = (file.data for file in skill.files if any(sign in file.data for sign in _DEFINES))
    return {name.decode(errors="replace") for data in texts for name in _SUBCOMMAND.findall(data)}


def _own_names(skill: Skill) -> Set[str]:
    """Return the names of the files of a skill, and of the shell functions in them."""
    texts = (
        file.data
        for file in skill.files
        if (file.path.endswith(_MAY_DEFINE) or file.data.startswith(b"#!"))
        and (b"()" in file.data or b"function " in file.data)
    )
    defined = (match for data in texts for match in _FUNCTION.finditer(b"\n" + data))
    functions = {(match[1] or match[2]).decode(errors="replace") for match in defined}
    modules = {file.path.removesuffix(".py").replace("/", ".") for file in skill.files}
    return functions | modules | {base_name(file.path) for file in skill.files}


def _in_order(facts: Iterator[RunFact]) -> tuple[RunFact, ...]:
    """Return the facts without duplicates, sorted by kind, with a limit for each kind.

    If there are more, distinct facts are kept before repeated ones. The place of a program that
    only asks for its version gives way to a later one.
    """
    seen: dict[object, int] = {}
    by_kind: dict[str, list[RunFact]] = {kind: [] for kind in RunKind}
    for fact in facts:
        place = _place(fact)
        path = "" if _is_once(fact) else fact.path
        key = fact.kind, fact.words, fact.host, path, place
        kept = by_kind[fact.kind]
        if key not in seen and len(kept) < _MOST_FOUND:
            seen[key] = len(kept)
            kept.append(fact)
        elif (at := seen.get(key)) is not None and _is_better(fact, kept[at]):
            kept[at] = fact
    _relate(by_kind)
    return tuple(fact for kind in RunKind for fact in _most_different(by_kind[kind]))


def _is_once(fact: RunFact) -> bool:
    """Return whether only the first place of a fact in the skill is kept."""
    if fact.kind != RunKind.SAMPLES or fact.host:
        return fact.kind in _ONCE_A_SKILL or fact.words.startswith(OF_LOGIN)
    return _is_common(fact.words) or fact.words in DELETED.values()


def _relate(by_kind: Mapping[str, list[RunFact]]) -> None:
    """Add the services that follow from other facts, remove facts that others cover, and move
    common programs and libraries behind all others.
    """
    named = {fact.host or fact.words for kind in _OUTSIDE for fact in by_kind[kind]}
    named |= {name.removeprefix(OF_LIBRARY)[:-1] for name in named if OF_LIBRARY in name}
    _add_logins(by_kind)
    _add_services(by_kind)
    names_service = any(fact.words.startswith(OF_SERVICE) for fact in by_kind[RunKind.WORKS_WITH])
    if not (names_service or any(by_kind[kind] for kind in _OUTSIDE)):
        for kind in (RunKind.REMOVES, RunKind.CHANGES):
            listed = by_kind[kind]
            listed[:] = (fact for fact in listed if not fact.words.endswith(REQUESTS))
    if any(fact.words.isupper() for fact in by_kind[RunKind.USES_KEY]):
        keys = by_kind[RunKind.USES_KEY]
        keys[:] = (fact for fact in keys if not is_unnamed(fact.words))
    libraries, samples = by_kind[RunKind.LIBRARY], by_kind[RunKind.SAMPLES]
    if any(map(_is_run_script, by_kind[RunKind.PROGRAM])):
        run = [fact for fact in samples if _IMPORT.search(fact.command)]
        libraries += (changed(fact, kind=RunKind.LIBRARY) for fact in run)
        samples[:] = (fact for fact in samples if not _IMPORT.search(fact.command))
    libraries[:] = (fact for fact in libraries if fact.words not in named)
    named |= {fact.words for fact in by_kind[RunKind.LIBRARY]}
    samples[:] = (fact for fact in samples if (fact.host or fact.words) not in named)
    samples.sort(key=lambda fact: not fact.host and _is_common(fact.words))
    by_kind[RunKind.PROGRAM].sort(key=lambda fact: fact.words in EVERYDAY)
    _keep_new_names(by_kind)


def _keep_new_names(by_kind: Mapping[str, list[RunFact]]) -> None:
    """Keep each name once, if no other fact is about it and the text does not show it as wrong."""
    others = [fact for kind, facts in by_kind.items() if kind != RunKind.NAMES for fact in facts]
    known = {name for fact in others for name in (fact.words, fact.host)}
    parts = _parts_of(known)
    commands: dict[tuple[str, int], set[str]] = {}
    for fact in others:
        commands.setdefault((fact.path, fact.line), set()).update(fact.command.split())
    new: dict[str, RunFact] = {}
    for fact in by_kind[RunKind.NAMES]:
        name = fact.host or fact.words
        is_product = name in PRODUCTS
        in_command = name in commands.get((fact.path, fact.line), ()) and not is_product
        is_known = squeezed(name) in parts if is_product else name in known
        is_wrong = not fact.host and (fact.not_to_do or in_command)
        if not (is_known or is_wrong or name in new):
            new[name] = fact
    by_kind[RunKind.NAMES][:] = sorted(new.values(), key=_rank)


def _rank(fact: RunFact) -> int:
    """Return the rank of a name: hosts come first, but those in data files last, as there may be
    many.
    """
    return (2 if fact.path.endswith(_DATA) else 0) if fact.host else 1


_PART, _MOST_PARTS_OF_NAME = re.compile(r"[a-z0-9]+"), 8


def _parts_of(names: Iterable[str]) -> Set[str]:
    """Return the words of names in lower case, and words that follow each other joined:
    `mondaycom` is one of `api.monday.com`.
    """
    parts: set[str] = set()
    for name in names:
        found = _PART.findall(name.lower())[:_MOST_PARTS_OF_NAME]
        parts |= {
            "".join(found[i:j]) for i in range(len(found)) for j in range(i + 1, len(found) + 1)
        }
    return parts


_SCRIPT_ELSEWHERE = re.compile(
    r"(?!(?:server|app|index|main)\.)\S+\.[cm]?[jt]s \(not in the skill\)"
)
_IMPORT = re.compile(r"\brequire\([\"']|\bfrom [\"']|\bimport [\"']")


def _is_run_script(fact: RunFact) -> bool:
    """Return whether a skill runs a script in JavaScript that the agent writes."""
    return _SCRIPT_ELSEWHERE.fullmatch(fact.words) is not None


def _add_logins(by_kind: Mapping[str, list[RunFact]]) -> None:
    """Add the services that tools with a login of their own reach, unless they are known."""
    reached = {fact.words for fact in by_kind[RunKind.REACHES]}
    for fact in by_kind[RunKind.USES_KEY]:
        tool = fact.words.removeprefix(OF_LOGIN)
        words = reached_by(tool) or f"the service that {tool} is logged in to"
        # Not every login of a tool in `REACHED` uses the network.
        is_known = words in reached or tool in REACHED
        if tool != fact.words and tool.islower() and not is_known:
            reached.add(words)
            by_kind[RunKind.REACHES].append(changed(fact, kind=RunKind.REACHES, words=words))


def _add_services(by_kind: Mapping[str, list[RunFact]]) -> None:
    """Add the services that the skill has keys for, and remove services that it also reaches."""
    named = by_kind[RunKind.WORKS_WITH]
    for fact in by_kind[RunKind.USES_KEY]:
        is_key = fact.words.isupper() and not fact.not_to_do
        if is_key and (service := service_of(fact.words)):
            named.append(changed(fact, kind=RunKind.WORKS_WITH, words=as_helper(service)))
    clients: set[str] = set()
    for fact in (*by_kind[RunKind.LIBRARY], *by_kind[RunKind.SAMPLES]):
        is_local = fact.words == "openai" and by_kind[RunKind.LOCAL]  # A server of the user.
        is_given = not (fact.host or fact.not_to_do or is_local)
        is_client = is_given and is_of_service(fact.words)
        if is_client and (service := service_of_library(fact.words)):
            clients.add(fact.words)
            if fact.kind == RunKind.LIBRARY:
                named.append(changed(fact, kind=RunKind.WORKS_WITH, words=as_helper(service)))
    places = (RunKind.REACHES, RunKind.SAMPLES)
    reached = {fact.host or fact.words for kind in places for fact in by_kind[kind]} - clients
    servers = {fact.words for fact in named if fact.words.startswith(OF_SERVER)}
    known = _parts_of(reached | servers)
    first: dict[str, RunFact] = {}
    for fact in named:
        first.setdefault(fact.words, fact)
    named[:] = (
        fact
        for words, fact in first.items()
        if words in servers or squeezed(words.removeprefix(OF_SERVICE)) not in known
    )


_LIBRARY = re.compile(r"@?[A-Za-z][\w./-]*")


def _is_common(words: str) -> bool:
    """Return whether a sample only uses a library or program, and no service, key or action."""
    is_name = _LIBRARY.fullmatch(words) is not None and not words.isupper()
    return is_name and not is_of_service(words)


def _is_better(fact: RunFact, kept: RunFact) -> bool:
    """Return whether a place says more than the place that is kept: it is no bad example, not only
    a question about a program, or the command that logs in.
    """
    is_use = _is_probe(kept) and not _is_probe(fact)
    is_login = fact.words.startswith(OF_LOGIN) and "login" in fact.command
    is_more = is_use or kept.not_to_do or (is_login and "login" not in kept.command)
    return is_more and not fact.not_to_do


def _is_probe(fact: RunFact) -> bool:
    return fact.kind in _WITH_SUBCOMMANDS and _PROBE.match(fact.command) is not None


def _place(fact: RunFact) -> object:
    """Return a value that distinguishes the places of a fact in one file.

    For commands that read from a repository, this is the repository; for programs and packages, it
    is their subcommands. For some kinds, all places are the same.
    """
    if fact.kind == RunKind.LOCAL and (port := _PORT.search(fact.command)):
        return port[1]
    if fact.kind == RunKind.REACHES and (found := _REPOSITORY.search(fact.command)):
        return found[1] or found[2]
    if fact.kind not in _WITH_SUBCOMMANDS:
        return 0 if fact.kind in _ONCE or fact.words == UPLOADED else fact.line
    if fact.words in _WITHOUT_SUBCOMMANDS:
        return ""
    name = fact.words.split()[-1]
    at = re.search(rf"(?<![\w-]){re.escape(name)}", fact.command)
    arguments = fact.command[at.end() if at else 0 :]
    subcommands = _SUBCOMMANDS.findall(_SEPARATOR.split(arguments, maxsplit=1)[0])
    return tuple(subcommands[:_MOST_SUBCOMMANDS])


def _most_different(facts: Sequence[RunFact]) -> Sequence[RunFact]:
    if len(facts) <= MOST_FACTS:
        return facts
    first: dict[object, int] = {}
    for number, fact in enumerate(facts):
        first.setdefault((fact.words, fact.host, fact.not_to_do), number)
    for number, fact in enumerate(facts):
        first.setdefault((fact.words, fact.host, fact.command), number)
    numbers = dict.fromkeys([*first.values(), *range(len(facts))])
    return [facts[number] for number in sorted(islice(numbers, MOST_FACTS))]


def _runs(skill: Skill, documents: Documents) -> Iterator[RunFact]:
    yield from _hooks_of_skill(skill)
    yield from _needed(skill)
    for file in skill.files:
        language = language_of(file.path, file.data, executable=file.executable)
        is_template = _is_template(file, language, skill)
        if language and not is_template:
            kind = RunKind.TEST_SCRIPT if is_for_tests(file.path) else RunKind.SCRIPT
            yield RunFact(kind, language, file.path)
        text = decode(file.data)
        if text is not None:
            document = documents.of(file.path) if file.path.lower().endswith(MARKDOWN) else None
            found = found_in(file.path, text, language, document, is_copied=is_template)
            if document is not None and is_template:
                found = chain(as_sample(found), mentioned(text, document))
            elif not is_for_tests(file.path):
                found = chain(found, _named_in(file.path, text, language, document))
            yield from _of_file(file, text, found, document)


_TEMPLATE = re.compile(
    r"(?!.*(?:^|/)scripts/)(?:.*/)?(?:templates?|references?|assets|resources)/", re.DOTALL
)
"""The start of the path of a file that a skill has for reading or copying."""


_IS_FILLED_IN = re.compile(r"(?:^|/)(?:templates?/|(?:example|sample)-[^/]*\Z)")
_IS_READ = re.compile(r"(?:^|/)(?:references?|resources)/")
_IS_MAIN = re.compile(rb"^if __name__ == [\"']__main__[\"']:", re.MULTILINE)
"""What makes a file in Python a program."""


def _is_template(file: File, language: str, skill: Skill) -> bool:
    """Return whether a text is to be filled in, or a program is to be copied and nothing in the
    skill runs it.
    """
    if file.path.lower().endswith(MARKDOWN):
        return _IS_FILLED_IN.search(file.path) is not None
    if file.executable or not _TEMPLATE.match(file.path) or language not in COPIED:
        return False
    if _IS_READ.search(file.path) and _IS_MAIN.search(file.data):
        return False
    name = base_name(file.path).encode()
    run = re.compile(
        rb"(?:python[\d.]*|uv run|node|bun|deno run|tsx)[ \t]+[\"']?\S*" + re.escape(name)
    )
    return not any(name in each.data and run.search(each.data) for each in skill.files)


_DATA = (".csv", ".tsv", ".json", ".yaml", ".yml", ".toml", ".txt")
"""Endings of data files, in which only hosts and stores are looked for."""


def _named_in(path: str, text: str, language: str, document: Document | None) -> Iterator[Found]:
    """Yield what a file names."""
    if language or document is not None or path.endswith(_DATA):
        yield from mentioned(text, document)
    if document is not None:
        yield from of_words(document)


def _of_file(
    file: File, text: str, found: Iterable[Found], document: Document | None
) -> Iterator[RunFact]:
    """Yield the facts about a file, from what was found in it."""
    path = file.path
    is_text = document is not None and path != SKILL_FILE
    is_record = is_text and _RECORD.match(text) is not None
    is_test = is_for_tests(path) or is_record
    if commands := hooks_of_file(path, text):
        yield RunFact(RunKind.HOOK, path, path)
        found = chain(found, _of_commands(commands, 0))
    context: _Context | None = None
    for item in found:
        if is_test and item.kind not in DANGERS:
            continue
        if document is not None and context is None:
            context = _Context(text)  # Most texts have nothing that needs it.
        is_marked = context is not None and context.is_not_to_do(item)
        yield _fact(item, path, is_marked=is_marked)


_RECORD = re.compile(
    r"# [^\n]{0,60}\b(?:Validation|Audit|Review|Scan|Change) (?:Record|Log|History)\b"
    r"|# [^\n]{0,60}\bThird[- ]Party (?:Materials|Notices|Licen[cs]es|Software)\b"
)
"""The title of a text in which the maintainers of a skill tell what they did."""
_ACCESS = frozenset([RunKind.REACHES, RunKind.LOADS_PAGE, RunKind.OPENS_PAGE])


def _fact(item: Found, path: str, *, is_marked: bool = False) -> RunFact:
    """Convert what was found to a fact. A connection to this computer does not count as network
    access.
    """
    if item.host == LOCAL and item.kind in _ACCESS:
        item = item._replace(kind=RunKind.LOCAL, words="", host="")
    return RunFact(item.kind, item.words, path, item.line, item.command, item.host, is_marked)


def _hooks_of_skill(skill: Skill) -> Iterator[RunFact]:
    """Yield the facts about the `hooks` field, and about commands that run when the skill is
    loaded.
    """
    hooks = skill.frontmatter.value.get("hooks")
    if hooks is not None:
        place = skill.frontmatter.place("hooks")
        line = place.line if place else 0
        yield RunFact(RunKind.HOOK, "hooks in the frontmatter", SKILL_FILE, line)
        for item in _of_commands(hooks_in(hooks), line):
            yield _fact(item, SKILL_FILE)
    for command, line in on_load(skill.body, skill.body_line):
        yield RunFact(RunKind.ON_LOAD, "", SKILL_FILE, line, shown(command))
        for item in commands_in(command, line):
            yield _fact(item, SKILL_FILE)


_PROGRAM_NEEDED = re.compile(
    rf"(?<![\w.-])(?:{one_of(TOOLS)}|bash|curl|docker|ffmpeg|gh|git|jq|kubectl|node|npm|npx|python3|uv)"
    r"(?![\w-])"
)
_PACKAGE_NEEDED = re.compile(r"@?[A-Za-z][\w./-]*")
"""The name of a package, before its version."""


def _needed(skill: Skill) -> Iterator[RunFact]:
    """Yield the names of the programs in the `compatibility` field, and of the packages in the
    `dependencies` field, which some publishers add.
    """
    fields = skill.frontmatter.value
    needed: list[tuple[str, str, str]] = []
    if isinstance(text := fields.get("compatibility"), str):
        needed += [("compatibility", name, text) for name in _PROGRAM_NEEDED.findall(text)]
    if isinstance(packages := fields.get("dependencies"), list):
        every = (str(each) for each in packages)
        matches = ((each, _PACKAGE_NEEDED.match(each)) for each in every)
        needed += [("dependencies", match[0], each) for each, match in matches if match]
    for field, name, text in needed:
        place = skill.frontmatter.place(field)
        yield RunFact(RunKind.NAMES, name, SKILL_FILE, place.line if place else 0, shown(text))


def _of_commands(commands: Sequence[str], line: int) -> Iterator[Found]:
    """Yield the facts about commands that are the values of fields on one line."""
    for command in commands:
        for item in commands_in(command, line):
            yield item._replace(line=line)


# Commands that a text shows as bad examples.


_LABEL = re.compile(
    r"(?:[\s#>*_|+\d.)/-]*[\u274c\U0001f6ab]"
    r"|\W*\b(?:(?:this is |the )?(?:wrong|bad|incorrect|insecure|vulnerable|dangerous|unsafe"
    r"|(?-i:FLAG)|anti-?pattern)(?: (?:way|examples?|practice|code|commands?))?"
    r"|(?:never|do not|don['\u2019]?t)"
    r"(?: (?:ever )?(?:do|run|use)(?: (?:this|these|that|any of these))?)?"
    r"|avoid(?: (?:this|these))?|what not to do)(?=\W{0,4}\Z|\s*(?:[:(]|[-\u2013\u2014]\s)))",
    re.IGNORECASE,
)
"""The start of a comment or line that marks the following command as wrong."""
_FORBIDS = re.compile(
    r"\b(?:never|do not|don['\u2019]?t|must not|avoid)\s+"
    r"(?:(?!\b(?:and|but|instead|use|rather|forget|skip|without|until|before|unless|wait|worry|only"
    r"|just|miss|hesitate|need)\b)[^`:;.!?,(]){0,60}(?:, such as\s+)?\Z"
    r"|\b(?:never|do not|don['\u2019]?t)\s+(?:(?!\b(?:and|but|instead|use|rather|without|until"
    r"|before|unless|only|just)\b)(?:[^:;.!?(]|\.(?!\s))){0,100},? or\s+\Z"
    r"|\b(?:instead of|rather than|without(?:\*\*)?(?: relying on)?|beats|better than"
    r"|prefer\b[^.;]{0,60}\bover)\s+(?:(?:run|us)n?ing\s+)?\Z|\(no\s+\Z",
    re.IGNORECASE,
)
"""Text before a code span that forbids running it."""
_IS_VOID = re.compile(r"`*\s*(?:do(?:es)? not exist|will (?:destroy|wipe|erase))\b")
"""Text after a code span that says that it fails or does harm."""
_TITLE = re.compile(
    r"\A\s*#+ [^\n]*?\b(?:(?:dangerous|malicious|insecure|vulnerable|suspicious"
    r"|harmful|unsafe|attack|exploit)(?:[ -]\w+){0,2}[ -]"
    r"(?:patterns?|examples?|code|commands?|payloads?|signatures?|practices|config\w*)|anti-?patterns)\b",
    re.IGNORECASE | re.DOTALL,
)
"""The title of a text about patterns to find or to avoid."""
_MOST_LINES = 12
"""Maximum number of lines of a block that a label above it marks."""
_LONGEST_LABEL, _LONGEST_SENTENCE = 100, 160
_TRAILING = re.compile(r"\s(?:#|//)")
_COMMENT = re.compile(r"\s*(?:#|//|--|<!--|rem\b)+", re.IGNORECASE)
_FENCE = re.compile(r"[\s>]*(?:`{3,}|~{3,})")
_SPAN = re.compile(r"`+[ $]*\Z")
_NEW_BLOCK = re.compile(r"\s*(?:[-*+|>#`\[~]|\d+[.)]\s|\Z)")
"""The start of a line that is not in the middle of a paragraph."""


_ATTACK = re.compile(
    r"^(#{2,6}) [^\n]{0,80}\b(?:attacks?(?! surface)|attackers?(?!-)|exploitation)\b",
    re.MULTILINE | re.IGNORECASE,
)
"""The heading of a part that shows what attackers do."""
_HEADING = re.compile(r"(#+) ")
_MOST_PARTS = 200


def _attacks(lines: Sequence[str]) -> Sequence[range]:
    """Return the lines of each part of a text that shows attacks."""
    found: list[range] = []
    start = level = 0
    in_fence = False
    for number, line in enumerate(lines):
        in_fence ^= _FENCE.match(line) is not None
        heading = None if in_fence else _HEADING.match(line)
        if heading and level and len(heading[1]) <= level:
            found.append(range(start, number))
            level = 0
        if heading and not level and _ATTACK.match(line):
            start, level = number, len(heading[1])
    if level:
        found.append(range(start, len(lines)))
    return found[:_MOST_PARTS]


class _Context:
    """The lines around a command that was found in a text."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._is_about_bad = _TITLE.match(text) is not None
        self._attacks = _attacks(self._lines) if _ATTACK.search(text) else ()
        self._is_about_change = "After" in text and _BEFORE.search(text) is not None

    def is_not_to_do(self, item: Found) -> bool:
        """Return whether a command is marked as a bad example.

        The mark can be the title of the text, a comment on the line of the command, a label
        directly above the command or its block, or the words directly before its code span. The
        mark must be clear, because marked commands are left out of the skill's summary.
        """
        command = _TRAILING.split(item.command, maxsplit=1)[0]
        if self._is_about_bad or (not item.host and ATTACKER.search(command)):
            return True
        last = min(item.line, len(self._lines)) - 1
        if item.kind not in _IMPORTS and any(last in lines for lines in self._attacks):
            return True
        line = self._lines[last] if last >= 0 else ""
        start = max(0, line.find(item.command[:20]))
        if span := _SPAN.search(line[:start]):
            above = self._lines[last - 1] if last > 0 else ""
            goes_on = not (_NEW_BLOCK.match(line) or _NEW_BLOCK.match(above) or "<!" in above)
            words = f"{above.rstrip()} {line[: span.start()]}" if goes_on else line[: span.start()]
            after = line[start:].partition("`")[2]
            if _IS_VOID.match(after):
                return True
            return _FORBIDS.search(words[-_LONGEST_SENTENCE:]) is not None
        comment = _TRAILING.split(line[start:], maxsplit=1)[1:]
        return any(map(_is_label, comment)) or self._is_marked_above(last)

    def _is_marked_above(self, last: int) -> bool:
        """Return whether the comment directly above a line, or the line above its block, marks it.

        The line above a block marks the block's commands up to the first comment or blank line.
        """
        while last > 0 and self._lines[last - 1].rstrip().endswith("\\"):
            last -= 1  # A command begins above its continuation lines.
        for number in range(last - 1, max(-1, last - 1 - _MOST_LINES), -1):
            text = self._lines[number].strip()
            if comment := _COMMENT.match(text):
                is_first = number > 0 and _FENCE.match(self._lines[number - 1]) is not None
                return (is_first or number == last - 1) and self._is_label(text[comment.end() :])
            if not text:
                return False
            if _FENCE.match(text):
                above = (each.strip() for each in self._lines[max(0, number - 2) : number][::-1])
                return self._is_label(next(filter(None, above), ""))
        return False

    def _is_label(self, text: str) -> bool:
        """Return whether a comment or line marks what follows as wrong, or as old code."""
        is_old = self._is_about_change and _BEFORE.match(text) is not None
        return is_old or _is_label(text)


_BEFORE = re.compile(r"^[^\w\n]{0,20}Before(?=[^\w\n]{0,4}$| ?[:(])", re.MULTILINE)
"""A label of old code."""


def _is_label(text: str) -> bool:
    return _LABEL.match(text[:_LONGEST_LABEL].strip()) is not None
