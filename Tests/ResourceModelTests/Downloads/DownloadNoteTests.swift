import HTTPCore
import ResourceDoubles
import Testing

@testable import ResourceModel

@Suite("Notes about parts of downloads")
struct DownloadNoteTests {
    private static let dates = (changed: "Sun, 06 Nov 1994 08:49:36 GMT", later: "Sun, 06 Nov 1994 08:49:37 GMT")

    private func note(_ lines: [(String, String)]) -> DownloadNote? {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        return DownloadNote(ResponseHead(status: 200, fields: fields), of: World.uri("/a"))
    }

    @Test(
        "only a strong tag, or a date of change before the response, proves bytes (RFC 9110 §13.1.5)",
        arguments: [
            ([("ETag", "\"1\"")], "\"1\""), ([("ETag", "W/\"1\"")], nil), ([("ETag", "1")], nil), ([], nil),
            ([("ETag", "\"1")], nil), ([("ETag", "1\"")], nil),
            ([("Last-Modified", dates.changed)], nil),
            ([("Last-Modified", dates.changed), ("Date", dates.later)], dates.changed),
            ([("Last-Modified", dates.changed), ("Date", dates.changed)], nil),
            ([("Last-Modified", "yesterday"), ("Date", dates.later)], nil),
            ([("Last-Modified", dates.changed), ("Date", dates.later), ("ETag", "\"1\"")], "\"1\""),
            ([("Last-Modified", dates.changed), ("Date", dates.later), ("ETag", "W/\"1\"")], dates.changed),
        ] as [([(String, String)], String?)]
    )
    func validators(lines: [(String, String)], expected: String?) { #expect(note(lines)?.validator == expected) }

    @Test("a note is read as it was written; one that is cut anywhere is none")
    func text() throws {
        var note = try #require(self.note([("ETag", "\"a b\""), ("Content-Length", "10")]))
        #expect(note.synced == 0 && DownloadNote(parsing: note.text) == note)
        note.synced = 4
        #expect(note.total == 10 && DownloadNote(parsing: note.text) == note)
        for count in 0..<(note.text.count - 1) {
            #expect(DownloadNote(parsing: String(note.text.prefix(count))) == nil, "\(count)")
        }
        for beginning in ["other 1\n", "\n"] { #expect(DownloadNote(parsing: beginning + note.text) == nil) }
    }

    @Test("what a note does not say is not known; lines that it cannot read do not matter")
    func unknown() throws {
        let text =
            "respite-part 1\nurl http://h.example/a\nvalidator \"a\"\n\nword\nsynced x\nlater one two\nend of note\n"
        let note = try #require(DownloadNote(parsing: text))
        #expect(note.url == "http://h.example/a" && note.validator == "\"a\"")
        #expect(note.total == nil && note.boot == nil && note.synced == 0)
    }

    @Test("after a restart of the system only bytes on the disk count; one byte is left to ask for")
    func usable() throws {
        var note = try #require(self.note([("ETag", "\"1\""), ("Content-Length", "10")]))
        #expect(note.boot != nil)
        #expect(note.usable(of: 7) == 7 && note.usable(of: 10) == 9 && note.usable(of: 12) == 9)
        note.synced = 4
        note.boot = "another"
        #expect(note.usable(of: 7) == 4 && note.usable(of: 2) == 2)
        note.boot = nil
        note.synced = 0
        #expect(note.usable(of: 7) == 0)
    }
}
