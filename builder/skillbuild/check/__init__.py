"""Checks one skill.

`skill.check_skill` is the entry point. It gets the files of the skill, and an outline of the source
that lists all other skills. This package may import `source` and the layers below it.
"""
