"""Recognizes command-line tools of services, and which of their commands contact or change the
service.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from skillbuild.check.facts.found import words as _words
from skillbuild.check.facts.known import BY_TOOL

OF_LOGIN = "the login of "
"""The start of the words of a fact about a tool that keeps a login."""
_OTHERS: Mapping[str, str] = {
    "kubectl helm": "your Kubernetes cluster",
    "terraform tofu pulumi": "the services that {} manages",
    "docker podman": "a container registry",
    "nextflow": "GitHub through {}",
}
"""What tools contact that do not have one service or one login."""


REACHED = {
    tool: words.format(tool)
    for tools, words in (*BY_TOOL.items(), *_OTHERS.items())
    for tool in tools.split()
}
"""What is said of a command that contacts the service of a tool."""
SERVICES = (REACHED.keys() - _words("npm pnpm modal convex shopify sam sf clasp")) | _words(
    """
    ansible ansible-playbook docker-compose ssh scp rsync sftp psql mysql mongosh redis-cli sqlcmd
    argocd flux vault consul nomad circleci
    """
)
"""Command-line tools of services and remote systems, which are always reported.

Those whose names are common words, and package managers, are left out.
"""

_NOT_DONE = re.compile(
    r"--dry-?run(?:=(?!none|false).*)?|--help|help|can-i|--generate-cli-skeleton|schema"
)
"""Words of commands that only say what would be done, or whether it is allowed."""


def is_only_asked(words: Sequence[str]) -> bool:
    """Return whether a command only prints its help, or only shows what it would do.

    `-h` counts as help only at the end; before a value, it names a host.
    """
    return any(map(_NOT_DONE.fullmatch, words)) or list(words[-1:]) == ["-h"]


_HERE = re.compile(
    r"(?:--version|-v|-V|version|completion|configure|config|init|dev|serve|build|local|help|info"
    r"|alias|components|emulators?(?::\S+)?|setup:emulators\S*|target(?::\S+)?|use|types|check"
    r"|doctor|docs|template|lint|create|validate|fmt|test)\b"
)
"""Subcommands of most of these tools that contact nobody."""
_ELSEWHERE: Mapping[str, str] = {
    "gh": r"(?!alias|config|completion|help|--version|version|extension|auth (?:status|token))",
    "glab": r"(?!alias|config|completion|help|--version|version|auth status)",
    "aws": r"(?!configure(?! sso)|help|--version|s3 presign|cloudformation package|sso logout)",
    "sam": r"(?:deploy|sync|logs|delete|list|remote|traces)\b",
    "cdk": r"(?:deploy|destroy|diff|bootstrap|import|watch|rollback)\b",
    "gcloud": (
        r"(?!config|components|info|init|version|--version|help|topic|emulators|beta emulators"
        r"|auth (?:list|revoke|configure-docker)|auth application-default (?:revoke|set-quota))"
    ),
    "az": (
        r"(?!config|version|--version|bicep (?:build|decompile|install|upgrade)"
        r"|account (?:show|set)|extension|upgrade|find|logout)"
    ),
    "azd": r"(?:up|deploy|provision|down|auth login|pipeline|monitor|env refresh)\b",
    "kubectl": (
        r"(?!config|kustomize|completion|version|plugin|krew|help|api-versions|.*--client\b"
        r"|--help)"
    ),
    "helm": r"(?:install|upgrade|uninstall|delete|list|ls|status|rollback|history|get|test)\b",
    "terraform": r"(?:apply|plan|destroy|import|refresh)\b",
    "tofu": r"(?:apply|plan|destroy|import|refresh)\b",
    "pulumi": r"(?:up|preview|destroy|refresh|import)\b",
    "docker": r"(?:push|pull|login)\b",
    "podman": r"(?:push|pull|login)\b",
    "nextflow": r"(?:run|pull)\s+(?:-\S+\s+)*(?:https://github\.com/)?[a-z][\w-]*/(?!main\.nf)[\w-]+(?=\s|\Z)",
    "supabase": (
        r"(?:login|link|projects|orgs|secrets|branches|functions (?:deploy|list|delete)"
        r"|db (?:push|pull|remote)|.*--(?:linked|project-ref|project-id)\b)"
    ),
    "databricks": (
        r"(?!bundle (?:init|validate)|configure|labs|--version|version|help"
        r"|auth (?:env|profiles))"
    ),
    "snow": (
        r"(?:sql|cortex|stage|object|spcs|snowpark deploy|streamlit deploy|connection test|app)\b"
    ),
    "wrangler": (
        r"(?!dev|init|types|generate|--version|version|help|check|docs|complete|pages dev"
        r"|.*--(?:local|dry-run)\b|d1 migrations create"
        r"|d1 (?:execute|migrations apply)(?!.*--remote))"
    ),
    "hf": r"(?:login|auth login|upload|upload-large-folder|repos?|jobs|spaces|endpoints)\b",
    "huggingface-cli": r"(?:login|upload|upload-large-folder|repo)\b",
    "wandb": r"(?:login|sync|artifact|sweep|agent|launch|pull)\b",
    "npm": r"(?:publish|unpublish|deprecate|dist-tag|owner|access|login|adduser|whoami)\b",
    "pnpm": r"publish\b",
    "twine": r"upload\b",
    "flutterfire": r"configure\b",
    "eas": r"(?!--version|help|(?:build|update|submit):configure|config)",
    "lark-cli": (
        r"(?!--version|help|schema|config|completion|doctor|auth (?:status|logout|check)|skills?\b)"
    ),
    "shopify": r"(?:auth|theme (?:push|pull|dev|list|publish|share)|app (?:deploy|dev|release))\b",
    "modal": r"(?:run|deploy|serve|app|volume|secret|token|setup|shell)\b",
    "ngrok": r"(?:http|tcp|tls|start|tunnel)\b",
    "convex": r"(?:deploy|dev|run|env|import|export|logs|login|data)\b",
    "snyk": r"(?:auth|test|monitor|code|container|iac)\b",
    "clasp": r"(?:login|push|pull|clone|deploy|create|open|logs|run|list)\b",
    "sentry-cli": r"(?!--version|help|sourcemaps inject|update|uninstall)",
    "heroku": r"(?!--version|help|local|version)",
    "claude": (
        r"(?!mcp\b|plugins?\b|config\b|update\b|doctor\b|install\b|agents\b|auth\b|setup-token"
        r"|--help|--version|-[hv]\b|-\S+\Z)"
    ),
    "codex": r"(?!mcp\b|completion\b|plugins?\b|features\b|--help|--version|-[hV]\b)",
}
"""The start of the arguments with which a tool contacts its service, where the subcommands of
`_HERE` do not tell.
"""
SHORT: Mapping[str, str] = {
    "firebase-tools": "firebase",
    "netlify-cli": "netlify",
    "eas-cli": "eas",
}
"""Names of packages whose program has another name."""
_PATTERNS = {tool: re.compile(start) for tool, start in _ELSEWHERE.items()}


def reached_by(tool: str) -> str:
    """Return the service that a tool contacts, such as `GitHub` for `gh`; empty if the tool is not
    known.
    """
    return REACHED.get(SHORT.get(tool, tool), "")


_LOGINS = {tool: tool for tools in BY_TOOL for tool in tools.split()} | {
    **dict.fromkeys(["kubectl", "helm"], "kubectl")
}


def login_of(tool: str) -> str:
    """Return the login with which a tool contacts its service, such as `the login of gh`; empty if
    the tool keeps no login.
    """
    login = _LOGINS.get(SHORT.get(tool, tool), "")
    return f"{OF_LOGIN}{login}" if login else ""


def reached(tool: str, words: Sequence[str]) -> str:
    """Return the service that a command contacts, such as `GitHub`; empty if it contacts no known
    service.
    """
    tool = SHORT.get(tool, tool)
    if tool not in REACHED or not words or is_only_asked(words):
        return ""
    text, pattern = " ".join(words), _PATTERNS.get(tool)
    is_elsewhere = pattern.match(text) is not None if pattern else not _HERE.match(text)
    return REACHED[tool] if is_elsewhere and words != ["..."] else ""


# What changes things for good.


_VERBS = (
    r"(?:create|update|put|deploy|publish|apply|edit|merge|close|reopen|comment|review|upload|push"
    r"|patch|scale|set|add|modify|promote|rollback|upgrade|uninstall|post|send|write|move|copy|grant|revoke|enable"
    r"|disable|attach|detach|invoke|submit|import|transfer|rename|archive|lock|release)"
)
"""Subcommands that change something at a service, as part of a pattern."""
_CHANGES = re.compile(rf"(?!update-kubeconfig\Z)(?:[\w:.+-]*[:.+])?{_VERBS}(?:-[\w-]+)?")
"""A subcommand that changes something at a service."""
_SUBCOMMAND = re.compile(r"\+?[a-z][\w:.+-]*")
_MOST_SUBCOMMANDS = 4
_CHANGES_OF: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(["terraform", "tofu"], re.compile(r"apply\b")),
    "pulumi": re.compile(r"up\b"),
    "helm": re.compile(r"(?:install|upgrade|rollback)\b"),
    "kubectl": re.compile(
        r"(?:apply|create|patch|scale|edit|set|replace|annotate|label|drain|cordon|taint|run|expose"
        r"|autoscale|rollout (?:restart|undo))\b"
    ),
    **dict.fromkeys(["docker", "podman"], re.compile(r"push\b")),
    "aws": re.compile(r"s3 (?:cp|mv|sync) .* s3://\S+(?: --.*)?\Z|s3 mb\b"),
    "gsutil": re.compile(r"(?:-\w+ )*(?:cp|mv|rsync|mb) .* gs://\S+\Z|(?:-\w+ )*(?:mb|iam ch)\b"),
    "vercel": re.compile(r"(?:--prod|deploy|env (?:add|rm)|alias|promote|domains add)\b"),
    "twine": re.compile("upload"),
    "nextflow": re.compile(r"(?!)"),
    "cdk": re.compile("(?:deploy|bootstrap)"),
    "azd": re.compile("(?:up|deploy|provision)"),
}
"""The commands of some tools that change something, in place of verbs."""
_METHOD = re.compile(
    r"(?:api (?:.* )?(?:-X|--method)[ =]?|api )(?P<method>POST|PUT|PATCH|DELETE)(?: .*)?",
    re.IGNORECASE,
)
"""A call of the interface of a service, with its method."""


def method_of(words: Sequence[str]) -> str:
    """Return the HTTP method of an API call that changes something, such as `gh api -X DELETE`;
    empty for any other command.
    """
    text = " ".join(words)
    match = _METHOD.fullmatch(text) if text.startswith("api ") else None
    return match["method"].upper() if match else ""


def changes(tool: str, words: Sequence[str]) -> bool:
    """Return whether a command that contacts a service changes something there."""
    tool = SHORT.get(tool, tool)
    if pattern := _CHANGES_OF.get(tool):
        if pattern.match(" ".join(words)):
            return True
        if tool not in ("aws", "vercel"):
            return False
    subcommands = list(_subcommands(words))
    if subcommands[:1] == ["release"]:
        subcommands = subcommands[1:]
    return any(map(_CHANGES.fullmatch, subcommands)) or method_of(words) in ("POST", "PUT", "PATCH")


def _subcommands(words: Sequence[str]) -> Iterator[str]:
    """Yield the subcommands at the start of the arguments of a command."""
    for word in words[:_MOST_SUBCOMMANDS]:
        if not _SUBCOMMAND.fullmatch(word):
            return
        yield word


# Options that skip questions, and options that overwrite files.


_UNASKED = re.compile(
    r"--(?:yes|assume-?yes|non-?interactive|no-(?:prompts?|confirm|interactive)"
    r"|no-verify|skip-confirm(?:ation)?|auto-approve|always-yes)|-auto-approve"
)
_FORCE, _ENDS = "--force", (">", "2>", "<", "2>&1", "&>")
_OVERWRITES = re.compile(r"--(?:overwrite|in-?place)")
_NOT_ASKING = _words("git docker podman rm cp mv ln cargo pip npm yarn pnpm bun")
"""Programs whose `--force` is told otherwise or skips no question."""


def unasked(tool: str, words: Sequence[str], *, installs: bool) -> str:
    """Return the tool with the option that makes it skip confirmations; empty if there is no such
    option.
    """
    for number, word in enumerate(words if tool and not installs else (), 1):
        is_force = word == _FORCE and tool not in _NOT_ASKING
        is_yes = (
            word == "-y" and tool != "ffmpeg" and (number == len(words) or words[number] in _ENDS)
        )
        if is_force or is_yes or _UNASKED.fullmatch(word):
            return f"{tool} {word}"
    return ""


def overwrites(tool: str, words: Sequence[str]) -> str:
    """Return the tool with the option that makes it overwrite files; empty if there is no such
    option.
    """
    if tool == "ffmpeg" and "-y" in words:
        return "ffmpeg -y"
    if tool == "kubectl":
        return ""
    found = next((word for word in words if _OVERWRITES.fullmatch(word)), "")
    return f"{tool} {found}" if tool and found else ""
