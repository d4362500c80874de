"""Finds what a single command does: it asks for privileges, deletes, sends data, or runs something
later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from skillbuild.check.facts.found import words as _words
from skillbuild.check.facts.installs import INSTALLS, RUNS_PACKAGES, manager_of, package_run
from skillbuild.check.facts.keys import keys_of
from skillbuild.check.facts.removals import is_removal
from skillbuild.model import RunKind
from skillbuild.paths import base_name
from skillbuild.text.commands import Command

Statement = tuple[RunKind, str]
"""A kind of fact, and its details."""
Handler = Callable[[Sequence[str]], Iterator[Statement]]
"""A function that returns what a program does, given the arguments."""
FETCHES = _words(
    "curl wget http https xh aria2c iwr irm invoke-webrequest invoke-restmethod fetch lwp-download"
)
"""Programs whose operands are addresses, with or without a scheme."""
SHELLS = _words("sh bash zsh dash ksh fish pwsh powershell iex")
EVALUATE = _words("eval source . iex invoke-expression")
SERVICES = _words(
    """
    aws az gcloud gsutil bq kubectl helm terraform tofu pulumi ansible ansible-playbook gh glab
    docker docker-compose podman ssh scp rsync sftp heroku fly flyctl vercel netlify wrangler
    cbt firebase supabase doctl oci ibmcloud eksctl stripe railway databricks snow snowsql psql
    mysql mongosh redis-cli sqlcmd argocd flux vault consul nomad circleci twilio sentry-cli
    hf huggingface-cli
    """
)
"""Command-line tools of cloud services and remote systems, which are always reported."""
_USUAL = _words(
    """
    alias apk apt apt-get awk base64 basename bash bat bg break brew bun bunx bunzip2 bzip2 call
    case cat cd chgrp chmod choco chown clear cls cmp code column comm command composer conda
    continue copy cp crontab curl cut date dd declare del df diff dig dir dirname dnf do doas
    docker-machine done dpkg du echo egrep elif else env esac eval exec exit export expr false fc
    fg fgrep fi file find fish for free ftp function gem getent grep groups gunzip gzip head
    help history host hostname iex if ifconfig in install ip irm iwr jobs jq kill killall lastlog
    launchctl less let ln local locate logger ls lsblk lscpu lsof make mamba man mapfile md md5sum
    mkdir mkfifo mktemp more mount mv nano nc netstat nl node nohup npm nproc npx nslookup nvm open
    openssl pacman paste patch pgrep ping pip pip3 pipx pkill pnpm popd powershell printenv printf
    ps pushd pwd python python3 rd read readarray readlink realpath rem ren return rev rg rm rmdir
    rpm rustup schtasks scoop sed select seq service set sh sha256sum shasum shift sleep snap sort
    source split ss start stat stdbuf strings su sudo sum sync systemctl tac tail tar tee test then
    time timeout top touch tr trap tree true tty type typeset ulimit umask umount unalias uname
    uniq unset until unzip uptime useradd usermod uv uvx vi vim vmstat wait watch wc wget which
    while who whoami winget xargs xcopy xxd xz yarn yes yum zcat zip zsh
    """
)
"""Common programs that need not be reported, and words that do not begin a command."""
_OTHER_PROGRAM = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*\+{0,2}")
_NO_PROGRAM = re.compile(
    r"(?:my|your|some|any|another|other|background|first|second|next|long|slow|risky|failing)[-_].*"
    r"|.*_(?:task|command|cmd|function|here|name)|foo|bar|baz|xxx+|usage|program|myapp|mytool"
    r"|await|const|async|def|class|throw|new|catch|finally|lambda|pass|raise|yield|var|null|void"
    r"|interface|public|private|static|enum|cmd|struct|from|where|import|println|auto|use|require|int"
)
"""Placeholders, and first words of lines that are not commands."""


PACKAGES_OF_R = re.compile(
    r"(?:install\.packages|BiocManager::install|(?:remotes|devtools|pak)::(?:install_\w+|pak"
    r"|pkg_install)|renv::install)\([^\n]*"
)
"""Calls in R that install packages."""


def is_program(name: str) -> bool:
    """Return whether the first word of a command is a program that not every system has."""
    if name in _USUAL or len(name) < 2 or _NO_PROGRAM.fullmatch(name):
        return False
    return _OTHER_PROGRAM.fullmatch(name) is not None


_READS = _words(
    """
    cat cp tar base64 curl wget scp zip rsync less more head tail grep rg mv gpg openssl xxd strings
    bat get-content type gc od hexdump jq yq awk sed source . 7z gzip nc ncat dd ln
    """
)
_LAST_IS_WRITTEN = _words("cp mv rsync ln")
CREDENTIALS = re.compile(
    r"\.ssh(?<![^/~\s\"'(=@<\\].ssh)(?:/(?:id_\w+(?!\.pub|\w)|\*|identity)|/?[\"')]*\Z)"
    r"|\.aws/credentials|\.(?<![^/~\\].)(?:netrc|pypirc|npmrc)\b|\.git-credentials|/etc/shadow"
    r"|\.docker/config\.json|\.kube/config|gcloud/(?:application_default_cred|credentials\.db)"
    r"|\.azure/(?:accessTokens|msal_token)|\.gnupg/(?:private-keys|secring)|\.password-store"
    r"|Login Data\b|Cookies\.binarycookies|key4\.db|logins\.json|\.config/gh/hosts\.yml"
    r"|/proc/\w+/environ"
)
"""Files with keys and passwords of the user."""
_START_FILES = re.compile(
    r"\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login|bash_logout)\b"
    r"|config\.fish|authorized_keys|/etc/(?:profile|rc\.local|crontab|environment|sudoers)\b"
    r"|/cron\.\w+/|LaunchAgents|LaunchDaemons|systemd/(?:system|user)/|/autostart/|\$PROFILE\b"
    r"|\\Start Menu\\|\.git/hooks/"
)
"""Files that are executed or trusted later, such as shell profiles, cron tables and
`authorized_keys`.
"""
_GIT_RUNS = re.compile(
    r"core\.(?:hookspath|sshcommand|fsmonitor|gitproxy)|filter\..*\.(?:clean|smudge|process)",
    re.IGNORECASE,
)
"""Git settings that are commands, or that set the folder of hooks."""
_AGENT = re.compile(
    r"--dangerously-(?:skip|bypass|allow|disable)[\w-]*|--yolo|--allow-all-(?:tools|paths)"
    r"|bypassPermissions|--approval-mode[= ]yolo"
)
_JAVA = re.compile(r"\$\{?\w*java\w*\}?")
"""A variable, in lower case, that holds the path of Java."""
_MCP = re.compile(
    r"(?:claude|codex|gemini|qwen|copilot|amp|droid|goose|opencode) mcp add(?:-json)?\b"
)
_WHOLE = re.compile(
    r"(?:/|/\*|~/?\*?|\$\{?HOME\}?/?\*?|\.\.?/?|\*|\./\*"
    r"|/(?:usr|etc|home|var|bin|lib|opt|root|Users)/?\*?"
    r"|[A-Za-z]:\\?\*?|\$env:USERPROFILE\\?\*?|%USERPROFILE%\\?\*?)"
)
"""Folders that do not belong to a skill."""
_REBUILT = re.compile(
    r"(?:\./)?(?:.*/)?(?:node_modules|dist|build|target|out|\.venv|venv|\.?cache|\.?tmp|temp"
    r"|__pycache__|coverage|\.next|\.turbo|\.pytest_cache|\.mypy_cache|\.ruff_cache"
    r"|[\w.-]*\.egg-info|\$\{?\w*(?:TMP|TEMP|CACHE|BUILD)\w*\}?)/?\*?"
    r"|/tmp/.*|/var/lib/apt/lists.*|/var/cache.*",
    re.IGNORECASE,
)
"""Folders that tools create again."""
_DEVICE = re.compile(r"(?:of=)?/dev/(?!null|zero|std|fd|tty|shm|random|urandom|tcp|udp)\w+")
_PRIVILEGED = re.compile(r"--privileged|docker\.sock|/:/\S*|--pid=host|--cap-add=(?:ALL|SYS_ADMIN)")
_OPEN_MODE = re.compile(r"0?777|a\+rwx|[ugoa]*\+[rwx]*s[rwx]*|[46]7[0-7]{2}|[24]755|o\+w")
_OPTION = re.compile(r"-[a-zA-Z]+|--\w+")
_SLASH_OPTION = re.compile(r"/[a-zA-Z]")
_ENCODED = re.compile(r"-e(?:nc|c|ncodedcommand)?", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/=]{16,}|\$\w+")
_FILE_SENT = re.compile(r"(?:[\w.-]+=)?@(?!-)[^\s{]|<[^-\s]")
_SENDS = re.compile(r"-[a-zA-Z]*[dF]|--data(?:-\w+)?|--form|--json")
_UPLOADS = re.compile(r"-T|--(?:upload|post|body)-file")
_WRITES = (">", ">>")
_UNSIGNED, _ADMINISTRATOR = "scripts that are not signed", "administrator rights"


def statements(command: Command, name: str, *, is_span: bool) -> Iterator[Statement]:
    """Yield what a command does; for a code span only what is certain, because many spans just name
    a command.
    """
    words = command.arguments
    before = [base_name(word.text) for word in command.before]
    yield from ((RunKind.ASKS, each) for each in ("sudo", "doas") if each in before)
    if manager := manager_of(name, words, is_span=is_span):
        yield RunKind.INSTALLS, manager
    if package := package_run(name, words):
        yield RunKind.PACKAGE, package
    by_name = _BY_NAME.get("java" if _JAVA.fullmatch(name) else name)
    if by_name:
        yield from by_name(words)
    if name.startswith("mkfs"):
        yield RunKind.OVERWRITES_DISK, ""
    yield from _writes(words)
    text = " ".join([name, *words])
    if _MCP.match(text):
        yield RunKind.MCP_SERVER, ""
    if _AGENT.search(text):
        yield RunKind.AGENT, ""
    if name in _READS and any(map(CREDENTIALS.search, _read_words(name, words))):
        yield RunKind.CREDENTIALS, ""
    if name in FETCHES:
        yield from _fetch(words)
    yield from _of_tool(command, name, is_span=is_span)


def _of_tool(command: Command, name: str, *, is_span: bool) -> Iterator[Statement]:
    """Yield the tool of a service that a command runs, and the tool with which it deletes."""
    is_service = name in SERVICES
    tool, words = (name, command.arguments) if is_service else _tool(command, name)
    if is_service and words:
        yield RunKind.PROGRAM, name
    if words and is_removal(tool, words, is_span=is_span, is_service=is_service):
        yield RunKind.REMOVES, tool
    yield from ((RunKind.USES_KEY, key) for key in keys_of(tool, words))


_DLX = _words("dlx exec run x tool")


def _tool(command: Command, name: str) -> tuple[str, Sequence[str]]:
    """Return the tool that a command runs, which may be a script or package, and its arguments.

    The tool is empty if it is none with subcommands of its own.
    """
    words = command.arguments
    if name in RUNS_PACKAGES:
        is_package = (not word.startswith("-") and word not in _DLX for word in words)
        at = next((number for number, is_own in enumerate(is_package) if is_own), len(words))
        return base_name("".join(words[at : at + 1])).partition("@")[0], words[at + 1 :]
    if command.is_interpreted and command.file:
        texts = [word.text for word in command.words]
        return base_name(command.file.text), texts[texts.index(command.file.text) + 1 :]
    return (name, words) if is_program(name) else ("", ())


def _writes(words: Sequence[str]) -> Iterator[Statement]:
    """Yield the effects of a command's redirection to a device or a file."""
    written = [after for word, after in pairwise(words) if word in _WRITES]
    if any(map(_DEVICE.search, written)):
        yield RunKind.OVERWRITES_DISK, ""
    if any(map(_START_FILES.search, written)):
        yield RunKind.LATER, ""


def _read_words(name: str, words: Sequence[str]) -> Sequence[str]:
    """Return the arguments that may name a file which the command reads."""
    if name in _LAST_IS_WRITTEN and len(words) > 1:
        return words[:-1]
    number = next((number for number, word in enumerate(words) if word in _WRITES), len(words))
    return [*words[:number], *words[number + 2 :]]


def _fetch(words: Sequence[str]) -> Iterator[Statement]:
    """Yield what a program such as curl does besides fetching."""
    if _sends_file(words):
        yield RunKind.SENDS, ""
    if len(words) > 1 and any(map(_UNCHECKED.fullmatch, words)):
        yield RunKind.UNPROTECTS, "curl -k"
    if any(map(_DELETE_REQUEST.fullmatch, map("".join, pairwise([*words, ""])))):
        yield RunKind.REMOVES, "curl -X DELETE"


_SWEEP = re.compile(r"--?sweep(?:=.*)?")
"""The option of tests in Go that deletes what earlier tests left in the cloud."""
_UNCHECKED = re.compile(r"-[fsSLgvi]*k[fsSLgvi]*|--insecure|--no-check-certificate")
_DELETE_REQUEST = re.compile(r"(?:-[a-zA-Z]*X|--request=?|--method=?)DELETE(?:-.*|http.*|\$.*)?")


def _sends_file(words: Sequence[str]) -> bool:
    pairs = [*pairwise(words), *(tuple(word.split("=", 1)) for word in words if "=" in word)]
    return any(
        (_UPLOADS.fullmatch(option) and not value.startswith("-"))
        or (_SENDS.fullmatch(option) and _FILE_SENT.match(value))
        for option, value in pairs
    )


# Handlers for single programs.


def _chmod(words: Sequence[str]) -> Iterator[Statement]:
    mode = next((word for word in words if not _OPTION.fullmatch(word)), "")
    if _OPEN_MODE.fullmatch(mode) and words[-1] != mode:
        yield RunKind.ASKS, f"chmod {mode}"


def _docker(words: Sequence[str]) -> Iterator[Statement]:
    if any(map(_PRIVILEGED.search, words)):
        yield RunKind.ASKS, "containers with the host's rights"


def _powershell(words: Sequence[str]) -> Iterator[Statement]:
    text = " ".join(words).lower()
    if "-executionpolicy bypass" in text or "-ep bypass" in text:
        yield RunKind.ASKS, _UNSIGNED
    if "runas" in text:
        yield RunKind.ASKS, _ADMINISTRATOR
    if any(
        _ENCODED.fullmatch(word) and _BASE64.fullmatch(after) for word, after in pairwise(words)
    ):
        yield RunKind.DECODED, ""


def _execution_policy(words: Sequence[str]) -> Iterator[Statement]:
    if words:
        yield RunKind.ASKS, _UNSIGNED


def _xattr(words: Sequence[str]) -> Iterator[Statement]:
    is_removed = any(re.fullmatch("-r?[dc]r?", word) for word in words)
    if is_removed and ("com.apple.quarantine" in words or "-c" in words or "-cr" in words):
        yield RunKind.UNPROTECTS, "the quarantine of macOS"


def _spctl(words: Sequence[str]) -> Iterator[Statement]:
    if "--master-disable" in words or "--global-disable" in words:
        yield RunKind.UNPROTECTS, "Gatekeeper"


def _setenforce(words: Sequence[str]) -> Iterator[Statement]:
    if words in (["0"], ["Permissive"]):
        yield RunKind.UNPROTECTS, "SELinux"


def _ufw(words: Sequence[str]) -> Iterator[Statement]:
    if words == ["disable"]:
        yield RunKind.UNPROTECTS, "the firewall"


def _start_process(words: Sequence[str]) -> Iterator[Statement]:
    if any("runas" in word.lower() for word in words):
        yield RunKind.ASKS, _ADMINISTRATOR


def _rm(words: Sequence[str]) -> Iterator[Statement]:
    options = [word for word in words if word.startswith("-")]
    if any(word == "--recursive" or _RECURSIVE.fullmatch(word) for word in options):
        yield from _deleted(words)


_RECURSIVE = re.compile(r"-[a-qs-zA-Z]*[rR][a-zA-Z]*")


def _remove_item(words: Sequence[str]) -> Iterator[Statement]:
    options = " ".join(words).lower()
    if "-recurse" in options or " -r" in f" {options}" or "/s" in options:
        yield from _deleted([word for word in words if not _SLASH_OPTION.fullmatch(word)])


def _deleted(words: Sequence[str]) -> Iterator[Statement]:
    operands = [word for word in words if word[:1] not in ("-", ">", "<", "&", "2", "")]
    if any(map(_WHOLE.fullmatch, operands)):
        yield RunKind.DELETES_ALL, ""
    elif operands and not all(map(_REBUILT.fullmatch, operands)):
        yield RunKind.DELETES, ""


_CHOICES = _words("-name -iname -path -mtime -regex -mmin -size -empty -newer")
_REBUILT_NAME = re.compile(r".*__pycache__.*|.*\.(?:py[co]|DS_Store|tmp|bak|orig|swp|log|o)")


def _find(words: Sequence[str]) -> Iterator[Statement]:
    if "-delete" not in words or words[0].startswith("-"):
        return
    is_all = _CHOICES.isdisjoint(words)
    if is_all and words[0][:1] in "/~$" and _WHOLE.fullmatch(words[0]):
        yield RunKind.DELETES_ALL, ""
    elif not _REBUILT.fullmatch(words[0]) and not any(map(_REBUILT_NAME.fullmatch, words)):
        yield RunKind.DELETES, ""


def _git(words: Sequence[str]) -> Iterator[Statement]:
    subcommand = words[0] if words else ""
    if subcommand == "push":
        is_forced = not _FORCE.isdisjoint(words)
        yield RunKind.PUSHES, "force" if is_forced else ""
        if not _DELETE_OPTION.isdisjoint(words):
            yield RunKind.REMOVES, "git push --delete"
    if subcommand == "config" and set_by_git(words):
        yield RunKind.LATER, ""
    is_clean = subcommand == "clean" and any(_FORCED.fullmatch(word) for word in words)
    is_deleted = subcommand in ("branch", "tag") and not _DELETE_OPTION.isdisjoint(words)
    is_dropped = words[:2] in (["stash", "drop"], ["stash", "clear"])
    if is_clean or is_deleted or is_dropped or (subcommand == "reset" and "--hard" in words):
        yield RunKind.RESETS, ""
    if words[:2] == ["worktree", "remove"] and len(words) > 2:
        yield RunKind.DELETES, ""


def set_by_git(words: Sequence[str]) -> str:
    """Return the command or folder of hooks that `git config` sets; empty if it sets neither."""
    operands = [word for word in words[1:] if not word.startswith("-")]
    if operands[:1] == ["set"]:
        operands = operands[1:]
    if words[:1] != ["config"] or len(operands) < 2:
        return ""
    key, value = operands[0], operands[1]
    if _GIT_RUNS.fullmatch(key):
        return value
    is_command = key.lower().startswith("alias.") and value.startswith("!")
    return value[1:] if is_command else ""


_FORCE = _words("-f --force --mirror")
_DELETE_OPTION = _words("-d -D --delete")
_FORCED = re.compile(r"-[a-z]*f[a-z]*|--force")


def _go(words: Sequence[str]) -> Iterator[Statement]:
    if words[:1] == ["test"] and any(map(_SWEEP.fullmatch, words)):
        yield RunKind.REMOVES, "go test -sweep"


def _java(words: Sequence[str]) -> Iterator[Statement]:
    if "-jar" in words:
        yield RunKind.PROGRAM, "java"


def _eval(words: Sequence[str]) -> Iterator[Statement]:
    if words:
        yield RunKind.EVAL, ""


def _rscript(words: Sequence[str]) -> Iterator[Statement]:
    if any(map(PACKAGES_OF_R.search, words)):
        yield RunKind.INSTALLS, "R"


def _security(words: Sequence[str]) -> Iterator[Statement]:
    if words and words[0].startswith("find-") and "-w" in words:
        yield RunKind.CREDENTIALS, ""


def _secret_tool(words: Sequence[str]) -> Iterator[Statement]:
    if words and words[0] == "lookup":
        yield RunKind.CREDENTIALS, ""


def _dd(words: Sequence[str]) -> Iterator[Statement]:
    if any(word.startswith("of=") and _DEVICE.fullmatch(word) for word in words):
        yield RunKind.OVERWRITES_DISK, ""


def _shred(words: Sequence[str]) -> Iterator[Statement]:
    if any(map(_DEVICE.fullmatch, words)):
        yield RunKind.OVERWRITES_DISK, ""


def _later(
    is_later: Callable[[Sequence[str]], object],
) -> Callable[[Sequence[str]], Iterator[Statement]]:
    """Return a handler for commands that run something later, if their arguments say so."""

    def handler(words: Sequence[str]) -> Iterator[Statement]:
        if is_later(words):
            yield RunKind.LATER, ""

    return handler


def _puts_start_file(words: Sequence[str]) -> bool:
    return bool(words) and _START_FILES.search(words[-1]) is not None


def _adds_to_start_file(words: Sequence[str]) -> bool:
    return any(map(_START_FILES.search, words))


_BY_NAME: Mapping[str, Handler] = {
    "chmod": _chmod,
    "docker": _docker,
    "podman": _docker,
    "powershell": _powershell,
    "pwsh": _powershell,
    "set-executionpolicy": _execution_policy,
    "xattr": _xattr,
    "spctl": _spctl,
    "setenforce": _setenforce,
    "ufw": _ufw,
    "start-process": _start_process,
    "rm": _rm,
    **dict.fromkeys(["remove-item", "ri", "rd", "rmdir", "del"], _remove_item),
    "find": _find,
    "git": _git,
    "go": _go,
    "java": _java,
    "eval": _eval,
    "r": _rscript,
    "rscript": _rscript,
    "security": _security,
    "secret-tool": _secret_tool,
    "dd": _dd,
    "shred": _shred,
    "wipefs": lambda words: iter([(RunKind.OVERWRITES_DISK, "")] if words else []),
    "crontab": _later(lambda words: words and "-l" not in words and "-r" not in words),
    "launchctl": _later(
        lambda words: words and words[0] in ("load", "bootstrap", "enable", "submit")
    ),
    "systemctl": _later(lambda words: "enable" in words),
    "schtasks": _later(lambda words: "/create" in " ".join(words).lower()),
    "register-scheduledtask": _later(lambda words: True),
    "reg": _later(lambda words: "add" in words and any("\\Run" in word for word in words)),
    "at": _later(lambda words: len(words) > 1 and words[0] in ("now", "-f")),
    "tee": _later(_adds_to_start_file),
    **dict.fromkeys(
        ["pre-commit", "prek", "lefthook", "husky"],
        _later(lambda words: words[:1] in (["install"], ["init"])),
    ),
    **dict.fromkeys(["cp", "mv", "ln", "install"], _later(_puts_start_file)),
}
NAMES = frozenset(
    [
        *(*_BY_NAME, *INSTALLS, *RUNS_PACKAGES, *SERVICES, *_READS, *FETCHES, *SHELLS, *EVALUATE),
        *("sudo", "doas"),
    ]
)
"""Programs about which this module has statements."""
