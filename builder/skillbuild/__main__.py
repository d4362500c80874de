"""`python -m skillbuild`."""

import sys

from skillbuild.cli.main import main

sys.exit(main())
