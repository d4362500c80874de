"""Mends of a source in memory."""

from __future__ import annotations

from helpers.support import MemorySource
from skillbuild.compile.request import Options, Request
from skillbuild.fix.plan import Plan, plan_mends
from skillbuild.source import tree


def plan_of(files: MemorySource, *, unsafe: bool = False, with_bits: bool = True) -> Plan:
    config = tree.read_config(files, files.leaves())
    request = Request(files, files.leaves(), config, Options())
    return plan_mends(request, unsafe=unsafe, with_bits=with_bits)


def mended(files: MemorySource, plan: Plan) -> MemorySource:
    """The source with a plan carried out."""
    leaves = plan.source.leaves()
    with plan.source.reader() as reader:
        contents = [data or b"" for data in reader.read(leaves)]
    return MemorySource(
        {leaf.path: data for leaf, data in zip(leaves, contents, strict=True) if leaf.is_file},
        executable={leaf.path for leaf in leaves if leaf.kind == "executable"},
        links=files.links,
    )
