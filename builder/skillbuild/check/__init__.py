"""The checks over one skill, given its files and where the other skills are.

`skill.check_skill` is the entrance. It may use `source` and everything below.
"""
