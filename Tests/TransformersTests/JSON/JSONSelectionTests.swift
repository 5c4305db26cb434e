import Testing

@testable import Transformers

/// Which values of a JSON text are selected.
struct JSONSelectionTests {
    private static func texts(_ json: String, paths: [String] = [], names: [String] = []) throws -> [String]? {
        let bytes = Array(json.utf8)
        return try JSONSelection(paths: paths, names: names).ranges(in: bytes)?
            .map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test("values of paths are selected in the order of the text; one inside another is not selected again")
    func paths() throws {
        let json = #"{"b": {"c": [1, 2]}, "a": "x", "B": null}"#
        #expect(try Self.texts(json, paths: ["/a", "$..c", "$.b"]) == [#"{"c": [1, 2]}"#, #""x""#, "null"])
        #expect(try Self.texts(json, paths: ["$.z"]) == [])
    }

    @Test("members of a name are selected in any case, wherever they stand, if they are strings with content")
    func names() throws {
        let json = #"[{"Key": "x", "k": {"KEY": "y"}}, {"key": 1}, {"key": ""}, {"key": {"a": "z"}}]"#
        #expect(try Self.texts(json, names: ["key"]) == [#""x""#, #""y""#])
    }

    @Test("what is no JSON has no selection; where a filter finds a name twice, all is selected")
    func others() throws {
        #expect(try Self.texts("{", paths: ["$.a"]) == nil)
        #expect(try Self.texts(#"[{"a": 1, "a": 2}]"#, paths: ["$[?@.a > 1]"]) == [#"[{"a": 1, "a": 2}]"#])
    }
}
