"""The search of the catalog in a browser: answers, filters, keys, addresses and what it costs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers import repos, views
from helpers.browsing import build_example, served
from helpers.views import Scheme, opened, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ANSWERED = re.compile(
    r"No skill matches .+|(No skill is about .+; found .+ in |Nothing for .+\. Showing )?"
    r"([\d,]+ of [\d,]+ skills?|[\d,]+ skills? with)\b.*"
)
QUERIES = (
    "index.html?q=sql",
    "index.html?q=data+sql&contents=runs+code&licenses=MIT",
    "index.html?q=zzzz",
    "index.html?sort=tokens&tags=nosuch",
)

ODD = {
    "prototype": "__proto__",
    "constructor": "constructor",
    "long": "x" * 5000,
    "many": "word " * 1000,
    "operators": '"*-NEAR( AND',
    "half a character": "\ud83d",
    "Chinese": "數據庫",
    "Japanese": "データ",
}


def answered(page: Page) -> None:
    """Wait for the answer to what is asked by now."""
    until(page, lambda: bool(ANSWERED.fullmatch(page.inner_text("#count"))))
    until(page, lambda: page.get_attribute("#listing", "aria-busy") == "false")


def plain(page: Page) -> None:
    """Wait until the list stands as it was published."""
    until(page, lambda: not ANSWERED.fullmatch(page.inner_text("#count")))


def ask(page: Page, query: str) -> None:
    """Type it in place of what was typed before, and wait for the answer."""
    page.fill("#search", query)
    page.wait_for_timeout(100)
    answered(page)


def names(page: Page, within: str = "#cards") -> list[str]:
    return page.locator(f"{within} h2 a").all_inner_texts()


def counts(page: Page, facet: str) -> dict[str, int]:
    """The values of a facet that can be chosen, with the skills that they promise."""
    shown = {}
    for item in page.locator(f'[data-facet="{facet}"] li').all():
        if item.is_visible():
            label, number = item.locator("button"), item.locator(".n")
            shown[label.get_attribute("data-value") or ""] = int(
                number.inner_text().replace(",", "")
            )
    return shown


def choose(page: Page, facet: str, value: str) -> None:
    page.locator(f'[data-facet="{facet}"] button[data-value="{value}"]').click()
    page.wait_for_timeout(50)
    answered(page)


def focused(page: Page) -> str:
    """The id of what has the focus, or its text."""
    text: str = page.evaluate("document.activeElement.id || document.activeElement.textContent")
    return text


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_search_tolerates_a_typing_error_and_is_part_of_the_address(
    browser: Browser, address: str, site: Path, scheme: str
) -> None:
    start = address if scheme == "http" else site.as_uri() + "/index.html"
    with opened(browser) as (page, heard):
        page.goto(start)
        page.keyboard.press("/")
        page.keyboard.type("migratoins")
        answered(page)
        assert names(page)[0] == "sql-migrations"
        until(page, lambda: page.url.endswith("?q=migratoins"))
        page.reload()
        answered(page)
        assert names(page)[0] == "sql-migrations"
        assert page.input_value("#search") == "migratoins"
        page.focus("#search")
        page.keyboard.press("Escape")
        plain(page)
        assert heard.messages == []


@pytest.mark.parametrize(
    ("typed", "first"),
    [("bisetc", "bisect"), ("csv prof", "csv-profile"), ("contrast nosuchword", "contrast-check")],
    ids=["two letters that changed places", "a beginning", "a word that nobody has"],
)
def test_search_ranks_the_intended_skill_first(
    browser: Browser, address: str, typed: str, first: str
) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?q={typed}")
        answered(page)
        assert names(page)[0] == first


def test_matches_are_marked_where_they_are_shown(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?q=sql")
        answered(page)
        first = page.locator("#cards .card").first
        assert first.locator("h2 mark").all_inner_texts() == ["sql"]
        assert {text.lower() for text in page.locator(".say mark").all_inner_texts()} == {"sql"}


def test_a_word_of_a_text_alone_is_shown_in_its_line(browser: Browser, address: str) -> None:
    with opened(browser) as (page, heard):
        page.goto(f"{address}index.html?q=ragged")
        answered(page)
        quoted = page.locator("#cards .card").first.locator(".say q")
        until(page, lambda: quoted.count() == 1)
        assert quoted.locator("mark").all_inner_texts() == ["ragged"]
        ask(page, "csv ragged")  # Its name has one of the words.
        until(page, lambda: quoted.count() == 1)
        assert quoted.locator("mark").all_inner_texts() == ["ragged"]
        ask(page, "sql")
        assert quoted.count() == 0  # Its name has the word.
        assert heard.messages == []


def test_a_license_has_the_search_of_the_list(browser: Browser, address: str) -> None:
    with opened(browser) as (page, heard):
        page.goto(f"{address}licenses/index.html")
        page.get_by_role("link", name="MIT", exact=True).click()
        page.get_by_role("heading", name="MIT", exact=True).wait_for()
        every = names(page)
        ask(page, "sql")
        found = names(page)
        assert 0 < len(found) < len(every)
        assert {*found} < {*every}
        assert page.inner_text("#count").startswith(f"{len(found)} of {len(every)} skills")
        assert heard.messages == []


def test_all_is_installed_from_the_whole_list_alone(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(address)
        everything = page.get_by_text("Install all", exact=True)
        assert everything.is_visible()
        ask(page, "sql")
        assert not everything.is_visible()


def test_each_word_is_shown_in_a_line_of_the_text_and_code_as_it_stands(
    browser: Browser, tmp_path: Path
) -> None:
    body = "Give the url.\n\n```\n  run --callback _x_\n```\n"
    text = repos.skill_md("caller", "Calls.", body)
    out = tmp_path / "out"
    repos.build(repos.repository(tmp_path / "repo", {"skills/caller/SKILL.md": text}), out)
    with opened(browser) as (page, heard), served(out) as address:
        page.goto(f"{address}index.html?q=url+callback")
        answered(page)
        said = page.locator(".say")
        until(page, lambda: said.locator("code").count() == 1)
        assert said.locator("q").all_inner_texts() == ["Give the url."]
        assert said.locator("code").all_inner_texts() == ["run --callback _x_"]
        assert heard.messages == []


def test_a_local_file_tells_where_a_word_is_that_it_cannot_quote(
    browser: Browser, site: Path
) -> None:
    with opened(browser) as (page, heard):
        page.goto(f"{site.as_uri()}/index.html?q=postcodes")
        answered(page)
        said = page.locator("#cards .card").first.locator(".meta")
        until(page, lambda: "found in SKILL.md" in said.inner_text())
        assert page.inner_text("#count").startswith("No skill is about “postcodes”; ")
        assert heard.messages == []


def test_who_finds_nothing_is_shown_groups(browser: Browser, tmp_path: Path) -> None:
    skills = {f"{name}/{name}-{n}": f"About {name}." for name in ("data", "web") for n in "ab"}
    files = {
        f"skills/{path}/SKILL.md": repos.skill_md(path.partition("/")[2], text)
        for path, text in skills.items()
    }
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    with opened(browser) as (page, heard):
        page.goto(f"{(tmp_path / 'out').as_uri()}/index.html?q=zzzz")
        answered(page)
        assert page.locator("#pager .tiles a").all_inner_texts() == ["data", "web"]
        assert heard.messages == []


def test_a_word_that_no_skill_has_finds_what_is_spelled_alike(
    browser: Browser, address: str
) -> None:
    with opened(browser) as (page, heard):
        page.goto(f"{address}index.html?q=conttrasst")
        answered(page)
        count = page.inner_text("#count")
        assert count.startswith("Nothing for “conttrasst”. Showing ")
        assert count.endswith(" skills for “contrast” or “constraint”")
        assert names(page)[0] == "contrast-check"
        assert page.locator("#search").input_value() == "conttrasst"
        assert heard.messages == []


def test_a_card_of_the_search_is_the_card_of_the_list(
    browser: Browser, address: str, site: Path
) -> None:
    """Both come from one template; only the matches are marked."""
    card = """([...cards]) => cards.map((card) => {
      for (const mark of card.querySelectorAll("mark")) mark.replaceWith(...mark.childNodes);
      for (const image of card.querySelectorAll("img")) image.removeAttribute("src");
      card.normalize();
      return card.outerHTML.replace(/\\s+/g, " ").replaceAll(" <", "<");
    })"""
    with opened(browser) as (page, _):
        page.goto(address)
        published = page.locator("#cards .card").evaluate_all(card)
        page.goto(f"{address}index.html?sort=tokens")
        answered(page)
        icons = page.locator("#cards img").evaluate_all("images => images.map(({ src }) => src)")
        assert icons
        assert all((site / icon.removeprefix(address)).is_file() for icon in icons)
        cloned = page.locator("#cards .card").evaluate_all(card)
        assert sorted(cloned) == sorted(published)


def test_a_result_leads_to_its_page(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?q=bisect")
        answered(page)
        page.keyboard.press("/")
        page.keyboard.press("Enter")
        assert focused(page) == "bisect"
        page.keyboard.press("Enter")
        until(page, lambda: page.url == f"{address}skills/git/bisect/index.html")


def test_a_missing_page_names_the_skill_that_is_meant_once(
    browser: Browser, tmp_path: Path
) -> None:
    out = build_example(tmp_path, "https://skills.example/repo/")
    with served(out) as address, opened(browser) as (page, _):
        page.goto(f"{address}skills/git/bissect/index.html")
        until(page, lambda: page.inner_text("#count") == "Did you mean:")
        assert page.get_by_role("link", name="bisect").count() == 1


def test_arrows_go_through_the_results_and_escape_goes_back(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?q=data")
        answered(page)
        results = names(page)
        assert len(results) > 1
        page.keyboard.press("Control+k")
        walked = []
        for key in ("ArrowDown", "ArrowDown", "ArrowUp", "End", "Home", "ArrowUp"):
            page.keyboard.press(key)
            walked.append(focused(page))
        last = [*results, *names(page, "#also[open]")][-1]
        assert walked == [results[0], results[1], results[0], last, results[0], "search"]
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Escape")
        assert focused(page) == "search"
        page.keyboard.press("Escape")
        plain(page)
        assert page.input_value("#search") == ""
        page.keyboard.press("Escape")
        assert focused(page) != "search"


def test_enter_is_about_what_was_typed_last(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?q=contrast")
        answered(page)
        page.focus("#search")
        page.keyboard.press("Control+a")
        page.keyboard.insert_text("bisect")
        page.keyboard.press("Enter")
        until(page, lambda: focused(page) == "bisect")


def test_a_question_mark_shows_the_keys(browser: Browser, address: str) -> None:
    with opened(browser) as (page, heard):
        page.goto(address)
        page.keyboard.press("?")
        dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
        dialog.wait_for()
        assert views.axe(page) == []
        page.keyboard.press("Escape")
        dialog.wait_for(state="hidden")
        page.get_by_role("button", name="Shortcuts").click()
        dialog.wait_for()
        page.get_by_role("button", name="Close").click()
        dialog.wait_for(state="hidden")
        page.focus("#search")
        page.keyboard.type("?")
        assert not dialog.is_visible()
        assert page.input_value("#search") == "?"
        assert heard.messages == []


def test_facets_widen_within_and_narrow_among_each_other(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?sort=tokens")
        answered(page)
        licenses = counts(page, "licenses")
        first, second = list(licenses)[:2]
        choose(page, "licenses", first)
        assert len(names(page)) == licenses[first]
        assert counts(page, "licenses") == licenses
        choose(page, "licenses", second)
        assert len(names(page)) == licenses[first] + licenses[second]
        for value, promised in counts(page, "contents").items():
            choose(page, "contents", value)
            assert len(names(page)) == promised, value
            choose(page, "contents", value)
        assert page.locator("#chosen .chip").all_inner_texts() == [first, second]


def test_counts_follow_the_words_and_keep_their_promise(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?q=data")
        answered(page)
        for facet in ("tags", "groups", "licenses", "contents"):
            for value, promised in counts(page, facet).items():
                choose(page, facet, value)
                assert page.inner_text("#count").startswith(f"{promised} of "), value
                choose(page, facet, value)


def test_counts_are_of_what_is_shown_which_unfolding_makes_more(
    browser: Browser, address: str
) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?q=data+sql")
        answered(page)
        few, more = len(names(page)), len(names(page, "#also"))
        assert few
        assert more
        assert sum(counts(page, "groups").values()) == few
        page.locator("#also summary").click()
        until(page, lambda: sum(counts(page, "groups").values()) == few + more)
        promises = list(counts(page, "groups").values())
        assert promises == sorted(promises, reverse=True)
        for value, promised in counts(page, "groups").items():
            choose(page, "groups", value)
            assert len(names(page)) + len(names(page, "#also")) == promised, value
            choose(page, "groups", value)
        page.locator("#also summary").click()
        until(page, lambda: sum(counts(page, "groups").values()) == few)


def test_a_filter_is_a_chip_that_takes_it_away(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(address)
        total = page.locator("#cards .card").count()
        page.locator('[data-facet="contents"] button', has_text="runs code").click()
        answered(page)
        assert page.url.endswith("?contents=runs+code")
        page.get_by_role("button", name="Remove the filter runs code").click()
        plain(page)
        assert page.locator("#cards .card").count() == total
        assert page.url == address
        assert focused(page) == "search"


def test_back_leads_through_the_states_that_settled(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(address)
        page.keyboard.press("/")
        page.keyboard.type("data", delay=120)
        answered(page)
        until(page, lambda: page.url.endswith("?q=data"))
        data = names(page)
        page.locator('[data-facet="contents"] button', has_text="runs code").click()
        until(page, lambda: page.url.endswith("?q=data&contents=runs+code"))
        answered(page)
        scripts = names(page)
        assert scripts != data
        page.go_back()
        until(page, lambda: names(page) == data)
        assert page.locator("#chosen .chip").count() == 0
        page.go_back()
        plain(page)
        assert page.url == address
        assert page.input_value("#search") == ""
        page.go_forward()
        page.go_forward()
        until(page, lambda: names(page) == scripts)
        assert page.input_value("#search") == "data"
        page.locator("#cards h2 a").first.click()
        page.locator("h1").wait_for()
        page.go_back()
        until(page, lambda: names(page) == scripts)


def test_the_order_is_part_of_the_address(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(address)
        published = names(page)
        page.select_option("#sort", "tokens")
        answered(page)
        assert page.url.endswith("?sort=tokens")
        tokens = [
            int(re.sub(r"\D", "", text))
            for text in page.locator("#cards .tokens").all_inner_texts()
        ]
        assert tokens == sorted(tokens)
        assert sorted(names(page)) == sorted(published)
        page.get_by_label("Sort").select_option("path")
        until(page, lambda: page.url.endswith("?sort=path"))
        answered(page)
        links = page.locator("#cards h2 a")
        paths = links.evaluate_all("links => links.map(({ href }) => href.split('/index')[0])")
        assert paths == sorted(paths)
        assert names(page) != published
        page.select_option("#sort", "date")
        until(page, lambda: page.url.endswith("?sort=date"))
        answered(page)
        assert sorted(names(page)) == sorted(published)
        page.select_option("#sort", "name")
        plain(page)
        assert names(page) == published == sorted(published)


def test_the_list_with_details_shows_more_of_each_skill_and_is_remembered(
    browser: Browser, address: str
) -> None:
    with opened(browser) as (page, heard):
        page.goto(address)
        height = "cards => cards.getBoundingClientRect().height"
        usual = page.locator("#cards").evaluate(height)
        page.get_by_role("button", name="Show details").click()
        assert usual < 0.75 * page.locator("#cards").evaluate(height)
        assert views.axe(page) == []
        page.goto(f"{address}index.html?sort=path")
        answered(page)
        roomy = page.get_by_role("button", name="Show details", pressed=True)
        assert usual < 0.75 * page.locator("#cards").evaluate(height)
        roomy.click()
        page.reload()
        answered(page)
        assert page.locator("#cards").evaluate(height) == usual
        assert heard.messages == []


def test_a_search_without_a_result_says_what_to_do(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?q=zzzz&licenses=MIT")
        answered(page)
        assert page.inner_text("#count") == "No skill matches “zzzz”"
        assert not page.locator("#sort, #roomy, .to-keys, .to-filters").filter(visible=True).count()
        page.get_by_role("button", name=re.compile("Show all")).click()
        plain(page)
        assert page.url == f"{address}index.html"
        assert focused(page) == "search"


def test_words_that_no_skill_has_are_named(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?q=sql+zzzz")
        answered(page)
        assert names(page)[0] == "sql-migrations"
        assert "No skill has “zzzz”" in page.inner_text("#notes")
        assert page.locator("#sort").is_visible()


def test_filters_that_leave_nothing_can_be_taken_away(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{address}index.html?q=bisect&tags=__proto__")
        answered(page)
        assert names(page) == []
        page.get_by_role("button", name=re.compile("Remove the filters: [1-9]")).click()
        until(page, lambda: page.url.endswith("?q=bisect"))
        answered(page)
        assert names(page)[0] == "bisect"


def test_only_a_pause_is_told_to_screen_readers(browser: Browser, address: str) -> None:
    watch = """() => {
      window.told = [];
      const place = document.getElementById("told");
      const note = () => window.told.push(place.textContent);
      new MutationObserver(note).observe(place, { childList: true });
    }"""
    with opened(browser) as (page, _):
        page.goto(address)
        assert page.locator('[role="status"], [aria-live]').count() == 1
        page.evaluate(watch)
        page.keyboard.press("/")
        page.keyboard.type("contrast", delay=100)
        answered(page)
        until(page, lambda: bool(page.evaluate("window.told.length")))
        told = page.evaluate("window.told")
        assert len(told) == 1
        assert ANSWERED.match(told[0])


@pytest.mark.parametrize("query", ODD.values(), ids=ODD)
@pytest.mark.nightly
def test_any_query_gets_an_answer(browser: Browser, address: str, query: str) -> None:
    with opened(browser, 320) as (page, heard):
        page.goto(address)
        page.focus("#search")
        ask(page, query)
        until(page, lambda: "?q=" in page.url)
        assert len(page.url) < 12000
        assert page.evaluate("document.documentElement.scrollWidth") == 320
        page.reload()
        answered(page)
        assert heard.messages == []


def test_what_is_composed_of_several_keys_is_searched_when_it_is_finished(
    browser: Browser, address: str
) -> None:
    with opened(browser) as (page, _):
        page.goto(address)
        page.focus("#search")
        until(page, lambda: page.get_attribute("#listing", "aria-busy") == "false")
        client = page.context.new_cdp_session(page)
        client.send(
            "Input.imeSetComposition", {"text": "bi", "selectionStart": 2, "selectionEnd": 2}
        )
        page.wait_for_timeout(300)
        plain(page)
        page.keyboard.press("ArrowDown")
        assert focused(page) == "search"
        client.send("Input.insertText", {"text": "bisect"})
        answered(page)
        assert names(page)[0] == "bisect"


def test_a_search_that_cannot_be_loaded_says_so_and_tries_again(
    browser: Browser, address: str
) -> None:
    with opened(browser) as (page, _):
        page.route("**/search/*.js", lambda route: route.abort())
        page.goto(f"{address}index.html?q=sql")
        until(page, lambda: "Search is not available" in page.inner_text("#count"))
        assert page.locator("#cards .card").count() > 1
        page.unroute("**/search/*.js")
        page.focus("#search")
        answered(page)
        assert names(page)[0] == "sql-migrations"


@views.looks(1280, 390)
def test_axe_finds_nothing_in_an_answer(
    browser: Browser, address: str, width: int, scheme: Scheme
) -> None:
    broken = []
    with opened(browser, width, scheme=scheme) as (page, _):
        for path in QUERIES:
            page.goto(address + path)
            answered(page)
            if page.is_visible(".to-filters"):
                page.click(".to-filters")
            broken += views.axe(page)
    assert broken == []


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.nightly
def test_no_answer_scrolls_sideways(
    browser: Browser, address: str, width: int, direction: str
) -> None:
    with opened(browser, width) as (page, heard):
        for path in QUERIES:
            page.goto(address + path)
            answered(page)
            page.evaluate("direction => { document.documentElement.dir = direction }", direction)
            assert page.evaluate("document.documentElement.scrollWidth") == width, path
        assert heard.messages == []


def test_a_chosen_filter_can_be_told_in_forced_colors(browser: Browser, address: str) -> None:
    with opened(browser) as (page, _):
        page.emulate_media(forced_colors="active")
        page.goto(f"{address}index.html?contents=runs+code")
        answered(page)
        back = "button => getComputedStyle(button).backgroundColor"
        chosen, other = '[aria-pressed="true"]', '.facet [aria-pressed="false"]'
        looks = [page.locator(which).first.evaluate(back) for which in (chosen, other)]
        assert looks[0] != looks[1]


def test_on_a_phone_counts_are_worked_out_once_filters_are_shown(
    browser: Browser, address: str
) -> None:
    with opened(browser, 390) as (page, _):
        page.goto(f"{address}index.html?q=data")
        answered(page)
        numbers = page.locator('[data-facet="contents"] .n')
        of_all = numbers.all_text_contents()
        page.click(".to-filters")
        until(page, lambda: page.locator("#filters").is_visible())
        until(page, lambda: numbers.all_text_contents() != of_all)
        promised = counts(page, "contents")
        choose(page, "contents", "runs code")
        assert page.inner_text("#count").startswith(f"{promised['runs code']} of ")
        assert page.inner_text(".to-filters").split() == ["Filters", "1"]
