import Eventing
import HTTPCore
import Platform
import Terminal

/// How far a transfer is: one line at the terminal of standard error.
struct TransferProgress {
    /// The least time between two drawings.
    private static let interval = Duration.milliseconds(100)
    /// A transfer that is over sooner shows nothing.
    private static let silence = Duration.milliseconds(300)
    private static let width = 30

    private let screen: Screen
    private let start: MonotonicTime
    /// The length of the content; nil: unknown.
    var total: Int64?
    private(set) var count: Int64 = 0
    private var drawnAt: MonotonicTime?

    /// - Parameter screen: where the line is drawn; on none, nothing is.
    init(on screen: Screen, at start: MonotonicTime) {
        self.screen = screen
        self.start = start
    }

    mutating func add(_ more: Int) { count += Int64(more) }

    /// `[######----] 62 %   123 MiB of 200 MiB   4.2 MiB/s   18 s left`, as much as there is room for.
    func line(at now: MonotonicTime) -> String {
        let seconds = max(0.001, Double((now - start).wholeNanoseconds) / 1e9)
        let rate = Double(count) / seconds
        let size = Table.Cell.readable(bytes: count)
        let speed = "\(Table.Cell.readable(bytes: Int64(rate)))/s"
        guard let total, total > 0 else { return fitting([size, speed]) }
        let width = min(Self.width, (screen.width ?? .max) / 3)
        let share = min(1, Double(count) / Double(total))
        let filled = Int(share * Double(width))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
        let left = rate > 0 ? Int64((Double(max(0, total - count)) / rate).rounded(.up)) : 0
        return fitting([
            "[\(bar)] \(Int(share * 100)) %", "\(size) of \(Table.Cell.readable(bytes: total))", speed,
            "\(Table.Cell.readable(seconds: left)) left",
        ])
    }

    /// The first parts for which a line has room; it does not fill the last column.
    private func fitting(_ parts: [String]) -> String {
        let room = (screen.width ?? .max) - 1
        var text = String((parts.first ?? "").prefix(max(0, room)))
        for part in parts.dropFirst() where text.count + 3 + part.count <= room { text += "   " + part }
        return text
    }

    /// Draws the line, unless it was drawn a moment ago.
    mutating func show(at now: MonotonicTime) { StandardError.write(drawing(at: now)) }

    /// Removes the line.
    mutating func clear() { StandardError.write(clearing()) }

    /// The bytes that draw the line; none if it was drawn a moment ago, or is not to be drawn.
    mutating func drawing(at now: MonotonicTime) -> [UInt8] {
        guard screen.isTerminal, now - start >= Self.silence else { return [] }
        if let drawnAt, now - drawnAt < Self.interval { return [] }
        drawnAt = now
        return Array("\r\u{1B}[K\(line(at: now))".utf8)
    }

    /// The bytes that remove the line; none if it was not drawn.
    mutating func clearing() -> [UInt8] {
        defer { drawnAt = nil }
        return drawnAt == nil ? [] : Array("\r\u{1B}[K".utf8)
    }
}
