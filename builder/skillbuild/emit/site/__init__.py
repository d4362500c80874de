"""The HTML catalog, without active content. Only this package imports jinja2 and markupsafe.

Compiling a skill produces its page (`skill_pages`), the pages of its files (`files`) and its card
(`cards`). Lists, related skills and pages about the catalog need all cards, so they are made last.
`theme` renders the pages.
"""
