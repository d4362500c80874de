"""Recognizes commands and code that start servers or background programs, end programs, open the
browser, or open this computer to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

_SERVER = "starts a server"
_OPEN_SERVER = "starts a server that is open to the network"
IN_BACKGROUND = "starts programs in the background"
_ENDS = "ends programs"
_BROWSER = "opens your browser"
_TUNNEL = "opens this computer to the internet"
_COMMANDS: Mapping[str, str] = {
    "kill pkill killall taskkill stop-process": r"(?!-0\b|-l\b|-L\b)(?P<ends>.)",
    "open start": r"(?:-\w+ )*(?P<browser>https?://|\S+\.html?\b)",
    "xdg-open wslview": "(?P<browser>.)",
    "ngrok": r"(?P<tunnel>http|tcp|tls|start)\b",
    "cloudflared": r"(?P<tunnel>tunnel|access)\b",
    "localtunnel lt": r"(?:.* )?(?P<tunnel>--port|-p)\b",
    "tailscale": r"(?P<tunnel>funnel)\b",
    "ssh": r"(?:.* )?(?P<tunnel>-\w*R)(?= )",
    "http.server http-server live-server uvicorn gunicorn hypercorn daphne": "(?P<server>.?)",
    "flask": r"(?:.* )?(?P<server>run)\b",
    "fastapi": r"(?P<server>dev|run)\b",
    "streamlit chainlit": r"(?P<server>run)\b",
    "jupyter": r"(?P<server>lab|notebook|server)\b",
    "tensorboard mlflow": r"(?:ui\b|server\b|--logdir)(?P<server>.?)",
    "rails hugo": r"(?P<server>s|server)\b",
    "php": r"(?P<server>-S)\b",
    "vite": r"(?!build|optimize|--version)(?P<server>.?)",
    "next nuxt astro remix gatsby": r"(?P<server>dev|start|preview|develop)\b",
    "mkdocs jekyll ollama vllm ng docusaurus sphinx-autobuild": r"(?P<server>serve|start|server)\b",
    "wrangler netlify vercel": r"(?:pages )?(?P<server>dev)\b",
    "expo": r"(?P<server>start)\b",
    "django-admin manage.py": r"(?P<server>runserver)\b",
    "npm pnpm yarn bun": r"(?:run )?(?P<server>dev|serve|preview)(?=\s|\Z)",
    "pm2": r"(?P<background>start)\b",
    "docker podman": r"(?:run|compose (?:\S+ )*up) (?:.* )?(?P<background>-d|--detach)(?=\s|\Z)",
    "docker-compose": r"(?:\S+ )*up (?:.* )?(?P<background>-d|--detach)(?=\s|\Z)",
    "tmux screen": r"(?:new-session |new )?(?:.* )?(?P<background>-dm?S?)(?=\s|\Z)",
}
"""For programs: arguments with which one of them does what the name of the group says."""
_MEANS = {
    "ends": _ENDS,
    "browser": _BROWSER,
    "tunnel": _TUNNEL,
    "server": _SERVER,
    "background": IN_BACKGROUND,
}
_BY_NAME = {
    name: re.compile(pattern, re.DOTALL)
    for names, pattern in _COMMANDS.items()
    for name in names.split()
}
CONTROLLED = frozenset(_BY_NAME) - {"start", "next", "screen", "vite"}
"""Programs whose commands are read even if nothing else is of interest."""
_TUNNELED = re.compile(r"(?:\A|(?<= ))--tunnel(?= |\Z)")
_TO_ALL = re.compile(r"\b0\.0\.0\.0\b|(?<=--host)(?=\s*\Z| -)|\[::\]")
_TO_ALL_GIVEN = re.compile(r"--(?:host|bind|address)[= ]0\.0\.0\.0\b")
_AND_ON = re.compile(r"(?<![&|><])&\s*(?:#(?!x?\d)[^\n]*)?\Z|\s&\s+\w+=\$!")


def controls(tool: str, words: Sequence[str], *, is_detached: bool) -> Iterator[str]:
    """Yield what a command starts, ends or opens on this computer."""
    text = " ".join(words)
    pattern = _BY_NAME.get(tool)
    match = pattern.match(text) if pattern and not {"--help", "--version"} & {*words} else None
    if match:
        means = _MEANS[match.lastgroup or ""]
        yield _OPEN_SERVER if means == _SERVER and _TO_ALL.search(text) else means
    elif _TO_ALL_GIVEN.search(text):
        yield _OPEN_SERVER
    if _TUNNELED.search(text):
        yield _TUNNEL
    if is_detached:
        yield IN_BACKGROUND


def goes_on(line: str) -> bool:
    """Return whether a line of shell code leaves a program running in the background."""
    return "&" in line and _AND_ON.search(line) is not None


_OF_PYTHON = re.compile(
    r"\b(?P<server>uvicorn\.run\(|(?:Threading)?HTTPServer\(|socketserver\.\w*TCPServer\(|web\.run_app\("
    r"|serve_forever\(|(?:demo|iface|interface)\.launch\(|app\.run\((?=[^)]{0,80}(?:port|host|debug))"
    r"|websockets\.serve\(|asyncio\.start_server\()"
    r"|\b(?P<browser>webbrowser\.open\w*\()|\b(?P<background>start_new_session=True)|\b(?P<ends>os\.kill(?:pg)?\((?![^)\n]{0,80},\s*0\)))"
)
_OF_SCRIPT = re.compile(
    r"(?P<server>\.listen\(\s*(?:\{|\d|[\w.]*port\b|process\.env|[A-Z_]*PORT\b|Number\()"
    r"|\b(?:Bun|Deno)\.serve\()|\b(?P<background>detached:\s*true)"
    r"|(?P<browser>[\"']xdg-open[\"']|\b(?:exec|spawn)\w*\([\"']open\b|\bfrom [\"']open[\"'])"
    r"|\b(?P<ends>process\.kill\((?![^)\n]{0,80},\s*0\)))"
)
SIGNS = (
    *("_app(", ".run(", "Server(", "serve(", "serve_", "launch(", "webbrowser", "kill(", "listen("),
    *("xdg-open", '"open', "'open", "detached:", "new_session"),
)
"""Substrings, one of which is in every program that does such a thing."""
_LONGEST_CALL, _MOST_CALLS = 200, 20


def controlled(text: str, *, is_python: bool) -> Iterator[tuple[str, int]]:
    """Yield what a program starts, ends or opens on this computer, with the index of each such call
    in the text.
    """
    if not any(sign in text for sign in SIGNS):
        return
    pattern = _OF_PYTHON if is_python else _OF_SCRIPT
    for match in islice(pattern.finditer(text), _MOST_CALLS):
        means = _MEANS[match.lastgroup or ""]
        call = text[match.start() : match.start() + _LONGEST_CALL]
        yield (_OPEN_SERVER if means == _SERVER and _TO_ALL.search(call) else means), match.start()
