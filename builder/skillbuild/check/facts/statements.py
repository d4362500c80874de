"""Recognizes commands that ask for privileges, delete files, send data, or run something later."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from skillbuild.check.facts.found import words as _words
from skillbuild.check.facts.installs import (
    INSTALLS,
    RUNS_PACKAGES,
    manager_of,
    own_manager,
    package_run,
    unwrapped,
)
from skillbuild.check.facts.keys import keys_of
from skillbuild.check.facts.removals import SQL, is_removal
from skillbuild.check.facts.running import CONTROLLED, controls
from skillbuild.check.facts.services import (
    REACHED,
    SERVICES,
    SHORT,
    changes,
    login_of,
    method_of,
    overwrites,
    reached,
    unasked,
)
from skillbuild.model import RunKind
from skillbuild.paths import base_name
from skillbuild.text.commands import SCRIPT, Command

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
EVERYDAY = _words(
    """
    awk base64 bat brew bun bunzip2 bzip2 cargo cat chgrp chmod chown conda cp dd df diff dig du
    egrep fgrep find ftp gawk gem getent grep gunzip gzip hexdump host ifconfig ip jq launchctl less
    ln locate ls lsblk lscpu lsof md5sum mount mv nc netstat node npm nslookup patch pgrep ping pip
    pip3 pnpm ps python python3 readlink realpath rg rm rmdir rustup sed sha256sum shasum ss stat
    strings systemctl tar top traceroute tree umount uname unzip uv vmstat xxd xz yarn yq zcat zip
    """
)
"""Programs that most systems or most developers have. They are listed after all others."""
_USUAL = EVERYDAY | _words(
    """
    alias apk apt apt-get basename bash bg break bunx call case cd choco clear cls cmp code column
    comm command composer continue copy crontab curl cut date declare del dir dirname dnf do doas
    docker-machine done dpkg echo elif else env esac eval exec exit export expr false fc fg fi file
    fish for free function groups head help history hostname iex if in install irm iwr jobs kill
    killall lastlog let local logger mamba man mapfile md mkdir mkfifo mktemp more nano nl nohup
    nproc npx nvm open pacman paste pipx popd powershell printenv printf pkill pushd pwd rd read
    readarray rem ren return rev rpm schtasks scoop select seq service set sh shift sleep snap sort
    source split start stdbuf su sudo sum sync tac tail tee test then time timeout touch tr trap
    true tty type typeset ulimit umask unalias uniq unset until uptime useradd usermod uvx vi vim
    wait watch wc wget which while who whoami winget xargs xcopy yes yum zsh disown shopt exist
    """
)
"""Everyday programs; programs that only filter, print or wait; programs that other facts cover; and
words that do not begin a command.
"""
TOOLS = _words(
    """
    ast-grep bandit biome checkov clang-format clang-tidy codeql cppcheck detekt eslint flake8 gdb
    gitleaks golangci-lint govulncheck hadolint isort jest ktlint lldb markdownlint mypy oxlint
    phpstan phpunit pmd prettier pylint pyright pytest rspec rubocop ruff semgrep shellcheck
    stylelint swiftformat swiftlint terrafmt terraform-docs tflint tfsec tox trivy tsc valgrind
    vitest yamllint
    """
)
"""Programs that check code and whose names have no other meaning."""
_OTHER_PROGRAM = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*\+{0,2}")
_NO_PROGRAM = re.compile(
    r"(?:my|your|some|any|another|other|background|first|second|next|long|slow|risky|failing)[-_].*"
    r"|.*_(?:task|command|cmd|function|here|name)|foo|bar|baz|xxx+|usage|program|myapp|mytool"
    r"|refuse|die|abort|fail|warn|error|alert|(?:send|log|notify|show|report|raise)_\w+"
    r"|await|const|async|def|class|throw|new|catch|finally|lambda|pass|raise|yield|var|null|void"
    r"|interface|public|private|static|enum|cmd|struct|from|where|import|println|auto|use|require|int"
)
"""Placeholders, and first words of lines that are not commands."""


PACKAGES_OF_R = re.compile(
    r"(?:install\.packages|BiocManager::install|(?:remotes|devtools|pak)::(?:install_\w+|pak"
    r"|pkg_install)|renv::install)\((?![\"'](?:your)?(?:package|pkg)[_-]?(?:name)?[\"'])[^\n]*"
)
"""Calls in R that install packages."""
_WITH_DOT = re.compile(r"(?!python|pip)[A-Za-z][\w-]*(?:\.(?:pl|py|sh|R|rb)|\d\.\d+)")
_WITH_CAPITALS = re.compile(r"(?![A-Z][a-z]+-[A-Z])[A-Za-z][\w-]+")
"""A name with capitals that is not a cmdlet of PowerShell, such as `Get-Item`."""


def is_named_program(name: str, words: Sequence[str]) -> bool:
    """Return whether a command with arguments runs a program such as `mapper.pl` or `STAR`.

    The name of such a program contains a dot or capital letters.
    """
    if _WITH_DOT.fullmatch(name):
        return True
    has_option = words[0].startswith("-") and len(words[0]) > 1
    files = [word for word in words[:6] if _A_FILE.fullmatch(word)]
    has_file = len(files) > 1 or (files[:1] == words[:1] and not name.istitle())
    is_known = name.lower() in _USUAL or is_placeholder(name.lower())
    is_likely = (has_option or has_file) and not is_known
    return is_likely and _WITH_CAPITALS.fullmatch(name) is not None


_A_FILE = re.compile(r"[\w./-]*\w\.[a-z][a-z0-9]{1,5}")


def is_placeholder(name: str) -> bool:
    """Return whether a name is a placeholder for a program, or begins a line that is not a
    command.
    """
    return _NO_PROGRAM.fullmatch(name) is not None


def is_program(name: str) -> bool:
    """Return whether the first word of a command names a program that is not on every system."""
    if name in _USUAL or len(name) < 2 or is_placeholder(name):
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
    r"|/proc/\w+/environ|\.terraform\.d/credentials|\.kaggle/kaggle\.json|\.databrickscfg|\.pgpass"
    r"|\.(?:cache/)?huggingface/token|\.(?:codex|local/share/opencode)/auth\.json|\.claude/\.credentials"
)
"""Files with keys and passwords of the user."""
_GIT_RUNS = re.compile(
    r"core\.(?:hookspath|sshcommand|fsmonitor|gitproxy)|filter\..*\.(?:clean|smudge|process)",
    re.IGNORECASE,
)
"""Git settings that are commands, or that set the folder of hooks."""
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
    r"|/var/lib/apt/lists.*|/var/cache.*",
    re.IGNORECASE,
)
"""Folders that tools create again."""
_SLASH_OPTION = re.compile(r"/[a-zA-Z]")
_WRITES = (">", ">>")


def statements(command: Command, name: str, *, is_span: bool) -> Iterator[Statement]:
    """Yield the kind and the details of each fact about a command.

    A code span yields only facts that are certain, because many spans only mention a command.
    """
    words = command.arguments
    before = [base_name(word.text) for word in command.before]
    yield from ((RunKind.ASKS, each) for each in ("sudo", "doas") if each in before)
    manager = manager_of(name, words, is_span=is_span)
    if not manager and is_program(name):
        manager = own_manager(name, words)
    if manager:
        yield RunKind.INSTALLS, manager
    if package := package_run(name, words):
        yield RunKind.PACKAGE, package
    name = "mkfs" if name.startswith("mkfs") else name
    if name in _DELETES:
        yield from _DELETES[name](words)
    if name == "git" and set_by_git(words):
        yield RunKind.LATER, ""
    text = " ".join(word for word in words if " " not in word or name not in ("echo", "printf"))
    for pattern, kind, details in (*_BY_NAME[""], *_BY_NAME.get(name, ())):
        if match := pattern.search(text):
            yield kind, details.format(*match.groups(), name=name)
    if name in _READS and any(map(CREDENTIALS.search, _read_words(name, words))):
        yield RunKind.CREDENTIALS, ""
    yield from _of_tool(command, name, installs=bool(manager), is_span=is_span)


def _of_tool(command: Command, name: str, *, installs: bool, is_span: bool) -> Iterator[Statement]:
    """Yield the tool of a service that a command runs, the service that it contacts, and the tool
    with which it changes, deletes or overwrites something.
    """
    is_service = name in SERVICES
    tool, words = run, its_words = unwrapped(name, command.arguments)
    if not is_service and tool not in REACHED:
        tool, words = _tool(command, name)
        if run == name and tool:
            run, its_words = tool, words
    if is_service and words:
        yield RunKind.PROGRAM, name
    service = reached(tool, words)
    if service:
        yield RunKind.REACHES, service
        if login := login_of(tool):
            yield RunKind.USES_KEY, login
    is_deleted = bool(service) and method_of(words) == "DELETE"
    if is_deleted or (words and is_removal(tool, words, is_span=is_span, is_service=is_service)):
        yield RunKind.REMOVES, tool
    elif service and changes(tool, words):
        yield RunKind.CHANGES, tool
    yield from ((RunKind.USES_KEY, key) for key in keys_of(SHORT.get(tool, tool), words))
    if not is_span:
        is_detached = any(base_name(word.text) in ("nohup", "setsid") for word in command.before)
        every = controls(run, its_words, is_detached=is_detached)
        yield from ((RunKind.CONTROLS, each) for each in every)
        yield from _of_options(tool, words, service, installs=installs or name in INSTALLS)


def _of_options(
    tool: str, words: Sequence[str], service: str, *, installs: bool
) -> Iterator[Statement]:
    """Yield what the options of a tool make it skip, overwrite, and send to its service."""
    if option := unasked(tool, words, installs=installs):
        yield RunKind.UNASKED, option
    if option := overwrites(tool, words):
        yield RunKind.OVERWRITES, option
    if service and _UPLOADS.match(" ".join(words)):
        yield RunKind.SENDS, UPLOADED


UPLOADED = "uploaded files"
_UPLOADS = re.compile(
    r"(?=.*?(?:upload|send|reply|insert|write|create)).*?"
    r" --(?:file|image|video|audio|media|attachment)[ =](?:@|\./|~/|/)?[\w/-]{1,60}"
    r"\.(?:png|jpe?g|gif|mp[34]|mov|wav|opus|pdf|docx|xlsx|pptx|csv|zip)\b"
)
"""A command of a service with the option for a file that it uploads."""
_DLX = _words("dlx exec run x tool")


def _tool(command: Command, name: str) -> tuple[str, Sequence[str]]:
    """Return the tool that a command runs, which may be a script or package, and its arguments.

    The tool is empty if it is none with subcommands of its own.
    """
    words = command.arguments
    if name in RUNS_PACKAGES and not command.is_interpreted:
        is_package = (not word.startswith("-") and word not in _DLX for word in words)
        at = next((number for number, is_own in enumerate(is_package) if is_own), len(words))
        return base_name("".join(words[at : at + 1])).partition("@")[0], words[at + 1 :]
    if command.file and (command.is_interpreted or SCRIPT.search(command.file.text)):
        texts = [word.text for word in command.words]
        return base_name(command.file.text), texts[texts.index(command.file.text) + 1 :]
    return (name, words) if is_program(name) else ("", ())


def _read_words(name: str, words: Sequence[str]) -> Sequence[str]:
    """Return the arguments that may name a file which the command reads."""
    if name in _LAST_IS_WRITTEN and len(words) > 1:
        return words[:-1]
    number = next((number for number, word in enumerate(words) if word in _WRITES), len(words))
    return [*words[:number], *words[number + 2 :]]


# What is deleted.


def _rm(words: Sequence[str]) -> Iterator[Statement]:
    options = [word for word in words if word.startswith("-")]
    if any(word == "--recursive" or _RECURSIVE.fullmatch(word) for word in options):
        yield from _deleted(words)
    elif any(map(_PLAIN_FILE.fullmatch, words)) and not any(map(_MADE.fullmatch, words)):
        yield RunKind.DELETES, ""


_PLAIN_FILE = re.compile(r"(?![-/])[\w./-]*[A-Za-z0-9](?:\.\w+)?")
_MADE = re.compile(
    r".*(?:temp|tmp|cache|\bout\b|\.(?:log|lock|pid|sock|zip|tar|gz|tgz|xz|deb|rpm|bak|orig|pyc|o|out)\b"
    r"|install|download|test|sample|output|result|[<>|$*]).*",
    re.IGNORECASE,
)
"""Files that a command before has probably made or downloaded, and redirections."""
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


_DELETES: Mapping[str, Handler] = {
    "rm": _rm,
    **dict.fromkeys(["remove-item", "ri", "rd", "rmdir", "del"], _remove_item),
    "find": _find,
}


def set_by_git(words: Sequence[str]) -> str:
    """Return the command or the hooks folder that a `git config` command sets; empty if it sets
    neither.
    """
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


# What programs do with certain arguments.


_S, _E = r"(?:\A|(?<= ))", r"(?= |\Z)"
"""The start and the end of an argument."""
_DEVICE = r"/dev/(?!null|zero|std|fd|tty|shm|random|urandom|tcp|udp)\w+"
_START_FILES = (
    r"(?:\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login|bash_logout)\b"
    r"|config\.fish|authorized_keys|/etc/(?:profile|rc\.local|crontab|environment|sudoers)\b"
    r"|/cron\.\w+/|LaunchAgents|LaunchDaemons|systemd/(?:system|user)/|/autostart/|\$PROFILE\b"
    r"|\\Start Menu\\|\.git/hooks/)"
)
"""Files that are executed or trusted later, such as shell profiles, cron tables and
`authorized_keys`.
"""
_FETCHING = " ".join(FETCHES)
_AGENTS = "claude codex gemini qwen copilot amp droid goose opencode"
_ASKS_NOTHING = (
    r"--(?:dangerously-(?:skip|bypass|allow|disable)|yolo|full-auto|allow-all-(?:tools|paths)"
    r"|approval-mode[= ]yolo)|bypassPermissions"
)
_HOST_RIGHTS = r"--privileged|docker\.sock|/:/\S*|--pid=host|--cap-add=(?:ALL|SYS_ADMIN)"
_MODE = r"0?777|a\+rwx|[ugoa]*\+[rwx]*s[rwx]*|[46]7[0-7]{2}|[24]755|o\+w"
_UNCHECKED = rf"{_S}(?:-[fsSLgvi]*k[fsSLgvi]*|--insecure|--no-check-certificate)"
_DELETE_REQUEST = rf"{_S}(?:-[a-zA-Z]*X|--request|--method)[ =]?DELETE(?:{_E}|-|http|\$)"
QUERIES = (
    r"search|quer|graphql|sparql|token|oauth|log_?in|auth|completion|generat|embed|chat|messages|predict"
    r"|infer|analy|valid|check|test|convert|render|preview|count|translat|transcri|has_|enrich|simulat"
    r"|estimat|echo|ping|rerank|responses|images|audio|detect|lint|ask|interact|comput|calculate|hook"
)
"""Parts of the paths of requests that change nothing although their method is POST."""
_CHANGE_REQUEST = (
    rf"{_S}(?:-[a-zA-Z]*X|--request|--method)[ =]?"
    rf"(PUT|PATCH|POST(?!.{{0,300}}?/[^\s/]{{0,60}}?(?:{QUERIES})))(?={_E}|-|http|\$)"
    rf"(?=.{{0,400}}?(?:{_S}https?://[^/\s]+|\$\{{?\w+\}}?)(/[^\s?&\"']{{1,60}}))"
)
"""A request that changes data, with its method and path."""
_FILE_SENT = (
    rf"{_S}(?:-[a-zA-Z]*[dF]|--data(?:-\w+)?|--form|--json)[ =](?:[\w.-]+=)?"
    r"(?:@(?!-)[^\s{]|<[^-\s])"
)
_FORCED = rf"(?<= )(?:-f|--force|--mirror){_E}"
_DELETED = rf"(?:-d|-D|--delete){_E}"
_UNSIGNED, _OFF = "permission to run unsigned scripts", RunKind.UNPROTECTS
_LOST = RunKind.OVERWRITES
_OUTSIDE = r"(?:~|\$\{?HOME\}?|/etc|/usr/local|/Library|/opt)/(?!path/to/)"
_KEPT = r"(?!\S*(?:backup|bak\b|\$\(|\.old|/(?: |\Z)))"
"""Not a folder, and not a copy that keeps the old state."""
_ASIDE = r"(?!(\S+) \1\.|(\S+)\.\w+ \2\Z)"
"""No renaming such as `lib` to `lib.old`, and not back."""
_RULES: Sequence[tuple[str, str, RunKind, str]] = (
    ("", rf">>? \S*?{_DEVICE}", RunKind.OVERWRITES_DISK, ""),
    ("", rf">>? \S*?{_START_FILES}", RunKind.LATER, ""),
    ("", _ASKS_NOTHING, RunKind.AGENT, ""),
    ("chmod", rf"\A(?:(?:-[a-zA-Z]+|--\w+) )*({_MODE}) ", RunKind.ASKS, "chmod {}"),
    ("docker podman", _HOST_RIGHTS, RunKind.ASKS, "containers with host privileges"),
    ("powershell pwsh", r"(?i)-(?:executionpolicy|ep) bypass", RunKind.ASKS, _UNSIGNED),
    ("set-executionpolicy", ".", RunKind.ASKS, _UNSIGNED),
    ("powershell pwsh start-process", "(?i)runas", RunKind.ASKS, "administrator rights"),
    (
        "powershell pwsh",
        rf"(?i){_S}-e(?:nc|c|ncodedcommand)? (?:[a-z0-9+/=]{{16,}}|\$\w+){_E}",
        RunKind.DECODED,
        "",
    ),
    ("xattr", rf"{_S}-r?dr?{_E}.*com\.apple\.quarantine", _OFF, "the macOS quarantine"),
    ("xattr", rf"{_S}-r?cr?{_E}", _OFF, "the macOS quarantine"),
    ("spctl", r"--(?:master|global)-disable", _OFF, "Gatekeeper"),
    ("setenforce", r"\A(?:0|Permissive)\Z", _OFF, "SELinux"),
    ("ufw", r"\Adisable\Z", _OFF, "the firewall"),
    (_FETCHING, rf"{_UNCHECKED} |(?<= ){_UNCHECKED}{_E}", _OFF, "curl -k"),
    (_FETCHING, _DELETE_REQUEST, RunKind.REMOVES, "curl -X DELETE"),
    (_FETCHING, _CHANGE_REQUEST, RunKind.CHANGES, "{} {}"),
    (_FETCHING, rf"{_S}(?:-T|--(?:upload|post|body)-file)[ =](?!-)", RunKind.SENDS, ""),
    (_FETCHING, _FILE_SENT, RunKind.SENDS, ""),
    ("go", r"\Atest .*?(?<= )--?sweep(?:=| |\Z)", RunKind.REMOVES, "go test -sweep"),
    ("", rf"(?:\A|(?<= ))> ?({_OUTSIDE}{_KEPT}\S{{1,60}})", _LOST, "> {}"),
    (
        "mv",
        rf"\A(?:-\w+ )*+{_ASIDE}(?:\S+ )?({_OUTSIDE}\S{{0,60}}[^\s/])(?= |\Z)",
        _LOST,
        "mv {2}",
    ),
    (
        "cp install",
        rf"\A(?!-\w*[rR])\S.* ({_OUTSIDE}{_KEPT}\S{{1,60}})\Z",
        _LOST,
        "{name} to {}",
    ),
    ("tee", rf"\A(?!-a|--append)({_OUTSIDE}\S{{1,60}})", _LOST, "tee {}"),
    ("ln", rf"\A-\w*f\w* .* ({_OUTSIDE}\S{{1,60}})\Z", _LOST, "ln -f {}"),
    ("sed gsed", rf"{_S}-(?:i\S*|\w*i)(?= )", _LOST, "{name} -i"),
    ("", rf"{_S}--mode[ =](overwrite|replace){_E}", _LOST, "{name} --mode {}"),
    ("eval", ".", RunKind.EVAL, ""),
    ("java", rf"{_S}-jar{_E}", RunKind.PROGRAM, "java"),
    ("r rscript", PACKAGES_OF_R.pattern, RunKind.INSTALLS, "R"),
    (_AGENTS, r"\Amcp add(?:-json)?\b", RunKind.MCP_SERVER, ""),
    ("security", rf"\Afind-.* -w{_E}", RunKind.CREDENTIALS, ""),
    ("secret-tool", rf"\Alookup{_E}", RunKind.CREDENTIALS, ""),
    ("dd", rf"{_S}of={_DEVICE}", RunKind.OVERWRITES_DISK, ""),
    ("shred", rf"{_S}{_DEVICE}{_E}", RunKind.OVERWRITES_DISK, ""),
    ("wipefs", ".", RunKind.OVERWRITES_DISK, ""),
    ("mkfs", "", RunKind.OVERWRITES_DISK, ""),
    ("git", rf"\Apush{_E}(?!.*{_FORCED})", RunKind.PUSHES, ""),
    ("git", rf"\Apush .*?{_FORCED}", RunKind.PUSHES, "force"),
    ("git", rf"\Aclean .*?(?<= )(?:-[a-z]*f[a-z]*|--force){_E}", RunKind.RESETS, ""),
    ("git", rf"\Areset .*?(?<= )?--hard{_E}", RunKind.RESETS, ""),
    ("git", rf"\A(?:branch|tag) (?:.* )?{_DELETED}", RunKind.RESETS, ""),
    ("git", rf"\A(?:stash (?:drop|clear)|reflog expire){_E}", RunKind.RESETS, ""),
    ("git", rf"\Acheckout (?!-[bB] )(?:.* )?(?:--|\.){_E}", RunKind.RESETS, ""),
    ("git", rf"\Afilter-(?:branch|repo){_E}", RunKind.RESETS, ""),
    ("git", r"\Arestore (?!--staged|-S).", RunKind.RESETS, ""),
    ("gcloud", rf"(?<= )(--allow-unauthenticated){_E}", _OFF, "{}"),
    ("usermod gpasswd", rf"{_S}docker{_E}", RunKind.ASKS, "membership in the docker group"),
    ("psql mysql sqlite3 duckdb sqlcmd", rf"(?i)\b{SQL}", RunKind.REMOVES, "{name}"),
    ("dropdb", ".", RunKind.REMOVES, "dropdb"),
    ("git", rf"\Apush (?:.* )?{_DELETED}", RunKind.REMOVES, "git push --delete"),
    ("git", r"\Aworktree remove .", RunKind.DELETES, ""),
    ("crontab", rf"\A(?!(?:.* )?-[lr]{_E}).", RunKind.LATER, ""),
    ("launchctl", rf"\A(?:load|bootstrap|enable|submit){_E}", RunKind.LATER, ""),
    ("systemctl", rf"{_S}enable{_E}", RunKind.LATER, ""),
    ("schtasks", "(?i)/create", RunKind.LATER, ""),
    ("register-scheduledtask", "", RunKind.LATER, ""),
    ("reg", rf"{_S}add .*\\Run", RunKind.LATER, ""),
    ("at", r"\A(?:now|-f) ", RunKind.LATER, ""),
    ("tee", _START_FILES, RunKind.LATER, ""),
    ("cp mv ln install", rf"{_START_FILES}\S*\Z", RunKind.LATER, ""),
    ("pre-commit prek lefthook husky", rf"\A(?:install|init){_E}", RunKind.LATER, ""),
)
"""Programs, a pattern of their arguments, and what they do with them; `{}` is the group of the
pattern, and `{name}` the program. A rule without programs is about all.
"""


def _by_name() -> Mapping[str, Sequence[tuple[re.Pattern[str], RunKind, str]]]:
    rules: dict[str, list[tuple[re.Pattern[str], RunKind, str]]] = {}
    for programs, pattern, kind, details in _RULES:
        rule = re.compile(pattern, re.DOTALL), kind, details
        for name in programs.split() or [""]:
            rules.setdefault(name, []).append(rule)
    return rules


_BY_NAME = _by_name()
NAMES = frozenset(
    [
        *(*filter(None, _BY_NAME), *_DELETES, *INSTALLS, *RUNS_PACKAGES, *_READS),
        *(*SERVICES, *REACHED, *CONTROLLED),
        *(*FETCHES, *SHELLS, *EVALUATE, "sudo", "doas"),
    ]
)
"""Programs about which this module has statements."""
