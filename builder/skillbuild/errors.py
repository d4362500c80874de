"""Faults of the environment: the message is one line that names the thing and the remedy.

A command that meets one ends with exit status 2.
"""


class SkillbuildError(Exception):
    """The command could not do its work, through no fault of any skill."""


class ConfigError(SkillbuildError):
    """`skillbuild.toml` or a command line option asks for something that does not exist."""


class GitError(SkillbuildError):
    """The source cannot be read: no repository, no such commit, or damaged objects."""


class OutputError(SkillbuildError):
    """The output cannot be read or written."""
