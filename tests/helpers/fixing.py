"""Fixes of a source in memory."""

from __future__ import annotations

from dataclasses import replace

from helpers.support import MemorySource
from skillbuild.cli.console import with_folded
from skillbuild.cli.fix import after, count_fixes
from skillbuild.compile.request import Options, Request
from skillbuild.compile.skills import check_skills
from skillbuild.fix.plan import NewBit, NewText, Plan, plan_fixes
from skillbuild.fix.write import planned
from skillbuild.source import tree


def plan_of(files: MemorySource, *, unsafe: bool = False, with_bits: bool = True) -> Plan:
    request = _request(files)
    return plan_fixes(request, check_skills(request), unsafe=unsafe, with_bits=with_bits)


def closing_of(files: MemorySource, plan: Plan) -> str:
    """The last line of `check --fix --diff`."""
    request = _request(files)
    checked = check_skills(request)
    before = with_folded(checked.report(), request)
    return count_fixes(planned(plan), before, after(plan, checked, request))


def _request(files: MemorySource) -> Request:
    config = tree.read_config(files, files.leaves())
    return Request(files, files.leaves(), config, Options())


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
