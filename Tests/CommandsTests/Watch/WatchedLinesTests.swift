import Formats
import JSON
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// What `respite watch` makes of contents and events.
@Suite struct WatchedLinesTests {
    private static func content(_ text: String) -> WatchedContent { WatchedContent(Array(text.utf8), isCoded: false) }

    @Test("content is JSON if it begins so and is right, text if it has no control characters, else bytes")
    func kinds() {
        for text in [" \t\r\n{}", "[1]"] {
            guard case .json(_, let size) = Self.content(text) else {
                Issue.record("\(text)")
                continue
            }
            #expect(size == text.utf8.count)
        }
        for text in ["", "{", "1", "\"a\"", "a\tb\n\u{C}\r", "é~"] {
            #expect(Self.content(text) == .text(text, size: Int64(text.utf8.count)))
        }
        for bytes in [[0x0B], [0x1F], [0x08], [0x0E], [0xFF], [0x41, 0]] as [[UInt8]] {
            guard case .binary(let size, _) = WatchedContent(bytes, isCoded: false) else {
                Issue.record("\(bytes)")
                continue
            }
            #expect(size == bytes.count)
        }
        guard case .binary(2, _) = WatchedContent(Array("{}".utf8), isCoded: true) else {
            Issue.record("coded content is read")
            return
        }
    }

    @Test("a hundred lines of a difference are shown, and how many more there are")
    func most() {
        func text(_ count: Int) -> WatchedContent {
            Self.content("{" + (0..<count).map { "\"a\($0)\":1" }.joined(separator: ",") + "}")
        }
        #expect(text(100).difference(from: text(0)).count == 100)
        let more = text(101).difference(from: text(0))
        #expect(more.count == 101 && more.last == "… and 1 more line" && more[99] == "$.a99: added 1")
        var writer = JSONWriter()
        writer.object { text(101).writeDifference(from: text(0), to: &$0) }
        #expect((try? JSONReader.parse(writer.bytes))?["changes"]?.elements.count == 100)
    }

    private static func json(_ new: WatchedContent, from old: WatchedContent) -> String {
        var writer = JSONWriter()
        writer.object { new.writeDifference(from: old, to: &$0) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("a difference as JSON has the changes, the lines, or the sizes")
    func differences() {
        #expect(
            Self.json(Self.content(#"{"a":1,"c":3}"#), from: Self.content(#"{"a":2,"b":4}"#))
                == #"{"changes":[{"path":"$.a","old":2,"new":1},{"path":"$.b","old":4},{"path":"$.c","new":3}]}"#
        )
        let lines = Self.json(Self.content("b\n"), from: Self.content("a\n"))
        #expect(lines.hasPrefix(#"{"diff":["@@"#) && lines.contains(#""-a""#) && lines.contains(#""+b""#))
        #expect(
            Self.json(WatchedContent([0], isCoded: false), from: .unread(size: 5)) == """
                {"old":{"size":5},"new":{"size":1,\
                "sha256":"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"}}
                """
        )
        #expect(Self.json(.unread(size: 5), from: .unread(size: 5)) == "{}")
    }

    private static func sentence(_ name: String, _ data: String, _ content: WatchedContent? = nil) -> String? {
        var printer = WatchPrinter(isJSON: false, on: Screen(isTerminal: true, columns: 80, environment: [:]))
        return printer.text(EventReader.Event(name: name, data: Array(data.utf8)), content, at: 0)
    }

    private static let stale = #"{"status":404,"size":2048,"state":"stale","ttlSeconds":-61,"source":"override"}"#

    @Test("each event has its sentence, and its colour")
    func sentences() {
        func line(_ text: String, _ color: Int? = nil) -> String {
            let text = "00:00:00  \(text)"
            return (color.map { "\u{1B}[\($0)m\(text)\u{1B}[0m" } ?? text) + "\n"
        }
        #expect(Self.sentence("snapshot", "{}") == line("nothing is stored yet"))
        #expect(Self.sentence("snapshot", #"{"isLoading":true}"#) == line("loading for the first time"))
        #expect(Self.sentence("snapshot", "{}", .unread(size: 5)) == line("now stored, 5 B"))
        #expect(Self.sentence("snapshot", Self.stale) == line("now 404, 2.0 KiB, stale for 1 min 1 s"))
        #expect(Self.sentence("requested", "{}") == line("loading"))
        #expect(Self.sentence("newData", Self.stale) == line("new (override): 404, 2.0 KiB, stale for 1 min 1 s", 32))
        #expect(
            Self.sentence("newData", #"{"status":200,"source":"network"}"#) == line("new: 200, 0 B, stale for 0 s", 32)
        )
        #expect(Self.sentence("newData", "{}") == line("removed: nothing is stored", 32))
        #expect(Self.sentence("notModified", "{}") == line("not modified: nothing is stored"))
        #expect(Self.sentence("notModified", Self.stale) == line("not modified: 404, 2.0 KiB, stale for 1 min 1 s"))
        #expect(Self.sentence("error", "{}") == line("failed: no reason given", 31))
        #expect(Self.sentence("requestCancelled", "no JSON") == line("the load was cancelled"))
        #expect(Self.sentence("gap", "") == line("events are missing here", 31))
        #expect(Self.sentence("other", "{}") == nil)
    }

    @Test("what was added is green, what was removed red, and where it is cyan")
    func colors() {
        var printer = WatchPrinter(isJSON: false, on: Screen(isTerminal: true, columns: 200, environment: [:]))
        let event = EventReader.Event(name: "newData", data: Array(Self.stale.utf8))
        let first = printer.text(event, Self.content("a\nb\n"), at: 0)
        #expect(first?.contains("the same") == false)
        let lines = printer.text(event, Self.content("a\nc\n"), at: 0)?.split(separator: "\n") ?? []
        #expect(lines.contains("  \u{1B}[32m+c\u{1B}[0m") && lines.contains("  \u{1B}[31m-b\u{1B}[0m"))
        #expect(lines.contains { $0.hasPrefix("  \u{1B}[36m@@") } && lines.contains("   a"))
        // An event without content changes nothing of what is compared.
        #expect(printer.text(event, nil, at: 0)?.contains("the same") == false)
        let other = EventReader.Event(name: "notModified", data: Array(Self.stale.utf8))
        #expect(printer.text(other, Self.content("a\nc\n"), at: 0)?.contains("the same") == false)
        #expect(printer.text(event, Self.content("a\nc\n"), at: 0)?.contains("; the content is the same") == true)
    }
}
