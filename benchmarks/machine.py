"""What figures were measured on: machine, processor, versions and date, for those who read them later.

python benchmarks/machine.py benchmarks/machine.json --peer-python PYTHON
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

VERSIONS = """
import json, sys
from importlib.metadata import PackageNotFoundError, version
found = {"Python": sys.version.split()[0]}
for name in ("flambeau", "torch", "numpy"):
    try:
        found[name] = version(name)
    except PackageNotFoundError:
        pass
print(json.dumps(found))
"""


def processor():
    """The model's name as Linux tells it, else what Python knows."""
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def level():
    """The widest instructions that kernels here make use of."""
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    return next((name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in flags), "")


def versions(python):
    done = subprocess.run([python, "-c", VERSIONS], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def described(our_python, peer_python):
    return {
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "instructions": level(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release()}",
        "ours": versions(our_python),
        "peer": versions(peer_python),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--our-python", default=sys.executable)
    parser.add_argument("--peer-python", default=sys.executable)
    options = parser.parse_args()
    options.path.write_text(json.dumps(described(options.our_python, options.peer_python), indent=1) + "\n")


if __name__ == "__main__":
    main()
