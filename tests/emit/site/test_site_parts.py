"""The parts of pages: facts, cards, facets, addresses and colors."""

import hashlib
import operator

import pytest

from helpers import facts as helper
from skillbuild.config import Config
from skillbuild.emit.site import cards, facts, lists, shared_files, skill_pages
from skillbuild.emit.site.addresses import file_pages, slug
from skillbuild.emit.site.cards import Picture
from skillbuild.emit.site.facts import Fact, Spot
from skillbuild.emit.site.links import is_image
from skillbuild.emit.site.skill_pages import field_row
from skillbuild.emit.site.theme import Theme, inline, short
from skillbuild.model import (
    Change,
    Entry,
    Facts,
    File,
    Frontmatter,
    HiddenFact,
    Json,
    RunFact,
    RunKind,
    Skill,
    changed,
)
from skillbuild.paths import segment_fault
from skillbuild.text.markdown.document import Document


def skill_of(files: dict[str, str | bytes], **more: Json) -> Skill:
    header: dict[str, Json] = {"name": "a", "description": "Does.", **more}
    body = files.get("SKILL.md", "Do it.\n")
    content = {"SKILL.md": body, **files}
    return Skill(
        "g/a",
        "skills/g/a",
        Frontmatter(header, {}),
        str(body),
        6,
        tuple(
            File(path, text.encode() if isinstance(text, str) else text, path.endswith(".sh"))
            for path, text in sorted(content.items())
        ),
        "a",
    )


def entry_of(skill: Skill) -> Entry:
    return helper.entry(
        skill.path,
        directory=skill.directory,
        frontmatter=skill.frontmatter.value,
        resources=tuple(
            helper.resource("g/a", file.path, size=1, executable=file.executable)
            for file in (*skill.files, File("SKILL.md", b"", executable=False))
        ),
        flat_name=skill.flat_name,
    )


def gathered(files: dict[str, str | bytes], **more: Json) -> facts.PageFacts:
    skill = skill_of(files, **more)
    return facts.gather(skill, entry_of(skill))


def test_files_that_are_no_text_are_listed_with_their_type() -> None:
    seen = gathered({"data.bin": b"\0\1", "x.md": "a\n"})
    assert [(fact.label, fact.spots) for fact in seen.binaries] == [
        ("data.bin", (Spot("data.bin"),))
    ]


def found(*runs: RunFact, hidden: tuple[HiddenFact, ...] = ()) -> Entry:
    return changed(entry_of(skill_of({})), facts=Facts(runs=runs, hidden=hidden))


def test_facts_are_rows_with_their_places_loud_ones_first() -> None:
    entry = found(
        RunFact(RunKind.REACHES, "", "SKILL.md", 3, "curl https://a.dev", "a.dev"),
        RunFact(RunKind.REACHES, "", "x.sh", 2, "curl https://a.dev/b", "a.dev"),
        RunFact(RunKind.HOOK, "hooks in the frontmatter", "SKILL.md", 4),
        RunFact(RunKind.ASKS, "sudo", "x.sh", 1, "sudo make", not_to_do=True),
        RunFact(RunKind.SCRIPT, "Bash", "x.sh"),
        hidden=(HiddenFact("packed-text", "SKILL.md", 9),),
    )
    shown = facts.rows(entry, gathered({"data.bin": b"\0"}))
    assert [(row.title, row.alarming, row.facts) for row in shown] == [
        ("Has hooks", True, (Fact("hooks in the frontmatter", (Spot("SKILL.md", 4),)),)),
        ("Long pieces of base64", True, (Fact("SKILL.md", (Spot("SKILL.md", 9),)),)),
        (
            "Asks for more privileges",
            False,
            (Fact("sudo make", (Spot("x.sh", 1),), 1, "shown as a bad example"),),
        ),
        (
            "Reaches the network",
            False,
            (Fact("a.dev", (Spot("SKILL.md", 3), Spot("x.sh", 2)), 2),),
        ),
        ("Scripts", False, (Fact("x.sh", (Spot("x.sh"),), 1, "Bash"),)),
        (
            "Binary files",
            False,
            (Fact("data.bin", (Spot("data.bin"),), 1, "text/plain"),),
        ),
    ]


@pytest.mark.parametrize(
    ("declared", "tools"),
    [
        ("Read Bash(git:*)", ("Read", "Bash(git:*)")),
        ("Read, Bash(git add:*, git rm:*)", ("Read", "Bash(git add:*, git rm:*)")),
        (["Read", "Grep"], ("Read", "Grep")),
        ("", ()),
        (None, None),
    ],
)
def test_declared_tools_are_split(declared: Json, tools: tuple[str, ...] | None) -> None:
    assert gathered({}, **{"allowed-tools": declared}).tools == tools


def card_of(files: dict[str, str | bytes], *runs: RunFact, **more: Json) -> cards.Card:
    skill = skill_of(files, **more)
    entry = changed(entry_of(skill), facts=Facts(runs=runs))
    return cards.card(entry, gathered(files, **more), {})


ON_LOAD = RunFact(RunKind.ON_LOAD, "", "SKILL.md", 1, "make")
SCRIPT = RunFact(RunKind.SCRIPT, "Bash", "run.sh")
REACHES = RunFact(RunKind.REACHES, "", "run.sh", 2, host="a.dev")
SAMPLES = RunFact(RunKind.SAMPLES, "", "SKILL.md", 2, 'fetch("https://a.dev")', "a.dev")


@pytest.mark.parametrize("icons", [(), (("a-1.png", "light"), ("a-2.png", "dark"))])
def test_a_card_is_encoded_and_decoded_unchanged(icons: tuple[tuple[str, str], ...]) -> None:
    card = card_of({"run.sh": "make\n"}, ON_LOAD, SCRIPT, tags=["x", "\u00ff"], license="MIT")
    card = changed(card, picture=Picture("0a0a0a", "M1 1h1v1h-1z", icons), inlined="data:1 data:2")
    item = "<li>\u00ff".encode()
    for shown in (card, cards.bare(card)):
        other = changed(shown, path="other")
        lines = [cards.encode(other, b""), cards.encode(shown, item)]
        first, second = cards.decode(lines)
        without_lines = [changed(each, lines=(), place=0) for each in (first, second)]
        assert without_lines == [other, shown]
        assert (first.item, second.item) == (b"", item)


def test_words_that_many_cards_have_are_in_memory_once() -> None:
    line = cards.encode(card_of({}, tags=["some-tag"], description="Notes on tides."), b"")
    first, second = cards.decode([line, bytes(bytearray(line))])
    assert first.words
    for mine, others in ((first.words, second.words), (first.tags, second.tags)):
        assert all(map(operator.is_, mine, others))


def test_contents_are_counted_even_if_all_skills_share_them() -> None:
    plain = card_of({})
    loud = card_of({"run.sh": "make\n"}, ON_LOAD, SCRIPT, REACHES)
    assert loud.signals == ("runs commands when loaded", "1 script", "reaches the network")
    contents = next(facet for facet in lists.facets([plain, loud]) if facet.key == "contents")
    assert [(value.label, value.count) for value in contents.values] == [
        ("runs commands when loaded", 1),
        ("runs code", 1),
        ("reaches the network", 1),
        ("text only", 1),
        ("declares no tools", 2),
    ]


def test_a_host_that_only_samples_call_is_not_reached() -> None:
    card = card_of({}, SAMPLES)
    assert card.signals == ()
    assert card.contents == ("text only", "declares no tools")
    row, *_ = facts.rows(found(SAMPLES), gathered({}))
    assert (row.title, [fact.label for fact in row.facts]) == ("Code samples use", ["a.dev"])


@pytest.mark.parametrize(
    ("declared", "contents"),
    [("Read", "declares tools"), ("", "declares tools"), (None, "declares no tools")],
)
def test_a_card_and_the_page_of_its_skill_show_the_same_tools(
    declared: Json, contents: str
) -> None:
    """The page says `not declared` where `allowed-tools` is neither a text nor a list."""
    card = card_of({}, **{"allowed-tools": declared})
    assert contents in card.contents
    assert ("declares tools" in card.signals) == (contents == "declares tools")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (("MIT",), "MIT"),
        (("Apache-2.0", "MIT"), "Apache-2.0, MIT"),
        (("custom terms",), "license: custom terms"),
    ],
)
def test_a_card_shows_a_license_expression_or_the_word_license(
    labels: tuple[str, ...], words: str
) -> None:
    assert changed(card_of({}), licenses=labels).license_words == words


def test_a_table_of_contents_leaves_the_title_out() -> None:
    titled = Document("# A\n\n## B\n\n## C\n\n## D\n").headings
    assert [(heading.level, heading.text) for heading in skill_pages.contents(titled)] == [
        (2, "B"),
        (2, "C"),
        (2, "D"),
    ]
    several = Document("# A\n\n# B\n\n## C\n\n## D\n").headings
    assert skill_pages.contents(several) == [*several]
    assert skill_pages.contents(several[:3]) == []


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("scripts/run.py", "scripts/run.py"),
        (
            "references/one/two/three/four/scripts/run.py",
            "\u2026/one/two/three/four/scripts/run.py",
        ),
        (f"deep/er/{'n' * 40}.md", f"\u2026/{'n' * 40}.md"),
        (f"{'n' * 40}.md", f"{'n' * 40}.md"),
    ],
)
def test_a_long_path_is_shown_by_its_end(path: str, shown: str) -> None:
    assert short(path, 36) == shown


def test_metadata_is_shown_as_lines_and_what_is_deeper_as_json() -> None:
    value: Json = {"author": "A", "tags": ["x", 1], "draft": True}
    assert field_row("metadata", value).text == "author: A\ntags: [x, 1]\ndraft: true"
    assert field_row("metadata", {"a": {"b": 1}}).text == '{"a":{"b":1}}'
    assert field_row("tools", ["Read", "Write"]).text == "Read, Write"


def test_slugs_of_different_labels_differ() -> None:
    labels = ["c", "c++", "c#", "C", "a b", "a-b", "日本", "本日", "../x", "not declared"]
    assert len({slug(label).lower() for label in labels}) == len(labels)


@pytest.mark.parametrize(
    ("label", "folder"),
    [
        ("console", "console"),
        ("con", "con-"),
        ("AUX", "aux-"),
        ("nul.", "nul-"),
        ("com1", "com1-"),
        ("lpt9.txt", "lpt9-txt-"),
        ("a...", "a-"),
    ],
)
def test_the_folder_of_a_value_is_no_device_of_windows(label: str, folder: str) -> None:
    name = slug(label)
    digest = hashlib.sha256(label.encode()).hexdigest()[:8]
    assert name == (f"{folder}{digest}" if folder.endswith("-") else folder)
    assert segment_fault(name) is None


def test_pages_of_files_never_share_a_name_even_when_case_is_ignored() -> None:
    files = ["a", "a.html/b", "A.HTML", "index", f"d/{'x' * 255}", f"d/{'x' * 254}y"]
    pages = list(file_pages("s", files).values())
    assert len({path.lower() for path in pages}) == len(files)
    assert max(len(part.encode()) for path in pages for part in path.split("/")) <= 255


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"\x89PNG\r\n\x1a\nx", True),
        (b"\xff\xd8\xffx", True),
        (b"GIF89ax", True),
        (b"RIFF0000WEBPx", True),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", False),
        (b"%PDF-1.7", False),
        (b"", False),
    ],
)
def test_only_four_kinds_of_image_are_shown(data: bytes, *, shown: bool) -> None:
    assert is_image(data) is shown


@pytest.mark.parametrize("accent", ["#ffff00", "#000000", "#ffffff", "#777777", "#0b57b0"])
def test_an_accent_is_readable_on_light_and_dark(accent: str) -> None:
    rule = shared_files.accent_rule(accent)
    light, dark = (part[:6] for part in rule.split("#")[1:])
    for text, back in ((light, "ffffff"), (dark, "0f1318")):
        first, second = (tuple(bytes.fromhex(color)) for color in (text, back))
        contrast = shared_files.contrast(
            (first[0], first[1], first[2]), (second[0], second[1], second[2])
        )
        assert contrast >= 4.5


CHANGE = Change("c" * 40, 1_700_000_000)


@pytest.mark.parametrize(
    ("address", "change", "link"),
    [
        ("https://github.com/o/r", CHANGE, f"https://github.com/o/r/tree/{'c' * 40}/p/skills/g/a"),
        ("https://github.com/o/r.git", None, "https://github.com/o/r/tree/HEAD/p/skills/g/a"),
        ("https://gitlab.com/o/r/", None, "https://gitlab.com/o/r/-/tree/HEAD/p/skills/g/a"),
        ("https://example.org/o/r", CHANGE, None),
    ],
)
def test_the_source_is_linked_on_known_forges(
    address: str, change: Change | None, link: str | None
) -> None:
    for config in (Config(links={"Source": address}), Config(repository=address)):
        theme = Theme(config, prefix="p/")
        assert skill_pages.source_link(theme, entry_of(skill_of({})), change) == link


@pytest.mark.parametrize(
    ("address", "change", "link"),
    [
        ("https://github.com/o/r.git", CHANGE, f"https://github.com/o/r/commit/{'c' * 40}"),
        ("https://gitlab.com/o/r/", CHANGE, f"https://gitlab.com/o/r/-/commit/{'c' * 40}"),
        ("https://github.com/o/r", None, None),
        ("https://example.org/o/r", CHANGE, None),
    ],
)
def test_the_day_of_a_change_leads_to_what_it_changed(
    address: str, change: Change | None, link: str | None
) -> None:
    assert skill_pages.commit_link(Theme(Config(repository=address)), change) == link


def test_a_page_holds_its_first_small_icons_itself() -> None:
    def card(name: str, inlined: str) -> cards.Card:
        return changed(card_of({}), path=name, inlined=inlined)

    shared, small, large = "data:image/png;base64,AA==", "data:1", "data:" + 9000 * "A"
    page = [card("a", shared), card("b", ""), card("c", small), card("d", shared)]
    assert lists.with_inlined(page) == {"c"}
    assert lists.with_inlined([*page, card("e", large), card("f", "data:2")]) == {"c"}


def test_a_description_has_code_and_bold_words_and_no_other_markup() -> None:
    text = "**MUST** run `f(**a)` or `g(**b)`, **not** <b>x</b>, 2**3, **`code`**"
    assert inline(text) == (
        "<strong>MUST</strong> run <code>f(**a)</code> or <code>g(**b)</code>, "
        "<strong>not</strong> &lt;b&gt;x&lt;/b&gt;, 2**3, **<code>code</code>**"
    )
