"""Finds what the commands of one block do: hosts that they call, and downloads that they run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from skillbuild.check.facts.found import Found, shown
from skillbuild.check.facts.found import words as _words
from skillbuild.check.facts.hosts import ATTACKER, HUB, LOCAL, host_name, host_of, is_local
from skillbuild.check.facts.installs import manager_of, package_run, unwrapped
from skillbuild.check.facts.keys import NAME_OF_KEY
from skillbuild.check.facts.running import IN_BACKGROUND, goes_on
from skillbuild.check.facts.statements import (
    EVALUATE,
    EVERYDAY,
    FETCHES,
    NAMES,
    SHELLS,
    TOOLS,
    is_named_program,
    is_placeholder,
    is_program,
    set_by_git,
    statements,
)
from skillbuild.model import RunKind
from skillbuild.paths import base_name
from skillbuild.text.commands import BEFORE, IN_SENTENCE, SCRIPT, Command, ShellLine, shell_lines
from skillbuild.text.markdown.document import Fence, Reference

_DOWNLOADS = FETCHES | {"nc", "ncat", "netcat"}
_INTERPRETER = re.compile(r"(?:python|pypy)[\d.]*|perl|node|ruby|php|deno|bun")

# Which texts are worth reading.


_NAME = re.compile(r"[a-z][a-z0-9_+-]*")
_OTHERS = _words(
    "python python3 node perl ruby php socat env printenv telnet codex qwen amp droid copilot"
    " cursor-agent opencode goose mktemp xargs rscript dig nslookup ping getent traceroute"
)
_WANTED = NAMES | _OTHERS
_MARKS = re.compile(
    r"install\.packages|::install|://|/dev/|\.bashrc|\.zshrc|_keys|mkfs|Launch|--yolo|--dangerously"
    r"| -jar |[ .:+](?:delete|destroy|purge)\b|login|secret|--password"
    r"|--(?:yes|assume|non-?inter|no-(?:prom|conf|inter)|skip-conf|force|overwrite|in-?place)"
    r"| -y\b"
)
_ALSO_WORDS = _words(
    "find at code type more head less source go port nc flux start fetch set security env strings"
    " vault fly snow ping http https node installer . plugin install in modal convex shopify sam"
    " clasp oci sf"
)
"""Programs whose names are also common words, which may begin a sentence."""
COMMANDS = _WANTED - _ALSO_WORDS
"""Programs whose names begin a command even on a line without a prompt."""
_SENTENCE_ENDS = (".", ":", "?", "!", ",")


def is_wanted(text: str) -> bool:
    """Return whether a text may contain a command to report; most texts contain none."""
    return not _WANTED.isdisjoint(_NAME.findall(text.lower())) or _MARKS.search(text) is not None


_PLAIN_LINE = re.compile(
    r"\s*(?:#.*|(?!(?:time|env|exec|nohup|command|then|do|else|if|while|until|timeout)\b)"
    r"([\w+-]+)(?=\s|\Z)[^|&;(`=]*)?\Z"
)
"""A line of one command, with its first word, or of a comment or nothing."""


_WORDS = re.compile(r"[^\s|&;()`\"'$<>={}]+")
_FIRST = re.compile(
    rf"(?:^|[|;&(`{{])\s*(?:(?:{'|'.join(map(re.escape, sorted(BEFORE)))})\s+(?:-\S+\s+)*)*"
    r"([^\s|&;()`\"'$<>={}]+)"
)
"""The first word of a command on a line."""


def _may_run(line: str) -> bool:
    """Return whether a line may run a program that facts report."""
    plain = _PLAIN_LINE.match(line)
    name = plain[1] if plain else ""
    return name is not None and (name in EVERYDAY or is_program(name) or not name.islower())


def is_command(line: str) -> bool:
    """Return whether a line without a prompt begins with a known command and is not a sentence."""
    words = line.split(None, 2)
    if len(words) < 2 or line.rstrip().endswith(_SENTENCE_ENDS):
        return False
    return base_name(words[0]) in COMMANDS or words[:2] == ["/plugin", "install"]


# Words of a command that are addresses that it calls.


_DATA = re.compile(
    r"--data(?:-\w+)?|--json|--headers?|--form(?:-string)?|--user-agent|--referer|--body|--post-data"
    r"|--cookie|--user|--[a-z-]*-id|-m|--message|--title|--description|--homepage|--license|--text|--content"
    r"|--author|--prompt|--name|--scopes?|--notes|--summary|--subject|--comment|--allowed-origins?"
    r"|--(?:[a-z-]+-)?(?:redirect|callback|origin)(?:[-_][a-z-]*)?|-(?:headers|body)",
    re.IGNORECASE,
)
"""Options whose value is sent or shown, so an address in it is not called."""
_DATA_OF_FETCH = re.compile(r"-[a-zA-Z]*[dHFAeu]")
_VALUE_OF_FETCH = re.compile(
    r"-[a-zA-Z]*[oHdFAeuXxmwbcTKErCPYyzQUt]|--(?:output|request|proxy|max-time|connect-timeout"
    r"|write-out|cookie-jar|upload-file|config|cert|key|cacert|range|continue-at|retry(?:-\w+)?"
    r"|resolve|output-document|directory-prefix|method|url-query|timeout|tries)"
    r"|-(?:outfile|method|contenttype|useragent)"
)
"""Options of curl, wget and the like that take a value."""
_CALLS_NOTHING = _words(
    """
    [ [[ test echo printf print log export local declare set read alias return for case if while
    grep egrep rg ag sed awk tr cut sort jq yq cat head tail less tee mkdir touch ls cd open
    xdg-open start say assert expr let readonly typeset unset function select basename dirname trap
    exit true false write-host write-output $ # // * - + | > sleep wait
    """
)
"""Programs that do not call the addresses in their arguments."""
_GIT_CALLS = _words("clone fetch pull push ls-remote remote submodule archive")
_REMOTES = _words("ssh sftp mosh ssh-copy-id ssh-keyscan")
_COPIES = _words("scp rsync")
_IMAGES = _words("docker podman nerdctl crane skopeo oras")
_HUB_TOOLS = _words("hf huggingface-cli")
_NETCATS = _words("nc ncat netcat telnet")
_LOOKUPS = _words("dig nslookup host ping getent traceroute")
"""Programs that look up the names in their arguments."""
_ANY_HOST = r"((?:[\w-]+\.)+[A-Za-z]{2,24}|(?:\d{1,3}\.){3}\d{1,3})"
_REMOTE = re.compile(rf"(?:[^\s@:/]+@)?{_ANY_HOST}(?::.*)?")
_REMOTE_FILE = re.compile(rf"(?:[^\s@:/]+@)?{_ANY_HOST}:.*")
_NAME_WITH_DATA = re.compile(
    r".*(?:\$\(\)|\$\{?\w*(?:SECRET|TOKEN|KEY|PASS|CRED)\w*\}?)[\w-]*\.((?:[\w-]+\.)+[a-z]{2,24})",
    re.IGNORECASE,
)
"""A host name that begins with data, and the rest of the name."""
_NAME_OF_VALUE = re.compile(r"\A[A-Z][A-Z0-9_]*=(?=\w+://)")
"""The name of a variable that a command is given with an address."""
_GIT_REMOTE = re.compile(r"git@([\w.-]+):(.*)")
_IMAGE = re.compile(r"(?:docker://|oci://)?((?:[\w-]+\.)+[a-z]{2,24})(?::\d+)?/\S+")
_FILE = re.compile(r".*\.(?:sh|py|txt|json|md|pem|pub|log|ya?ml|zip|gz|tgz|sql|csv)", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"<[A-Za-z]")
_REDIRECT = re.compile(r"\d?[<>&|]")


def _calls(name: str, words: Sequence[str]) -> bool:
    """Return whether a command calls the addresses in its arguments."""
    if name == "git":
        return bool(words) and words[0] in _GIT_CALLS
    if name == "openssl":
        return words[:1] == ["s_client"]
    return name not in _CALLS_NOTHING and (name != "gh" or words[:1] == ["repo"])


def _candidates(name: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the words that may be addresses: operands, and values of options that are not sent."""
    number, is_fetch, is_script = 0, name in FETCHES, SCRIPT.search(name) is not None
    while number < len(words):
        word = words[number]
        number += 1
        if not word.startswith("-"):
            yield _NAME_OF_VALUE.sub("", word)
            continue
        option, equals, value = word.partition("=")
        has_file = name == "wget" and word.endswith("O")  # `curl -O` has no value.
        is_data = _DATA.fullmatch(option) or (is_fetch and _DATA_OF_FETCH.fullmatch(option))
        is_example = is_script and option in ("--url", "--urls")
        if has_file or is_data or is_example or (is_fetch and _VALUE_OF_FETCH.fullmatch(option)):
            number += not equals
        elif value:
            yield value


_EXAMPLE = re.compile(r"https?://(?:[a-z0-9-]+\.)*example\.")
"""An address that stands for another one in documentation (RFC 2606)."""
_ADDRESS_GIVEN = re.compile(
    r"(?:https?://)?\$\{?((?:[A-Z][A-Z0-9]*_)+(?:URL|URI|HOST|ENDPOINT|API|BASE|SERVER|ADDR(?:ESS)?))"
    r"(?![A-Za-z0-9_])"
)
"""An address in a variable."""


def _host_in(name: str, address: str, *, is_first: bool) -> str | None:
    """Return the host in a word; empty for a placeholder, None if it is not an address."""
    if "://" in address[:20]:
        return host_of(address)
    if name in FETCHES or (name == "git" and address[:1] == "$"):
        return _host_of_operand(address) if is_first else None
    image = _IMAGE.fullmatch(address) if name in _IMAGES else None
    if match := _GIT_REMOTE.match(address) or image:
        return host_of(f"ssh://{match[1]}/{match[2]}") if image is None else host_name(match[1])
    if name == "openssl" and ":" in address:
        return host_name(address)
    if name in _NETCATS and is_first and "." in address:
        return host_name(address) or None
    if name in _REMOTES and is_first and (match := _REMOTE.fullmatch(address)):
        return None if _FILE.fullmatch(match[1]) else host_name(match[1])
    if name in _COPIES and (match := _REMOTE_FILE.fullmatch(address)):
        return host_name(match[1])
    return None


def _host_of_operand(address: str) -> str | None:
    """Return the host of an address without a scheme, as in `curl get.example.dev`."""
    if not address:
        return None
    if is_local(address):
        return LOCAL
    if address[0] in "${" or _PLACEHOLDER.match(address):
        return ""
    if _REDIRECT.match(address):
        return None
    host, slash, _ = address.partition("/")
    is_file = not slash and _FILE.fullmatch(host)
    return None if is_file or "." not in host or address[0] in "./" else host_name(host) or None


# Downloads and decoded data that are run.


_CODE_OPTION = re.compile(r"-[a-z]*c|-command", re.IGNORECASE)
_READS_HERE = re.compile(r"(?:^|[|;&\s/])(?:ba|z|da|k)?sh\b|\bssh\b")
_DEFAULT = re.compile(r"\$\{\w+:?[-=](.*)\}")
_VARIABLE = re.compile(r"\$\{?(\w+)(?::?[-=]([^}]*))?\}?")
_OUTPUT = re.compile(r"-[a-zA-Z]*[oO]|--output(?:-document)?|-OutFile", re.IGNORECASE)
_REMOTE_NAME = re.compile(r"-[a-zA-Z]*O[a-zA-Z]*|--remote-name(?:-all)?")
_UNPACKS = _words("tar bsdtar unzip 7z")
_FOLDER_OPTION = re.compile(r"-C|-d|--directory")
_PROGRAMS = re.compile(
    r"(?:/usr(?:/local)?|/opt/\w+|~/\.local|\$\{?HOME\}?/\.local|~|\$HOME)?/bin/"
)
"""The start of the path of a program that the shell finds by its name."""
_OWN_FOLDER = re.compile(r"(?:\./)?([\w.+-]+)(?:/.*)?")
_SHOWS_FILES = _words("cat tar zip gzip base64 xxd head tail gpg openssl od less more strings grep")
_SENT_OPTION = re.compile(
    r"-[a-zA-Z]*[dFT]|--data(?:-\w+)?|--form|--json|--upload-file|--post-data"
)
_STANDARD_INPUT = _words("@- - @/dev/stdin")
_ENVIRONMENT, _FILES = "environment variables", "files"
_EXAMPLE_FILE = re.compile(
    r"(?:my|your|some|the|a)?_?(?:script|main|app|train\w*|test\w*|example\w*|run|server|index|demo"
    r"|file|program|setup|manage|evaluate|benchmark|client|agent|pipeline|analysis|tool)\d?\.\w+"
    r"|(?:my|your|some|any|another)[-_].*|.*[<>$*{}\[\]].*",
    re.IGNORECASE,
)
"""Names of files that belong to the user, or stand for any file."""
_IN_PROJECT = re.compile(r"(?:\$\{?\w+\}?/)?(?:(?!path|your|my)[\w.-]+/)+[\w.-]+")
"""The path of a file in a folder of a project."""
_KEY_SENT = re.compile(
    rf"^(?:-[a-zA-Z]*[Hu]|--header|--user|--oauth2-bearer)[\n=][^\n]*?\$\{{?({NAME_OF_KEY})",
    re.MULTILINE,
)
"""A key in an option of `curl`; each word of the command is on a line of its own."""
_TESTS = _words("== != =~ ]] ] -eq -ne -z -n")
_DEVICE_OF_NET = re.compile(r"(?:>&|<>)\s*/dev/(?:tcp|udp)/")
_LONGEST_PIPELINE = 20
_SAYS_WHAT = re.compile(r"[\w$<]")
"""Arguments that a real download has; the name of the program is not enough."""
_TEMPORARY = "mktemp"
"""The value of a variable that is set to a new temporary file or folder."""
_NO_ARGUMENT = re.compile(r"[=:({>%]|<<|[-+*/]\Z")
"""The start of a word after the first word of a line that is an expression or a sentence."""
_PROSE = re.compile(
    r"\A[A-Z]?[a-z]+(?: [a-z'-]+)* (?:an|a(?= [\w'-]{2})|and|for|from|is|of|the|to|with)"
    r"(?: [\w'-]+)+\.?\Z"
)
"""The words after the first one of a sentence."""
_IS_NO_WORD = re.compile(r"bin/[\w-]+|[a-z0-9]+-(?:cli|server|scheduler|worker|daemon|agent)")
"""A command of one word that is certainly no word of a sentence."""
_MOST_WORDS = 30
_BATCH = _words("bat batch cmd")
_WITH_LISTS = _words("fish powershell pwsh ps1")
"""Languages in which parentheses after the words of a command contain other commands."""
_CASE = re.compile(r"[ \t]*(?:case [^\n;]{1,80}? in[ \t]+)?([\w*.-]+(?:\|[\w*.-]+)*)\)")
"""The labels of a branch of `case`."""
_LAUNCHERS = _words("uv poetry pdm hatch pipenv pixi")
"""Programs that run a program in an environment that they make."""
_BIN = re.compile(r"(?:.*/)?bin/")
_BUILT = re.compile(r"\./(?:[\w.+-]+/)*[\w+-]+")
"""A program that a user has built or downloaded."""
OF_MODULE = "python -m "
"""The start of what a fact says of a module that Python runs."""
_MODULE = re.compile(r"\w+(?:\.\w+)+")
_PARTS_OF_PYTHON = _words(
    """
    pip json.tool http.server py_compile compileall zipfile base64 timeit cProfile
    doctest ensurepip site pdb ast tokenize calendar webbrowser sysconfig python
    """
)


def _programs_in(command: Command) -> Iterator[str]:
    """Yield the program that a command runs, and the program file that it runs, if any.

    `gather` drops files that the skill itself has.
    """
    if not command.words or command.program in EVALUATE:
        return
    path = command.file.text.replace("\\", "/") if command.file else ""
    file = base_name(path) if "://" not in path else ""
    is_example = _EXAMPLE_FILE.fullmatch(file) and not _IN_PROJECT.fullmatch(path)
    if SCRIPT.search(file) and not is_example:
        yield file
    name, words = unwrapped(command.name, command.arguments)
    first, is_own = command.words[0].text, name == command.name
    if not is_own and command.program in _LAUNCHERS:
        yield command.program
    if _BUILT.fullmatch(first) and not SCRIPT.search(first) and not is_placeholder(name):
        yield first
    is_run = command.opening == "$(" or name in TOOLS
    is_word = not (words or is_run or _IS_NO_WORD.fullmatch(first))
    if is_own and (is_word or _NO_ARGUMENT.match("".join(words[:1])) or "/" in _BIN.sub("", first)):
        return  # Only a command with arguments is certainly no word of a sentence.
    if _PROSE.search(" ".join(words[:_MOST_WORDS])) and not any(" " in word for word in words):
        return
    is_yielded = SCRIPT.search(file) is not None and name == file
    if is_yielded or name in _PARTS_OF_PYTHON or _EXAMPLE_FILE.fullmatch(name):
        return
    is_module = not is_own and (name in ("venv", "unittest") or _MODULE.fullmatch(name) is not None)
    is_option = bool(command.before) and command.before[-1].text.startswith("--")
    is_named = bool(words) and not is_option and is_named_program(name, words)
    is_other = command.file or manager_of(name, words, is_span=False) or package_run(name, words)
    is_everyday = name in EVERYDAY and not is_other
    if is_program(name) or is_module or is_named or is_everyday:
        named = name if words else first  # For `bin/dev`, the folder says which program it is.
        yield f"{OF_MODULE}{name}" if is_module else named


_DECODED = " "
"""The value that stands for the host of code that was decoded instead of fetched."""


def _dumps_environment(command: Command) -> bool:
    """Return whether a command writes all environment variables."""
    if not command.words:
        return bool(command.before) and base_name(command.before[-1].text) == "env"
    words = command.arguments
    return (command.program in ("printenv", "set", "export", "declare") and not words) or (
        command.program in ("export", "declare") and words in (["-p"], ["-x"], ["-xp"])
    )


def _shows_file(command: Command) -> bool:
    """Return whether a command writes the content of a file."""
    words = command.arguments
    is_file = any(not word.startswith("-") and word not in ("<", "<<<") for word in words)
    return command.program in _SHOWS_FILES and is_file


def _decodes(command: Command) -> bool:
    """Return whether a command decodes or unpacks something."""
    words = command.arguments
    match command.program:
        case "base64" | "base32":
            return any(word in ("-d", "-D", "--decode", "-di", "-id") for word in words)
        case "xxd":
            return any(word.startswith("-") and "r" in word for word in words)
        case "openssl":
            return "-d" in words
        case name:
            return name in ("gunzip", "zcat", "uudecode", "bzcat", "xzcat", "rev")


def _reads_program(name: str, words: Sequence[str]) -> bool:
    """Return whether a command reads its program from standard input: a shell, or `python3 -`."""
    if any(word.startswith("<<") and word != "<<<" for word in words):
        return False
    plain = [word for word in words if not _REDIRECT.match(word)]
    if name in SHELLS:
        operands = [word for word in plain if not word.startswith("-")]
        is_bare = not operands or "-s" in plain or plain[0] in ("-", "--")
        return is_bare and not any(map(_CODE_OPTION.fullmatch, plain))
    if name in ("source", "."):
        return plain[:1] == ["/dev/stdin"]
    is_interpreter = _INTERPRETER.fullmatch(name) is not None
    return is_interpreter and (not plain or plain[0] in ("-", "/dev/stdin"))


def _has_code(words: Sequence[str]) -> bool:
    """Return whether an interpreter gets its program as an argument."""
    return any(_CODE_OPTION.fullmatch(word) or word in ("-e", "-r") for word in words)


def _pipeline(command: Command, by_number: Mapping[int, Command]) -> Sequence[Command]:
    """Return the commands whose output is piped into this command, nearest first."""
    before: list[Command] = []
    feeds_on = command.feeds_on
    while feeds_on in by_number and len(before) < _LONGEST_PIPELINE:
        source = by_number[feeds_on]
        before.append(source)
        # Everything in parentheses writes to the pipe.
        if source.opening in ("(", IN_SENTENCE):
            place = source.inside, source.opening
            every = [each for each in by_number.values() if each.number < source.number]
            before += [each for each in every if (each.inside, each.opening) == place]
        feeds_on = source.feeds_on
    return before


def _inner_texts(command: Command, pipeline: Sequence[Command]) -> Iterator[str]:
    """Yield arguments of a command that are commands themselves, as in `bash -c "..."`."""
    name, words = command.program, command.arguments
    is_shell = name in SHELLS
    for word, after in pairwise(words):
        if is_shell and _CODE_OPTION.fullmatch(word):
            yield after
            break
        is_shell = is_shell or base_name(word).lower().removesuffix(".exe") in SHELLS
    if name == "ssh" and words and " " in words[-1]:
        yield words[-1]
    if name == "eval":
        yield " ".join(words)
    if name == "trap" and words:
        yield words[0]
    if name == "git" and (setting := set_by_git(words)):
        yield setting
    is_echoed = bool(pipeline) and pipeline[-1].name in ("echo", "printf")
    if is_echoed and _reads_program(name, words):
        yield " ".join(word for word in pipeline[-1].arguments if not word.startswith("-"))
    if name == "find" and "-exec" in words:
        yield " ".join(words[words.index("-exec") + 1 :])


def _opens_shell(name: str, words: Sequence[str], pipeline: Sequence[Command]) -> bool:
    is_device = any(word.startswith("/dev/") for word in words)
    if is_device and _DEVICE_OF_NET.search(" ".join([name, *words])):
        return True
    is_fed = any(each.program in SHELLS for each in pipeline)
    if name in ("nc", "ncat", "netcat"):
        return is_fed or any(_RUNS_PROGRAM.fullmatch(word) for word in words)
    if name == "socat":
        return any(word.lower().startswith(("exec:", "system:")) for word in words)
    return name in ("telnet", "openssl") and is_fed


_RUNS_PROGRAM = re.compile(r"-[a-z]*[ec]|--exec|--sh-exec")


def _key(word: str) -> str:
    """Normalize a variable or path: `${X}` becomes `$X`, `./x.sh` becomes `x.sh`."""
    is_braced = word.startswith("${") and word.endswith("}")
    return f"${word[2:-1]}" if is_braced else word.removeprefix("./")


def _sent(
    command: Command, pipeline: Sequence[Command], inside: Sequence[Command]
) -> Iterator[str]:
    """Yield the output of other commands that a command sends, such as files or the environment.

    `inside` are the commands in its arguments, as in `curl -d "$(env)" ...`.
    """
    name, words = command.program, command.arguments
    is_fetch = name in FETCHES
    if not (is_fetch or name in _NETCATS or name in _LOOKUPS or name == "ssh"):
        return
    is_fed = not is_fetch or not _STANDARD_INPUT.isdisjoint(words)
    if any(map(_dumps_environment, [*inside, *(pipeline if is_fed else ())])):
        yield _ENVIRONMENT
    is_given = is_fetch and any(
        "$()" in word and ("://" in word or _SENT_OPTION.fullmatch(option))
        for option, word in pairwise([name, *words])
    )
    sources = [*(inside if is_given else ()), *(pipeline if is_fed else ())]
    if name not in _LOOKUPS and name != "ssh" and any(map(_shows_file, sources)):
        yield _FILES


def _learners(name: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the host that receives data because the names that a command looks up contain the
    data.
    """
    for word in words if name in _LOOKUPS else ():
        match = _NAME_WITH_DATA.fullmatch(word)
        if match and (host := host_name(match[1])):
            yield host


_ALTERNATIVES = re.compile(
    r"^[ \t]*[a-z][\w-]*(?: [\w.-][\w./-]*){0,3}"
    r"(?: / [a-z][\w-]*(?: [\w.-][\w./-]*){0,3}){1,8}[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
"""A line that names commands of which one is to be run, such as `npm test / pytest`."""
_DEEPEST = 2
"""Maximum depth of commands in the arguments of other commands."""


class Shell:
    """The commands of one block of a text, which share variables and files."""

    def __init__(
        self,
        code: Fence | Reference,
        *,
        is_span: bool = False,
        names_programs: bool = False,
        is_file: bool = False,
        addresses: dict[str, str] | None = None,
    ) -> None:
        """Read a block; `names_programs` says whether to report all programs that not every system
        has.

        `addresses` are the addresses in the variables of earlier blocks. `is_file` says whether the
        block is a whole file.
        """
        self._code, self._is_span, self._is_file = code, is_span, is_file
        self._names_programs = names_programs
        self._named: set[str] = set()
        """The words of the lines that were read for the programs in them, and the first words of
        commands with a space after them.
        """
        self._addresses: dict[str, str] = {} if addresses is None else addresses
        """The address, or the temporary folder, in each variable."""
        self._fetched: dict[str, str] = {}
        """The host that the content of each variable or file was downloaded from."""
        self._unpacked: list[tuple[str, str, str]] = []
        """The folder, name and host of each downloaded archive that is unpacked."""

    def read(self, text: str, first: int) -> Iterator[Found]:
        """Yield the facts about the lines of a text; `first` is the number of the first line."""
        if not (self._names_programs or is_wanted(text)):
            return
        if " / " in text:
            text = _ALTERNATIVES.sub(lambda match: match[0].replace(" / ", " ; "), text)
        for line in shell_lines(text, first):
            if line.is_quoted and not _READS_HERE.search(line.reader):
                continue
            is_noted = self._fetched or self._unpacked
            if is_noted or is_wanted(line.text) or self._names_new(line.text):
                yield from self._line(line)

    def _names_new(self, line: str) -> bool:
        """Return whether a line may run a program that no line before it runs."""
        if not self._names_programs or not _may_run(line):
            return False
        names = {f"{word} " for word in _FIRST.findall(line)}.union(_WORDS.findall(line))
        is_new = goes_on(line) or not names <= self._named
        self._named |= names
        return is_new

    def _line(self, line: ShellLine, depth: int = 0) -> Iterator[Found]:
        commands = line.commands(self._code)
        if self._names_programs and not self._is_span and goes_on(line.text) and commands:
            yield Found(RunKind.CONTROLS, IN_BACKGROUND, line.number, shown(line.text))
        case = _CASE.match(line.text)
        labels = case[1].split("|") if case else ()
        by_number = {command.number: command for command in commands}
        for command in commands:
            inside = [each for each in commands if each.inside == command.number]
            self._note_variables(command, inside)
            pipeline = _pipeline(command, by_number)
            yield from self._command(command, pipeline, by_number.get(command.inside), line)
            is_unsure = self._is_unsure(command)
            for program in _programs_in(command) if self._names_programs else ():
                is_label = program in labels and not command.arguments
                if is_label or (is_unsure and program not in _WANTED):
                    continue
                place = command.words[0].place.line
                yield Found(RunKind.PROGRAM, program, place, shown(line.text))
            for what in _sent(command, pipeline, inside):
                yield Found(RunKind.SENDS, what, command.words[0].place.line, shown(line.text))
            for key, host in self._keys_sent(command):
                place = command.words[0].place.line
                yield Found(RunKind.SENDS, key, place, shown(line.text), host)
            for text in _inner_texts(command, pipeline) if depth < _DEEPEST else ():
                yield from self._line(ShellLine(line.number, text), depth + 1)

    def _is_unsure(self, command: Command) -> bool:
        """Return whether a command may be no command: it stands in an array, in parentheses in a
        sentence, or in a block of Batch, whose syntax is another one.
        """
        language = self._code.language.lower() if isinstance(self._code, Fence) else ""
        is_in_words = command.opening == IN_SENTENCE and language not in _WITH_LISTS
        return not self._is_file and (is_in_words or language in _BATCH)

    def _command(
        self,
        command: Command,
        pipeline: Sequence[Command],
        outer: Command | None,
        line: ShellLine,
    ) -> Iterator[Found]:
        place = (command.words or command.before)[0].place.line
        name, words, text = command.program, command.arguments, shown(line.text)
        host = self._run_inside(command, outer)
        if host is None and command.words:
            host = self._run_from_pipe(name, words, pipeline)
        if host is None and command.words:
            host = self._run_later(command)
        if host is not None:
            kind = RunKind.DECODED if host == _DECODED else RunKind.DOWNLOAD
            yield Found(kind, "", place, text, host.strip())
        if not command.words:
            return
        yield from self._noted(command, pipeline, place, text)
        is_temporary = self._is_temporary(words)
        for kind, more in statements(command, name, is_span=self._is_span):
            is_other = kind == RunKind.EVAL and "/" in command.words[0].text  # `/eval` of an agent.
            if not (is_other or (is_temporary and kind == RunKind.DELETES)):
                yield Found(kind, more, place, text)
        for host in _learners(name, words):
            yield Found(RunKind.SENDS, "data in DNS queries", place, text)
            yield Found(RunKind.REACHES, "", place, text, host)
        if _opens_shell(name, words, pipeline):
            yield Found(RunKind.OPENS_SHELL, "", place, text)
        for host, where in self._reached(command):
            yield Found(RunKind.REACHES, where, place, text, host)

    def _reached(self, command: Command) -> Iterator[tuple[str, str]]:
        """Yield each host that a command calls, or where it gets its addresses from."""
        name, words, hosts = command.program, command.arguments, self._hosts(command)
        yield from ((host, "") for host in hosts if host)
        is_call = name in FETCHES or name == "openssl" or words[:1] == ["clone"]
        if hosts == [""] and is_call:
            # The second operand of `git clone` is a folder.
            operands = [word for word in words[1:] if word[:1] != "-"][:1]
            given = operands if words[:1] == ["clone"] else words
            yield from (("", where) for where in self._given(name, given))

    def _noted(
        self, command: Command, pipeline: Sequence[Command], place: int, text: str
    ) -> Iterator[Found]:
        """Record what a command downloads, and yield it if it becomes a program of the system."""
        if self._note_unpacked(command, pipeline) or self._note_file(command):
            yield Found(RunKind.INSTALLS, "downloaded", place, text)

    def _keys_sent(self, command: Command) -> Iterator[tuple[str, str]]:
        """Yield the names of keys that a command sends, and the host that gets them.

        In a text, commands that name no host are examples, and are left out.
        """
        if command.program in FETCHES:
            names = dict.fromkeys(_KEY_SENT.findall("\n".join(command.arguments)))
            host = self._host(command) if names else ""
            if self._is_file or host:
                yield from ((name, host) for name in names)

    # Hosts that it calls.

    def _hosts(self, command: Command) -> list[str]:
        """Return the hosts that a command calls, without duplicates; an empty string is a
        placeholder.
        """
        name, words = command.program, command.arguments
        if name in _HUB_TOOLS and words[:1] == ["download"] and len(words) > 1:
            return [HUB]
        if not _calls(name, words):
            return []
        hosts: dict[str, None] = {}
        is_first = True
        script = base_name(command.file.text) if command.file else name
        for word in _candidates(script if SCRIPT.search(script) else name, words):
            if name in _IMAGES and words[0] == "login" and "." in word:
                host: str | None = host_name(word)
            else:
                host = _host_in(name, self._expanded(word), is_first=is_first)
            if host is not None:
                hosts[host] = None
            is_first = is_first and host is None and (name not in FETCHES)
        return list(hosts)

    def _given(self, name: str, words: Sequence[str]) -> Iterator[str]:
        """Yield where a command that names no host gets its addresses from."""
        matches = (_ADDRESS_GIVEN.match(self._expanded(word)) for word in words)
        given = {match[1] for match in matches if match}
        if given:
            yield from (f"the address in {variable}" for variable in sorted(given))
        elif any(map(ATTACKER.search, words)):
            return
        elif any(map(_EXAMPLE.match, words)):
            yield f"an example address ({name})"
        else:
            yield f"addresses you give ({name})"

    def _is_temporary(self, words: Sequence[str]) -> bool:
        """Return whether all operands are in temporary folders that the commands made."""
        operands = (word for word in words if not word.startswith(("-", ">", "2>", "&")))
        names = [None if ".." in word else _VARIABLE.match(word) for word in operands if word]
        made = [name is not None and self._addresses.get(name[1]) == _TEMPORARY for name in names]
        return bool(made) and all(made)

    def _expanded(self, word: str) -> str:
        """Replace a variable at the start of a word with its address."""
        match = _VARIABLE.match(word)
        if match is None:
            return word
        return self._addresses.get(match[1], match[2] or match[0]) + word[match.end() :]

    def _host(self, command: Command) -> str:
        """Return the first host that a command calls, other than this computer; empty if there is
        none.
        """
        return next((host for host in self._hosts(command) if host not in ("", LOCAL)), "")

    # Each of these returns the host of the code that is run, or `_DECODED`; None if no code is run.

    def _run_inside(self, command: Command, outer: Command | None) -> str | None:
        """Return the host for `eval "$(curl ...)"`, where this command is the inner one; None for
        other commands.
        """
        name = command.program
        if outer is None or not (name in FETCHES or _decodes(command)):
            return None
        evaluator, words = outer.program, outer.arguments
        is_interpreter = evaluator in SHELLS or _INTERPRETER.fullmatch(evaluator) is not None
        is_given = command.opening == "<(" or _has_code(words) or "<<<" in words
        if evaluator in EVALUATE or (is_interpreter and is_given):
            return self._host(command) if name in FETCHES else _DECODED
        return None

    def _run_from_pipe(
        self, name: str, words: Sequence[str], pipeline: Sequence[Command]
    ) -> str | None:
        """Return the host for `curl ... | sh`; None for other commands."""
        if not pipeline or not _reads_program(name, words):
            return None
        for each in pipeline:
            if each.program in _DOWNLOADS and any(map(_SAYS_WHAT.search, each.arguments)):
                return self._host(each)
        if any(map(_decodes, pipeline)):
            return _DECODED
        noted = (self._fetched.get(_key(word)) for each in pipeline for word in each.arguments)
        return next((host or _DECODED for host in noted if host is not None), None)

    def _run_later(self, command: Command) -> str | None:
        """Return the host for `curl -o x.sh ...` followed by `sh x.sh`; None for other commands."""
        name, words = command.program, command.arguments
        is_noted = self._fetched or self._unpacked
        if not is_noted or name in FETCHES or not _TESTS.isdisjoint(words):
            return None
        if self._unpacked and "/" in command.words[0].text:
            host = self._unpacked_from(command.words[0].text)
            if host is not None:
                return host or _DECODED
        run = [command.words[0].text, *([command.file.text] if command.file else [])]
        if name in EVALUATE or (name in SHELLS and _has_code(words)):
            run += words
        for key in map(_key, run):
            if key in self._fetched:
                return self._fetched.pop(key) or _DECODED
        return None

    def _unpacked_from(self, path: str) -> str | None:
        """Return the host of the archive that contained a program; None if there is no such
        archive.
        """
        own = _OWN_FOLDER.fullmatch(path)
        for folder, archive, host in self._unpacked:
            is_in_folder = folder != "." and path.startswith(f"{folder}/")
            is_named_so = folder == "." and own is not None and archive.startswith(own[1].lower())
            if is_in_folder or is_named_so:
                return host
        return None

    def _note_unpacked(self, command: Command, pipeline: Sequence[Command]) -> bool:
        """Record the folder into which a downloaded archive is unpacked.

        Return whether it is a folder for programs.
        """
        if command.program not in _UNPACKS:
            return False
        words, count = command.arguments, len(self._unpacked)
        folder = next(
            (to for option, to in pairwise(words) if _FOLDER_OPTION.fullmatch(option)), "."
        )
        for each in pipeline:
            if each.program in FETCHES:
                name = next((base_name(word) for word in each.arguments if "://" in word), "")
                self._unpacked.append((folder.rstrip("/"), name.lower(), self._host(each)))
        for key in map(_key, words):
            if key in self._fetched:
                name = base_name(key).lower()
                self._unpacked.append((folder.rstrip("/"), name, self._fetched[key]))
        return len(self._unpacked) > count and _PROGRAMS.match(folder + "/") is not None

    def _note_variables(self, command: Command, inside: Sequence[Command]) -> None:
        for word in command.before:
            name, equals, value = word.text.partition("=")
            if not equals or not name.isidentifier():
                continue
            default = _DEFAULT.fullmatch(value)
            value = default[1] if default else value
            self._addresses.pop(name, None)
            if "://" in value:
                self._addresses[name] = value
            if value.startswith("$()"):
                if value == "$()" and any(each.program == "mktemp" for each in inside):
                    self._addresses[name] = _TEMPORARY
                fetch = next((each for each in inside if each.program in FETCHES), None)
                if fetch is not None:
                    self._fetched[f"${name}"] = self._host(fetch)
                elif any(map(_decodes, inside)):
                    self._fetched[f"${name}"] = ""

    def _note_file(self, command: Command) -> bool:
        """Record the file to which a command saves a download.

        Return whether it is in a folder for programs.
        """
        name, words = command.program, command.arguments
        if name not in FETCHES:
            return False
        target = ""
        for number, word in enumerate(words[:-1]):
            is_name = name != "wget" and _REMOTE_NAME.fullmatch(word)
            if word in (">", ">>") or (_OUTPUT.fullmatch(word) and not is_name):
                target = words[number + 1]
        if not target and (name == "wget" or any(map(_REMOTE_NAME.fullmatch, words))):
            address = next((self._expanded(word) for word in words if "://" in word), "")
            target = base_name(address.partition("?")[0])
        if target not in ("", "-", "/dev/null"):
            self._fetched[_key(target)] = self._host(command)
        return _PROGRAMS.match(target) is not None


def commands_in(
    text: str, first: int, *, names_programs: bool = False, is_file: bool = False
) -> Iterator[Found]:
    """Yield the facts about a text that consists of commands, one on each line. `first` is the
    number of its first line.
    """
    shell = Shell(Fence("bash", text, first), names_programs=names_programs, is_file=is_file)
    return shell.read(text, first)
