"""Tokens of a Swift file, and where expressions and statements begin and end.

No full parser: it knows what `swift format` leaves behind, such as a space on both sides of each binary operator. Where it is
not sure it answers None, and the place is not changed.
"""

import re

NUMBER = re.compile(r"0x[0-9A-Fa-f_]+|0b[01_]+|0o[0-7_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?")
WORD = re.compile(r"`[^`]+`|\$?[A-Za-z_][A-Za-z0-9_]*|\$[0-9]+")
OPERATOR = re.compile(r"\.\.[.<]|[/=\-+!*%<>&|^~?]+")
QUOTE = re.compile(r'#*"(?:"")?')
OPENERS = {"(": ")", "[": "]", "{": "}"}
CLOSERS = set(OPENERS.values())

DECLARATIONS = set(
    """actor associatedtype case class deinit enum extension fileprivate final func import indirect init internal lazy let
    mutating nonisolated nonmutating open operator override package precedencegroup private protocol public required static
    struct subscript typealias unowned var weak""".split()
)
ACCESSORS = {"get", "set", "didSet", "willSet", "_read", "_modify"}
CONTROL = set(
    """if guard while for switch repeat do catch else defer return throw break continue fallthrough in where default case
    yield""".split()
)
# What stands before an expression and covers all of it.
COVERS = {"try", "await", "unsafe", "consume", "copy", "borrow"}
HEADERS = {"if", "while", "switch", "for", "guard", "catch"}
BOUNDS = CONTROL | DECLARATIONS | COVERS
# Keywords in front of an operand or another word, and names anywhere else.
NAMES_TOO = COVERS - {"try"} | {"open", "final", "lazy", "package", "required", "operator", "override", "indirect", "weak"}
NAMES_TOO |= {"mutating", "nonmutating", "nonisolated", "unowned", "actor", "yield", "precedencegroup"}

ASSIGNMENT, TERNARY, OR, AND, COMPARISON, COALESCING, CAST, RANGE, SUM, PRODUCT, SHIFT = range(11)
PRECEDENCE = {
    **dict.fromkeys(["<<", ">>", "&<<", "&>>"], SHIFT),
    **dict.fromkeys(["*", "/", "%", "&*", "&"], PRODUCT),
    **dict.fromkeys(["+", "-", "&+", "&-", "|", "^"], SUM),
    **dict.fromkeys(["..<", "..."], RANGE),
    **dict.fromkeys(["as", "is"], CAST),
    "??": COALESCING,
    **dict.fromkeys(["<", "<=", ">", ">=", "==", "!=", "===", "!==", "~="], COMPARISON),
    "&&": AND,
    "||": OR,
    "?": TERNARY,
    **dict.fromkeys(["=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "&+=", "&-=", "&*="], ASSIGNMENT),
}


class Token:
    """A word, number, text, operator, bracket or sign; comments are none."""

    __slots__ = ("kind", "text", "start", "end", "on_new_line", "is_spaced_before", "is_spaced_after")

    def __init__(self, kind, text, start):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)

    def __repr__(self):
        return f"{self.kind}:{self.text!r}"


class Unreadable(Exception):
    """The file has brackets that do not match, or text that does not end."""


def end_of_text(source, at):
    """The end of the string literal that begins at `at`, with what is interpolated."""
    quote = QUOTE.match(source, at)[0]
    hashes = quote.count("#")
    closing, escape = quote.lstrip("#") + "#" * hashes, "\\" + "#" * hashes
    at += len(quote)
    while at < len(source):
        if source.startswith(escape + "(", at):
            at = end_of_interpolation(source, at + len(escape) + 1)
        elif source.startswith(escape, at):
            at += len(escape) + 1
        elif source.startswith(closing, at):
            return at + len(closing)
        else:
            at += 1
    raise Unreadable("a text does not end")


def end_of_interpolation(source, at):
    depth = 1
    while depth:
        if at >= len(source):
            raise Unreadable("an interpolation does not end")
        if QUOTE.match(source, at):
            at = end_of_text(source, at)
            continue
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        at += 1
    return at


def end_of_comment(source, at):
    """The end of the comment that begins at `at`; `at` itself if none does."""
    if source.startswith("//", at):
        end = source.find("\n", at)
        return len(source) if end < 0 else end
    if not source.startswith("/*", at):
        return at
    depth = 0
    while at < len(source):
        if source.startswith("/*", at):
            depth, at = depth + 1, at + 2
        elif source.startswith("*/", at):
            depth, at = depth - 1, at + 2
            if depth == 0:
                return at
        else:
            at += 1
    raise Unreadable("a comment does not end")


def end_of_brackets(source, at):
    """The end of the parentheses that open at `at`, which have no brackets in texts."""
    depth = 0
    while at < len(source):
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        at += 1
        if depth == 0:
            return at
    raise Unreadable("an attribute does not end")


def token_at(source, at):
    character = source[at]
    if QUOTE.match(source, at):
        return Token("text", source[at : end_of_text(source, at)], at)
    if character == "#":
        word = WORD.match(source, at + 1)
        if word and word[0] in ("if", "else", "elseif", "endif", "sourceLocation", "warning", "error"):
            end = source.find("\n", at)
            return Token("directive", source[at : end if end >= 0 else len(source)], at)
        return Token("word", source[at : word.end() if word else at + 1], at)
    if character == "@":
        end = WORD.match(source, at + 1).end()
        if source.startswith("(", end):
            end = end_of_brackets(source, end)
        return Token("attribute", source[at:end], at)
    for kind, pattern in [("number", NUMBER), ("word", WORD), ("operator", OPERATOR)]:
        if found := pattern.match(source, at):
            text = found[0]
            # An operator ends where a comment begins.
            if kind == "operator" and (comment := re.search(r"/[/*]", text)):
                text = text[: comment.start()]
            return Token(kind, text, at)
    return Token("sign", character, at)


def tokens_of(source):
    tokens, at, newline = [], 0, True
    while at < len(source):
        if source[at].isspace():
            newline = newline or source[at] == "\n"
            at += 1
            continue
        after_comment = end_of_comment(source, at)
        if after_comment > at:
            at = after_comment
            continue
        token = token_at(source, at)
        token.on_new_line = newline
        token.is_spaced_before = at == 0 or source[at - 1].isspace()
        token.is_spaced_after = token.end >= len(source) or source[token.end].isspace()
        tokens.append(token)
        at, newline = token.end, token.kind == "directive"
    return tokens


class File:
    """The tokens of a source, and questions about them; positions are indices of tokens, ends are behind the last one."""

    def __init__(self, source):
        self.source = source
        self.tokens = tokens_of(source)
        self.match, self.outer = {}, []
        open_brackets = []
        for index, token in enumerate(self.tokens):
            if token.kind == "sign" and token.text in CLOSERS:
                if not open_brackets or OPENERS[self.tokens[open_brackets[-1]].text] != token.text:
                    raise Unreadable(f"a bracket does not match, at offset {token.start}")
                opener = open_brackets.pop()
                self.match[opener], self.match[index] = index, opener
            self.outer.append(open_brackets[-1] if open_brackets else None)
            if token.kind == "sign" and token.text in OPENERS:
                open_brackets.append(index)
        if open_brackets:
            raise Unreadable("a bracket is not closed")

    # Kinds of tokens

    def text(self, index):
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def is_opener(self, index):
        return self.text(index) in OPENERS and index in self.match

    def is_closer(self, index):
        return self.text(index) in CLOSERS and index in self.match

    def is_keyword(self, index):
        """A word that bounds an expression, and not the name of a member or an argument."""
        token = self.tokens[index]
        if token.kind != "word" or token.text not in BOUNDS or self.text(index - 1) == ".":
            return False
        if token.text in NAMES_TOO and not (token.is_spaced_after and self.starts_operand(index + 1)):
            return False
        if self.text(index + 1) == ":":
            return self.text(index) == "default"
        # A label in front of the name of a parameter.
        return not (self.text(index) in HEADERS and self.text(index - 1) in ("(", ","))

    def is_binary(self, index):
        token = self.tokens[index]
        if token.kind == "operator":
            return token.text in PRECEDENCE and (
                token.text in ("..<", "...") or (token.is_spaced_before and token.is_spaced_after)
            )
        return token.kind == "word" and token.text in ("as", "is") and self.text(index - 1) != "."

    def ends_operand(self, index):
        token = self.tokens[index]
        if token.kind == "word":
            return not self.is_keyword(index) and not self.is_binary(index)
        return token.kind in ("number", "text") or self.is_closer(index) or (
            token.kind == "operator" and not token.is_spaced_before and not self.is_binary(index)
        )

    def starts_operand(self, index):
        if index >= len(self.tokens) or self.is_binary(index):
            return False
        token = self.tokens[index]
        return token.kind in ("word", "number", "text", "attribute") or token.text in ("(", "[", ".", "-", "!", "~")

    def continues(self, index):
        """Whether a token at the beginning of a line belongs to what is before it."""
        token = self.tokens[index]
        return (
            token.text in (".", ",", ":", "?", "{", "else", "catch", "where")
            or self.is_closer(index)
            or self.is_binary(index)
        )

    def starts_statement(self, index):
        token = self.tokens[index]
        previous = index - 1
        if index == 0 or token.kind == "directive" or self.tokens[previous].kind == "directive":
            return True
        if self.text(previous) in ("{", ";") or (self.text(previous) == "in" and self.is_closure_head(previous)):
            return True
        if self.text(previous) == ":" and self.is_end_of_label(previous):
            return True
        return token.on_new_line and self.ends_operand(previous) and not self.continues(index)

    def is_closure_head(self, index):
        """Whether an `in` ends the parameters of a closure; else it is that of a loop."""
        at = index - 1
        while at >= 0 and not self.is_opener(at):
            if self.text(at) == "for":
                return False
            at = (self.match[at] if self.is_closer(at) else at) - 1
        return self.text(at) == "{"

    def is_end_of_label(self, index):
        """Whether a colon ends `case …` or `default` of a switch."""
        at = index - 1
        while at >= 0 and not self.is_opener(at) and self.text(at) not in (";", ":", "?"):
            if self.text(at) in ("case", "default") and self.text(at - 1) != ".":
                return True
            at = self.match[at] if self.is_closer(at) else at
            if self.tokens[at].on_new_line and self.text(at) != "where" and self.text(at - 1) != ",":
                return False
            at -= 1
        return False

    # Expressions

    def in_header(self, index):
        """Whether the next brace behind a token is the body of `if`, `while` and the like, not a closure."""
        at = index
        while at >= 0:
            if at != index and self.is_opener(at):
                return False
            if self.tokens[at].kind == "word" and self.text(at) in HEADERS and self.is_keyword(at):
                return True
            if self.starts_statement(at):
                return False
            at = (self.match[at] if at != index and self.is_closer(at) else at) - 1
        return False

    def left_bound(self, index, precedence):
        """Where the left operand of a binary operator begins."""
        at = index - 1
        while at >= 0:
            if self.is_closer(at):
                at = self.match[at]
            elif self.is_opener(at) or self.text(at) in (",", ";", ":") or self.is_keyword(at):
                return at + 1
            elif self.is_binary(at):
                if self.text(at) == "->":
                    return None
                if PRECEDENCE[self.text(at)] < precedence:
                    return at + 1
            elif self.tokens[at].text == "->" or self.tokens[at].kind in ("attribute", "directive"):
                return None
            if self.starts_statement(at):
                return at
            at -= 1
        return None

    def right_bound(self, index, precedence):
        """The end of the right operand of a binary operator."""
        at = index + 1
        while at < len(self.tokens):
            if at > index + 1 and self.starts_statement(at):
                return at
            if self.is_opener(at):
                if self.text(at) == "{" and self.in_header(at):
                    return at
                at = self.match[at]
            elif self.is_closer(at) or self.text(at) in (",", ";", ":"):
                return at
            elif self.is_keyword(at):
                return at if at > index + 1 and self.text(at) not in COVERS else None
            elif self.is_binary(at):
                other = PRECEDENCE[self.text(at)]
                if other == ASSIGNMENT:
                    return None
                # Operators are associative to the left; `??` and the ternary one stand alone.
                if other <= precedence:
                    return at
            elif self.tokens[at].text == "->" or self.tokens[at].kind in ("attribute", "directive"):
                return None
            at += 1
        return None

    def binary(self, index):
        """The range of the expression whose operator is at `index`."""
        precedence = PRECEDENCE[self.text(index)]
        left, right = self.left_bound(index, precedence), self.right_bound(index, precedence)
        if left is None or right is None or left >= index or right <= index + 1:
            return None
        return left, right

    def postfix_end(self, index):
        """The end of a name or parentheses, with members, calls and subscripts."""
        at = index
        if self.text(at) == ".":
            at += 1
        if self.is_opener(at) and self.text(at) != "{":
            at = self.match[at] + 1
        elif self.tokens[at].kind == "word" and not self.is_keyword(at):
            at += 1
        else:
            return None
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.text == "." and self.tokens[at + 1].kind in ("word", "number"):
                at += 2
            elif token.text in ("(", "[") and not token.is_spaced_before:
                at = self.match[at] + 1
            elif token.kind == "operator" and not token.is_spaced_before:
                if token.text not in ("?", "!"):
                    return at if self.is_binary(at) else None
                at += 1
            elif token.text == "{" and not token.on_new_line and not self.in_header(index):
                at = self.match[at] + 1
            else:
                return at
        return at

    def conditions(self, index):
        """The ranges of the Boolean expressions of an `if`, `guard` or `while` at `index`."""
        found, begin, at = [], index + 1, index + 1
        while at < len(self.tokens):
            text = self.text(at)
            is_end = text == ("else" if self.text(index) == "guard" else "{") or self.is_closer(at)
            is_end = is_end or (at > begin and text != "else" and self.starts_statement(at))
            if is_end or text == ",":
                if at > begin and not self.binds(begin):
                    found.append((begin, at))
                begin = at + 1
            if is_end:
                return found
            at = (self.match[at] if self.is_opener(at) else at) + 1
        return found

    def binds(self, index):
        return self.text(index) in ("let", "var", "case", "_") or self.text(index).startswith("#")

    def is_requirement(self, index):
        """Whether a token stands in the `where` of a declaration."""
        at = index
        while at >= 0 and not self.is_opener(at):
            if self.text(at) in ("func", "extension", "struct", "class", "enum", "protocol", "init", "subscript"):
                return self.text(at - 1) != "."
            if self.starts_statement(at):
                return False
            at = (self.match[at] if self.is_closer(at) else at) - 1
        return False

    # Statements

    def statement_end(self, index):
        at = index
        while at < len(self.tokens):
            if at > index and (self.is_closer(at) or self.text(at) == ";" or self.starts_statement(at)):
                return at
            at = (self.match[at] if self.is_opener(at) else at) + 1
        return at

    def statements(self):
        """The ranges of all statements and declarations, nested ones too."""
        for index, token in enumerate(self.tokens):
            outer = self.outer[index]
            in_braces = outer is not None and self.text(outer) == "{"
            if in_braces and token.kind != "directive" and self.starts_statement(index) and not self.is_closer(index):
                yield index, self.statement_end(index)

    def call(self, begin, end):
        """The index of the first name, if a statement is one call and no more."""
        at = begin
        if self.text(at) == "_" and self.text(at + 1) == "=":
            at += 2
        while self.text(at) in COVERS or (self.text(at) in ("?", "!") and self.text(at - 1) == "try"):
            at += 1
        first = self.tokens[at]
        if first.kind != "word" or first.text in ACCESSORS or first.text.startswith("#"):
            return None
        return at if self.text(end - 1) in (")", "}") and self.postfix_end(at) == end else None

    # Around a token

    def enclosing(self, index):
        """The braces around a token, the innermost first."""
        outer = self.outer[index]
        while outer is not None:
            if self.text(outer) == "{":
                yield outer
            outer = self.outer[outer]

    def header(self, brace):
        """What stands before a brace, up to the beginning of its statement."""
        at = brace
        while at > 0:
            at -= 1
            if self.is_opener(at):
                return range(at + 1, brace)
            if self.is_closer(at):
                at = self.match[at]
            if self.starts_statement(at):
                break
        return range(at, brace)

    def is_block(self, brace):
        """Whether braces are those of a control statement, not of a closure, function or type."""
        return any(
            self.text(at) in ("if", "guard", "while", "for", "switch", "do", "else", "catch", "repeat", "defer")
            and self.is_keyword(at)
            for at in self.header(brace)
        )

    def function(self, index):
        """The brace of the function, accessor or closure around a token."""
        return next((brace for brace in self.enclosing(index) if not self.is_block(brace)), None)

    def name_around(self, index):
        """The name of the function or property around a token."""
        for brace in self.enclosing(index):
            words = self.header(brace)
            for at in words:
                if self.text(at) in ("func", "var", "let", "init", "deinit", "subscript") and self.text(at - 1) != ".":
                    own = self.text(at) in ("init", "deinit", "subscript")
                    return self.text(at) if own else self.text(at + 1)
        return ""
