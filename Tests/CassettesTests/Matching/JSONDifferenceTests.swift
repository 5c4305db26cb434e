import JSON
import Settings
import Testing

@testable import Cassettes

/// What differs between JSON values.
struct JSONDifferenceTests {
    @Test(
        "a difference has its path and both values",
        arguments: [
            (#"{"a":1}"#, #"{"a":2}"#, ["$.a: 1 -> 2"]), (#"{"a":1}"#, "{}", ["$.a: removed, was 1"]),
            ("{}", #"{"a b":[]}"#, [#"$["a b"]: added []"#]), ("[1,2,3]", "[1,5,3]", ["$[1]: 2 -> 5"]),
            (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, []), ("[1,2,3]", "[1,3]", ["$[1]: removed, was 2"]),
            ("[1,3]", "[1,2,3]", ["$[1]: added 2"]), ("[1,1]", "[1]", ["$[1]: removed, was 1"]), ("[1]", "[1]", []),
            ("[1,2]", "[3,4,5,6]", ["$[0]: 1 -> 3", "$[1]: 2 -> 4", "$[2]: added 5", "$[3]: added 6"]),
            ("[0,1,2,3,9]", "[0,4,9]", ["$[1]: 1 -> 4", "$[2]: removed, was 2", "$[3]: removed, was 3"]),
            (#"{"a":{"b":[{"c":1}]}}"#, #"{"a":{"b":[{"c":null}]}}"#, ["$.a.b[0].c: 1 -> null"]),
            (#"{"a":1,"b":2,"d":4}"#, #"{"a":1,"c":3,"d":4}"#, ["$.b: removed, was 2", "$.c: added 3"]),
            ("1", "[1]", ["$: 1 -> [1]"]),
        ]
    )
    func changes(old: String, new: String, expected: [String]) throws {
        let values = try [old, new].map { try JSONReader.parse(Array($0.utf8)) }
        #expect(JSONDifference.changes(from: values[0], to: values[1]).map { $0.text(limit: 80) } == expected)
    }

    @Test(
        "a member is named as in a path if it is a plain word, else in quotes",
        arguments: [
            ("aZ_9z", ".aZ_9z"), ("_", "._"), ("9a", #"["9a"]"#), ("0", #"["0"]"#), ("", #"[""]"#),
            ("a-b", #"["a-b"]"#),
            ("a:", #"["a:"]"#), ("a/", #"["a/"]"#), ("a@", #"["a@"]"#), ("a[", #"["a["]"#), ("a`", #"["a`"]"#),
            ("a{", #"["a{"]"#), ("a^", #"["a^"]"#), ("ü", #"["ü"]"#),
        ]
    )
    func steps(name: String, step: String) {
        let changes = JSONDifference.changes(from: .object([]), to: .object([.init(name: name, value: .integer(1))]))
        #expect(changes.map(\.path) == ["$\(step)"])
    }
}
