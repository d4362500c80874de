"""The HTML catalog, without active content; jinja2 and markupsafe are used here alone.

Made while one skill is compiled: its page (`skill_pages`), the pages of its files (`files`), its
card (`cards`). Made from all cards at the end: lists, what is similar, pages about the catalog.
Pages are rendered through `theme`.
"""
