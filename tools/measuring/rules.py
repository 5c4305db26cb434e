"""Numbers of rules and cases (S-001, T-001, C-0.1, H-001): where docs/specification defines them, and who cites them."""

import collections
import pathlib
import re

SPECIFICATION = pathlib.Path("docs/specification")
CITING = ["Sources", "Tests", "Benchmarks", "Examples", "docs", "etc", "systemd", "tools", "Makefile", "Package.swift"]
DEFINED = re.compile(r"^(?:\| ([STH]-\d+) \||- \*\*(C-[\d.]+[a-z]?)\*\*)", re.MULTILINE)
# Looser than the definitions, so that a slip of the pen is found.
CITED = re.compile(r"(?<![\w-])[STHC]-\d+(?:\.\d+)?[a-z]?\b")


def definitions(root):
    """How often each number is defined."""
    found = collections.Counter()
    for path in sorted((root / SPECIFICATION).glob("*.md")):
        found.update(a or b for a, b in DEFINED.findall(path.read_text(encoding="utf-8")))
    return found


def citations(root, names=None):
    """The file, the line and the number of each citation, in the documents at the root and below `names`."""
    if names is None:
        names = [*sorted(path.name for path in root.glob("*.md")), *CITING]
    for name in names:
        path = root / name
        for file in sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]:
            try:
                lines = file.read_text(encoding="utf-8").splitlines()
            except (UnicodeDecodeError, FileNotFoundError):
                continue
            for line, text in enumerate(lines, 1):
                for number in CITED.findall(text):
                    yield file.relative_to(root), line, number
