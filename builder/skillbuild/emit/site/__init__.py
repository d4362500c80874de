"""The HTML catalog, without active content. Only this package imports jinja2 and markupsafe.

While one skill is compiled, its page (`skill_pages`), the pages of its files (`files`) and its card
(`cards`) are made. At the end, lists, related skills and pages about the catalog are made from all
cards. `theme` renders the pages.
"""
