"""SHA256SUMS as lines: sorted, compared and written as `sha256sum --check` reads them."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from skillbuild.model import Digest
from skillbuild.output import directory
from skillbuild.release import checksums
from skillbuild.release.checksums import Checksums
from skillbuild.release.layout import RECORD_FILE

DIGESTS = [Digest.of(bytes([number])) for number in range(3)]
PATHS = st.text("ab/-.\u00e9\U0001f600", min_size=1, max_size=4)
FILES = st.dictionaries(PATHS, st.sampled_from(DIGESTS), max_size=12)
Files = dict[str, Digest]


def of(files: Files) -> Checksums:
    return Checksums(checksums.lines(files))


def files_in(base: Checksums) -> list[tuple[str, str]]:
    return [(checksums.path_of(line), line[:64].decode()) for line in base.lines]


def sorted_pairs(files: Files) -> list[tuple[str, str]]:
    return [(path, files[path].hex) for path in sorted(files)]


@given(FILES, PATHS)
def test_every_listed_path_is_found_and_no_other(files: Files, other: str) -> None:
    listed = of(files)
    assert files_in(listed) == sorted_pairs(files)
    assert list(listed.paths()) == sorted(files)
    assert all(listed.find(path) == checksums.line(path, digest) for path, digest in files.items())
    assert (other in listed) is (other in files)


@given(FILES)
def test_a_line_that_is_given_twice_is_kept_once(files: Files) -> None:
    lines = checksums.lines(files)
    assert files_in(Checksums(lines + lines)) == sorted_pairs(files)


@given(FILES, FILES)
def test_added_paths_do_not_replace_present_ones(files: Files, further: Files) -> None:
    assert files_in(of(files).plus(checksums.lines(further))) == sorted_pairs({**further, **files})


def test_a_line_added_to_many_is_sorted_in() -> None:
    many = {f"blobs/{number:03}": DIGESTS[0] for number in range(300)}
    more = {"blobs/0005": DIGESTS[1], "a": DIGESTS[2]}
    assert files_in(of(many).plus(checksums.lines(more))) == sorted_pairs({**many, **more})


@given(FILES, FILES)
def test_during_a_publish_the_checksums_list_the_old_and_the_new_files(
    old: Files, new: Files
) -> None:
    record = {RECORD_FILE: DIGESTS[0]}
    both = checksums.during_publish(of({**old, **record}), of({**new, **record}))
    every = {*sorted_pairs(old), *sorted_pairs(new)}
    assert set(files_in(both)) == every
    assert len(both.lines) == len(every)
    assert [path for path, _ in files_in(both)] == sorted(path for path, _ in every)


@given(FILES)
def test_a_checksums_file_is_read_back(files: Files) -> None:
    text = b"".join(of(files).pieces())
    assert files_in(Checksums.parse(text)) == sorted_pairs(files)
    assert files_in(Checksums.parse(b"no line of ours\n\n" + text)) == sorted_pairs(files)


def test_a_path_with_two_digests_is_noticed() -> None:
    lines = [checksums.line(path, digest) for path in "ab" for digest in DIGESTS[:2]]
    assert Checksums(lines).repeated_paths() == ["a", "b"]
    assert Checksums(lines[:1] * 2).repeated_paths() == []


def test_an_output_without_checksums_lists_nothing(tmp_path: Path) -> None:
    assert directory.listed_in(tmp_path).lines == []
