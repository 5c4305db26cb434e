import CommandTexts
import JSON
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// What `respite watch` shows of content that has changed.
@Suite struct WatchTests {
    private static func content(_ text: String) -> WatchedContent { WatchedContent(Array(text.utf8), isCoded: false) }

    @Test(
        "JSON is compared by path",
        arguments: [
            (#"{"a":{"b":5}}"#, #"{"a":{"b":6}}"#, ["$.a.b: 5 -> 6"]),
            (#"{"a":1}"#, #"{"b":[2]}"#, ["$.a: removed, was 1", "$.b: added [2]"]),
            (#"[1,2,3,4]"#, #"[1,9,3,4]"#, ["$[1]: 2 -> 9"]),
            (#"[1,2,4]"#, #"[1,2,3,4]"#, ["$[2]: added 3"]),
            (#"[1,2,3,4]"#, #"[1,4]"#, ["$[1]: removed, was 2", "$[2]: removed, was 3"]),
            (#"[{"p":5},{"p":1}]"#, #"[{"p":6},{"p":1}]"#, ["$[0].p: 5 -> 6"]),
            (#"{"a b":1,"1":1}"#, #"{"a b":2,"1":2}"#, [#"$["a b"]: 1 -> 2"#, #"$["1"]: 1 -> 2"#]),
            (#"{"a":null}"#, #"{"a":"x"}"#, [#"$.a: null -> "x""#]), (#"{"a":1, "b":2}"#, #"{ "a":1,"b":2}"#, []),
        ]
    )
    func json(old: String, new: String, expected: [String]) {
        #expect(Self.content(new).difference(from: Self.content(old)) == expected)
    }

    @Test("texts of many lines that all differ are told as a whole, in bounded time, and cut")
    func large() {
        let old = (1...20_000).map { "a\($0)" }.joined(separator: "\n")
        let new = (1...20_000).map { "b\($0)" }.joined(separator: "\n")
        let lines = Self.content(new).difference(from: Self.content(old))
        #expect(lines.count == 101 && lines.last == "… and 39901 more lines")
    }

    @Test("other content is told by size and hash; what was not read, by size")
    func binary() {
        let old = WatchedContent([0, 1], isCoded: false)
        let new = WatchedContent([0, 2, 3], isCoded: false)
        #expect(new.difference(from: old) == ["2 B (sha256 b413f47d13ee…) -> 3 B (sha256 e9969bdc6774…)"])
        #expect(WatchedContent.unread(size: 5 << 20).difference(from: .unread(size: 4 << 20)) == ["4.0 MiB -> 5.0 MiB"])
        #expect(WatchedContent(Array("{}".utf8), isCoded: true) != Self.content("{}"))
    }

    private static func event(_ name: String, _ data: String) -> EventReader.Event {
        EventReader.Event(name: name, data: Array(data.utf8))
    }

    private static let state = #"{"status":200,"size":7,"state":"fresh","ttlSeconds":61}"#

    @Test("each event is a line with its time, and below new data stands what differs")
    func events() {
        let screen = Screen(isTerminal: true, columns: 80, environment: ["NO_COLOR": "1"])
        var printer = WatchPrinter(isJSON: false, on: screen)
        let now: Int64 = 1_700_000_000_123
        let first = printer.text(Self.event("snapshot", Self.state), Self.content(#"{"a":1}"#), at: now)
        #expect(first == "22:13:20  now 200, 7 B, fresh for 1 min 1 s\n")
        let same = printer.text(Self.event("newData", Self.state), Self.content(#"{"a":1}"#), at: now)
        #expect(same?.hasSuffix("; the content is the same\n") == true)
        let long = String(repeating: "x", count: 90)
        let other = printer.text(Self.event("newData", Self.state), Self.content("{\"a\":\"\(long)\"}"), at: now)
        let lines = other?.split(separator: "\n") ?? []
        #expect(
            lines.count == 2 && lines[1].hasPrefix("  $.a: 1 -> ") && lines[1].contains("…") && lines[1].count <= 80,
            "\(lines)"
        )
        #expect(printer.text(Self.event("durable", Self.state), nil, at: now) == nil)
        #expect(printer.text(Self.event("newData", "{}"), nil, at: now) == "22:13:20  removed: nothing is stored\n")
        var narrow = WatchPrinter(isJSON: false, on: Screen(isTerminal: true, columns: 20, environment: [:]))
        let wrapped = narrow.text(Self.event("snapshot", Self.state), nil, at: now)
        #expect(wrapped == "22:13:20 now 200, 7\nB, fresh for 1 min 1\ns\n")
        let failed = printer.text(Self.event("error", #"{"reason":{"message":"no \u001b[2J"}}"#), nil, at: now)
        #expect(failed == "22:13:20  failed: no \u{FFFD}[2J\n")
    }

    @Test("with --json each event is one line, with the changes as values")
    func lines() throws {
        var printer = WatchPrinter(isJSON: true, on: .none)
        _ = printer.text(Self.event("snapshot", Self.state), Self.content(#"{"a":1}"#), at: 0)
        let text = printer.text(Self.event("newData", Self.state), Self.content(#"{"a":2}"#), at: 1_709_210_096_007)
        let json = try JSONReader.parse(Array((text ?? "").utf8))
        #expect(json["event"]?.text == "newData" && json["time"]?.text == "2024-02-29T12:34:56.007Z")
        #expect(json["changes"]?.elements.first?["new"]?.integer == 2 && text?.hasSuffix("}\n") == true)
    }

    @Test("a moment as text is the moment that is read from it", arguments: [0, 951_782_399_999, 1_709_210_096_007])
    func times(moment: Int64) { #expect(AnsweredRequest.milliseconds(TimeText.date(moment)) == moment) }
}
