"""Sentences of documents and of comments, and how many words they have.

Headings, tables, code blocks, link targets and comments of HTML are left out. A block is a paragraph, an item of a list or a
quotation; it ends its last sentence with or without a full stop. A sentence ends at `.`, `!` or `?` before a space and a
capital letter, digit, quote, bracket or code; a colon or semicolon ends none. A word has a letter or a digit; code in
backquotes counts as one.
"""

import dataclasses
import re

FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
# What Swift's documentation calls a parameter, what it throws or returns: the label is no part of the sentence.
LABEL = re.compile(r"^(?:Parameters?(?: \w+)?|Returns|Throws|Note|Important|Warning|Complexity|Precondition|\w+):\s+")
LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
CODE = re.compile(r"(`+)(?:.+?)\1", re.DOTALL)
END = re.compile(r"(?<=[.!?])[)\"'*_]*\s+(?=[\"'(*_\[]*[A-Z0-9\x00])")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|cf|vs|No|approx)|(?:^|\s)[A-Z])\.$")
WORD = re.compile(r"[\w\x00]")


@dataclasses.dataclass
class Sentence:
    """`place` is the file and the line where its block begins."""

    place: str
    text: str
    words: int


def blocks_of_document(text):
    """The line and the text of each block of a Markdown document."""
    text = re.sub(r"<!--.*?-->", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    yield from blocks(enumerate(text.splitlines(), 1))


def blocks(lines):
    """The blocks of numbered lines of Markdown."""
    fence, begin, block = None, 0, []
    for number, line in lines:
        found = FENCE.match(line)
        if found and fence in (None, found[1]):
            fence = None if fence else found[1]
        is_text = not fence and not found and line.strip() and not re.match(r"^\s*(?:\||#{1,6}\s|[-*_]{3,}\s*$|<)", line)
        is_code = not block and line.startswith("    ") and not ITEM.match(line)
        if block and (not is_text or ITEM.match(line)):
            yield begin, " ".join(block)
            block = []
        if is_text and not is_code:
            begin = begin if block else number
            block.append(ITEM.sub("", line).strip().removeprefix("> "))
    if block:
        yield begin, " ".join(block)


def blocks_of_comments(file, opening):
    """The blocks of the comments that begin with `///`, or with `//` alone; each run of lines is Markdown."""
    lines, before = [], None
    for comment in file.comments:
        found = re.match(r"(///?)(?!/)(.*)", comment.text, re.DOTALL)
        if not found or found[1] != opening:
            continue
        if before is not None and comment.line != before + 1:
            yield from blocks(lines)
            lines = []
        lines.append((comment.line, found[2].removeprefix(" ")))
        before = comment.line
    yield from blocks(lines)


def sentences(blocks, path):
    for line, text in blocks:
        text = CODE.sub("\x00", LINK.sub(r"\1", LABEL.sub("", text)))
        begin = 0
        pieces = []
        for end in END.finditer(text):
            if not ABBREVIATION.search(text[: end.start()].rstrip(")\"'*_")):
                pieces.append(text[begin : end.start()])
                begin = end.end()
        for piece in [*pieces, text[begin:]]:
            words = sum(WORD.search(word) is not None for word in piece.split())
            if words:
                yield Sentence(f"{path}:{line}", piece.replace("\x00", "`…`").strip(), words)
