"""Counts the words of `words.toml` in code, comments and documents."""

import collections
import dataclasses
import functools
import pathlib
import re
import tomllib

from measuring import swift_source

TABLE = pathlib.Path(__file__).with_suffix(".toml")
IDENTIFIER = re.compile(r"[A-Za-z]\w*")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Programs of the tests; those without a suffix are Python.
SCRIPTS = {".py", ".mjs", ".sh", ".c", ".h", ""}
SCRIPT_COMMENT = re.compile(r'^[ \t]*(?:#|//)(?!!|include|define)[^\n]*|""".*?"""', re.MULTILINE | re.DOTALL)
# Its second column is these words.
GLOSSARY = pathlib.Path("docs/glossary.md")
PLACES = ["Sources, code", "Sources, comments", "Tests", "documents"]


@dataclasses.dataclass
class Word:
    say: str
    instead: str
    parts: frozenset
    names: re.Pattern
    words: re.Pattern
    excluded: re.Pattern | None
    common: bool

    def in_code(self, text):
        return sum(count * self.uses(name) for name, count in identifiers(self.without_excluded(text)).items())

    def in_prose(self, text):
        """Words of the text, and identifiers of more than one part that it names."""
        text, words = self.words.subn(" ", self.without_excluded(text))
        names = {name: count for name, count in identifiers(text).items() if not name.islower()}
        return words + sum(count * self.uses(name) for name, count in names.items())

    def without_excluded(self, text):
        return self.excluded.sub(" ", text) if self.excluded else text

    def uses(self, name):
        if self.names.fullmatch(name):
            return 1
        return sum(part in self.parts for part in parts(name)) if self.parts else 0


def table():
    never = r"(?!)"
    return [
        Word(
            entry["say"],
            entry["instead"],
            frozenset(entry.get("parts", ())),
            re.compile(entry.get("names", never)),
            re.compile(rf"\b(?:{entry['words']})\b" if "words" in entry else never, re.IGNORECASE),
            re.compile(entry["except"]) if "except" in entry else None,
            entry.get("common", False),
        )
        for entry in tomllib.loads(TABLE.read_text(encoding="utf-8"))["word"]
    ]


@functools.lru_cache(8)
def identifiers(text):
    return collections.Counter(IDENTIFIER.findall(text))


@functools.cache
def parts(name):
    return [part.lower() for part in PART.findall(name)]


def documents(root):
    paths = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "etc").rglob("*.toml")]
    return sorted(path for path in paths if path.relative_to(root) != GLOSSARY)


def sources(folder):
    """The code of a folder, with its texts, and what its comments say."""
    code, comments = [], []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.suffix == ".swift":
            file = swift_source.read(path)
            code.append(file.without_comments)
            comments += [comment.text for comment in file.comments]
        elif path.suffix in SCRIPTS:
            text = path.read_text(encoding="utf-8")
            code.append(SCRIPT_COMMENT.sub(" ", text))
            comments += [found[0] for found in SCRIPT_COMMENT.finditer(text)]
    return "\n".join(code), "\n".join(comments)


def count(root):
    """For each word its uses by place."""
    code, comments = sources(root / "Sources")
    test_code, test_comments = sources(root / "Tests")
    prose = "\n".join(path.read_text(encoding="utf-8") for path in documents(root))
    return [
        {
            "say": word.say,
            "instead": word.instead,
            "common": word.common,
            "Sources, code": word.in_code(code),
            "Sources, comments": word.in_prose(comments),
            "Tests": word.in_code(test_code) + word.in_prose(test_comments),
            "documents": word.in_prose(prose),
        }
        for word in table()
    ]
