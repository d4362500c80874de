"""Checks the files of one skill: their names, sizes, contents and executable bits."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from skillbuild.check import environment, secrets
from skillbuild.check.path_words import NO_INSTRUCTIONS
from skillbuild.check.scripts import ScriptCommands
from skillbuild.check.secrets import Secret
from skillbuild.check.sizes import check_sizes, exclude_glob
from skillbuild.config import CONFIG_FILE, Config
from skillbuild.diagnostics import Finding, Rule, Severity, finding, in_command
from skillbuild.media.types import (
    DOT_NAME,
    UNSAFE_TYPE,
    can_be_renamed,
    decode,
    media_type,
    web_fault,
)
from skillbuild.model import File
from skillbuild.paths import (
    DEEPEST_PATH,
    EXAMPLE_FOLDERS,
    LONGEST_PATH,
    SKILL_FILE,
    TEST_FOLDERS,
    base_name,
    collision_key,
    fits_ustar,
    inside,
    is_git_alias,
    parent,
    prefixes,
    segment_fault,
)
from skillbuild.rules import files as rules
from skillbuild.rules.define import SPOILS
from skillbuild.rules.files import INVISIBLE_TEXT
from skillbuild.rules.source import DISCOVERY_OMITTED, URI_TOO_LONG
from skillbuild.source.discovery import is_junk
from skillbuild.source.documents import Documents
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Kind, Leaf, is_pointer
from skillbuild.text.wording import plural, some
from skillbuild.uris import LONGEST_LISTED_URI, skill_uri

# Files for tests and examples, recognized by the names of their folders.

PLAIN_GLOB = re.compile(r"[\w./@%+=:, -]+", re.ASCII)
"""Paths that need no escaping as a glob and can be put in quotes."""


_EXCLUDING = "set exclude = "
"""The start of the part of a hint that has a setting to paste."""


def is_example(path: str) -> bool:
    """Return whether a file is in a folder for tests or examples.

    Links in such a file are not meant to be followed.
    """
    folders = {folder.lower() for folder in path.split("/")[:-1]}
    return not folders.isdisjoint(TEST_FOLDERS | EXAMPLE_FOLDERS)


def with_exclude(item: Finding, directories: Container[str]) -> Finding:
    """Return the finding; if its file is in a test folder, the hint also says how to exclude that
    folder.

    The hint is extended only for errors and for findings about invisible text, which is common in
    test data for scanners. `directories` are the directories of all skills, including skills in the
    test data of other skills.
    """
    matters = item.is_error or item.code == INVISIBLE_TEXT.code
    folder = _test_folder(item.path, directories) if matters else None
    if folder is None or _EXCLUDING in item.hint:
        return item
    glob = f"/{folder}/" if PLAIN_GLOB.fullmatch(folder) else f"**/{base_name(folder)}/"
    remedy = f'if agents do not need the file, {_EXCLUDING}["{glob}"] in {CONFIG_FILE}'
    return replace(item, hint=f"{item.hint}; or, {remedy}")


def _test_folder(path: str, directories: Container[str]) -> str | None:
    """Return the outermost test folder within the outermost skill around a path."""
    above = prefixes(path)
    skill = next((folder for folder in above if folder in directories), "")
    below = (folder for folder in above if len(folder) > len(skill))
    return next((folder for folder in below if base_name(folder) in TEST_FOLDERS), None)


_TEXTS = (".md", ".markdown", ".mdx", ".txt", ".rst")
"""Extensions of files that agents read; other large files are mostly for programs."""
_MOST_TEXTS = 200
"""Maximum number of texts that agents read whole; if a skill has more texts, agents search them."""
_WATCHED = ("image/", "audio/", "video/")
"""Media types of pictures, sound and video."""
LEAVE = "keep the name: the file does not work under another name"
"""The hint for a note without a remedy; reports do not show such a note."""
_EXCLUDE = "exclude the file if agents do not need it"
_MARK = re.compile(r"(?:icon|logo|mark|small|large)[^/]*\.svg$", re.IGNORECASE)
_NO_USE = TEST_FOLDERS | {"evals"}
_WHOLE_KEY = "revoke the key, and remove the file from the repository and its history"
_MOST_SECRETS = 100
"""Maximum number of secrets reported in one file: locating them takes time, and one secret is
enough to refuse the file.
"""


@dataclass(frozen=True, slots=True)
class Leaves:
    """The files, links and submodules in the directory of a skill.

    `own` holds the files of the published skill. `links` holds symbolic links, which are never
    followed. `junk` holds caches and files that only the repository needs.
    """

    own: Sequence[Leaf]
    links: Sequence[Leaf]
    junk: Sequence[Leaf]


def leaves_of(tree: SkillTree) -> Leaves:
    """Return the files, links and submodules of a skill, sorted into `own`, `links` and `junk`."""
    own: list[Leaf] = []
    links: list[Leaf] = []
    junk: list[Leaf] = []
    for leaf in tree.leaves:
        kind = junk if is_junk(tree.relative(leaf)) else links if leaf.kind is Kind.LINK else own
        kind.append(leaf)
    return Leaves(own, links, junk)


def check_listing(
    tree: SkillTree,
    own: Sequence[Leaf],
    junk: Sequence[Leaf],
    sizes: Sequence[int | None],
    config: Config,
) -> Iterator[Finding]:
    """Yield the findings that depend only on the paths, kinds and sizes of files.

    `sizes` contains the size in bytes of each file in `own`, or None if the content of the file is
    missing.
    """
    for leaf in own:
        yield from _check_kind(leaf)
        yield from _check_path(tree, leaf)
    yield from _check_tar_names(tree, own)
    yield from _check_collisions(tree, own)
    yield from check_sizes(tree, own, sizes, config)
    yield from _check_present(own, sizes)
    if junk:
        message = f"not published: {some([tree.relative(leaf) for leaf in junk])}"
        hint = "remove these files if the repository does not need them"
        yield finding(rules.FILE_JUNK, tree.skill_file, None, message, hint)


def _check_kind(leaf: Leaf) -> Iterator[Finding]:
    match leaf.kind:
        case Kind.SUBMODULE:
            hint = "copy what the skill needs, or exclude the skill"
            yield finding(
                rules.FILE_SUBMODULE, leaf.path, None, "a submodule cannot be published", hint
            )
        case Kind.SPECIAL:
            yield finding(
                rules.FILE_SPECIAL,
                leaf.path,
                None,
                "a socket, pipe or device cannot be published",
                "remove it",
            )
        case Kind.FILE | Kind.EXECUTABLE | Kind.LINK:
            return


def _check_tar_names(tree: SkillTree, own: Sequence[Leaf]) -> Iterator[Finding]:
    """Yield findings about names that do not fit into a tar archive that all programs can read."""
    for leaf in own:
        path = tree.relative(leaf)
        if not fits_ustar(path):
            why = "is too long for tar" if path.isascii() else "is not plain ASCII"
            message = f"the path {why}, so the skill has no tar.gz"
            hint = "if the skill needs a tar.gz, rename the file and update all references to it"
            item = finding(rules.TAR_OMITTED, leaf.path, None, message, hint)
            yield replace(item, cause="tar.gz")


def _check_path(tree: SkillTree, leaf: Leaf) -> Iterator[Finding]:
    path = tree.relative(leaf)
    segments = path.split("/")
    for segment in segments:
        if is_git_alias(segment):
            message = f"some file systems read {segment!r} as .git"
            if segment == ".git":
                message = "'.git' is reserved for git"
            yield finding(rules.FILE_NAME_GIT, leaf.path, None, message, "rename it")
        elif fault := segment_fault(segment):
            message = f"the name contains {fault}"
            yield finding(rules.FILE_NAME, leaf.path, None, message, "rename the file")
    size = len(path.encode(errors="surrogateescape"))
    if size > LONGEST_PATH or len(segments) > DEEPEST_PATH:
        message = (
            f"the path is {plural(size, 'byte')} long and {plural(len(segments), 'segment')} deep;"
            f" the limits are {LONGEST_PATH} bytes and {DEEPEST_PATH} segments"
        )
        yield finding(rules.FILE_NAME, leaf.path, None, message, "shorten the path")
    is_other = leaf.path != tree.skill_file
    if tree.path and is_other and len(skill_uri(tree.path, path)) > LONGEST_LISTED_URI:
        message = f"the file's URI is longer than {LONGEST_LISTED_URI:,} bytes: {SPOILS}"
        yield finding(URI_TOO_LONG, leaf.path, None, message, "shorten the path")


def check_web_safety(
    tree: SkillTree, own: Sequence[Leaf], contents: Sequence[File]
) -> Iterator[Finding]:
    """Yield findings about files that the website cannot publish under their own names."""
    data = {file.path: file.data for file in contents if file.path.endswith(".svg")}
    paths = [(leaf, tree.relative(leaf)) for leaf in own if leaf.is_file]
    faults = [(leaf, web_fault(path, data.get(path))) for leaf, path in paths]
    odd = [(leaf, fault) for leaf, fault in faults if fault is not None]
    if odd:
        hint = _hint_for_web([tree.relative(leaf) for leaf, _ in odd], odd[0][1])
    for leaf, fault in odd:
        message = f"{fault}: the skill is left out of discovery v0.1.0 (OpenCode)"
        item = finding(DISCOVERY_OMITTED, leaf.path, None, message, hint)
        yield replace(item, cause="web")


def _hint_for_web(paths: Sequence[str], fault: str) -> str:
    """Return the hint for files that cannot be on the web site; `fault` is the problem of the first
    one.
    """
    fixed = [path for path in paths if web_fault(path) == UNSAFE_TYPE and not can_be_renamed(path)]
    if fixed:
        return _EXCLUDE if all(map(_is_spare, fixed)) else LEAVE
    if fault == DOT_NAME:
        return "to offer the skill to OpenCode, exclude the file or move it out of the skill"
    ending = "" if fault != UNSAFE_TYPE else ", for example to a name that ends in .txt or .md"
    return f"to offer the skill to OpenCode, rename the file{ending}"


def _is_spare(path: str) -> bool:
    """Return whether agents do not need a file, because it is a logo or a test file."""
    return _MARK.search(path) is not None or not _NO_USE.isdisjoint(prefixes(path))


def _check_collisions(tree: SkillTree, own: Sequence[Leaf]) -> Iterator[Finding]:
    """Yield findings about paths that some file system treats as equal; damaged git trees can also
    repeat a path.
    """
    first_by_key: dict[str, str] = {}
    for leaf in own:
        path = tree.relative(leaf)
        for part in [*prefixes(path), path]:
            other = first_by_key.setdefault(collision_key(part), part)
            if other != part:
                message = f"{part} is the same as {other} on some file systems"
                yield finding(rules.FILE_COLLISION, leaf.path, None, message, "rename one of them")
                break
    paths: set[str] = set()
    for leaf in own:
        path = tree.relative(leaf)
        if path in paths:
            message = f"{path} occurs twice in the git tree"
            yield finding(rules.FILE_COLLISION, leaf.path, None, message, "remove one of them")
        paths.add(path)
    for leaf in own:
        for part in prefixes(tree.relative(leaf)):
            if part in paths:
                message = f"{part} is both a file and a directory"
                yield finding(rules.FILE_COLLISION, leaf.path, None, message, "rename one of them")


def _check_present(own: Sequence[Leaf], sizes: Sequence[int | None]) -> Iterator[Finding]:
    """Yield findings about files whose content is missing."""
    files = [leaf for leaf in own if leaf.is_file]
    for leaf, size in zip(files, sizes, strict=True):
        if size is None:
            message, hint = (
                "the file's content is not in the repository",
                "run git fetch --refetch --no-filter",
            )
            item = finding(rules.FILE_UNREADABLE, leaf.path, None, message, hint)
            yield replace(item, cause=hint)


def check_large(
    tree: SkillTree,
    files: Sequence[Leaf],
    sizes: Sequence[int | None],
    contents: Sequence[File],
    config: Config,
) -> Iterator[Finding]:
    """Yield findings about files that are too large for agents.

    A finding is only a note if agents probably do not read the whole file. This is the case if the
    file is not text, if no instructions mention it, or if the skill has so many text files that
    agents search the files instead of reading them. `contents` are the files that were read.
    """
    largest = config.limits.file_bytes
    texts = sum(leaf.path.lower().endswith(_TEXTS) for leaf in files)
    for leaf, size in zip(files, sizes, strict=True):
        if size is None or size <= largest or _is_watched(leaf.path):
            continue
        path = tree.relative(leaf)
        message = f"the file is {plural(size, 'byte')} long, and agents read it all at once"
        hint = f"make the file smaller than {plural(largest, 'byte')}"
        is_read = path.lower().endswith(_TEXTS) and texts <= _MOST_TEXTS
        if is_read and path != SKILL_FILE and naming(path, contents) is None:
            message = f"the file is {plural(size, 'byte')} long, and no instructions mention it"
            hint = "remove the file if agents do not need it"
            is_read = False
        item = finding(rules.FILE_LARGE, leaf.path, None, message, hint)
        yield item if is_read else replace(item, severity=Severity.NOTE)


def _is_watched(path: str) -> bool:
    """Return whether a file is a picture, sound or video, which agents do not load as text."""
    kind = media_type(path, b"")
    return kind.startswith(_WATCHED) and kind != "image/svg+xml"


def check_pointers(tree: SkillTree, files: Sequence[File]) -> Iterator[Finding]:
    """Yield findings about files that are Git LFS pointers."""
    pointers = [file.path for file in files if is_pointer(file.data)]
    others = {file.path for file in files}.difference(pointers)
    commit = "or commit the content instead of the pointer"
    for_all = f"{excluding(tree, pointers, others)}, {commit}"
    for path in pointers:
        hint = f"{excluding(tree, [path], set())}, {commit}"
        place = inside(tree.directory, path)
        item = finding(
            rules.FILE_LFS, place, None, "the file is a Git LFS pointer, not the content", hint
        )
        yield replace(item, cause="git-lfs", hint_for_all=for_all)


def excluding(tree: SkillTree, paths: Sequence[str], others: Set[str]) -> str:
    """Return a hint with a setting that excludes the files at `paths` but none of the `others`.

    Files with the same folder and extension share a glob, unless that glob would match one of the
    others.
    """
    kinds: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        kinds.setdefault(_kind(path), []).append(path)
    kept = set(map(_kind, others))
    globs: list[str] = []
    for kind, alike in kinds.items():
        folder, ending = (exclude_glob(part) for part in kind)
        if len(alike) > 1 and ending and kind not in kept:
            globs.append(inside(exclude_glob(tree.directory), inside(folder, f"*{ending}")))
        else:
            globs += [exclude_glob(inside(tree.directory, path)) for path in alike]
    listed = ", ".join(f'"/{glob}"' for glob in globs)
    return f"{_EXCLUDING}[{listed}] in {CONFIG_FILE}"


def _kind(path: str) -> tuple[str, str]:
    """Return the folder of a file, and its extension."""
    stem, dot, ending = base_name(path).rpartition(".")
    return parent(path), f".{ending}" if stem and dot else ""


def check_content(tree: SkillTree, file: File) -> Iterator[Finding]:
    """Yield findings about secrets in the content of one file."""
    path = inside(tree.directory, file.path)
    if environment.is_environment_file(path) and environment.holds_values(file.data):
        hint = "revoke the secrets in the file, remove the file, and add an .env.example"
        secret = Secret(environment.KIND, None, file.data)
        yield _secret(path, secret, environment.KIND, hint)
    yield from _check_secrets(path, file)


def _check_secrets(path: str, file: File) -> Iterator[Finding]:
    """Yield findings about secrets; if there are too many, the last finding cannot be silenced."""
    hint = "revoke the secret, remove it from the history, and write a placeholder instead"
    for number, secret in enumerate(secrets.find(file.data)):
        if number == _MOST_SECRETS:
            message = f"more than {_MOST_SECRETS} secrets in one file; the others are not listed"
            yield finding(rules.SECRET, path, None, message, hint)
            return
        remedy = _WHOLE_KEY if secrets.is_key_file(file.data, secret) else hint
        yield _secret(path, secret, f"this looks like {secret.kind}", remedy)


def _secret(path: str, secret: Secret, message: str, hint: str) -> Finding:
    fingerprint = secrets.fingerprint(secret.kind, path, secret.value)
    hint += f"; if this is not a secret, add the fingerprint {fingerprint} under [[ignore]]"
    item = finding(rules.SECRET, path, secret.place, message, hint)
    return replace(item, fingerprint=fingerprint)


def blanked(file: File) -> bytes:
    """Return the content of a file with its secrets blanked.

    An environment file with real values is blanked entirely.
    """
    if environment.is_environment_file(file.path) and environment.holds_values(file.data):
        return secrets.without_text(file.data)
    return secrets.blanked(file.data)


def unreadable(
    tree: SkillTree, wanted: Sequence[Leaf], contents: Sequence[File]
) -> Iterator[Finding]:
    """Yield a finding for each damaged file.

    A file is damaged if it is in `wanted`, but not in `contents`.
    """
    readable = {file.path for file in contents}
    for leaf in wanted:
        if tree.relative(leaf) not in readable:
            message, hint = "the file's content does not match its object id", "run git fsck"
            item = finding(rules.FILE_UNREADABLE, leaf.path, None, message, hint)
            yield replace(item, cause=hint)


# Wrong executable bits, which usually affect several files.

CHMOD = "chmod "
"""The prefix of a hint for several files. The change follows the prefix, and the report adds the
paths.
"""
_MOST_IN_COMMAND = 20
"""Maximum number of paths in the command of a hint."""


def check_bits(directory: str, contents: Sequence[File], documents: Documents) -> Iterator[Finding]:
    """Yield findings about wrong executable bits of files in a skill. `directory` is the directory
    of the skill.
    """
    texts = [file for file in contents if file.path.endswith(".md")]
    if wrong := sorted(file.path for file in texts if file.executable):
        calls = dict.fromkeys(wrong, "Markdown file is executable")
        yield from _wrong_bits(rules.EXEC_MARKDOWN, directory, calls, "-x")
    if scripts := {file.path for file in contents if _is_script(file) and not file.executable}:
        yield from _check_scripts(directory, texts, documents, scripts)


def _is_script(file: File) -> bool:
    return file.data.startswith(b"#!/") and not file.path.endswith(".md")


def _check_scripts(
    directory: str, texts: Sequence[File], documents: Documents, scripts: Set[str]
) -> Iterator[Finding]:
    """Yield findings about scripts that SKILL.md runs directly, and about scripts run elsewhere."""
    of_agents: dict[str, str] = {}
    of_others: dict[str, str] = {}
    left = set(scripts)
    for file in sorted(texts, key=lambda each: (each.path != SKILL_FILE, each.path)):
        document, is_first = documents.of(file.path), file.path == SKILL_FILE
        if document is None:
            continue
        commands = ScriptCommands(document, left, base_name(directory))
        given, calls = commands.given(), commands.run_by_path()
        for path in given & calls.keys():
            del calls[path]
        for path, call in calls.items():
            where = (
                f"the script is not executable, but {file.path} runs it by its path (line"
                f" {call.line})"
            )
            (of_agents if is_first and not call.is_free else of_others)[path] = where
        left -= calls.keys() | (given if is_first else set())
    for rule, calls_of in (
        (rules.SCRIPT_NOT_EXECUTABLE, of_agents),
        (rules.SCRIPT_MODE, of_others),
    ):
        yield from _wrong_bits(rule, directory, calls_of, "+x")


def _wrong_bits(
    rule: Rule, directory: str, messages: Mapping[str, str], bit: str
) -> Iterator[Finding]:
    """Yield a finding for each file with its message; `bit` is the change that fixes the file."""
    for name, message in messages.items():
        path = inside(directory, name)
        item = finding(rule, path, None, message, chmod(bit, [path]))
        yield replace(item, cause=bit, hint_for_all=CHMOD + bit)


def chmod(bit: str, paths: Sequence[str]) -> str:
    """Return a hint with a command that sets or clears the executable bit of files.

    The command changes the files themselves. A change made only in git's index would be lost at the
    next `git commit -a`.
    """
    rest = len(paths) - _MOST_IN_COMMAND
    more = f"; the same for {plural(rest, 'more file')}" if rest > 0 else ""
    words = in_command(paths[:_MOST_IN_COMMAND])
    same = words if len(paths) == 1 else "for the same files"
    return f"chmod {bit} {words}; on Windows use git add --chmod={bit} {same}{more}"


def naming(path: str, contents: Sequence[File]) -> str | None:
    """Return the path of the first Markdown file that mentions the file at `path`; None if there is
    none.

    SKILL.md is searched first. The file at `path` is not searched, and neither are Markdown files
    that are not meant for agents. A file counts as mentioned if the last segment of its path occurs
    in the text. A segment without an extension is treated as the name of a folder.
    """
    name = base_name(path)
    named = re.compile(rf"(?<![\w.-]){re.escape(name)}{'' if '.' in name else '/'}(?![\w-])")
    texts = [file for file in contents if file.path.endswith(".md") and file.path != path]
    for file in sorted(texts, key=lambda each: (each.path != SKILL_FILE, each.path)):
        if not NO_INSTRUCTIONS.search(file.path) and named.search(decode(file.data) or ""):
            return file.path
    return None
