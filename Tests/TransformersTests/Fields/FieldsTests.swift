import HTTPCore
import Transforms
import Testing

@testable import Transformers

@Suite("Field rules")
struct FieldsTests {
    typealias Line = FieldsTransformer.Line

    private func apply(_ transformer: FieldsTransformer, _ lines: [(String, String)]) throws -> [String] {
        var response = EntityHead(status: 200, fields: fields(lines))
        var run = Run()
        #expect(try run.transform(transformer, &response, [1]) == nil)
        return response.fields.lines.map {
            String(decoding: response.fields.name(of: $0), as: UTF8.self) + "="
                + String(decoding: response.fields.value(of: $0), as: UTF8.self)
        }
    }

    @Test("fields are removed, then set, then added")
    func order() throws {
        let transformer = try FieldsTransformer(
            set: [Line(name: "X-A", value: "new")],
            add: [Line(name: "x-a", value: "more"), Line(name: "X-C", value: "")],
            remove: ["X-B", "x-c"]
        )
        let before = [("X-A", "1"), ("x-b", "2"), ("X-a", "3"), ("X-C", "4"), ("Y", "5")]
        #expect(try apply(transformer, before) == ["Y=5", "X-A=new", "x-a=more", "X-C="])
    }

    @Test(
        "`*` in a name to remove matches any characters",
        arguments: [
            ("X-*", ["Y=1"]), ("*-a", ["X-Bb=1", "X-=1", "Y=1"]), ("x-*b*", ["X-A=1", "X-=1", "Y=1"]),
            ("**", []), ("y", ["X-A=1", "X-Bb=1", "X-=1"]), ("x-*a*a", ["X-A=1", "X-Bb=1", "X-=1", "Y=1"]),
        ]
    )
    func patterns(pattern: String, left: [String]) throws {
        let before = [("X-A", "1"), ("X-Bb", "1"), ("X-", "1"), ("Y", "1")]
        #expect(try apply(FieldsTransformer(remove: [pattern]), before) == left)
    }

    @Test("a pattern matches neither framing fields nor Set-Cookie")
    func protection() throws {
        let before = [
            ("Content-Length", "1"), ("Transfer-Encoding", "chunked"), ("Connection", "close"), ("Via", "1.1 x"),
            ("Sec-WebSocket-Accept", "x"),
            ("Cache-Status", "x"), ("Content-Encoding", "gzip"), ("Set-Cookie", "a=b"), ("Age", "1"), ("X", "y"),
        ]
        let left = try apply(FieldsTransformer(remove: ["*"]), before)
        #expect(left == before.dropLast().map { "\($0.0)=\($0.1)" })
        #expect(try apply(FieldsTransformer(remove: ["set-cookie"]), [("Set-Cookie", "a=b")]) == [])
        #expect(try apply(FieldsTransformer(remove: ["set-cooki*"]), [("Set-Cookie", "a=b")]) == ["Set-Cookie=a=b"])
    }

    @Test(
        "naming a protected field is an error",
        arguments: [
            "Content-Length", "transfer-encoding", "Trailer", "Connection", "Keep-Alive", "Upgrade", "TE",
            "Proxy-Authenticate", "Content-Encoding", "Content-Range", "Content-MD5", "Cache-Status", "Via", "Age",
        ]
    )
    func refused(name: String) {
        #expect(throws: TransformerOptionError.self) { try FieldsTransformer(set: [Line(name: name, value: "1")]) }
        #expect(throws: TransformerOptionError.self) { try FieldsTransformer(add: [Line(name: name, value: "1")]) }
        #expect(throws: TransformerOptionError.self) { try FieldsTransformer(remove: [name]) }
    }

    @Test(
        "invalid names and values are rejected",
        arguments: [
            ("", "1"), ("a b", "1"), ("a:", "1"), ("é", "1"), ("X-*", "1"), ("X", "a\r\nb"), ("X", "\0"), ("X", " a"),
            ("X", "a\t"), ("X", "\u{7F}"),
        ]
    )
    func grammar(name: String, value: String) {
        #expect(throws: TransformerOptionError.self) { try FieldsTransformer(set: [Line(name: name, value: value)]) }
    }

    @Test("an empty rule, an invalid name to remove and a name set twice are rejected")
    func options() throws {
        #expect(throws: TransformerOptionError.self) { try FieldsTransformer() }
        #expect(throws: TransformerOptionError.self) { try FieldsTransformer(remove: ["a b"]) }
        #expect(throws: TransformerOptionError.self) {
            try FieldsTransformer(set: [Line(name: "X", value: "1"), Line(name: "x", value: "2")])
        }
        let error = #expect(throws: TransformerOptionError.self) { try FieldsTransformer(remove: ["Via"]) }
        #expect(error?.userMessage == "`fields` cannot change `Via`: it reports how the response was handled")
    }

    @Test("the fingerprint covers each option")
    func fingerprints() throws {
        let rules = [
            try FieldsTransformer(set: [Line(name: "a", value: "b")]),
            try FieldsTransformer(add: [Line(name: "a", value: "b")]),
            try FieldsTransformer(set: [Line(name: "a", value: "c")]),
            try FieldsTransformer(set: [Line(name: "a", value: ""), Line(name: "b", value: "")]),
            try FieldsTransformer(remove: ["a"]), try FieldsTransformer(remove: ["a", "b"]),
        ]
        #expect(Set(rules.map(\.fingerprint)).count == rules.count)
    }
}
