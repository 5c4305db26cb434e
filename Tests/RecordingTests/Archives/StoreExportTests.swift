import JSON
import Platform
import TestSupport
import Testing

@testable import Recording

/// Exports of a store into an archive.
struct StoreExportTests {
    private let home = TemporaryDirectory()

    private static func object(_ text: String) throws -> JSONValue { try JSONReader.parse(Array(text.utf8)) }

    @Test("an export tells how many responses it has, and what it left out, by reason in order")
    func report() throws {
        let export = try StoreExport("\(home.path)/a.har", creator: "1")
        #expect(export.report == ["exported 0 responses"])
        try export.add(try Self.object(#"{"entries":[{"a":1}],"left":["too large","a part"]}"#))
        #expect(export.report == ["exported 1 response", "left out 1: a part", "left out 1: too large"])
        try export.add(try Self.object(#"{"entries":[{"a":2},{"a":3}],"left":["too large",7]}"#))
        try export.add(try Self.object("{}"))
        #expect(export.report == ["exported 3 responses", "left out 1: a part", "left out 2: too large"])
        try export.finish()
        let file = String(decoding: try SmallFile.read(home.path("a.har"), limit: 1 << 20), as: UTF8.self)
        let text = file.filter { !$0.isWhitespace }
        #expect(text.contains(#""a":1"#) && text.contains(#""a":3"#), "\(text)")
    }

    @Test("a resource that comes again, on another page, is asked for once")
    func pages() throws {
        let export = try StoreExport("\(home.path)/b.har", creator: "1")
        let page = try [#"{"id":"x"}"#, #"{"id":"y"}"#, #"{"other":1}"#, #"{"id":"x"}"#].map(Self.object)
        #expect(export.newIdentifiers(in: page) == ["x", "y"])
        #expect(export.newIdentifiers(in: [try Self.object(#"{"id":"y"}"#), try Self.object(#"{"id":"z"}"#)]) == ["z"])
        export.discard()
    }

    @Test("the requests of an import hold an entry each, and whether another tool has written it")
    func imported() throws {
        let export = try StoreExport("\(home.path)/c.har", creator: "1")
        export.discard()
        let entry =
            #"{"startedDateTime":"2026-01-01T00:00:00Z","time":1,"request":{"method":"GET","url":"http://a.example/","#
            + #""headers":[]},"response":{"status":200,"statusText":"OK","headers":[],"content":{"size":1,"text":"x"}}}"#
        let path = try home.write(
            #"{"log":{"version":"1.2","creator":{"name":"x"},"entries":[\#(entry)]}}"#,
            to: "d.har"
        )
        let requests = try ArchiveInput(path).requests.map { ($0.title, try JSONReader.parse($0.json)) }
        #expect(requests.map(\.0) == ["GET http://a.example/"])
        #expect(requests.first?.1["isForeign"] == .boolean(true))
        #expect(requests.first?.1["entry"]?["request"]?["method"] == .text("GET"))
    }
}
