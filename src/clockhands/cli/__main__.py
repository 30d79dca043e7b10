"""``python -m clockhands.cli`` is the command ``clockhands``."""

import sys

from clockhands.cli import main

if __name__ == "__main__":  # processes that the gallery starts import this module too
    sys.exit(main())
