import Locking

/// The latest lines of a log, in memory of a fixed size; safe from any thread.
public final class RecentLines: Sendable {
    /// One line, with its values escaped as in the log.
    public struct Line: Sendable, Equatable {
        /// Later lines have larger numbers, also over a restart.
        public var number: Int64
        /// Since 1970 UTC.
        public var milliseconds: Int64
        public var level: LogLevel
        /// Message and values, without time and level.
        public var text: [UInt8]

        /// The time in the format of RFC 3339.
        public var time: [UInt8] {
            var output: [UInt8] = []
            Timestamp.append(milliseconds: milliseconds, to: &output)
            return output
        }
    }

    /// The most lines that are kept.
    public static let capacity = 500
    /// The most bytes of a line that are kept.
    static let lineLimit = 4096

    private struct State {
        var lines: [Line] = []
        /// The place of the oldest line once all places are taken.
        var oldest = 0
        var next: Int64
    }

    private let state: Lock<State>

    /// - Parameter start: the number of the first line.
    init(from start: Int64) { state = Lock(State(next: start)) }

    func add(_ milliseconds: Int64, _ level: LogLevel, _ text: [UInt8]) {
        let kept = text.count > Self.lineLimit ? Array(text.prefix(Self.lineLimit)) + Array("…".utf8) : text
        state.withLock { state in
            let line = Line(number: state.next, milliseconds: milliseconds, level: level, text: kept)
            state.next += 1
            guard state.lines.count == Self.capacity else { return state.lines.append(line) }
            state.lines[state.oldest] = line
            state.oldest = (state.oldest + 1) % Self.capacity
        }
    }

    /// The kept lines behind `number`, the oldest first, and whether others were there that are gone.
    public func lines(behind number: Int64) -> (lines: [Line], hasGap: Bool) {
        let (lines, oldest) = state.withLock { ($0.lines, $0.oldest) }
        let ordered = lines[oldest...] + lines[..<oldest]
        let hasGap = ordered.first.map { $0.number > number + 1 } ?? false
        return (ordered.filter { $0.number > number }, hasGap)
    }

    /// The number of the latest line; the one before the first if there is none.
    public var latest: Int64 { state.withLock { $0.next - 1 } }
}
