"""``python -m mjscene``: the command line."""

import sys

from mjscene.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
