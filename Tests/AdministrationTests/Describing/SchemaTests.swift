import Formats
import JSON
import Testing

@testable import Administration

/// How schemas and parameters stand in the document.
@Suite struct SchemaTests {
    private static func json(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object { body(&$0) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static let members: [SchemaMember] = [
        .required("a", .text, "The first."), .optional("b", .boolean), .required("c", .count),
    ]

    private static let cases: [(Schema, String)] = [
        (.text, #"{"type":"string"}"#),
        (.url, #"{"type":"string","format":"uri","pattern":"^[Hh][Tt][Tt][Pp][Ss]?://"}"#),
        (.word(["a", "b"]), #"{"type":"string","enum":["a","b"]}"#),
        (.integer(1, 9), #"{"type":"integer","minimum":1,"maximum":9}"#),
        (.count, #"{"type":"integer","minimum":0}"#), (.whole, #"{"type":"integer"}"#),
        (.share, #"{"type":"number","minimum":0,"maximum":1}"#), (.boolean, #"{"type":"boolean"}"#),
        (.list(.boolean), #"{"type":"array","items":{"type":"boolean"}}"#),
        (.pair, #"{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":2}"#),
        (
            .object(members),
            #"{"type":"object","properties":{"a":{"type":"string","description":"The first."},"#
                + #""b":{"type":"boolean"},"c":{"type":"integer","minimum":0}},"required":["a","c"]}"#
        ),
        (.object([]), #"{"type":"object","properties":{}}"#),
        (
            .exactObject([.optional("b", .boolean)]),
            #"{"type":"object","properties":{"b":{"type":"boolean"}},"additionalProperties":false}"#
        ),
        (.either([.text, .boolean]), #"{"oneOf":[{"type":"string"},{"type":"boolean"}]}"#),
        (.nullable(.text), #"{"anyOf":[{"type":"string"},{"type":"null"}]}"#),
        (.named(NamedSchema("N", "A name.", members)), ##"{"$ref":"#/components/schemas/N"}"##),
        (.null, #"{"type":"null"}"#), (.anything, "{}"),
    ]

    @Test("each kind of schema is written in the words of JSON Schema")
    func kinds() {
        for (schema, expected) in Self.cases { #expect(Self.json { schema.write(to: &$0) } == expected) }
    }

    @Test("a schema refers to what is named in it, however deep")
    func references() {
        let named = NamedSchema("N", "A name.", [])
        let schema = Schema.either([
            .list(.named(named)), .nullable(.exactObject([.required("a", .object([.optional("b", .named(named))]))])),
            .text,
        ])
        #expect(schema.references.map(\.name) == ["N", "N"])
    }

    @Test("a parameter has its place, its schema and what it is without being given")
    func parameters() {
        let limit = Parameter.query("limit", .integer(1, 5), "The most.", usual: 3)
        #expect(
            Self.json { limit.write(to: &$0) } == #"{"name":"limit","in":"query","description":"The most.","#
                + #""schema":{"type":"integer","minimum":1,"maximum":5,"default":3}}"#
        )
        let line = Parameter.query("line", .text, "A line.", isRequired: true, isRepeatable: true)
        #expect(
            Self.json { line.write(to: &$0) } == #"{"name":"line","in":"query","description":"A line.","#
                + #""required":true,"schema":{"type":"array","items":{"type":"string"}}}"#
        )
        let id = Parameter.path("id", "A name.")
        #expect(
            Self.json { id.write(to: &$0) } == #"{"name":"id","in":"path","description":"A name.","#
                + #""required":true,"schema":{"type":"string"}}"#
        )
        let last = Parameter.header("Last", "The last.")
        #expect(
            Self.json { last.write(to: &$0) } == #"{"name":"Last","in":"header","description":"The last.","#
                + #""schema":{"type":"string"}}"#
        )
    }

    @Test("the range of an integer has both its ends, and nothing else has one")
    func ranges() {
        func range(_ schema: Schema) -> ClosedRange<Int>? { Parameter.query("a", schema, "A.").range }
        #expect(range(.integer(2, 2)) == 2...2 && range(.integer(-1, 7)) == -1...7)
        for schema in [Schema.integer(3, 2), .count, .whole, .integer(nil, 3), .text, .share] {
            #expect(range(schema) == nil)
        }
    }
}
