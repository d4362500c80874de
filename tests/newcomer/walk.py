"""Does somebody who is new get from a clone to the second release, by what is printed alone?

    python tests/newcomer/walk.py

A venv, `init`, ten broken skills fixed by their hints, single files, a preview, pre-commit, build,
verify, a copy for a web server, serve, two clients, a second release and what it changed. Every
command is shown with all that it prints, and the first thing that is not as it should be ends it
with status 1. It sees what is committed, and needs git, npm, a package index, and POSIX.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parents[1]))

from newcomer import faults, hints
from newcomer.person import AwkwardError, Person, holds, part, sees, variables

ROOT = Path(__file__).parents[2]
_CLEAN = r"^11 skills found, all (valid|published); 0 errors, 0 warnings"
_MOST_ROUNDS = 10
_CONFIG = """\
repos:
  - repo: {project}
    rev: {commit}
    hooks:
      - id: {hook}
"""


def install(person: Person, work: Path) -> None:
    """What the README says under "Try it"."""
    part("install")
    person.types(f"git clone --quiet {ROOT} skillbuild", work)
    person.types("python3 -m venv venv && venv/bin/pip install ./skillbuild pre-commit", work)
    sees(person.types("skillbuild --version", work), r"^skillbuild \d+\.\d+\.\d+$")


def start(person: Person, work: Path) -> Path:
    """What `init` says comes next is typed as it is printed."""
    part("a new repository")
    printed = person.types("skillbuild init my-skills", work)
    repo = work / "my-skills"
    sees(printed, "^git init: created a repository")
    person.types(sees(printed, "^next: (.*)$")[1], work)
    printed = person.types(sees(printed, "^then: (.*)$")[1], repo)
    sees(
        printed,
        r"^1 skill found, 1 published; 0 errors, 0 warnings.* → out/ \(sha256:[0-9a-f]{64}\)$",
    )
    return repo


def fix(person: Person, repo: Path) -> None:
    """The ten skills twice: by the hints alone, and by `--fix` as far as it goes."""
    part("ten broken skills, fixed by their hints")
    faults.write(repo)
    by_fix = repo.parent / "by-fix"
    shutil.copytree(repo, by_fix)
    printed = person.types("skillbuild check", repo, status=1)
    codes = {finding.code for finding in hints.told(printed)}
    holds("each of the ten faults is told", truth=codes >= {*faults.CODES})
    _follow(person, repo, printed)
    part("the same skills, fixed by --fix and then by the hints")
    printed = person.types("skillbuild check", by_fix, status=1)
    command = sees(printed, r"^\d+ problems fixable with (skillbuild check --fix)$")[1]
    fixed = person.types(command, by_fix, status=1)
    closing = sees(fixed, r"^([1-9]\d*) problems fixed in [1-9]\d* files, (\d+) left")
    left = person.types("skillbuild check", by_fix, status=1)
    holds(
        "what is fixed and what is left is what check counts",
        truth=int(closing[2]) == _problems(left)
        and int(closing[1]) + int(closing[2]) >= _problems(printed),
    )
    _follow(person, by_fix, left)
    listed = "git add . && git ls-files --stage"
    holds(
        "--fix leaves the same bytes and exec bits as the hints",
        truth=person.types(listed, repo) == person.types(listed, by_fix),
    )
    person.types("git commit --quiet --message 'Ten more skills'", repo)


def workflow(person: Person, repo: Path) -> None:
    """A workflow is written only if it names a commit for good, which is looked up if it can be."""
    part("a workflow that publishes")
    home = "https://skillbuild.invalid/owner/skillbuild"
    command = f"skillbuild init --workflow {home}@"
    sees(
        person.types(f"{command}main", repo, status=2),
        "^skillbuild: main is not a fixed revision",
    )
    commit = "0123456789abcdef0123456789abcdef01234567"
    printed = person.types(f"{command}{commit}", repo)
    sees(printed, f"^could not check whether owner/skillbuild has {commit}$")
    written = person.types("git status --short --untracked-files=all", repo)
    sees(written, r"^\?\? \.github/workflows/\S+\.yml$")
    called = person.types(f"grep -rl owner/skillbuild/.*@{commit} .github/workflows", repo)
    holds("the workflow calls that commit", truth=called.count("\n") == 1)
    person.types("rm -r .github", repo)


def preview(person: Person, repo: Path) -> None:
    """Pages of what is being written: its warnings, what is left out, and readers who go away."""
    part("a preview while one writes")
    forms, charts = (repo / f"skills/{name}/SKILL.md" for name in ("forms", "charts"))
    for file, old, new in (
        (forms, "references/fields.md", "references/none.md"),
        (charts, "name: charts\n", ""),
    ):
        text = file.read_text()
        holds(f"{file.parent.name} can be broken", truth=old in text)
        file.write_text(text.replace(old, new, 1))
    address = _free()
    host, _, port = address.partition(":")
    log = repo.parent / "preview.log"
    command = ["skillbuild", "preview", "--port", port]
    print(f"$ {' '.join(command)} &", flush=True)
    with log.open("w") as terminal:
        window = subprocess.Popen(command, cwd=repo, env=person.variables, stderr=terminal)
    try:
        _asked(f"http://{address}/skills/forms/")
        for _ in range(5):
            with socket.create_connection((host, int(port))) as reader:
                reader.sendall(f"GET / HTTP/1.1\r\nHost: {address}\r\n\r\n".encode())
        page = _asked(f"http://{address}/").decode()
        for _ in range(600):
            if " in " in log.read_text():
                break
            time.sleep(0.1)
    finally:
        window.terminate()
        window.wait(20)
    printed = log.read_text()
    print(printed, end="", flush=True)
    sees(printed, r"^skills/forms/SKILL\.md:\d+:\d+: warning\[link-broken\]")
    sees(printed, r"^working tree: 11 skills found: .*; left out: skills/charts in \d")
    holds("no traceback when a reader goes", truth="Traceback" not in printed)
    holds(
        "the pages are of the working tree",
        truth="0" * 12 not in page and "the working tree" in page,
    )
    person.types("git checkout --quiet .", repo)


def _free() -> str:
    """An address of this machine at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"


def _problems(printed: str) -> int:
    """How many errors and warnings `check` counts."""
    counts = sees(printed, r"; (\d+) errors?, (\d+) warnings?")
    return int(counts[1]) + int(counts[2])


def lost_line_break(person: Person, repo: Path) -> None:
    """A license that got into the description stays there only if somebody wants it so."""
    part("one file, in which a line break is missing")
    file = repo / "skills/invoices/SKILL.md"
    whole = file.read_text()
    file.write_text(whole.replace("somebody asks for it.\n", "somebody asks for it.license: MIT\n"))
    folder = repo / "skills/charts"
    name = "../invoices/SKILL.md"
    sees(person.types(f"skillbuild check {name}", folder, status=1), "put license on a line of its")
    sees(person.types("skillbuild check SKILL.md", folder), "^1 skill found, 1 valid; 0 errors")
    sees(person.types("skillbuild check ../../README.md", folder), "0 errors, 0 warnings")
    printed = person.types(f"skillbuild check --fix {name}", folder, status=1)
    sees(printed, "^0 problems fixed in 0 files, 1 left; 1 more with --unsafe-fixes$")
    printed = person.types(f"skillbuild check --unsafe-fixes {name}", folder)
    sees(printed, "^1 problem fixed in 1 file, 0 left$")
    holds("the license is a field", truth="\nlicense: MIT\n" in file.read_text())
    tools = "allowed-tools:\n  - Read Files\n"
    file.write_text(file.read_text().replace("license: MIT\n", f"license: MIT\n{tools}"))
    printed = person.types(f"skillbuild check --unsafe-fixes {name}", folder)
    sees(printed, r"^\S*invoices/SKILL\.md:\d+: left\[allowed-tools-type\]: the name of a tool")
    holds("what is left is as it was", truth=tools in file.read_text())
    person.types("git checkout --quiet .", repo)


def _follow(person: Person, repo: Path, printed: str) -> None:
    """The first finding of each skill is fixed, then `check` is asked again, until it is clean."""
    for _ in range(_MOST_ROUNDS):
        firsts: dict[str, hints.Told] = {}
        for finding in hints.told(printed):
            firsts.setdefault(finding.path.split("/")[1], finding)
        if not firsts:
            break
        for finding in firsts.values():
            hints.follow(finding, person, repo)
        left = person.types("skillbuild check || true", repo)
        if left.count("hint: ") >= printed.count("hint: "):
            raise AwkwardError("to follow the hints leaves as much to fix as before")
        printed = left
    sees(printed, _CLEAN)


def guard(person: Person, repo: Path) -> None:
    """pre-commit as `site_src/docs/publish.md` has it, installed from the clone of the project."""
    part("pre-commit stops a key")
    project = repo.parent / "skillbuild"
    commit = person.types("git rev-parse HEAD", project).strip()
    config = _CONFIG.format(project=project.as_uri(), commit=commit, hook="skillbuild-check")
    (repo / ".pre-commit-config.yaml").write_text(config)
    person.types("pre-commit install && git add .pre-commit-config.yaml", repo)
    person.types("git commit --quiet --message 'Check before each commit'", repo)
    script = repo / "skills/deploy/scripts/push.sh"
    fixed = script.read_text()
    script.write_text(fixed.replace("YOUR_TOKEN", faults.token()))
    printed = person.types("git commit --quiet --all --message 'Use our token'", repo, status=1)
    sees(printed, r"^skills/deploy/scripts/push\.sh:2:7: error\[secret\]")
    holds("the key is not shown", truth=faults.token() not in printed)
    script.write_text(fixed)
    part("pre-commit fixes a value without quotes")
    fixing = repo / ".pre-commit-config.yaml"
    fixing.write_text(config.replace("skillbuild-check", "skillbuild-fix"))
    person.types("git commit --quiet --all --message 'Fix before each commit'", repo)
    notes = repo / "skills/translate/SKILL.md"
    whole = notes.read_text()
    notes.write_text(whole.replace("Translates texts.", "Translates: texts."))
    printed = person.types("git commit --quiet --all --message 'Say more'", repo, status=1)
    sees(printed, "^1 problem fixed in 1 file, 0 left$")
    person.types("git commit --quiet --all --message 'Say more'", repo)
    holds("the value is quoted", truth='"Translates: texts.' in notes.read_text())
    holds(
        "nothing is left to commit",
        truth=not person.types("git status --short --untracked=no", repo),
    )


def publish(person: Person, repo: Path) -> None:
    part("build and verify")
    printed = person.types("skillbuild build", repo)
    sees(printed, _CLEAN)
    sees(person.types("skillbuild verify --whole out", repo), r"^out holds: .* 0 faults$")
    sees(person.types("sha256sum --check --quiet SHA256SUMS && echo same", repo / "out"), "^same$")
    part("a copy where a web server has its files")
    sees(
        person.types("skillbuild publish out ../www/skills", repo),
        "^../www/skills now has the release",
    )
    refused = person.types("skillbuild publish out ../skillbuild/tests", repo, status=2)
    sees(refused, "is not empty and was not built by skillbuild; pass an empty directory$")
    _is_copied(person, repo)


def _is_copied(person: Person, repo: Path) -> None:
    verdict = person.types("skillbuild verify --whole ../www/skills", repo)
    sees(verdict, r"^../www/skills holds: .* 0 faults$")
    heads = "out/release.json ../www/skills/release.json"
    holds("it is the same release", truth=person.types(f"cmp {heads}", repo) == "")


@contextmanager
def served(person: Person, repo: Path) -> Iterator[str]:
    """`serve` over HTTP, in another window; the address of the catalog."""
    address = _free()
    command = ["skillbuild", "serve", "out", "--http", address]
    print(f"$ {' '.join(command)} &", flush=True)
    window = subprocess.Popen(command, cwd=repo, env=person.variables)
    try:
        yield f"http://{address}/"
    finally:
        window.terminate()
        window.wait(20)


def _asked(url: str) -> bytes:
    """What a browser is given, which is tried until the server has started."""
    for _ in range(600):
        try:
            with urlopen(url, timeout=10) as answer:  # noqa: S310
                content: bytes = answer.read()
                return content
        except OSError:
            time.sleep(0.1)
    raise AwkwardError(f"nothing answers at {url}")


def clients(person: Person, repo: Path, url: str, project: Path) -> None:
    """People see the catalog, an installer takes its skills, an agent reads them over MCP."""
    part("a browser, an installer and an agent")
    holds("the catalog is shown", truth=b"<title>Our Skills</title>" in _asked(url))
    project.mkdir()
    _npx(person, f"add {url} --skill '*' --agent codex --yes --copy", project)
    _arrived(repo, project)
    agent = "../skillbuild/tests/newcomer/agent.py"
    printed_by_agent = person.types(f"python {agent} skillbuild serve out", repo)
    for name in (*faults.NAMES, "release-notes"):
        sees(printed_by_agent, rf"^skill://{name}/SKILL\.md: [1-9]\d+ characters$")


def _npx(person: Person, arguments: str, project: Path) -> None:
    """The installer and the Node it wants; it may write below HOME, which is not the user's."""
    home = {"HOME": str(project.parent / "home"), "npm_config_cache": str(Path.home() / ".npm")}
    someone = replace(person, variables={**person.variables, **home})
    packages = "--package node@22.23.3 --package skills@1.7.4"
    someone.types(f"npx --yes {packages} skills {arguments}", project)


def _arrived(repo: Path, project: Path) -> None:
    """Every file of every skill is on the disk as it is in git."""
    names = sorted((*faults.NAMES, "release-notes"))
    wanted, there = (_digests(folder) for folder in (repo / "skills", project / ".agents/skills"))
    holds(
        f"{len(names)} skills, {len(wanted)} files",
        truth={*names} == {p.split("/")[0] for p in wanted},
    )
    holds("what is installed is what is in git", truth=there == wanted)


def _digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def second_release(person: Person, repo: Path, url: str, project: Path) -> None:
    part("a second release, in which one skill has changed")
    first = _asked(f"{url}index.json")
    person.types("echo 'Ask before you throw one away.' >> skills/invoices/SKILL.md", repo)
    typed = person.types("skillbuild diff --repo HEAD .", repo)
    person.types("git commit --quiet --all --message 'Ask first'", repo)
    sees(person.types("skillbuild build", repo), _CLEAN)
    sees(person.types("skillbuild verify --whole out", repo), r"^out holds: .* 0 faults$")
    sees(
        person.types("skillbuild publish out ../www/skills", repo),
        r"now has the release: \d+ files",
    )
    _is_copied(person, repo)
    changed = person.types("skillbuild diff --repo HEAD~1 HEAD", repo)
    sees(changed, r"\Achanged +invoices.*\n(?: .*\n)*1 changed\n\Z")
    holds("the working tree said so before the commit", truth=typed == changed)
    for _ in range(100):
        if (second := _asked(f"{url}index.json")) != first:
            break
        time.sleep(0.1)
    before, after = (_by_uri(index) for index in (first, second))
    differ = [uri for uri in after if before.get(uri) != after[uri]]
    holds("the server shows the new release", truth=differ == ["skill://invoices/SKILL.md"])
    _npx(person, "update --project --yes", project)
    _arrived(repo, project)


def _by_uri(index: bytes) -> dict[str, object]:
    return {skill["url"]: skill for skill in json.loads(index)["skills"]}


def main() -> int:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="skillbuild-newcomer-") as folder:
        work = Path(folder).resolve()
        person = Person(variables(work, work / "venv" / "bin"))
        try:
            install(person, work)
            repo = start(person, work)
            fix(person, repo)
            lost_line_break(person, repo)
            workflow(person, repo)
            preview(person, repo)
            guard(person, repo)
            publish(person, repo)
            with served(person, repo) as url:
                clients(person, repo, url, work / "project")
                second_release(person, repo, url, work / "project")
        except AwkwardError as fault:
            print(f"\nNOT AS IT SHOULD BE: {fault}", flush=True)
            return 1
    print(f"\nall as it should be, in {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
