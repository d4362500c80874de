"""Lets `python -m skillbuild` run the command line."""

import sys

from skillbuild.cli.main import main

sys.exit(main())
