import Formats
import Observability

/// A line of the daemon's log.
struct LogLineDocument {
    private let line: RecentLines.Line

    init(_ line: RecentLines.Line) { self.line = line }

    func write(to writer: inout JSONWriter) {
        writer.member("id", String(line.number))
        writer.member("time", bytes: line.time)
        writer.member("level", line.level.rawValue)
        writer.member("text", bytes: line.text)
    }

    /// The line as a server-sent event.
    var event: [UInt8] {
        var writer = JSONWriter()
        writer.object { write(to: &$0) }
        return Array("id: \(line.number)\nevent: line\ndata: ".utf8) + writer.bytes + [0x0A, 0x0A]
    }
}
