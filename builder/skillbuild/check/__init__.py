"""The checks of one skill, given its files and the positions of all other skills.

`skill.check_skill` is the entry point. This package may import `source` and everything below it.
"""
