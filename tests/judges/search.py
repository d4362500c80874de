"""Does a search find what a fair reader would want?

    python tests/judges/search.py [SOURCE QUERIES] [--ranker NAME]... [--seed N] [--misses]

SOURCE is a git repository, which is built into a temporary directory, or an output. QUERIES has the
form of `tests/cases/search/queries.jsonl`. Without both, the skills and queries of
`tests/cases/search/` are judged, the special ones too.

Prints for each ranker and kind of query how often an accepted skill came first and among the first
three, and with `--misses` what came instead. Then of the texts of SOURCE: whether random phrases of
two to four Chinese or Japanese characters, of descriptions and of bodies, and all upper-case words
of two to five letters in descriptions find the skills they stand in; and whether random words that
stand in two to six skills, in prose, find one of these among the first ten. With several rankers,
whether all give one order. Last, what a browser loads for a first answer, each file compressed by
itself. Exit status 1 below the bars. Those for first and among three hold for the written queries
only, and not for loose ones, of whose words half are nowhere in the skill.

A ranker is a function in RANKERS: it takes the directory of an output and queries, and returns an
`Answer` for each.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from skillbuild.model import Digest, Entry
from skillbuild.output import verify
from skillbuild.paths import SKILL_FILE
from skillbuild.release.layout import SEARCH_FILE, blob_path, search_path
from skillbuild.release.search.ranking import ask
from skillbuild.release.search.reading import Index

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers import searching
from helpers.repos import repository
from helpers.search_cases import (
    LOOSE,
    Query,
    Special,
    read_queries,
    read_skills,
    read_special,
    skill_files,
)

BARS = {
    "first": 90,
    "among three": 97,
    "phrases": 97,
    "phrases of bodies": 97,
    "acronyms": 100,
    "rare words": 95,
    "special": 100,
}
"""Per cent."""

_PHRASES = 200
_RARE_WORDS = 300
_RARE = range(2, 7)
"""In how many skills a rare word stands."""
_FIRST_PAGE = 10
_PROSE_WORD = re.compile(r"(?<![\w-])[a-z]{4,}(?![\w-])")
_NO_PROSE = re.compile(
    r"\A---\n.*?\n---\n|^(```|~~~).*?^\1|`[^`\n]*`|https?://\S+|\]\([^)\n]*\)",
    re.DOTALL | re.MULTILINE,
)
"""Frontmatter, code and addresses."""
_ACRONYM = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2,5}(?![A-Za-z0-9])")
_CJK_RUN = re.compile("[々〆ァ-ヺーぁ-ゖ㐀-䶿一-鿿]{2,}")
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search says to one query."""

    paths: tuple[str, ...] | None
    """The path of every match, best first; those that match only a smaller part of the query come
    last. None if the query asks for nothing, so that the plain list stands."""
    synonyms: Sequence[tuple[str, str]] = ()
    """What was typed and what was looked up too."""
    ignored: int = 0
    """How many terms of the query were left out."""


Ranker = Callable[[Path, Sequence[str]], Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Hits:
    """How many of a kind of queries were asked and met, and the misses in words."""

    asked: int
    first: int
    among: int
    misses: Sequence[str]


def by_plain_words(out: Path, queries: Sequence[str]) -> Sequence[Answer]:
    """The yardstick: skills by how many words of the query are in name and description."""
    texts = {
        entry.path: f"{entry.name} {_description(entry)}".lower()
        for entry in verify.load(out).catalog.entries
    }
    return [_by_plain_words(texts, query) for query in queries]


def _by_plain_words(texts: Mapping[str, str], query: str) -> Answer:
    words = re.findall(r"\w+", query.lower())
    if not words:
        return Answer(None)
    counts = {path: sum(word in text for word in words) for path, text in texts.items()}
    matches = [path for path, count in counts.items() if count]
    return Answer(tuple(sorted(matches, key=lambda path: (-counts[path], path.encode()))))


def by_index(out: Path, queries: Sequence[str]) -> Sequence[Answer]:
    """The server's half of the search."""
    index = searching.opened(searching.published(out))
    return [_by_index(index, query) for query in queries]


def _by_index(index: Index, query: str) -> Answer:
    answer, order = ask(index, query), searching.order(index, query)
    if answer is None or order is None:
        return Answer(None)
    paths = (str(index.row(number)[0]) for each in order for number in each)
    return Answer(tuple(paths), answer.query.synonyms, answer.query.ignored)


def by_scripts(out: Path, queries: Sequence[str]) -> Sequence[Answer]:
    """The browser's half, in Node."""
    code = """
        const answers = [];
        for (const query of given.value) {
            const result = await index.find(query);
            const rows = result && (await index.rows([...result.matches, ...result.also]));
            answers.push(result && [rows.map((row) => row.path), result.synonyms, result.ignored]);
        }
        return answers;
    """
    answers = searching.in_script(searching.published(out), code, list(queries))
    return [
        Answer(tuple(each[0]), list(map(tuple, each[1])), each[2]) if each else Answer(None)
        for each in answers
    ]


RANKERS: Mapping[str, Ranker] = {
    "plain words": by_plain_words,
    "index": by_index,
    "scripts": by_scripts,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("source", metavar="SOURCE", nargs="?", type=Path)
    parser.add_argument("queries", metavar="QUERIES", nargs="?", type=Path)
    parser.add_argument("--ranker", metavar="NAME", action="append", choices=RANKERS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    if options.source and not options.queries:
        parser.error("SOURCE needs QUERIES")
    rankers = {name: RANKERS[name] for name in options.ranker or RANKERS}
    with tempfile.TemporaryDirectory() as scratch:
        out = _output(options.source, Path(scratch))
        if options.source:
            passed = judge(out, read_queries(options.queries), (), rankers, options)
        else:
            queries = read_queries() + read_queries(LOOSE)
            passed = judge(out, queries, read_special(), rankers, options)
    return 0 if passed else 1


def _output(source: Path | None, scratch: Path) -> Path:
    """The directory of an output: SOURCE itself, or what is built of it or of the cases."""
    if source and (source / "catalog.json").exists():
        return source
    repo = source or repository(scratch / "source", skill_files(read_skills()))
    out = scratch / "out"
    command = [sys.executable, "-m", "skillbuild", "build", str(repo), "-o", str(out)]
    subprocess.run(
        [*command, "--skip-invalid"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return out


def judge(
    out: Path,
    queries: Sequence[Query],
    special: Sequence[Special],
    rankers: Mapping[str, Ranker],
    options: argparse.Namespace,
) -> bool:
    """Print what each ranker makes of an output; `special` is there for the written cases only."""
    entries = list(verify.load(out).catalog.entries)
    texts = {entry.path: _text(out, entry) for entry in entries}
    chance = random.Random(options.seed)
    phrases = random_phrases({entry.path: _description(entry) for entry in entries}, chance)
    inner = random_phrases(texts, chance)
    rare = rare_words(texts, chance)
    wanted = acronyms(entries)
    edge = list(dict.fromkeys(text for case in special for text in (case.text, case.also) if text))
    asked = [query.text for query in queries] + [text for _, text in phrases + inner]
    asked += [*wanted, *rare]
    asked = list(dict.fromkeys([*asked, *edge, ""]))
    answers = {
        name: dict(zip(asked, ranker(out, asked), strict=True)) for name, ranker in rankers.items()
    }
    passed = True
    for name, given in answers.items():
        print(f"\n{name}: {len(entries)} skills, {len(queries)} queries")
        misses: list[str] = []
        passed &= _print_hits(queries, given, misses, binding=bool(special))
        passed &= _print_finds("phrases", phrases, given, misses)
        passed &= _print_finds("phrases of bodies", inner, given, misses)
        words = [(path, word) for word, paths in wanted.items() for path in paths]
        passed &= _print_finds("acronyms", words, given, misses)
        passed &= _print_rare(rare, given, misses)
        faults = [fault for case in special for fault in special_faults(case, given)]
        met = len(special) - len(faults)
        passed &= _print_share("special", met, len(special), misses, faults)
        if options.misses:
            print(*misses, sep="\n")
    _print_weights("queries", out, [query.text for query in queries])
    _print_weights("rare words", out, [*rare])
    return _agree(answers) and passed


def _print_hits(
    queries: Sequence[Query], answers: Mapping[str, Answer], misses: list[str], *, binding: bool
) -> bool:
    kinds = list(dict.fromkeys(query.kind for query in queries))
    print(f"{'':12} {'asked':>6} {'first':>6} {'three':>6}")
    for kind in kinds:
        hits = count_hits([query for query in queries if query.kind == kind], answers)
        print(f"{kind:12} {hits.asked:6} {hits.first:6} {hits.among:6}")
        misses += hits.misses
    whole = count_hits([query for query in queries if query.kind != "loose"], answers)
    print(f"{'all':12} {whole.asked:6} {whole.first:6} {whole.among:6}")
    passed = _share("first", whole.first, whole.asked)
    passed &= _share("among three", whole.among, whole.asked)
    return passed or not binding


def count_hits(queries: Sequence[Query], answers: Mapping[str, Answer]) -> Hits:
    first = among = 0
    misses: list[str] = []
    for query in queries:
        top = (answers[query.text].paths or ())[:_SHOWN]
        is_first, is_among = bool(query.first & set(top[:1])), bool(query.among & set(top))
        first += is_first
        among += is_among
        if not (is_first and is_among):
            fault = "not first" if is_among else "NOT AMONG THREE"
            got = ", ".join(top) or "nothing"
            misses.append(f"  {query.kind}: {query.text!r}: {fault}: {got}")
    return Hits(len(queries), first, among, misses)


def random_phrases(texts: Mapping[str, str], chance: random.Random) -> list[tuple[str, str]]:
    """Paths and phrases of two to four characters, out of random texts, which are by path."""
    runs = [(path, run) for path, text in texts.items() for run in _CJK_RUN.findall(text)]
    phrases = []
    for path, run in chance.choices(runs, k=_PHRASES) if runs else []:
        length = min(chance.randint(2, 4), len(run))
        start = chance.randint(0, len(run) - length)
        phrases.append((path, run[start : start + length]))
    return phrases


def rare_words(texts: Mapping[str, str], chance: random.Random) -> Mapping[str, Set[str]]:
    """Random words of prose, each with the paths of the two to six skills that have it anywhere."""
    paths: dict[str, set[str]] = defaultdict(set)
    prose: set[str] = set()
    for path, text in texts.items():
        prose.update(_PROSE_WORD.findall(_NO_PROSE.sub(" ", text)))
        for word in re.findall("[a-z]+", text.lower()):
            paths[word].add(path)
    words = sorted(word for word in prose if len(paths[word]) in _RARE)
    return {word: paths[word] for word in chance.sample(words, min(_RARE_WORDS, len(words)))}


def acronyms(entries: Sequence[Entry]) -> Mapping[str, Sequence[str]]:
    """The upper-case words of the descriptions, each with the paths of the skills it is in."""
    paths: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        for word in dict.fromkeys(_ACRONYM.findall(_description(entry))):
            paths[word].append(entry.path)
    return paths


def _print_rare(
    rare: Mapping[str, Set[str]], answers: Mapping[str, Answer], misses: list[str]
) -> bool:
    """Words whose answer must have one of their skills among the first ten, and none is empty."""
    found = {word: answers[word].paths or () for word in rare}
    faults = [
        f"  rare words: {word!r} finds none of {len(rare[word])} among the first"
        for word, paths in found.items()
        if not rare[word] & set(paths[:_FIRST_PAGE])
    ]
    empty = [word for word, paths in found.items() if not paths]
    if empty:
        print(f"rare words without an answer: {', '.join(empty)}")
    met = len(rare) - len(faults)
    return _print_share("rare words", met, len(rare), misses, faults) and not empty


def weight_of_first(published: Mapping[str, bytes], query: str) -> int:
    """Bytes that a first answer loads: the manifest, shards, the rows of the first ten skills."""
    manifest = published[SEARCH_FILE]
    loaded = [manifest]

    def read(digest: Digest) -> bytes:
        loaded.append(published[search_path(digest)])
        return loaded[-1]

    index = Index(manifest, read)
    answer = ask(index, query)
    for number in answer.matches[:_FIRST_PAGE] if answer else ():
        index.row(number)
    return sum(len(gzip.compress(data, mtime=0)) for data in loaded)


def _print_weights(what: str, out: Path, queries: Sequence[str]) -> None:
    published = searching.published(out)
    weights = [weight_of_first(published, query) for query in queries]
    if weights:
        most, middle = max(weights) / 1000, statistics.median(weights) / 1000
        print(f"\nfirst answer to {what}: median {middle:.1f} kB, at most {most:.1f}", end="")


def _print_finds(
    what: str,
    wanted: Sequence[tuple[str, str]],
    answers: Mapping[str, Answer],
    misses: list[str],
) -> bool:
    """`wanted` are a skill's path and a query whose answer must have it somewhere."""
    faults = [
        f"  {what}: {text!r} does not find {path}"
        for path, text in wanted
        if path not in set(answers[text].paths or ())
    ]
    return _print_share(what, len(wanted) - len(faults), len(wanted), misses, faults)


def special_faults(case: Special, answers: Mapping[str, Answer]) -> Iterator[str]:
    """One line if the answer is not what the case expects."""
    answer = answers[case.text]
    if not (_is_met(case, answer, answers) and _is_told(case, answer)):
        top = "the plain list" if answer.paths is None else ", ".join(answer.paths[:_SHOWN])
        yield f"  special: {case.text[:40]!r} expects {case.expect}, {case.why}: {top or 'nothing'}"


def _is_met(case: Special, answer: Answer, answers: Mapping[str, Answer]) -> bool:
    paths = answer.paths or ()
    match case.expect:
        case "list":
            return answer.paths is None
        case "nothing":
            return not paths
        case "none":
            return answer.paths is not None and not paths
        case "some":
            return bool(paths)
        case "first":
            return bool(case.paths & set(paths[:1]))
        case "most":
            return 0 < len(paths) <= case.limit
        case "same":
            return answer.paths == answers[case.also].paths
        case _:
            return case.expect == "any"


def _is_told(case: Special, answer: Answer) -> bool:
    """Whether the answer tells of a synonym and of ignored terms, where the case wants that."""
    meant = {meant for _, meant in answer.synonyms}
    return (not case.synonym or case.synonym in meant) and (not case.ignored or answer.ignored > 0)


def _agree(answers: Mapping[str, Mapping[str, Answer]]) -> bool:
    """Print how many queries two rankers order in different ways."""
    differing: Counter[str] = Counter()
    for (left, ours), (right, theirs) in pairwise(answers.items()):
        for text, answer in ours.items():
            if answer.paths != theirs[text].paths:
                differing[f"{left} and {right}"] += 1
                print(f"  {text[:40]!r} is ordered in two ways by {left} and {right}")
    if len(answers) > 1:
        print(f"\n\n{differing.total()} of {len(next(iter(answers.values())))} queries differ")
    return not differing


def _print_share(what: str, met: int, asked: int, misses: list[str], faults: Sequence[str]) -> bool:
    misses += faults
    return _share(what, met, asked)


def _share(what: str, met: int, asked: int) -> bool:
    if not asked:
        return True
    passed = met * 100 >= BARS[what] * asked
    verdict = "" if passed else f", below {BARS[what]} %"
    print(f"{what}: {met} of {asked}, {met * 100 / asked:.1f} %{verdict}")
    return passed


def _text(out: Path, entry: Entry) -> str:
    """Its SKILL.md."""
    digest = next(item.digest for item in entry.resources if item.path == SKILL_FILE)
    return (out / blob_path(digest)).read_text("utf-8")


def _description(entry: Entry) -> str:
    description = entry.frontmatter.get("description")
    return description if isinstance(description, str) else ""


if __name__ == "__main__":
    sys.exit(main())
