"""``python -m exactree`` is the command ``exactree``."""

import sys

from exactree.cli import main

if __name__ == "__main__":
    sys.exit(main())
