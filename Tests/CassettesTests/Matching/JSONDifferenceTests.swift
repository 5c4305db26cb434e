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
            (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, []),
        ]
    )
    func changes(old: String, new: String, expected: [String]) throws {
        let values = try [old, new].map { try JSONReader.parse(Array($0.utf8)) }
        #expect(JSONDifference.changes(from: values[0], to: values[1]).map { $0.text(limit: 80) } == expected)
    }
}
