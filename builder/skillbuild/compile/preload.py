"""Imported by the process that workers are forked from: they begin with all that this one has.

Beside modules these are the templates of all pages, compiled.
"""

from __future__ import annotations

from skillbuild.compile import compiler
from skillbuild.emit.site import bytecode

__all__ = ["compiler"]

bytecode.load_all()
