import Observability
import TestSupport

/// A log whose lines a test reads: level, message and fields, without the time.
final class KeptLog: Sendable {
    let logger: Logger
    private let kept: SharedValue<[String]>

    init(_ level: LogLevel = .info) {
        let kept = SharedValue<[String]>([])
        self.kept = kept
        logger = Logger(
            level: level,
            format: .text,
            output: { bytes in
                let line = String(decoding: bytes, as: UTF8.self).drop { $0 != " " }
                kept.update { $0.append(String(line.dropFirst().dropLast())) }
            },
            clock: { 0 }
        )
    }

    /// The lines since the last call.
    func take() -> [String] {
        kept.update { lines in
            defer { lines = [] }
            return lines
        }
    }

    /// Waits for a line that begins so, on whatever thread it is logged.
    @discardableResult
    func wait(for start: String) throws -> String {
        try kept.wait("the line \(start)") { lines in lines.first { $0.hasPrefix(start) } }
    }
}
