"""Fixes of a source in memory."""

from __future__ import annotations

from dataclasses import replace

from helpers.support import MemorySource
from skillbuild.compile.request import Options, Request
from skillbuild.compile.skills import check_skills
from skillbuild.fix.plan import NewBit, NewText, Plan, plan_fixes
from skillbuild.source import tree


def plan_of(files: MemorySource, *, unsafe: bool = False, with_bits: bool = True) -> Plan:
    config = tree.read_config(files, files.leaves())
    request = Request(files, files.leaves(), config, Options())
    return plan_fixes(request, check_skills(request), unsafe=unsafe, with_bits=with_bits)


def applied(files: MemorySource, plan: Plan) -> MemorySource:
    """The source with a plan carried out."""
    contents, executable = dict(files.files), set(files.executable)
    for step in plan.steps:
        match step:
            case NewText(path, draft):
                contents[path] = draft.text.encode()
            case NewBit(path, True):
                executable.add(path)
            case NewBit(path, False):
                executable.discard(path)
    return replace(files, files=contents, executable=executable)
