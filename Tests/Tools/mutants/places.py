"""The small changes that can be made to a file, each as a switch that the number of a running test turns."""

import re

import swift

MODULE = "CMutants"
SWITCH = "mutantIsOn"

BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "===": "!==", "!==": "==="}
LOGICAL = {"&&": "||", "||": "&&"}
SUMS = {"+": "-", "-": "+", "&+": "&-", "&-": "&+"}
UPDATES = {"+=": "-=", "-=": "+=", "&+=": "&-=", "&-=": "&+="}
EXTREMES = {"min": "max", "max": "min"}

# Calls that tell people or the allocator something: what stands in their arguments is not changed, nor are they left out.
SILENT = {
    "precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError", "reserveCapacity",
    "withExtendedLifetime", "print", "extendLifetime",
}  # fmt: skip
LOGS = re.compile(r"(log|logger|[A-Z]\w*Log)$")
CAPACITIES = {"capacity", "minimumCapacity", "keepingCapacity", "reservingCapacity"}
# Closures of these give a value back.
MAPS = {
    "map", "flatMap", "compactMap", "filter", "contains", "first", "firstIndex", "allSatisfy", "removeAll", "reduce",
    "sorted", "prefix", "drop", "split",
}  # fmt: skip
LONGEST = 40


class Place:
    """One change: the text between two offsets, and what stands there instead."""

    def __init__(self, family, source, start, end, changed, form):
        self.family, self.start, self.end = family, start, end
        self.original, self.changed, self.form = source[start:end], changed, form
        self.line = source.count("\n", 0, start) + 1
        first = source.rfind("\n", 0, start) + 1
        last = source.find("\n", end)
        last = len(source) if last < 0 else last
        self.before = one_line(source[first:last])
        self.after = one_line(source[first:start] + changed + source[end:last])

    def switched(self, number):
        """The text that is either, by the number of the running mutant."""
        condition = f"{SWITCH}({number})"
        return {
            "choose": f"({condition} ? ({self.changed}) : ({self.original}))",
            "negate": f"({condition} != ({self.original}))",
            "omit": f"if !{condition} {{ {self.original} }}",
            "either": f"if {condition} {{ {self.changed} }} else {{ {self.original} }}",
        }[self.form]


def one_line(text):
    """Without comments and superfluous space, so that it stays the same where a statement moves."""
    return " ".join(re.sub(r"(^|\s)//.*", "", text, flags=re.MULTILINE).split())


class Finder:
    """Finds the places of one file."""

    def __init__(self, source):
        self.file = swift.File(source)
        self.source = source
        self.places = []
        self.excluded = self.find_excluded()

    def offset(self, begin, end):
        return self.file.tokens[begin].start, self.file.tokens[end - 1].end

    def piece(self, begin, end):
        start, stop = self.offset(begin, end)
        return self.source[start:stop]

    def add(self, family, begin, end, changed, form):
        start, stop = self.offset(begin, end)
        if not self.excluded[begin] and self.source.count("\n", start, stop) < LONGEST:
            self.places.append(Place(family, self.source, start, stop, changed, form))

    # What is never changed

    def find_excluded(self):
        """For each token whether it stays as it is."""
        file = self.file
        excluded = [False] * len(file.tokens)

        def exclude(begin, end):
            excluded[begin:end] = [True] * (end - begin)

        conditional = 0
        for at, token in enumerate(file.tokens):
            if token.kind == "directive":
                conditional += {"#if": 1, "#end": -1}.get(re.match(r"#(if|end)?", token.text)[0], 0)
            if conditional or file.outer[at] is None:
                excluded[at] = True
            if token.text == "(" and file.is_opener(at) and self.is_silent(at):
                exclude(at, file.match[at] + 1)
            if token.text in CAPACITIES and file.text(at + 1) == ":":
                end = at
                while not file.is_closer(end) and file.text(end) != ",":
                    end = (file.match[end] if file.is_opener(end) else end) + 1
                exclude(at, end)
            if token.text == "case" and self.is_declared_case(at):
                exclude(at, file.statement_end(at))
        for at, token in enumerate(file.tokens):
            # Top-level declarations have values, too.
            if file.outer[at] is None and token.text in ("let", "var") and not conditional:
                end = file.statement_end(at)
                excluded[at:end] = [each and file.outer[at] is not None for each in excluded[at:end]]
        return excluded

    def is_silent(self, opener):
        """Whether parentheses are those of a call that is not changed."""
        name = self.file.text(opener - 1)
        if self.file.tokens[opener].is_spaced_before:
            return False
        if name in SILENT or name.startswith("#"):
            return True
        return self.file.text(opener - 2) == "." and bool(LOGS.match(self.file.text(opener - 3).rstrip("?")))

    def is_declared_case(self, index):
        outer = self.file.outer[index]
        return outer is not None and any(self.file.text(at) == "enum" for at in self.file.header(outer))

    # What is

    def find(self):
        for index, token in enumerate(self.file.tokens):
            if token.kind == "operator":
                self.find_operator(index)
            elif token.kind == "number":
                self.find_number(index)
            elif token.kind == "word":
                self.find_word(index)
        self.find_statements()
        return sorted(self.places, key=lambda place: (place.start, place.end, place.changed))

    def find_operator(self, index):
        token = self.file.tokens[index]
        if token.text == "!" and not token.is_spaced_after and not self.file.ends_operand(index - 1):
            self.find_negation(index)
        if not self.file.is_binary(index) or token.text in ("..<", "...", "as", "is"):
            return
        if self.file.is_requirement(index):
            return
        known = BOUNDARY.keys() | OPPOSITE.keys() | LOGICAL.keys() | SUMS.keys()
        if token.text not in known or (found := self.file.binary(index)) is None:
            return
        begin, end = found
        if token.text == "+" and any(self.file.tokens[at].kind == "text" for at in (index - 1, index + 1)):
            return

        def with_operator(other):
            return self.piece(begin, index) + " " + other + " " + self.piece(index + 1, end)

        if token.text in OPPOSITE:
            self.add("operator", begin, end, with_operator(OPPOSITE[token.text]), "negate")
        for table in (BOUNDARY, LOGICAL, SUMS):
            if token.text in table:
                self.add("operator", begin, end, with_operator(table[token.text]), "choose")

    def find_negation(self, index):
        if end := self.file.postfix_end(index + 1):
            self.add("operator", index, end, self.piece(index + 1, end), "negate")

    def find_number(self, index):
        text = self.file.text(index)
        # A member of a tuple, or the size in a type.
        is_name = self.file.text(index - 1) == "." or (
            self.file.text(index - 1) == "<" and not self.file.tokens[index - 1].is_spaced_before
        )
        if is_name or re.search(r"[.eE]", text) and not text.startswith("0x"):
            return
        value = int(text.replace("_", ""), 0) if text.startswith("0") and len(text) > 1 else int(text.replace("_", ""))
        for other in {value + 1, max(value - 1, 0)} - {value}:
            width = len(text) - 2
            changed = f"0x{other:0{width}X}" if text.startswith("0x") else str(other)
            self.add("literal", index, index + 1, changed, "choose")

    def find_word(self, index):
        text, file = self.file.text(index), self.file
        if text in ("true", "false") and file.text(index - 1) != ".":
            self.add("literal", index, index + 1, {"true": "false", "false": "true"}[text], "negate")
        elif text in EXTREMES and file.text(index + 1) == "(" and file.text(index - 1) not in (".", "func"):
            end = file.match[index + 1] + 1
            self.add("operator", index, end, EXTREMES[text] + self.piece(index + 1, end), "choose")
        elif text in ("if", "guard", "while") and file.is_keyword(index):
            for begin, end in file.conditions(index):
                self.add("condition", begin, end, f"!({self.piece(begin, end)})", "negate")

    def find_statements(self):
        siblings = {}
        statements = list(self.file.statements())
        for begin, end in statements:
            siblings.setdefault(self.file.outer[begin], []).append(begin)
        for begin, end in statements:
            self.find_call(begin, end, siblings)
            self.find_update(begin, end)
            self.find_result(begin, end, siblings)

    def find_call(self, begin, end, siblings):
        file = self.file
        name = file.call(begin, end)
        if name is None or file.function(begin) is None or self.is_value(begin, siblings):
            return
        # A value that is made is used.
        if file.text(name)[0].isupper() and file.text(name + 1) == "(":
            return
        words = [file.text(at) for at in range(begin, end) if file.outer[at] == file.outer[begin]]
        if SILENT & set(words) or LOGS.match(words[0].rstrip("?")) or words[:3] in (["self", ".", "init"], ["super", ".", "init"]):
            return
        self.add("call", begin, end, "", "omit")

    def is_value(self, begin, siblings):
        """Whether a statement is what a function gives back without `return`."""
        brace = self.file.function(begin)
        words = [self.file.text(at) for at in self.file.header(brace)]
        if "func" in words:
            gives = "->" in words
        elif self.file.text(brace - 1) in MAPS:
            gives = True
        else:
            gives = words[:1] and "var" in words or "subscript" in words or words == ["get"]
        only = len(siblings.get(brace, [])) == 1
        return bool(gives) and only

    def find_update(self, begin, end):
        file = self.file
        at = begin
        while at < end and not (file.tokens[at].kind == "operator" and file.text(at) in UPDATES):
            at = (file.match[at] if file.is_opener(at) else at) + 1
        if begin < at < end - 1 and file.is_binary(at) and file.tokens[at + 1].kind != "text":
            if all(file.text(word) not in ("try", "await", "if", "for", "while", "guard", "func") for word in range(begin, at)):
                changed = f"{self.piece(begin, at)} {UPDATES[file.text(at)]} {self.piece(at + 1, end)}"
                self.add("operator", begin, end, changed, "either")

    def find_result(self, begin, end, siblings):
        """What a function or property of type Bool returns."""
        file = self.file
        brace = file.function(begin)
        if brace is None or file.text(brace - 1) != "Bool" or file.text(brace - 2) not in ("->", ":"):
            return
        if file.text(begin) == "return":
            first = begin + 1
        elif siblings[file.outer[begin]] == [begin] and file.outer[begin] == brace:
            first = begin
            if file.is_keyword(first) or file.text(first) in ("get", "set", "willSet", "didSet"):
                return
        else:
            return
        if first < end and file.text(first) not in ("true", "false", "if", "switch"):
            self.add("return", first, end, f"!({self.piece(first, end)})", "negate")


def places_of(source):
    try:
        return Finder(source).find()
    except swift.Unreadable:
        return []


def rewritten(source, chosen):
    """The source with its switches, and for each the offsets where it stands; `chosen` has numbers and places."""
    pieces, spans, at, length = [], {}, 0, 0
    for number, place in sorted(chosen, key=lambda each: each[1].start):
        pieces += [source[at : place.start], place.switched(number)]
        begin = length + place.start - at
        spans[number] = (begin, begin + len(pieces[-1]))
        length, at = spans[number][1], place.end
    # At the end: the lines keep their numbers.
    pieces.append(source[at:] + f"\npublic import {MODULE}\n")
    return "".join(pieces), spans
