"""Markdown as HTML in which no text of a skill can run."""

import html
import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skillbuild.text.markdown.document import LONGEST_TEXT, Document, Heading
from skillbuild.text.markdown.render import render_markdown

FILES = {"docs/a.md": "../../files/docs/a.md.html", "a.png": "../../blobs/sha256/ab/cd"}


def resolve(kind: str, target: str) -> str | None:
    """A policy as the pages have it: the web, mail, and files of the skill."""
    if kind == "link" and re.match(r"(https?://|mailto:)[^\s]", target, re.IGNORECASE):
        return target
    return FILES.get(target)


ALLOWED = {
    "a": {"href", "rel", "id", "class", "aria-label"},
    "blockquote": set[str](),
    "br": set[str](),
    "code": {"class"},
    "del": set[str](),
    "div": {"class", "role", "tabindex", "aria-label"},
    "em": set[str](),
    "hr": {"class"},
    "i": {"class"},
    "img": {"src", "alt", "loading"},
    "li": {"class", "id"},
    "ol": {"start", "class"},
    "p": {"class", "id"},
    "pre": {"class", "tabindex", "data-language"},
    "s": set[str](),
    "section": {"class"},
    "span": {"class", "role", "aria-label", "title"},
    "strong": set[str](),
    "sup": {"class"},
    "table": set[str](),
    "tbody": set[str](),
    "td": {"class"},
    "th": {"class"},
    "thead": set[str](),
    "tr": set[str](),
    "ul": {"class"},
    **{f"h{level}": {"id"} for level in range(2, 7)},
}
"""Every element and attribute that a rendered text may hold."""
OUR_ID = re.compile(r"(fn-|fnref-)?user-content-")
"""No id of a text may become a variable of a script."""
VOID = {"br", "hr", "img"}


class Page(HTMLParser):
    """Reads a page as a stranger would and collects whatever is not plain."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self.open]
        self.faults += [f"id {name} twice" for name in set(self.ids) if self.ids.count(name) > 1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if tag not in ALLOWED or name not in ALLOWED[tag] or value is None:
                self.faults.append(f"<{tag} {name}={value!r}>")
            elif name in ("href", "src"):
                self.link(name, value)
            elif name == "id":
                self.ids.append(value)
                if not OUR_ID.match(value):
                    self.faults.append(f"id {value}")
            elif name == "class" and not re.fullmatch(r"[a-z0-9 -]+", value):
                self.faults.append(f"class {value}")
        if tag not in ALLOWED:
            self.faults.append(f"<{tag}>")

    def link(self, name: str, value: str) -> None:
        self.links.append(value)
        inside = value in FILES.values() or (
            name == "href" and OUR_ID.match(value.removeprefix("#"))
        )
        if not inside and not (
            name == "href" and re.match(r"(https?|mailto):", value, re.IGNORECASE)
        ):
            self.faults.append(f"{name} {value}")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.faults.append(f"<{tag}/>")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self.faults.append(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"<![{data}")


def render(text: str) -> str:
    return render_markdown(Document(text), resolve).html


PAYLOADS = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//e.x/x.js></sCrIpT>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>x</details>",
    "<a href='javascript:alert(1)'>x</a>",
    "<form action=//e.x><input name=a autofocus onfocus=alert(1)></form>",
    "<style>@import '//e.x/x.css';</style>",
    "<link rel=stylesheet href=//e.x/x.css>",
    "<meta http-equiv=refresh content='0;url=//e.x'>",
    "<base href=//e.x/>",
    "<object data=x></object><embed src=x>",
    "<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)></style></mglyph></math>",
    "<!-- x --><!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<?xml version='1.0'?><x/>",
    "<!DOCTYPE html>",
    "</pre></code></div><script>alert(1)</script>",
    "<plaintext>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<x style='background:url(javascript:alert(1))'>",
    "<img\tsrc=x\nonerror=alert(1)//",
    "<<script>alert(1)//<</script>",
    "text <b onmouseover=alert(1)>bold</b> text",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](  javascript:alert(1))",
    "[x](<java\tscript:alert(1)>)",
    "[x](java&#115;cript:alert(1))",
    "[x](&#x6A;avascript&colon;alert(1))",
    "[x](javascript&#x3a;alert(1))",
    "[x](\\javascript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "[x](blob:https://e.x/1)",
    "[x](//e.x/path)",
    "[x](\\\\e.x\\path)",
    "[x](/absolute)",
    "[x](../../../../index.html)",
    '[x](docs/a.md"onclick=alert(1)//)',
    '[x](https://e.x/"onclick="alert(1))',
    "[x](https://e.x/'onclick='alert(1))",
    '[x](https://e.x/ "title\\" onclick=alert(1)")',
    "[x](<https://e.x/><img/src=x/onerror=alert(1)>)",
    '[x" onclick="alert(1)](docs/a.md)',
    "![x](javascript:alert(1))",
    "![x](https://e.x/track.png)",
    "![x](data:image/png;base64,AAAA)",
    "![x](data:image/svg+xml;base64,AAAA)",
    '![x" onerror="alert(1)](a.png)',
    "![<img src=x onerror=alert(1)>](a.png \"' onerror='alert(1)\")",
    "[![x](javascript:alert(1))](javascript:alert(2))",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    '<https://e.x/"onclick=alert(1)>',
    'https://e.x/"onmouseover="alert(1)',
    "www.e.x/'onmouseover='alert(1)",
    "[x][r]\n\n[r]: javascript:alert(1)",
    "[x][r]\n\n[r]: <https://e.x/> '\"onclick=alert(1)'",
    "[r]: javascript:alert(1)\n\n[r]",
    "# location",
    "# __proto__\n\n# constructor\n\n# __proto__",
    "# <img src=x onerror=alert(1)>",
    '# x" onclick="alert(1)',
    "# `</h2><script>alert(1)</script>`",
    "x\n=\n\ny {#id onclick=alert(1)}\n-",
    '```js" onclick="alert(1)\nx\n```',
    "```<script>alert(1)</script>\nx\n```",
    "```\n</code></pre><script>alert(1)</script>\n```",
    "```html\n</code></pre><script>alert(1)</script>\n```",
    '```mermaid\ngraph TD; A["<img src=x onerror=alert(1)>"]\n```',
    "```math\n\\href{javascript:alert(1)}{x}\n```",
    "$$\\href{javascript:alert(1)}{x}$$",
    "    </code></pre><script>alert(1)</script>",
    "`</code><script>alert(1)</script>`",
    "|<img src=x onerror=alert(1)>|\n|:-|\n|`<script>`|",
    '|a|\n|-:"onclick=alert(1)|\n|b|',
    "- [x] <input onfocus=alert(1) autofocus>\n- [ ] y",
    "> [!NOTE]\n> <img src=x onerror=alert(1)>",
    '> [!"><script>alert(1)</script>]\n> x',
    "x[^1]\n\n[^1]: <img src=x onerror=alert(1)> [y](javascript:alert(1))",
    'x[^"><script>]\n\n[^"><script>]: y',
    "1000000000. <script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &amp;lt; &#60;script&#62;",
    "\u202e<script>\u202c alert(1) \U000e0041\u200b",
    '<a href="https://e.x\u202ejavascript:">',
    "~~<s onclick=alert(1)>~~ **<b>** _<i>_",
    "<script\n\n>alert(1)</script\n>",
    "\x00<scr\x00ipt>alert(1)</scr\x00ipt>",
    "<img src=`javascript:alert(1)`>",
]


def test_there_are_at_least_47_different_payloads() -> None:
    assert len(set(PAYLOADS)) >= 47


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_is_inert(payload: str) -> None:
    for text in (payload, f"- x\n\n  > {payload}", f"a *{payload}* b", f"|a|\n|-|\n|{payload}|"):
        page = Page(render(text))
        assert page.faults == []
        assert [link for link in page.links if "javascript:" in link.lower()] == []


@pytest.mark.parametrize(
    "payload", [text for text in PAYLOADS if text.startswith("<") and "\x00" not in text]
)
def test_raw_html_is_shown_as_the_text_it_is(payload: str) -> None:
    shown = Page(render(f"```\n{payload}\n```")).text
    assert shown.split() == re.sub("[\u202e\u202c]", "U+202E", payload).split()


@pytest.mark.parametrize("address", ['x"onclick="y', "x'y", "<x>", "&amp;", "a b", "\u202e"])
def test_the_answer_of_a_resolver_never_leaves_its_attribute(address: str) -> None:
    rendered = render_markdown(Document("[x](y) ![z](y)"), lambda kind, target: address).html
    page = Page(rendered)
    assert page.links == [address, address]
    assert {fault.partition(" ")[0] for fault in page.faults} <= {"href", "src"}


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[x](https://e.x/a?b=c&d#e)", ["https://e.x/a?b=c&d#e"]),
        ("[x](HTTP://e.x)", ["HTTP://e.x"]),
        ("[x](mailto:a@e.x)", ["mailto:a@e.x"]),
        ("[x](docs/a.md)", [FILES["docs/a.md"]]),
        ("![x](a.png)", [FILES["a.png"]]),
        ("[x](#one-two)\n\n# One two", ["#user-content-one-two"]),
        ("[x](#user-content-one)\n\n# One", ["#user-content-one"]),
        ("[x](#none)", []),
        ("[x](none.md)", []),
    ],
)
def test_links_lead_to_the_web_to_headings_and_to_files(text: str, links: list[str]) -> None:
    page = Page(render(text))
    assert page.faults == []
    assert page.links == links
    assert "x" in page.text or "![" in text


def test_a_dropped_link_or_image_leaves_its_text() -> None:
    assert (
        Page(render("a [b *c*](javascript:x) ![d](https://e.x/y.png) e")).text.strip()
        == "a b c d e"
    )


def test_links_to_other_sites_have_a_rel_attribute() -> None:
    assert 'rel="noopener nofollow ugc"' in render("[x](https://e.x)")
    assert "rel=" not in render("[x](docs/a.md)")


def test_headings_move_down_skip_no_level_and_have_ids_of_their_own() -> None:
    text = "# A b\n\n#### C\n\n# A b\n\n###### `d` é\n\n# !\n"
    rendered = render_markdown(Document(text), resolve)
    assert rendered.headings == (
        Heading(2, "user-content-a-b", "A b", 1),
        Heading(3, "user-content-c", "C", 3),
        Heading(2, "user-content-a-b-1", "A b", 5),
        Heading(3, "user-content-d-é", "d é", 7),
        Heading(2, "user-content-section", "!", 9),
    )
    assert not rendered.plain
    assert re.findall(r'<(h\d) id="([^"]*)"', rendered.html) == [
        (f"h{heading.level}", heading.id) for heading in rendered.headings
    ]


def test_hidden_characters_are_shown_and_those_of_scripts_and_emoji_are_not() -> None:
    shown = Page(render("a\u202eb \U000e0041 \u200bc")).text
    assert "\u202e" not in shown
    assert "U+202E" in shown
    assert "U+E0041" in shown
    assert "U+200B" in shown
    plain = "\U0001f468\u200d\U0001f469 \u05e9\u05dc\u05d5\u05dd \u0645\u06cc\u200c\u062e"
    assert Page(render(plain)).text.strip() == plain


@pytest.mark.parametrize("language", ["mermaid", "math", "html", "js", "nonsense", ""])
def test_fenced_code_is_text_in_any_language(language: str) -> None:
    page = Page(render(f'```{language}\na <b> & "c"\n```\n'))
    assert page.faults == []
    assert page.text.strip() == 'a <b> & "c"'


def test_a_text_beyond_the_limits_is_shown_plain() -> None:
    text = "# a <b>\n" * (LONGEST_TEXT // 8 + 1)
    rendered = render_markdown(Document(text), resolve)
    assert (rendered.plain, rendered.headings) == (True, ())
    assert Page(rendered.html).text.strip() == text.strip()
    assert html.escape("# a <b>", quote=False) in rendered.html


HEAVY = {
    "one line": "word " * 52_000,
    "deep lists": "".join(" " * 2 * n + "- a\n" for n in range(200)),
    "deep quotes": ">" * 5_000 + " a",
    "lists in lists": "- " * 5_000 + "a",
    "brackets": "[" * 25_000,
    "open links": "[a](" * 15_000,
    "nested links": "[" * 5_000 + "a" + "](b)" * 5_000,
    "images": "![a](b.png)" * 5_000,
    "links": "[a](b.md) " * 6_250,
    "escaped links": r"[a](b\_c.md) " * 4_500,
    "emphasis": "*a _b " * 10_000,
    "stars": "*" * 25_000,
    "marks in a fence": "```\n" + "*a_ [b] | c\n" * 4_000 + "```\n",
    "marks behind an open fence in a list": "- ```\n```\n"
    + "|a" * 900
    + "\n"
    + "|-" * 900
    + "\n|\n" * 900,
    "dense code": "```py\n" + "1+" * 7_000 + "1\n```\n",
    "underscores": "_a_" * 15_000,
    "strikes": "~~a~ " * 12_500,
    "backticks": "".join("`" * n + " " for n in range(1, 700)),
    "code spans": "`a/b.py` " * 7_000,
    "entities": "&amp;" * 12_500,
    "angles": "<" * 50_000,
    "comments": "<!--" * 15_000,
    "processing": "<?" * 25_000,
    "same headings": "# a\n" * 15_000,
    "references": "".join(f"[{n}]: b\n" for n in range(5_000)) + "[1] " * 2_500,
    "reference fronts": "[a]: \n" * 10_000,
    "footnotes": "".join(f"[^{n}]: b\n\n[^{n}]\n\n" for n in range(2_000)),
    "tables": "|a|b|\n|-|-|\n" + "|c|d|\n" * 10_000,
    "wide tables": "|" + "a|" * 5_000 + "\n|" + "-|" * 5_000 + "\n" + "|b\n" * 5_000,
    "fences": "```\n" * 15_000,
    "html": "<div>\n" * 10_000,
    "addresses": "https://e.x/(" * 3_750,
    "mail": "a@" * 25_000,
    "domains": "www." * 15_000,
    "tasks": "- [ ] a\n" * 7_500,
    "numbers": "".join(f"{n}. a\n" for n in range(6_000)),
    "hidden": "a\u202e" * 25_000,
    "rules": "---\n" * 15_000,
    "setext": "a\n-\n" * 15_000,
}


@pytest.mark.parametrize("text", HEAVY.values(), ids=list(HEAVY))
@pytest.mark.nightly
def test_no_text_goes_on_for_ever_or_grows_without_bound(text: str) -> None:
    document = Document(text)
    assert len(list(document.references())) <= len(text)
    assert len(document.fences) <= len(text)
    assert len(document.comments) <= len(text)
    rendered = render_markdown(document, resolve)
    assert len(rendered.html) < 40 * len(text) + 200_000
    assert rendered.plain or not document.is_plain


MARKS = st.sampled_from(
    ["[", "]", "(", ")", "!", "<", ">", "`", "```", "~~~", "*", "_", "#", '"', "'"]
)
LINES = st.sampled_from(
    ["\n", "\n\n", "> ", "- ", "|", "|-|", "1. ", "    ", "--", "\t", " ", "\\"]
)
NOTES = st.sampled_from(
    ["[^1]", "[^1]: ", "[r]: ", "[r]", "[ ] ", "[!NOTE]", "https://e.x", "www.e.x"]
)
WORDS = st.sampled_from(
    ["x", "é", "\U0001f600", "\u202e", "\x00", "a/b", "a.png", "docs/a.md", "a@e.x"]
)
CODE = st.sampled_from(
    ["<script>", "<img src=x", "onerror=alert(1)", "javascript:", "&lt;", "&#x6A;"]
)
PIECES = MARKS | LINES | NOTES | WORDS | CODE
TEXTS = st.lists(PIECES, max_size=30).map("".join)


@settings(max_examples=300)
@given(TEXTS)
@example("[![](a.png)](docs/a.md)")
@example("#\n# #")
def test_any_text_is_an_inert_page(text: str) -> None:
    rendered = render_markdown(Document(text), resolve)
    page = Page(rendered.html)
    assert page.faults == []
    assert set(page.ids) >= {heading.id for heading in rendered.headings}
    assert {f"user-content-{name}" for name in Document(text).anchors} >= {
        heading.id for heading in rendered.headings
    }


def test_frontmatter_is_a_block_of_yaml_and_no_heading() -> None:
    document = Document("---\ntitle: A\nlist:\n- x\n---\n# B\n")
    page = render_markdown(document, resolve)
    assert [heading.text for heading in page.headings] == ["B"]
    assert [(each.language, each.text, each.line) for each in document.fences] == [
        ("yaml", "title: A\nlist:\n- x\n", 2)
    ]
    assert 'data-language="yaml"' in page.html


@pytest.mark.parametrize("text", ["---\n\nA\n---\n", "---\nA\n---\n", "> ---\n> a: b\n> ---\n"])
def test_what_only_looks_like_frontmatter_is_markdown(text: str) -> None:
    assert not Document(text).fences
    assert Document(text).headings


def test_empty_headings_are_left_out_and_no_id_is_repeated() -> None:
    rendered = render_markdown(
        Document("#### A\n# A\n### B\n#\n# [](x)\n"), lambda kind, target: None
    )
    assert [(heading.level, heading.id) for heading in rendered.headings] == [
        (2, "user-content-a"),
        (2, "user-content-a-1"),
        (3, "user-content-b"),
    ]


def test_links_to_headings_that_are_not_there_are_dropped() -> None:
    rendered = render_markdown(Document("# One\n[a](#one) [b](#two)\n"), lambda kind, target: None)
    assert '<a href="#user-content-one">a</a> b' in rendered.html


def test_tables_and_code_can_be_reached_by_keyboard() -> None:
    rendered = render_markdown(
        Document("|a||\n|:-:|-|\n|1|2|\n\n```py\nx = 1\n```\n"), lambda k, t: None
    )
    assert '<div class="wide" role="group" aria-label="Table" tabindex="0">' in rendered.html
    assert '<th class="align-center">a</th>\n<td></td>' in rendered.html
    assert '<pre class="code" tabindex="0" data-language="py">' in rendered.html


def test_a_text_that_would_grow_too_much_is_shown_plain() -> None:
    text = "|a" * 2_000 + "|\n" + "|-" * 2_000 + "|\n" + "|\n" * 2_000
    rendered = render_markdown(Document(text), lambda kind, target: None)
    assert rendered.plain
    assert len(rendered.html) < 2 * len(text)


GROWING = {
    "code, each character with its color": ("```py\n" + "1+" * 4_000 + "\n```\n") * 6,
    "headings": "# a\n" * 4_000,
    "marks": "<&> " * 20_000,
    "hidden characters": "a\u200b" * 20_000,
    "a wide table": "|a" * 900 + "|\n" + "|-" * 900 + "|\n" + "|\n" * 60,
    "a wider one": "|a" * 2_000 + "|\n" + "|-" * 2_000 + "|\n" + "|\n" * 2_000,
    "bare addresses": "www.a.b " * 20_000,
    "too long": "word " * 60_000,
}


@pytest.mark.parametrize("text", GROWING.values(), ids=GROWING.keys())
@pytest.mark.nightly
def test_the_document_says_what_is_too_large_to_render(text: str) -> None:
    document = Document(text)
    assert document.is_plain == render_markdown(document, resolve).plain


def test_the_boxes_of_tasks_are_text_with_a_name() -> None:
    rendered = render("- [ ] one\n- [x] two\n")
    assert '<span role="img" aria-label="to do">\u2610</span> one' in rendered
    assert '<span role="img" aria-label="done">\u2611</span> two' in rendered
