"""What a build without a cache begins to load for its workers while it still plans."""

from __future__ import annotations

from collections.abc import Sequence

from skillbuild.compile import compiler
from skillbuild.compile.early import PRELOAD
from skillbuild.compile.processes import workers_for
from skillbuild.compile.request import Request
from skillbuild.emit.emitter import Emitter
from skillbuild.emit.site import bytecode


def load_ahead(request: Request, emitters: Sequence[Emitter]) -> bool:
    """Start the process that workers are forked from, which loads what they need.

    True if it compiles the templates, too, which no earlier build has left to this one. Nothing is
    done where there are too few skills for workers.
    """
    if workers_for(request.options.jobs, len(request.skill_directories())) == 1:
        return False
    from skillbuild.compile import workers

    compiles = not bytecode.codes() and any(emitter.renderers for emitter in emitters)
    return workers.load_ahead(PRELOAD if compiles else compiler.__name__) and compiles


def take_templates() -> None:
    """Take the templates that were compiled ahead for workers, which need them no more."""
    from skillbuild.compile import workers

    bytecode.take(workers.call(bytecode.codes) or {})
