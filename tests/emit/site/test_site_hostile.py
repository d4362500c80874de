"""Hostile texts end up as text: in the body, the description, tags, file names and icons."""

from pathlib import Path

import pytest

from helpers import pages, repos
from skillbuild.text.markdown.document import Document
from skillbuild.text.markdown.render import render_markdown

PAYLOADS = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    "<img src=x onerror=alert(1)>",
    "<img src=`x` onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x></svg>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<iframe src=javascript:alert(1)>",
    "<object data=javascript:alert(1)>",
    "<embed src=javascript:alert(1)>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<style>@import '//evil.example/x.css';</style>",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><script>alert(1)</script></template>",
    "<a href=javascript:alert(1)>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](<java\nscript:alert(1)>)",
    "[x](&#106;avascript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](%6aavascript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](file:///etc/passwd)",
    "[x](//evil.example/x)",
    "[x](\\\\evil.example\\x)",
    "[x](blob:https://evil.example/1)",
    "[x](view-source:x)",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "![x](https://evil.example/pixel.png)",
    "![x](//evil.example/pixel.png)",
    '![x](x.png "onerror=alert(1)")',
    '[x](https://a.example "\\" onmouseover=alert(1)")',
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    '```js" onclick="alert(1)\nx\n```',
    "``` <script>alert(1)</script>\nx\n```",
    "| a |\n|:-:|\n| <script>alert(1)</script> |",
    "# <img src=x onerror=alert(1)>",
    '# " onclick="alert(1)',
    "[^1]\n\n[^1]: <script>alert(1)</script>",
    "- [x] <script>alert(1)</script>",
    "> [!NOTE]\n> <script>alert(1)</script>",
    "<br onload=alert(1)>",
    "<br><script>alert(1)</script>",
    "{{ 7 * 7 }} {% include 'base.html' %} {# x #}",
    "--><script>alert(1)</script><!--",
    "]]><script>alert(1)</script>",
    "</article></main><script>alert(1)</script>",
    "\u202e\u2066<script>alert(1)</script>",
    "# location\n# document\n# name",
    "<x/onclick=alert(1)>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\x00<script>alert(1)</script>",
]


def page_of(body: str) -> pages.Page:
    head = f'<head><meta http-equiv="Content-Security-Policy" content="{pages.POLICY}"></head>'
    page = pages.Page("x.html")
    page.feed(f"{head}{body}")
    return page


def web_only(kind: str, target: str) -> str | None:
    """The policy of a skill that has no other file."""
    return target if kind == "link" and target.startswith(("http:", "https:")) else None


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_in_markdown_is_text(payload: str) -> None:
    page = page_of(render_markdown(Document(payload), web_only).html)
    assert pages.active_content(page) == []


def test_payloads_everywhere_in_a_skill_are_text(tmp_path: Path) -> None:
    usable = [text for text in PAYLOADS if "\x00" not in text]
    tags = [
        "<script>alert(1)</script>",
        '" onclick="alert(1)',
        "{{ 7*7 }}",
        "'",
        "&amp;",
        "../../x",
    ]
    listed = "\n".join(f"    - {quoted(tag)}" for tag in tags)
    header = (
        "---\nname: a\ndescription: "
        + quoted("<script>alert(1)</script> {{ 7*7 }} ' \" onclick=alert(1)")
        + "\nlicense: "
        + quoted("<img src=x onerror=alert(1)>")
        + f"\nallowed-tools: {quoted('<script>alert(1)</script> Bash(x:*)')}"
        + f"\nhooks: {quoted('<svg onload=alert(1)>')}\ntags:\n{listed}\n---\n"
    )
    files: dict[str, repos.Content] = {
        "skills/a/SKILL.md": header + "\n\n".join(usable) + "\n\n!`<script>alert(1)</script>`\n",
        "skills/a/references/all.md": "\n\n".join(usable),
        "skills/a/' onclick=alert(1) x='.txt": "https://evil.host/<script>\n",
        "skills/a/{{ 7*7 }}.md": "{{ 7*7 }}\n",
        "skills/a/javascript&colon;alert(1).md": "x\n",
        "skills/a/x.svg": "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        "skills/a/x.html": "<script>alert(1)</script>",
        "skills/a/x.png": b"\x89PNG\r\n\x1a\n<script>alert(1)</script>",
        "skills/a/code.py": "\n".join(usable),
    }
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    site = pages.read(tmp_path / "out")
    assert [item for page in site.values() for item in pages.active_content(page)] == []
    assert pages.dead_links(tmp_path / "out", site) == []
    assert all("49" not in "".join(page.text).split() for page in site.values())


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_WITHOUT_GROUPS = ("groups/g/index.html", "changes/index.html")


def test_no_text_of_a_skill_is_taken_for_a_placeholder_of_the_lists(tmp_path: Path) -> None:
    """Cards are rendered once; each page fills in addresses and icons, and drops its own group."""
    texts = [
        "<root>skills/a <root>icons/x.png &lt;root&gt; {{ root }} \xff \\xff",
        "</li> <span class='path'>g</span> <span class=\"path\">g</span> \u00ff\u00fe",
    ]
    files = {
        f"skills/g/s{number}/SKILL.md": f"---\nname: s{number}\ndescription: {quoted(text)}\n"
        f"tags: {quoted('<root>, g')}\n---\nDo it.\n"
        for number, text in enumerate(texts)
    }
    files["skills/h/other/SKILL.md"] = repos.skill_md("other")
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    site = pages.read(tmp_path / "out")
    assert pages.dead_links(tmp_path / "out", site) == []
    lists = {path: page for path, page in site.items() if not path.startswith("skills/")}
    shown = {path: page for path, page in lists.items() if texts[0] in page.text}
    assert sorted(path.partition("/")[0] for path in shown) == [
        "changes",
        "groups",
        "index.html",
        "licenses",
        "tags",
        "tags",
    ]
    for path, page in shown.items():
        assert texts[1] in page.text
        assert ("path" in classes(page)) == (path not in _WITHOUT_GROUPS)


def classes(page: pages.Page) -> set[str]:
    return {values["class"] for _, values in page.elements if "class" in values}


def test_hidden_characters_are_spelled_out(tmp_path: Path) -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "obey")
    files = {
        "skills/a/SKILL.md": repos.skill_md("a", body=f"Read\u200bme {hidden} now\n"),
        "skills/a/x.py": "x = 'a\u202eb'\n",
    }
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    for page in sorted((tmp_path / "out").rglob("*.html")):
        text = page.read_text("utf-8")
        assert not any(char in text for char in ("\u200b", "\u202e", chr(0xE0000 + ord("o"))))
    shown = (tmp_path / "out/skills/a/index.html").read_text("utf-8")
    assert "\u201cobey\u201d" in shown
    assert "Invisible text" in shown
