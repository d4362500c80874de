"""`python -m skillbuild`."""

import sys

from skillbuild.cli import main

sys.exit(main())
