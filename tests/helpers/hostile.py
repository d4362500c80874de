"""Checks texts that were made to take long and gathers their facts, in a process that may use only
so much time.

    python -m helpers.hostile SECONDS < TEXTS

TEXTS is a JSON object: by the name of a text, the files of a source. For each a JSON line is
written, its name with the codes of its findings. An algorithm that needs more than linear time
does not end within SECONDS of a processor, and the system kills the process.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping

from helpers.gathered import facts_in
from helpers.support import check

_SECONDS = 300
"""Many times what all of the texts of one test take, on any machine."""


def checked(texts: Mapping[str, Mapping[str, str]]) -> dict[str, set[str]]:
    """The codes of the findings about each source; those after one that takes too long lack."""
    done = subprocess.run(
        [sys.executable, "-m", "helpers.hostile", str(_SECONDS)],
        input=json.dumps(texts).encode(),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    codes: dict[str, list[str]] = dict(map(json.loads, done.stdout.splitlines()))
    return {name: set(values) for name, values in codes.items()}


def main() -> None:
    seconds = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    for name, files in json.load(sys.stdin).items():
        findings = check({path: text.encode() for path, text in files.items()}).findings
        facts_in(files)
        print(json.dumps([name, [item.code for item in findings]]), flush=True)


if __name__ == "__main__":
    main()
