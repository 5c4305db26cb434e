"""Which folders of a target name types of which others.

A type belongs to the file that declares it; members that extensions add elsewhere are not followed.
"""

import collections
import re

from measuring import swift_source

DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|final|indirect|nonisolated)\s+)*"
    r"(?:struct|class|enum|protocol|actor|typealias)\s+(\w+)",
    re.MULTILINE,
)
WORD = re.compile(r"\b[A-Z]\w*")
# A target of so many files may have cycles.
FEW = 10


def read(target):
    """The folder, the types declared and the words of each file."""
    files = {}
    for file in swift_source.files(target):
        parts = file.path.relative_to(target).parts
        folder = parts[0] if len(parts) > 1 else "."
        files[file.path] = (folder, set(DECLARATION.findall(file.code)), set(WORD.findall(file.code)))
    return files


def arrows(files):
    """For each pair of folders, the types of the second that the first names."""
    owner = {}
    for folder, declared, _ in files.values():
        for name in declared:
            owner.setdefault(name, folder)
    found = collections.defaultdict(set)
    for folder, declared, words in files.values():
        for name in words - declared:
            if owner.get(name, folder) != folder:
                found[folder, owner[name]].add(name)
    return found


def cycles(pairs):
    """Strongly connected groups of more than one folder, the largest first."""
    nodes = {node for pair in pairs for node in pair}
    reach = {node: {end for start, end in pairs if start == node} for node in nodes}
    for middle in nodes:
        for node in nodes:
            if middle in reach[node]:
                reach[node] |= reach[middle]
    groups = {frozenset(other for other in nodes if other in reach[node] and node in reach[other]) for node in nodes}
    return sorted((sorted(group) for group in groups if len(group) > 1), key=lambda group: (-len(group), group))


def mutual(pairs):
    """How many pairs of folders name types of each other."""
    return sum((end, start) in pairs for start, end in pairs) // 2
