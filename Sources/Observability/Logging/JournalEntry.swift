import Formats
import Platform

/// Log lines as entries of systemd's journal.
///
/// In the writer's queue an entry is a line whose fields end with a NUL. Values are escaped as in other lines, so they
/// have neither.
enum JournalEntry {
    /// A line of the access log; it has its end.
    static func access(_ line: [UInt8]) -> [UInt8] {
        head(priority: 6) + Array("RESPITE_CATEGORY=access\0MESSAGE=".utf8) + line
    }

    static func head(priority: Int) -> [UInt8] { Array("PRIORITY=\(priority)\0SYSLOG_IDENTIFIER=respite\0".utf8) }

    /// The name of a value's field: letters, digits and `_`, in capitals.
    static func name(of key: StaticString) -> [UInt8] {
        Array("RESPITE_".utf8)
            + key.description.utf8.map { byte in
                switch byte {
                case 0x61...0x7A: byte - 0x20
                case 0x41...0x5A, 0x30...0x39: byte
                default: UInt8(ascii: "_")
                }
            }
    }

    /// Sends entries of the queue; what the journal does not accept goes to `descriptor` as plain lines.
    ///
    /// - Returns: the bytes that are done.
    static func write(_ lines: ArraySlice<UInt8>, by socket: JournalSocket, or descriptor: Int32) -> Int {
        var done = 0
        for line in lines.split(separator: 0x0A) {
            let fields = line.split(separator: 0)
            if !socket.send(Array(fields.joined(separator: [0x0A])) + [0x0A]) {
                let message = (fields.last ?? []).dropFirst("MESSAGE=".utf8.count) + [0x0A]
                guard SystemOutput.write(message, to: descriptor) else { return done }
            }
            done += line.count + 1
        }
        return done
    }
}

extension LogLine {
    /// The line as an entry of the journal, which has a time of its own.
    func journalBytes(format: LogFormat) -> [UInt8] {
        var output = JournalEntry.head(priority: level.priority)
        for (key, value) in values {
            output += JournalEntry.name(of: key)
            output.append(UInt8(ascii: "="))
            value.logKind.append(toField: &output)
            output.append(0)
        }
        output += "MESSAGE=".utf8
        switch format {
        case .text:
            output += text
            output.append(0x0A)
        case .json: output += bytes(format: .json)
        }
        return output
    }
}

extension LogValueKind {
    /// Appends the value, escaped but without quotation marks.
    fileprivate func append(toField output: inout [UInt8]) {
        switch self {
        case .bytes(let bytes): LogEscaping.appendInner(bytes, to: &output)
        case .integer(let integer): output += "\(integer)".utf8
        case .boolean(let boolean): output += (boolean ? "true" : "false").utf8
        case .seconds(let seconds): output += "\(seconds)".utf8
        }
    }
}

extension LogLevel {
    /// The priority of syslog(3).
    fileprivate var priority: Int {
        switch self {
        case .error: 3
        case .warning: 4
        case .info: 6
        case .debug: 7
        }
    }
}
