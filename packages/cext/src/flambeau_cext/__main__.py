"""``python -m flambeau_cext doctor`` reports on what this machine needs to build extensions."""

import argparse
import sys


def main() -> int:
    """Run the command line; 0 when nothing is missing."""
    parser = argparse.ArgumentParser(prog="python -m flambeau_cext", description="Building extensions for flambeau.")
    parser.add_argument("command", choices=["doctor"], help="doctor: report on compilers, headers and the cache")
    parser.parse_args()
    from flambeau_cext.doctor import report

    text, ok = report()
    print(text)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
