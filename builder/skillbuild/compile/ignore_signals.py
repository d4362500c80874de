"""Imported first by the process that workers are forked from: it and they ignore signals.

It starts with those blocked that end a build; what came meanwhile is forgotten here.
"""

from __future__ import annotations

from skillbuild.compile import processes

processes.ignore_signals()
