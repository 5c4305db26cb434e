"""Tests of the measuring tools: PYTHONPATH=tools python3 -m unittest measuring.test_measuring."""

import pathlib
import tempfile
import unittest

from measuring import folders, prose, swift_source, words

SOURCE = '''
/// A type. It has braces in texts: "{".
public final class Outer: Base<Int>, Sendable {
    static let shared = Outer()
    private(set) var first = 1, second = 2
    var observed: Int = 0 {
        didSet { first = observed }
    }
    var computed: Int { first + "\\(names.map { "\\($0) {" })".count }
    let closure: @Sendable (Int) -> Void

    init() { closure = { _ in } }

    func long(
        _ value: Int
    ) -> Int {
        func inner() {}  // func notThis() {
        return value
    }

    struct Inner { let text = #"a " quote \\#(1)"# }
}

extension Outer.Inner {
    var size: Int { text.count }
    subscript(index: Int) -> Int { index }
}

protocol Asked {
    var name: String { get }
    func ask() -> Int
    init()
}
'''


class SwiftSourceTests(unittest.TestCase):
    def setUp(self):
        self.code, self.comments = swift_source.blank(SOURCE)
        self.types, self.functions, self.properties = swift_source.declarations(self.code)

    def test_code_has_no_comments_and_texts_and_keeps_its_length(self):
        self.assertEqual(len(self.code), len(SOURCE))
        self.assertEqual(self.code.count("{"), self.code.count("}"))
        self.assertNotIn("quote", self.code)
        self.assertIn("names.map", self.code)
        self.assertEqual([comment.line for comment in self.comments], [2, 17])

    def test_types_have_their_outer_types_names(self):
        kinds = [(one.kind, one.name) for one in self.types]
        expected = [("class", "Outer"), ("struct", "Outer.Inner"), ("extension", "Outer.Inner"), ("protocol", "Asked")]
        self.assertEqual(kinds, expected)
        self.assertEqual(self.types[0].inherits, ("Base", "Sendable"))

    def test_functions_are_members_of_the_type_around_them_with_their_lines(self):
        found = [(one.owner, one.name, one.lines, one.has_body) for one in self.functions]
        self.assertIn(("Outer", "long", 6, True), found)
        self.assertIn(("", "inner", 1, True), found)
        self.assertIn(("Outer.Inner", "subscript", 1, True), found)
        self.assertIn(("Asked", "ask", 1, False), found)
        self.assertEqual(len(found), 6)

    def test_stored_properties_are_neither_static_nor_computed(self):
        found = [one.name for one in self.properties]
        self.assertEqual(found, ["first", "second", "observed", "closure", "text"])


class FoldersTests(unittest.TestCase):
    def test_folders_that_name_types_of_each_other_are_a_cycle(self):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in (("A", "struct A { let b: B }"), ("B", "struct B { let c: C }"), ("C", "enum C { case a(A) }")):
                file = pathlib.Path(directory, name, f"{name}.swift")
                file.parent.mkdir()
                file.write_text(text)
            arrows = set(folders.arrows(folders.read(pathlib.Path(directory))))
        self.assertEqual(folders.cycles(arrows), [["A", "B", "C"]])
        self.assertEqual(folders.mutual(arrows), 0)


class ProseTests(unittest.TestCase):
    def test_sentences_end_at_full_stops_and_with_their_block(self):
        text = "# Head\n\nOne two, e.g. three. See [four](x.md) `five six`.\n\n- An item\n\n| a | b |\n\n```\nno code.\n```\n"
        found = list(prose.sentences(prose.blocks_of_document(text), "x.md"))
        self.assertEqual([(one.place, one.words) for one in found], [("x.md:3", 4), ("x.md:3", 3), ("x.md:5", 2)])


class WordsTests(unittest.TestCase):
    def test_uses_are_parts_of_identifiers_and_words_of_texts(self):
        octet = next(word for word in words.table() if word.instead == "octet")
        self.assertEqual(octet.in_code("let octetCount = max(octets, kOctet) // application/octet-stream"), 3)
        self.assertEqual(octet.in_prose("Octets of `octetCount`, not of an octet-stream."), 2)


if __name__ == "__main__":
    unittest.main()
