import CommandTexts
import Formats
import HTTPCore
import JSON
import Platform
import Settings
import Terminal

/// Prints what happens to one resource: a line for each event, and below it what differs.
struct WatchPrinter {
    private let isJSON: Bool
    private let screen: Screen
    /// The content that was shown last.
    private var content: WatchedContent?

    init(isJSON: Bool, on screen: Screen = .output) {
        self.isJSON = isJSON
        self.screen = screen
    }

    /// Returns the text for an event; nil if people need not see it.
    ///
    /// - Parameters:
    ///   - current: the content now, for events that may have changed it.
    ///   - now: milliseconds since 1970 UTC.
    mutating func text(
        _ event: EventReader.Event,
        _ current: WatchedContent?,
        at now: Int64
    ) -> String? {
        let document = (try? JSONReader.parse(event.data)) ?? .null
        let old = content
        if let current { content = current }
        if isJSON { return json(event.name, document, old, current, now) }
        guard let sentence = Self.sentence(event.name, document, current) else { return nil }
        let lines = current.flatMap { new in old.map { new.difference(from: $0) } } ?? []
        let isSame = lines.isEmpty && event.name == "newData" && old != nil && current != nil
        let first = "\(TimeText.clock(now))  \(sentence)\(isSame ? "; the content is the same" : "")"
        let sentences = wrapped(Console.printable(first)).map { colored($0, color(event.name)) }
        return (sentences + lines.map { "  " + self.line($0) }).map { $0 + "\n" }.joined()
    }

    // MARK: For people

    /// The lines of a sentence, whose words a narrow terminal would cut.
    private func wrapped(_ text: String) -> [String] {
        guard let width = screen.width, text.count > width else { return [text] }
        return TextLines.wrapped(text, width: width)
    }

    private static func sentence(_ name: String, _ document: JSONValue, _ current: WatchedContent?) -> String? {
        switch name {
        case "snapshot":
            if let state = state(document) { return "now \(state)" }
            if let current { return "now stored, \(Table.Cell.readable(bytes: current.size))" }
            return document["isLoading"]?.isTrue == true ? "loading for the first time" : "nothing is stored yet"
        case "requested": return "loading"
        case "newData":
            guard let state = state(document) else { return "removed: nothing is stored" }
            let source = document["source"]?.text.map { $0 == "network" ? "" : " (\($0))" } ?? ""
            return "new\(source): \(state)"
        case "notModified": return "not modified: \(state(document) ?? "nothing is stored")"
        case "error":
            let reason = document["reason"]
            return "failed: \(reason?["message"]?.text ?? "no reason given")"
        case "requestCancelled": return "the load was cancelled"
        case "gap": return "events are missing here"
        default: return nil
        }
    }

    /// `200, 51 B, fresh for 10 min`.
    private static func state(_ document: JSONValue) -> String? {
        guard let status = document["status"]?.integer else { return nil }
        let size = Table.Cell.readable(bytes: document["size"]?.integer ?? 0)
        let seconds = document["ttlSeconds"]?.integer ?? 0
        let time = Table.Cell.readable(seconds: Int64(clamping: seconds.magnitude))
        let isFresh = document["state"]?.text == "fresh"
        return "\(status), \(size), \(isFresh ? "fresh" : "stale") for \(time)"
    }

    private func color(_ name: String) -> Int? {
        switch name {
        case "newData": 32
        case "error", "gap": 31
        default: nil
        }
    }

    /// A line of a difference.
    private func line(_ text: String) -> String {
        let text = Console.printable(text).shortened(to: screen.width.map { max(4, $0 - 2) })
        return switch text.first {
        case "+": colored(text, 32)
        case "-": colored(text, 31)
        case "@": colored(text, 36)
        default: text
        }
    }

    private func colored(_ text: String, _ color: Int?) -> String {
        guard screen.hasColor, let color else { return text }
        return "\u{1B}[\(color)m\(text)\u{1B}[0m"
    }

    // MARK: For programs

    private func json(
        _ name: String,
        _ document: JSONValue,
        _ old: WatchedContent?,
        _ current: WatchedContent?,
        _ now: Int64
    ) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("time", TimeText.date(now))
            writer.member("event", name)
            if case .object(let members) = document {
                for member in members {
                    writer.name(member.name)
                    writer.value(member.value)
                }
            }
            if let old, let current { current.writeDifference(from: old, to: &writer) }
        }
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
}
