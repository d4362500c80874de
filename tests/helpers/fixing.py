"""Mends of a source in memory."""

from __future__ import annotations

from dataclasses import replace

from helpers.support import MemorySource
from skillbuild.compile.request import Options, Request
from skillbuild.fix.plan import Plan, plan_mends
from skillbuild.source import tree
from skillbuild.source.tree import Kind


def plan_of(files: MemorySource, *, unsafe: bool = False, with_bits: bool = True) -> Plan:
    config = tree.read_config(files, files.leaves())
    request = Request(files, files.leaves(), config, Options())
    return plan_mends(request, unsafe=unsafe, with_bits=with_bits)


def mended(files: MemorySource, plan: Plan) -> MemorySource:
    """The source with a plan carried out."""
    leaves = plan.source.leaves()
    new_path = plan.source.overlay.new_path
    regular = [leaf for leaf in leaves if leaf.is_file]
    with plan.source.reader() as reader:
        contents = [data or b"" for data in reader.read(regular)]
    return replace(
        files,
        files={leaf.path: data for leaf, data in zip(regular, contents, strict=True)},
        executable={leaf.path for leaf in regular if leaf.kind is Kind.EXECUTABLE},
        links=[new_path(path) for path in files.links],
        targets={new_path(path): target for path, target in files.targets.items()},
        submodules=[new_path(path) for path in files.submodules],
    )
