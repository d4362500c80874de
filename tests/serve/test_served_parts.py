"""Finding skills, files and directories in the parts of a record, against plain tables of all."""

import gc
import threading
import tracemalloc
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers import outputs
from helpers.serving import many_entries
from skillbuild.model import Digest, Entry, changed
from skillbuild.paths import DEEPEST_PATH
from skillbuild.release import parts
from skillbuild.release.entry import encode_entry
from skillbuild.release.parts import Part
from skillbuild.release.record import Record
from skillbuild.release.sorted_lines import SortedLines, path_in
from skillbuild.serve.methods.describe import describe
from skillbuild.serve.state.content import children
from skillbuild.serve.state.look_up import ServedParts
from skillbuild.serve.state.release import PUBLIC, ServedRelease
from skillbuild.storage.files import DamagedError, Directory
from skillbuild.uris import skill_uri

MCP = "mcp"
LISTINGS = (MCP, PUBLIC)
KINDS = ("long", "house", "refunds")
"""In no list for agents, in none at all, in all."""
SEGMENTS = (
    ("a", "a-b", "a.b", "a0"),
    ("a", "ab", "A", "a+"),
    ("%41", "A", "a%2Fb", "a", "b"),
    ("@a", "a:b", "x y", "\u00e9", "\U0001f600"),
)
"""Names that begin with others, sort around the slash, or are percent-encoded."""
LIMIT = 8 << 20


@dataclass(frozen=True)
class Model:
    """What a release has, as plain tables."""

    paths: Sequence[str]
    kinds: Mapping[str, str]
    digests: Mapping[str, Digest]
    """By the URI of every file."""

    def names(self) -> dict[str, list[str]]:
        """The names in every directory, by its URI."""
        names: dict[str, set[str]] = {}
        for uri in self.digests:
            segments = uri.removeprefix("skill://").split("/")
            for depth in range(1, len(segments)):
                above = "skill://" + "/".join(segments[:depth])
                slash = "/" if depth + 1 < len(segments) else ""
                names.setdefault(above, set()).add(segments[depth] + slash)
        return {uri: sorted(each) for uri, each in names.items()}

    def listed(self, listing: str) -> list[str]:
        excluded = {MCP: ("long", "house"), PUBLIC: ("house",)}[listing]
        return [path for path in self.paths if self.kinds[path] not in excluded]


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Skills at any paths, some with the files of those below them."""
    segment = st.sampled_from(draw(st.sampled_from(SEGMENTS)))
    path = st.lists(segment, min_size=1, max_size=3).map("/".join)
    files = st.lists(path, max_size=4)
    skills = {each: draw(files) for each in sorted(draw(st.sets(path, max_size=12)))}
    inside: dict[str, set[str]] = {each: {"SKILL.md", *own} for each, own in skills.items()}
    for outer in skills:
        for inner in skills:
            if inner.startswith(f"{outer}/") and draw(st.booleans()):
                start = inner.removeprefix(f"{outer}/")
                inside[outer] |= {f"{start}/{file}" for file in inside[inner]}
    every = {f"{skill}/{file}" for skill, own in inside.items() for file in own}
    above = {file[:at] for file in every for at, char in enumerate(file) if char == "/"}
    uris = {
        skill_uri(skill, file): f"{skill}/{file}"
        for skill, own in inside.items()
        for file in own
        if f"{skill}/{file}" not in above
    }
    paths = sorted(skills)
    kinds = {each: draw(st.sampled_from(KINDS)) for each in paths}
    return Model(paths, kinds, {uri: Digest.of(file.encode()) for uri, file in uris.items()})


def entry(template: Entry, path: str, model: Model) -> Entry:
    """The entry of a skill: the files of all URIs below it that it has in the model."""
    start = skill_uri(path, "")
    [item, *_] = template.resources
    resources = [
        changed(item, uri=uri, path=unquote(uri.removeprefix(start)), digest=digest)
        for uri, digest in sorted(model.digests.items())
        if uri.startswith(start)
    ]
    return changed(template, path=path, uri=skill_uri(path), resources=tuple(resources))


def write_parts(out: Path, lines: Sequence[bytes], cuts: Sequence[int]) -> list[Part]:
    """Parts with these lines that begin at these numbers, wherever they would be cut else."""
    written = []
    for start, stop in zip([0, *cuts], [*cuts, len(lines)], strict=True):
        own = lines[start:stop]
        described = [part for part, _ in parts.cut(own)]
        unlisted: dict[str, int] = {}
        for part in described:
            for listing, count in part.unlisted.items():
                unlisted[listing] = unlisted.get(listing, 0) + count
        data = parts.content(own)
        part = Part(path_in(own[0]), Digest.of(data), len(data), len(own), unlisted)
        (out / part.path).parent.mkdir(parents=True, exist_ok=True)
        (out / part.path).write_bytes(data)
        written.append(part)
    return written


@pytest.fixture(scope="module")
def record(kinds_out: Path) -> Record:
    return outputs.record_of(kinds_out)


@pytest.fixture(scope="module")
def templates(record: Record) -> dict[str, Entry]:
    return {each.path: each for each in record.catalog.entries}


def part(number: int, size: int, count: int, unlisted: int = 0) -> Part:
    return Part(f"{number}", Digest.of(b"%d" % number), size, count, {MCP: unlisted})


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], 0),
        ([(400_000, 9, 0)], 9),
        ([(400_000, 9, 2), (400_000, 30, 0), (9, 9, 0)], 37),
        ([(500_000, 9, 2), (500_000, 30, 0), (9, 9, 0)], 7),
        ([(2_000_000, 9, 0), (9, 30, 0)], 9),
        ([(9, 9, 9), (9, 5, 0), (9, 5, 0), (9, 5, 0)], 10),
        ([(9, 9, 9)], 0),
    ],
)
def test_the_first_skills_are_those_of_two_parts_unless_they_are_large(
    tmp_path: Path, sizes: list[tuple[int, int, int]], expected: int
) -> None:
    written = [part(number, *numbers) for number, numbers in enumerate(sizes)]
    assert ServedParts(Directory(tmp_path), written).first(MCP) == expected


class NoFiles:
    """Of a release without files that the record does not name."""

    has_pages = False

    def find(self, path: str) -> None:
        return None

    def file(self, path: str) -> None:
        return None


def served(out: Path, record: Record, written: Sequence[Part]) -> ServedRelease:
    digest = Digest.of(b"")
    files = Directory(out)
    parts = ServedParts(files, written)
    return ServedRelease(files, NoFiles(), digest, record, parts, SortedLines(b""))


def opened(
    data: st.DataObject, model: Model, record: Record, templates: dict[str, Entry], out: Path
) -> ServedRelease:
    """A release with the skills of a model, in parts that are cut anywhere."""
    lines = [encode_entry(entry(templates[model.kinds[path]], path, model)) for path in model.paths]
    numbers = st.sets(st.integers(1, max(1, len(lines) - 1)), max_size=5)
    cuts = sorted(data.draw(numbers)) if len(lines) > 1 else []
    written = write_parts(out, lines, cuts) if lines else []
    return served(out, record, written)


def other_spellings(uri: str) -> Iterator[str]:
    """Strings near a URI, most of which are none."""
    yield from (f"{uri}/", f"{uri}x", uri[:-1], uri.upper(), f"{uri}#", f"{uri}?", f"{uri}/x")
    yield from (unquote(uri), uri.replace("%", "%25"), uri.replace("a", "%61", 1))
    yield from (uri.replace("/", "//"), uri.replace("//", "///"), uri.replace("C3", "c3"))
    yield from (uri.replace("/", "%2F"), uri.replace("://", ":"), uri.removeprefix("skill://"))
    yield from (uri.replace("SKILL.md", "./SKILL.md"), uri.replace("SKILL.md", "../SKILL.md"))
    yield from (uri.replace("-", "/"), uri.replace("%40", "@"), uri.replace(":a", "%3Aa"))


slow = settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@slow
@given(data=st.data(), model=models())
@pytest.mark.nightly
def test_every_file_is_at_its_uri_and_nothing_is_at_any_other_string(
    data: st.DataObject, model: Model, record: Record, templates: dict[str, Entry]
) -> None:
    with TemporaryDirectory() as folder:
        release = opened(data, model, record, templates, Path(folder))
        for uri, digest in model.digests.items():
            described = describe(release, uri)
            assert described is not None
            assert (described.resource["uri"], described.version) == (uri, digest)
            assert not described.is_directory
        directories = model.names()
        tried = {each for uri in model.digests for each in other_spellings(uri)}
        tried |= {data.draw(st.text(max_size=12)), f"skill://{data.draw(st.text(max_size=12))}"}
        for text in tried - model.digests.keys() - directories.keys():
            assert describe(release, text) is None, text
            assert release.entry_at(text) is None, text
            assert release.skill_at(text) is None, text
        for path in model.paths:
            skill = release.skill_at(skill_uri(path))
            assert skill is not None
            assert skill.path == path


@slow
@given(data=st.data(), model=models())
@pytest.mark.nightly
def test_directories_are_those_that_all_uris_tell_of(
    data: st.DataObject, model: Model, record: Record, templates: dict[str, Entry]
) -> None:
    with TemporaryDirectory() as folder:
        release = opened(data, model, record, templates, Path(folder))
        directories = model.names()
        for uri, names in directories.items():
            assert release.names_in(uri) == names, uri
            assert [child.uri for child in children(release, uri)] == [
                f"{uri}/{name.rstrip('/')}" for name in names
            ]
        near = {each for uri in directories for each in other_spellings(uri)}
        near |= {*model.digests, "skill://", "skill:/", "", "skill:///a", "skill://-"}
        near |= {f"skill://{data.draw(st.text(max_size=8))}"}
        for uri in near - directories.keys():
            assert release.names_in(uri) == [], uri


@slow
@given(data=st.data(), model=models())
@pytest.mark.nightly
def test_skills_are_listed_in_the_order_of_their_paths_from_any_position(
    data: st.DataObject, model: Model, record: Record, templates: dict[str, Entry]
) -> None:
    with TemporaryDirectory() as folder:
        release = opened(data, model, record, templates, Path(folder))
        for listing in LISTINGS:
            wanted = model.listed(listing)
            assert release.parts.count(listing) == len(wanted)
            for position in range(len(wanted) + 2):
                for count in (0, 1, 3, 100):
                    skills = release.skills(listing, position, count)
                    assert [skill.path for skill in skills] == wanted[position : position + count]


@slow
@given(data=st.data(), model=models())
@pytest.mark.nightly
def test_paths_are_found_wherever_parts_begin(
    data: st.DataObject, model: Model, record: Record, templates: dict[str, Entry]
) -> None:
    with TemporaryDirectory() as folder:
        lines = opened(data, model, record, templates, Path(folder)).parts
        asked = {*model.paths, "", "a", "a/", "a0", "\U0010ffff", data.draw(st.text(max_size=6))}
        asked |= {f"{path}\0" for path in model.paths} | {path[:-1] for path in model.paths}
        for path in asked:
            line = lines.find(path)
            assert (None if line is None else path_in(line)) == (
                path if path in model.paths else None
            )
            after = [each for each in model.paths if each >= path]
            assert list(map(path_in, lines.following(path))) == after
            below = [each[len(path) + 1 :] for each in model.paths if each.startswith(f"{path}/")]
            assert sorted(lines.children(path)) == sorted({each.split("/")[0] for each in below})
            above = [each for each in model.paths if f"{path}/".startswith(f"{each}/")]
            assert list(map(path_in, lines.above(path))) == above[::-1]


def test_the_deepest_file_of_a_deep_skill_is_found(
    record: Record, templates: dict[str, Entry], tmp_path: Path
) -> None:
    skill = "/".join("abcdefghijklmnopqrstuvwxyz" * 2)
    file = "/".join(["d"] * (DEEPEST_PATH - 1) + ["x"])
    digests = {skill_uri(skill, name): Digest.of(name.encode()) for name in ("SKILL.md", file)}
    model = Model([skill], {skill: "refunds"}, digests)
    lines = [encode_entry(entry(templates["refunds"], skill, model))]
    release = served(tmp_path, record, write_parts(tmp_path, lines, []))
    described = describe(release, skill_uri(skill, file))
    assert described is not None
    assert described.version == digests[skill_uri(skill, file)]
    for uri, names in model.names().items():
        assert release.names_in(uri) == names


@pytest.fixture(scope="module")
def large(kinds_out: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Part]]:
    """Parts that together are half as large again as what may be held."""
    out = tmp_path_factory.mktemp("large")
    lines = list(map(encode_entry, many_entries(kinds_out, 7500)))
    written = write_parts(out, lines, range(150, len(lines), 150))
    assert sum(part.size for part in written) > 1.5 * LIMIT
    return out, written


def test_no_more_than_eight_megabytes_of_parts_are_held(large: tuple[Path, list[Part]]) -> None:
    gc.collect()
    tracemalloc.start()
    try:
        lines = ServedParts(Directory(large[0]), large[1])
        count = sum(1 for _ in lines.following(""))
        for part in reversed(lines.parts):
            assert lines.find(part.first) is not None
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == sum(part.count for part in lines.parts)
    assert LIMIT / 2 < used < LIMIT + 64 * 1024


def test_threads_may_share_the_parts(large: tuple[Path, list[Part]]) -> None:
    shared = ServedParts(Directory(large[0]), large[1])
    wrong: list[str] = []

    def ask(start: int) -> None:
        for part in [*shared.parts[start:], *shared.parts[:start]] * 3:
            line = shared.find(part.first)
            if line is None or path_in(line) != part.first:
                wrong.append(part.first)

    threads = [threading.Thread(target=ask, args=(number * 9,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.unlink(), "missing"),
        (lambda path: path.write_bytes(b""), "0 bytes instead of "),
        (lambda path: path.write_bytes(path.read_bytes()[:-1] + b"\r"), "wrong digest"),
        (lambda path: path.write_bytes(path.read_bytes()[:1000]), "1,000 bytes instead of "),
    ],
)
def test_a_damaged_part_costs_its_own_skills_and_no_others(
    kinds_out: Path, tmp_path: Path, damage: object, reason: str
) -> None:
    assert callable(damage)
    lines = list(map(encode_entry, many_entries(kinds_out, 30)))
    written = write_parts(tmp_path, lines, [10, 20])
    (tmp_path / "catalog.json").write_bytes(b"")  # Without it the output is away.
    damage(tmp_path / written[1].path)
    damaged = ServedParts(Directory(tmp_path), written)
    for number, line in enumerate(lines):
        if number // 10 == 1:
            with pytest.raises(DamagedError) as raised:
                damaged.find(path_in(line))
            assert str(raised.value).startswith(f"{written[1].path}: {reason}")
        else:
            assert damaged.find(path_in(line)) == line
    with pytest.raises(DamagedError):
        deque(damaged.following(""), maxlen=0)
    assert len(list(damaged.following(path_in(lines[20])))) == 10
