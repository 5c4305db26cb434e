"""Reads Swift sources without a compiler: what is code, what is a comment, which declarations a file has.

It knows as much of the grammar as formatted sources need. It knows no macros and no regex literals.
"""

import dataclasses
import functools
import re

IN_CODE = re.compile(r'//[^\n]*|/\*|#*"""|#*"|[()]')
BLOCK_COMMENT = re.compile(r"/\*|\*/")
TOKEN = re.compile(
    r"(?P<open>[{(\[])|(?P<close>[})\]])"
    r"|(?<![\w.`])(?P<type>struct|class|enum|protocol|actor|extension)\s+(?!func\b|var\b|let\b|subscript\b)(?P<name>[\w.]+)"
    r"|(?<![\w.`])func\s+(?P<function>`?\w+`?|[^\s\w(]+)"
    r"|(?<![\w.`])(?P<special>init|deinit|subscript)\b(?=[?!]?\s*[(<{])"
    r"|(?<![\w.`])(?:var|let)\s+(?P<property>\w+)"
)
# Brackets, and what may end a declaration that has no body.
STEP = re.compile(r"[(\[)\]{}\n]|(?<![=!<>])=(?!=)")
# What goes on with a declaration after the end of its line, or says that more comes.
CONTINUED = re.compile(r"\s*(?:->|where\b|throws\b|async\b|rethrows\b|[{=&,])")
UNFINISHED = re.compile(r"(?:->|[=&,:]|\bwhere)\s*$")
BINDING = re.compile(r"(?P<open>[(\[{])|(?P<close>[)\]}])|\n|,\s*(?P<name>\w+)\s*(?:[,:\n]|=(?!=))")
OBSERVED = re.compile(r"\s*(?:willSet|didSet)\b")


@dataclasses.dataclass
class Comment:
    """A `//` comment of one line, or a block comment; `line` and `start` are where it begins."""

    line: int
    start: int
    text: str


@dataclasses.dataclass
class Type:
    """A declaration of a type, or an extension; a nested one is named `Outer.Inner`."""

    kind: str
    name: str
    line: int
    inherits: tuple
    lines: int = 1


@dataclasses.dataclass
class Function:
    """A function, initializer, deinitializer or subscript; `owner` is the type that it is a member of, else ""."""

    name: str
    owner: str
    line: int
    has_body: bool
    lines: int = 1


@dataclasses.dataclass
class Property:
    """A stored property of one value; `owner` is its type."""

    name: str
    owner: str
    line: int


class File:
    def __init__(self, path):
        self.path, self.text = path, path.read_text(encoding="utf-8")
        self.code, self.comments = blank(self.text)

    @property
    def lines(self):
        return self.text.count("\n")

    @property
    def without_comments(self):
        """The code with its strings."""
        pieces, end = [], 0
        for comment in self.comments:
            pieces.append(self.text[end : comment.start])
            end = comment.start + len(comment.text)
        return " ".join([*pieces, self.text[end:]])

    @functools.cached_property
    def declarations(self):
        """Types, functions and stored properties."""
        return declarations(self.code)

    @property
    def types(self):
        return self.declarations[0]

    @property
    def functions(self):
        return self.declarations[1]

    @property
    def properties(self):
        return self.declarations[2]


class Blanker:
    """Puts spaces in the place of comments and of what strings say; interpolated code stays."""

    def __init__(self, text):
        self.text, self.pieces, self.comments = text, [], []
        self.code(0, 0)

    def hide(self, start, end):
        self.pieces.append(re.sub(r"[^\n]", " ", self.text[start:end]))

    def comment(self, start, end):
        self.comments.append(Comment(self.text.count("\n", 0, start) + 1, start, self.text[start:end]))
        self.hide(start, end)
        return end

    def code(self, at, depth):
        """Goes on to the end of the text, or of the interpolation if `depth` is 1."""
        while found := IN_CODE.search(self.text, at):
            self.pieces.append(self.text[at : found.start()])
            at, token = found.end(), found[0]
            if token.startswith("//"):
                self.comment(found.start(), at)
            elif token == "/*":
                at = self.comment(found.start(), self.end_of_comment(at))
            elif '"' in token:
                self.hide(found.start(), at)
                at = self.string(at, token)
            else:
                self.pieces.append(token)
                if depth:
                    depth += 1 if token == "(" else -1
                    if not depth:
                        return at
        self.pieces.append(self.text[at:])
        return len(self.text)

    def end_of_comment(self, at):
        depth = 1
        while depth and (found := BLOCK_COMMENT.search(self.text, at)):
            depth += 1 if found[0] == "/*" else -1
            at = found.end()
        return at if not depth else len(self.text)

    def string(self, at, opening):
        closing, escape = opening[::-1], r"\\" + "#" * opening.count("#")
        mark = re.compile(rf"{escape}\(|{escape}.|{closing}", re.DOTALL)
        while found := mark.search(self.text, at):
            self.hide(at, found.end() - found[0].endswith("("))
            at = found.end()
            if found[0] == closing:
                return at
            if found[0].endswith("("):
                self.pieces.append("(")
                at = self.code(at, 1)
        self.hide(at, len(self.text))
        return len(self.text)


def blank(text):
    """The code of `text`, as long as it and with its lines, and its comments."""
    blanker = Blanker(text)
    return "".join(blanker.pieces), blanker.comments


def end_of_head(code, at):
    """Where the body of the declaration begins that goes on at `at`, or its value, or where it ends without either."""
    depth = 0
    while found := STEP.search(code, at):
        mark, at = found[0], found.end()
        if mark in "([":
            depth += 1
        elif mark in ")]":
            if not depth:
                return found.start()
            depth -= 1
        elif depth:
            continue
        elif mark != "\n":
            return found.start()
        elif not CONTINUED.match(code, at) and not UNFINISHED.search(code, max(0, at - 200), at):
            return found.start()
    return len(code)


def is_stored(code, at):
    """Whether the property that goes on at `at` is stored: without accessors other than observers."""
    end = end_of_head(code, at)
    return code[end : end + 1] != "{" or OBSERVED.match(code, end + 1) is not None


def further_names(code, at):
    """What else the declaration of a property goes on to declare: `var a = 1, b = 2`."""
    depth = 0
    while (found := BINDING.search(code, at)) and depth >= 0:
        at = found.end()
        if found["open"] or found["close"]:
            depth += 1 if found["open"] else -1
        elif depth == 0 and found["name"]:
            yield found["name"]
            at = found.end("name")
        elif depth == 0 and not UNFINISHED.search(code, max(0, at - 200), at):
            return


def declarations(code):
    """Types, functions and stored properties, in their order."""
    types, functions, properties = [], [], []
    # What the brace at a position will open, and what is open: nothing, a type or a function.
    bodies, scopes = {}, []
    line_at = LineCounter(code)
    for found in TOKEN.finditer(code):
        owner = scopes[-1] if scopes and isinstance(scopes[-1], Type) else None
        line = line_at(found.start())
        if found["open"]:
            scopes.append(bodies.get(found.start()))
        elif found["close"]:
            closed = scopes.pop() if scopes else None
            if closed:
                closed.lines = line - closed.line + 1
        elif found["type"]:
            begin = code.find("{", found.end())
            outer = f"{owner.name}." if owner else ""
            one = Type(found["type"], outer + found["name"], line, inherited(code[found.end() : begin]))
            types.append(one)
            bodies[begin] = one
        elif found["function"] or found["special"]:
            begin = end_of_head(code, found.end())
            has_body = code[begin : begin + 1] == "{"
            one = Function(found["function"] or found["special"], owner.name if owner else "", line, has_body)
            functions.append(one)
            if has_body:
                bodies[begin] = one
        elif owner and not re.search(r"\b(?:static|class)\b", code[code.rfind("\n", 0, found.start()) : found.start()]):
            if is_stored(code, found.end()):
                names = [found["property"], *further_names(code, found.end())]
                properties += [Property(name, owner.name, line) for name in names]
    return types, functions, properties


def inherited(head):
    """The names after the colon of a declaration of a type."""
    clause = re.sub(r"<[^<>]*>|\bwhere\b.*", "", head, flags=re.DOTALL).partition(":")[2]
    return tuple(name.strip().split(" ")[-1] for name in clause.split(",") if name.strip())


class LineCounter:
    """The line of a position; asked for rising positions."""

    def __init__(self, text):
        self.text, self.at, self.line = text, 0, 1

    def __call__(self, position):
        self.line += self.text.count("\n", self.at, position)
        self.at = position
        return self.line


read = functools.cache(File)


def files(folder):
    """The Swift files of a target, without the programs that a tutorial shows."""
    return [read(path) for path in sorted(folder.rglob("*.swift")) if not any(part.endswith(".docc") for part in path.parts)]


def targets(root):
    """The folders of Sources that hold Swift."""
    return [path for path in sorted((root / "Sources").iterdir()) if path.is_dir() and any(path.rglob("*.swift"))]
