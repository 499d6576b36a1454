"""Releasing packages: `nox -s release -- minor tensor autograd` gives them their next versions, commits and tags.

Before it writes anything, it rejects a checkout with changes, a changelog without entries, an interface that changed
since its last release without a new number, and a version that a sibling's requirements exclude.
"""

import datetime
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

PARTS = ("major", "minor", "patch")
VERSION = re.compile(r'^(__version__|RELEASE) = "([^"]+)"', re.MULTILINE)
HEADING = re.compile(r"^## (\S+) \(unreleased\)$", re.MULTILINE)
LOCK = "tests/interfaces.lock"


class Refused(Exception):
    """Why there is no release."""


class Package:
    """A folder of packages/: its name, version and changelog."""

    def __init__(self, root, folder):
        self.root, self.folder = root, root / "packages" / folder
        if not (self.folder / "pyproject.toml").is_file():
            raise Refused(f"there is no package {folder!r} in packages/")
        self.project = tomllib.loads((self.folder / "pyproject.toml").read_text())["project"]
        self.name = self.project["name"]
        self.module = self.folder / "src" / self.name.replace("-", "_") / "__init__.py"
        self.changelog = self.folder / "CHANGELOG.md"
        self.version = Version(VERSION.search(self.module.read_text())[2])

    def last_tag(self):
        """The tag of the last release; None before the first."""
        tags = git(self.root, "tag", "--list", f"{self.name}-[0-9]*").split()
        return max(tags, key=lambda tag: Version(tag.removeprefix(f"{self.name}-")), default=None)

    def next(self, part):
        """The version of this release; the first is the one that stands in the source."""
        if self.last_tag() is None:
            return self.version
        numbers = list(self.version.release)
        i = PARTS.index(part)
        return Version(".".join(map(str, [*numbers[:i], numbers[i] + 1, *[0] * (2 - i)])))

    def notes(self):
        """The changelog's entries under its unreleased heading."""
        text = self.changelog.read_text()
        heading = HEADING.search(text)
        if heading is None or text.index("\n## ") + 1 != heading.start():
            raise Refused(f"{self.changelog.relative_to(self.root)} does not begin with an (unreleased) version")
        return text[heading.end() :].partition("\n## ")[0].strip()

    def write(self, version):
        """Put the version into the source, and version and date into the changelog."""
        text = self.module.read_text()
        self.module.write_text(VERSION.sub(rf'\1 = "{version}"', text, count=1))
        heading = f"## {version} ({datetime.date.today()})"
        self.changelog.write_text(HEADING.sub(heading, self.changelog.read_text(), count=1))


def git(root, *command):
    return subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=True).stdout


def locked(text):
    """Interface -> (number, hash)."""
    lines = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return {name: (number, digest) for name, number, digest in lines}


def check_interfaces(root, package):
    """Compare what the package shares with what it shared at its last release."""
    tag = package.last_tag()
    if tag is None:
        return
    now, then = locked((root / LOCK).read_text()), locked(git(root, "show", f"{tag}:{LOCK}"))
    for name, (number, digest) in now.items():
        if name.startswith(f"packages/{package.folder.name}/") and name in then:
            if then[name][1] != digest and then[name][0] == number:
                raise Refused(f"{name} changed since {tag} and still has the number {number}")


def check_requirements(root, versions):
    """The new versions against what siblings require."""
    for file in sorted(root.glob("packages/*/pyproject.toml")):
        project = tomllib.loads(file.read_text())["project"]
        extras = project.get("optional-dependencies", {}).values()
        for line in [*project["dependencies"], *(line for lines in extras for line in lines)]:
            needed = Requirement(line)
            if needed.name in versions and versions[needed.name] not in needed.specifier:
                raise Refused(
                    f"{project['name']} requires {line}, which {needed.name} {versions[needed.name]} is not: "
                    "raise the bound, and release it as well"
                )


def release(root, part, folders):
    """Release packages; returns the tags."""
    if part not in PARTS or not folders:
        raise Refused(f"usage: nox -s release -- ({'|'.join(PARTS)}) PACKAGE…")
    if git(root, "status", "--porcelain"):
        raise Refused("the checkout has changes that are not committed")
    packages = [Package(root, folder) for folder in folders]
    versions = {package.name: package.next(part) for package in packages}
    for package in packages:
        if not package.notes():
            raise Refused(f"{package.changelog.relative_to(root)} tells of no change")
        check_interfaces(root, package)
    check_requirements(root, versions)
    for package in packages:
        package.write(versions[package.name])
    tags = [f"{name}-{version}" for name, version in versions.items()]
    git(root, "commit", "--quiet", "--all", "--message", f"Release {', '.join(tags)}", "--allow-empty")
    for tag in tags:
        git(root, "tag", "--annotate", tag, "--message", tag)
    return tags


if __name__ == "__main__":
    try:
        print("\n".join(release(Path(__file__).parent, sys.argv[1] if sys.argv[1:] else "", sys.argv[2:])))
    except Refused as reason:
        sys.exit(f"no release: {reason}")
