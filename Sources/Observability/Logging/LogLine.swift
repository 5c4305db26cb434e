import Formats

/// How log lines are written.
public enum LogFormat: String, Sendable, CaseIterable { case text, json }

/// One event as one line.
struct LogLine {
    var milliseconds: Int64
    var level: LogLevel
    var message: StaticString
    var values: KeyValuePairs<StaticString, any LogValue>

    /// The line with its end.
    func bytes(format: LogFormat) -> [UInt8] {
        switch format {
        case .text: textBytes()
        case .json: jsonBytes()
        }
    }

    private func textBytes() -> [UInt8] {
        var output: [UInt8] = []
        Timestamp.append(milliseconds: milliseconds, to: &output)
        output.append(contentsOf: " \(level.rawValue) ".utf8)
        appendMessage(to: &output)
        output.append(UInt8(ascii: "\n"))
        return output
    }

    /// Appends the message and the values, without time and level.
    func appendMessage(to output: inout [UInt8]) {
        output.append(contentsOf: message.description.utf8)
        for (key, value) in values {
            output.append(contentsOf: " \(key)=".utf8)
            switch value.logKind {
            case .bytes(let bytes): LogEscaping.append(bytes, to: &output)
            case .integer(let integer): output.append(contentsOf: String(integer).utf8)
            case .boolean(let boolean): output.append(contentsOf: boolean ? "true".utf8 : "false".utf8)
            case .seconds(let seconds): output.append(contentsOf: "\(seconds)s".utf8)
            }
        }
    }

    private func jsonBytes() -> [UInt8] {
        var time: [UInt8] = []
        Timestamp.append(milliseconds: milliseconds, to: &time)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("time", bytes: time)
            writer.member("level", level.rawValue)
            writer.member("message", message.description)
            for (key, value) in values {
                writer.name(key.description)
                switch value.logKind {
                case .bytes(let bytes): writer.text(bytes: Array(bytes.prefix(LogEscaping.limit)))
                case .integer(let integer): writer.integer(integer)
                case .boolean(let boolean): writer.boolean(boolean)
                case .seconds(let seconds): writer.real(seconds)
                }
            }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
