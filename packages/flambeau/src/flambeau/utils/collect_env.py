"""``python -m flambeau.utils.collect_env`` prints information about the machine for bug reports.

>>> get_pretty_env_info().splitlines()[0].startswith("PyTorch version: 2.13.0+flambeau")
True
"""

import platform
import re
import shutil
import subprocess
import sys
from importlib import metadata
from typing import NamedTuple

__all__ = ["SystemEnv", "get_env_info", "get_pretty_env_info", "main"]


class SystemEnv(NamedTuple):
    """Information about a machine; unknown fields are None.

    >>> SystemEnv._fields[:2]
    ('torch_version', 'is_debug_build')
    """

    torch_version: str
    is_debug_build: str
    gcc_version: str | None
    clang_version: str | None
    cmake_version: str | None
    os: str
    libc_version: str
    python_version: str
    python_platform: str
    is_cuda_available: str
    pip_packages: str
    cpu_info: str | None


def _version(*command):
    """Return the last word of the first line that a program prints, or None if the program does not exist."""
    if shutil.which(command[0]) is None:
        return None
    out = subprocess.run([*command, "--version"], capture_output=True, text=True).stdout
    found = re.search(r"(\d+\.[\d.]+\S*)\s*$", out.partition("\n")[0])
    return found and found[1]


def _packages():
    kept = ("flambeau", "numpy", "torch", "scipy", "cython", "optree")
    found = {(d.metadata["Name"] or "", d.version) for d in metadata.distributions()}
    return "\n".join(f"{name}=={version}" for name, version in sorted(found) if name.lower().startswith(kept))


def get_env_info() -> SystemEnv:
    """Return facts about this machine.

    >>> get_env_info().is_cuda_available
    'False'
    """
    import flambeau as torch

    cpu = subprocess.run(["lscpu"], capture_output=True, text=True).stdout if shutil.which("lscpu") else None
    try:
        release = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        release = platform.platform(terse=True)
    return SystemEnv(
        torch_version=str(torch.__version__),
        is_debug_build="False",
        gcc_version=_version("gcc"),
        clang_version=_version("clang"),
        cmake_version=_version("cmake"),
        os=f"{release} ({platform.machine()})",
        libc_version="-".join(platform.libc_ver()),
        python_version=f"{sys.version.replace(chr(10), ' ')} ({sys.maxsize.bit_length() + 1}-bit runtime)",
        python_platform=platform.platform(),
        is_cuda_available=str(torch.cuda.is_available()),
        pip_packages=_packages(),
        cpu_info=cpu and cpu.strip(),
    )


_TEXT = """
PyTorch version: {torch_version}
Is debug build: {is_debug_build}

OS: {os}
GCC version: {gcc_version}
Clang version: {clang_version}
CMake version: {cmake_version}
Libc version: {libc_version}

Python version: {python_version}
Python platform: {python_platform}
Is CUDA available: {is_cuda_available}

CPU:
{cpu_info}

Versions of relevant libraries:
{pip_packages}
""".strip()


def get_pretty_env_info() -> str:
    """The result of `get_env_info` as text.

    >>> print(get_pretty_env_info().splitlines()[1])
    Is debug build: False
    """
    info = get_env_info()._asdict()
    return _TEXT.format(**{name: "Could not collect" if value is None else value for name, value in info.items()})


def main() -> None:
    """Print it.

    >>> main()
    Collecting environment information...
    ...
    """
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
