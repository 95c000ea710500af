"""``python -m app`` is the command ``sequence-editor``."""

import sys

from app.cli import main

sys.exit(main())
