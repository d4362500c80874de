"""The HTML catalog, without active content. Only this package imports jinja2 and markupsafe.

While a skill is compiled, its page (`skill_pages`), the pages of its files (`files`) and its card
(`cards`) are made. When all cards are known, lists, related skills and pages about the catalog are
made from them. `theme` renders the pages.
"""
