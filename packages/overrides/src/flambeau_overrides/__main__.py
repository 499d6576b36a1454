"""`python -m flambeau_overrides module:Type`: report how a type handles every overridable function."""

import sys

from flambeau_overrides.coverage import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
