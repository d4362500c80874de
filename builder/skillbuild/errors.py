"""The errors that stop a command. Each message is one line that names the cause and the remedy.

A command that raises one of these errors exits with status 2.
"""


class SkillbuildError(Exception):
    """The base class of all errors that stop a command but are not the fault of a skill."""


class ConfigError(SkillbuildError):
    """A setting or a command-line option is invalid."""


class GitError(SkillbuildError):
    """The source cannot be read: it is not a repository, the commit is missing, or objects are
    damaged.
    """


class OutputError(SkillbuildError):
    """The output cannot be read or written."""
