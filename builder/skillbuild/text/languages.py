"""Which language a file or a fenced block is in, by closed tables: nothing is guessed from content.

A language goes by the alias of its lexer in Pygments.
"""

from __future__ import annotations

_BY_NAME = {
    "dockerfile": "docker",
    "makefile": "make",
    "cmakelists.txt": "cmake",
    ".bashrc": "bash",
    ".env.example": "bash",
}
_BY_EXTENSION = {
    "py": "python",
    "pyi": "python",
    "sh": "bash",
    "bash": "bash",
    "zsh": "bash",
    "bats": "bash",
    "js": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "jsx": "javascript",
    "ts": "typescript",
    "tsx": "typescript",
    "json": "json",
    "jsonl": "json",
    "sarif": "json",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "ini": "ini",
    "cfg": "ini",
    "md": "markdown",
    "mdx": "markdown",
    "markdown": "markdown",
    "html": "html",
    "htm": "html",
    "xml": "xml",
    "xsd": "xml",
    "xsl": "xml",
    "svg": "xml",
    "css": "css",
    "sql": "sql",
    "c": "c",
    "h": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "hpp": "cpp",
    "cu": "cpp",
    "cs": "csharp",
    "go": "go",
    "rs": "rust",
    "java": "java",
    "kt": "kotlin",
    "swift": "swift",
    "rb": "ruby",
    "php": "php",
    "pl": "perl",
    "lua": "lua",
    "r": "r",
    "jl": "julia",
    "ps1": "powershell",
    "bat": "batch",
    "tf": "terraform",
    "sol": "solidity",
    "proto": "protobuf",
    "diff": "diff",
    "patch": "diff",
    "graphql": "graphql",
    "dockerfile": "docker",
}
_BY_FENCE = {
    **_BY_EXTENSION,
    **{alias: alias for alias in set(_BY_EXTENSION.values())},
    "shell": "bash",
    "console": "console",
    "shell-session": "console",
    "py3": "python",
    "golang": "go",
    "c++": "cpp",
    "cuda": "cpp",
    "postgresql": "sql",
    "psql": "sql",
    "hcl": "terraform",
    "make": "make",
    "makefile": "make",
    "jsonc": "json",
    "json5": "json",
}


def language_of_file(path: str) -> str | None:
    """The language of a file by its name or extension, None for one without colors."""
    name = path.rpartition("/")[2].lower()
    return _BY_NAME.get(name) or _BY_EXTENSION.get(name.rpartition(".")[2])


def language_of_fence(word: str) -> str | None:
    """The language that the first word of a fence's info string stands for, if any."""
    return _BY_FENCE.get(word.lower())
