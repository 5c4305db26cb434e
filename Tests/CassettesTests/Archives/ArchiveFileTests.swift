import HTTPCore
import JSON
import Settings
import Testing

@testable import Cassettes

/// HAR files that are written and read entry by entry.
@Suite struct ArchiveFileTests {
    private static func entry(_ path: String, content: String = "text", isPrivate: Bool = false) -> ArchivedEntry {
        ArchivedEntry(
            CassetteEntry(
                started: "2026-01-31T12:00:00Z",
                waited: 1500,
                request: CassetteRequest(method: "GET", url: "http://a.example\(path)"),
                response: CassetteResponse(
                    status: 200,
                    fields: [CassetteField("Content-Type", "text/plain")],
                    content: Array(content.utf8)
                )
            ),
            isPrivate: isPrivate
        )
    }

    private static func file(_ entries: [ArchivedEntry]) -> [UInt8] {
        var bytes = ArchiveText.beginning(creator: "1.2.3")
        for (index, entry) in entries.enumerated() { bytes += ArchiveText.element(entry.json, isFirst: index == 0) }
        return bytes + ArchiveText.end(isEmpty: entries.isEmpty)
    }

    @Test("a file of any number of entries is HAR, and gives them back", arguments: 0...3)
    func roundTrip(count: Int) throws {
        let entries = (0..<count).map { Self.entry("/\($0)", content: "\u{0}\($0)", isPrivate: $0 == 1) }
        let reader = try ArchiveReader(Self.file(entries))
        #expect(!reader.isForeign && reader.entries.count == count)
        let read = try reader.entries.map { try ArchivedEntry(JSONCursor($0), isForeign: false) }
        #expect(read == entries)
        if let first = reader.entries.first { #expect(ArchiveReader.title(of: first) == "GET http://a.example/0") }
    }

    @Test("an export is a cassette, too, in the same layout")
    func cassette() throws {
        let entries = [Self.entry("/a"), Self.entry("/b")]
        let file = Self.file(entries)
        let cassette = try Cassette(har: file)
        #expect(cassette.entries == entries.map(\.entry))
        let same = cassette.har(creator: "1.2.3").filter { $0 != 0x20 && $0 != 0x0A }
        let own = String(decoding: same, as: UTF8.self).replacing(#/"order":\d/#, with: "")
        #expect(String(decoding: file.filter { $0 != 0x20 && $0 != 0x0A }, as: UTF8.self) == own)
    }

    @Test(
        "what is no HAR file of a known version is refused with its place",
        arguments: [
            ("", "line"), ("{\"log\":{\"version\":\"1.2\",\"entries\":[", "line"), ("{}", "$.log"), ("[]", "$.log"),
            ("{\"log\":{\"version\":\"2.0\",\"entries\":[]}}", "$.log.version"), ("{\"log\":{}}", "$.log.entries"),
            ("{\"log\":{\"entries\":{}}}", "$.log.entries"),
        ]
    )
    func faults(text: String, place: String) {
        let error = #expect(throws: CassetteError.self) { try ArchiveReader(Array(text.utf8)) }
        #expect(error?.place.hasPrefix(place) == true, "\(String(describing: error))")
        #expect(error?.userMessage.isEmpty == false)
    }

    @Test("of another tool's entry, members of its own are left out, however deep; a byte order mark is, too")
    func foreign() throws {
        let deep = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        let entry = "{\"_initiator\":\(deep),\"request\":{\"method\":\"GET\"}}"
        let text = "{\"log\":{\"version\":\"1.2\",\"entries\":[\(entry)]}}"
        let reader = try ArchiveReader([0xEF, 0xBB, 0xBF] + Array(text.utf8))
        #expect(reader.isForeign && reader.entries[0]["_initiator"] == nil)
        #expect(ArchiveReader.title(of: reader.entries[0]) == "GET ?")
        #expect(ArchiveReader.title(of: .null) == "? ?")
    }

    @Test(
        "an entry whose content was not recorded is refused; empty content is content",
        arguments: [
            (#"{"size":5}"#, false), (#"{}"#, false), (#"{"size":0}"#, true), (#"{"size":5,"text":""}"#, true),
            (#"{"size":1,"text":"eA==","encoding":"base64"}"#, true),
            (#"{"size":1,"text":"e","encoding":"base64"}"#, false),
        ]
    )
    func content(text: String, isRead: Bool) throws {
        let json = """
            {"startedDateTime":"2026-01-31T12:00:00Z","request":{"method":"GET","url":"http://a.example/"},
             "response":{"status":200,"content":\(text)}}
            """
        let cursor = JSONCursor(try JSONReader.parse(Array(json.utf8)))
        #expect(((try? ArchivedEntry(cursor, isForeign: true)) != nil) == isRead)
    }

    @Test(
        "times are ISO 8601 with a zone; a fraction does not count",
        arguments: [
            ("2026-01-31T12:00:00Z", 1_769_860_800), ("2026-01-31T12:00:00.999Z", 1_769_860_800),
            ("2026-01-31T13:30:00+01:30", 1_769_860_800), ("2026-01-31T05:00:00.5-0700", 1_769_860_800),
            ("1970-01-01T00:00:00Z", 0), ("2026-02-30T12:00:00Z", nil), ("2026-01-31T12:00:00", nil),
            ("2026-01-31", nil), ("yesterday", nil), ("2026-01-31T12:00:00+99:00", nil), ("", nil),
            ("2026-01-31T1x:00:00Z", nil),
        ] as [(String, Int64?)]
    )
    func times(text: String, seconds: Int64?) {
        #expect(ArchiveTime.date(text)?.seconds == seconds)
        if let seconds { #expect(ArchiveTime.date(ArchiveTime.text(HTTPDate(seconds: seconds)))?.seconds == seconds) }
    }

    @Test("an entry was received when its response came, whole seconds later")
    func received() {
        #expect(Self.entry("/").received?.seconds == 1_769_860_802 && Self.entry("/").delay == 2)
    }

    // MARK: Sentences and limits

    @Test(
        "what is wrong with a file is told with the versions that are read, or with a remedy if the file is cut",
        arguments: [
            (
                #"{"log":{"version":"2.0","entries":[]}}"#,
                "$.log.version: is 2.0, and this Respite reads HAR 1.1 and 1.2"
            ),
            (#"{"log":{}}"#, "$.log.entries: is missing"),
            (
                #"{"log": {"entries": ["#,
                "line 1, column 21: ends too early; the file is cut off or was edited"
            ),
        ]
    )
    func sentences(text: String, message: String) {
        let error = #expect(throws: CassetteError.self) { try ArchiveReader(Array(text.utf8)) }
        #expect(error?.description == message)
    }

    @Test("a file without a version is read, and so is one of each known version", arguments: ["", "1.1", "1.2"])
    func versions(version: String) throws {
        let member = version.isEmpty ? "" : "\"version\":\"\(version)\","
        #expect(try ArchiveReader(Array("{\"log\":{\(member)\"entries\":[null]}}".utf8)).entries == [.null])
    }

    @Test("the members of an entry may be 508 levels deep, and no more", arguments: [(508, true), (509, false)])
    func depth(levels: Int, isRead: Bool) {
        let deep = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let text = "{\"log\":{\"entries\":[{\"_x\":\(deep)}]}}"
        #expect(((try? ArchiveReader(Array(text.utf8))) != nil) == isRead)
    }

    @Test(
        "an entry without its content is refused at the content, or at the response if that has none",
        arguments: [(#","content":{}"#, "$.response.content"), ("", "$.response")]
    )
    func missingContent(content: String, path: String) throws {
        let text = #"{"request":{"method":"GET","url":"http://a.example/"},"response":{"status":200\#(content)}}"#
        let cursor = JSONCursor(try JSONReader.parse(Array(text.utf8)))
        let error = #expect(throws: JSONError.self) { try ArchivedEntry(cursor, isForeign: true) }
        #expect(error?.path == path)
        #expect(error?.userMessage == "has no text: the tool has not recorded the content")
    }
}
