import Eventing
import HTTPCore
import Platform
import Terminal

/// How far `refresh --from` is: a line at the terminal of standard error, and the summary at the end.
struct RefreshProgress {
    /// The least time between two drawings.
    private static let interval = Duration.milliseconds(100)
    private static let width = 30

    private let total: Int
    private let screen: Screen
    private var loaded = 0
    private var notModified = 0
    private(set) var failures = 0
    /// Bytes of the contents that were loaded, of those whose size the daemon reported.
    private var bytes: Int64 = 0
    private var drawnAt: MonotonicTime?
    private var isDrawn = false

    /// - Parameter screen: where the line is drawn; on none, nothing is.
    init(total: Int, on screen: Screen) {
        self.total = total
        self.screen = screen
    }

    mutating func note(isNotModified: Bool, bytes: Int64?) {
        if isNotModified { notModified += 1 } else { loaded += 1 }
        self.bytes += bytes ?? 0
    }

    mutating func noteFailure() { failures += 1 }

    private var done: Int { loaded + notModified + failures }

    private var size: String { bytes == 0 ? "" : ", \(Table.Cell.readable(bytes: bytes))" }

    /// `3 loaded, 1 not modified, 1 failed; 2.3 MiB`.
    var summary: String {
        var parts = ["\(loaded) loaded"]
        if notModified > 0 { parts.append("\(notModified) not modified") }
        if failures > 0 { parts.append("\(failures) failed") }
        return parts.joined(separator: ", ") + size
    }

    /// `[#####-----] 12/24, 1 failed, 3.1 MiB`.
    var line: String {
        let width = min(Self.width, (screen.width ?? .max) / 3)
        let filled = total == 0 ? 0 : done * width / total
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
        return "[\(bar)] \(done)/\(total)" + (failures == 0 ? "" : ", \(failures) failed") + size
    }

    /// Draws the line, unless it was drawn a moment ago.
    mutating func show() {
        guard screen.isTerminal else { return }
        let now = MonotonicTime.now
        if let drawnAt, now - drawnAt < Self.interval, done < total { return }
        drawnAt = now
        isDrawn = true
        // A line that fills the last column would go on in the next one.
        StandardError.write(Array("\r\u{1B}[K\(line.prefix((screen.width ?? .max) - 1))".utf8))
    }

    /// Removes the line.
    mutating func clear() {
        guard isDrawn else { return }
        isDrawn = false
        drawnAt = nil
        StandardError.write(Array("\r\u{1B}[K".utf8))
    }
}
