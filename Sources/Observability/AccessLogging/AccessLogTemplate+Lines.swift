import HTTPCore

extension AccessLogTemplate {
    /// What a line is made of.
    struct Values {
        var entry: AccessLogEntry
        var notes: AccessLogNotes?
        var client: [UInt8]
        var localTime: [UInt8]
        /// Without fraction and zone.
        var isoTime: [UInt8]
        var secrets: SecretParameters
    }

    /// Appends a line without its end.
    ///
    /// - Parameter target: without secrets.
    func append(_ values: Values, _ head: RequestHead, _ target: Span<UInt8>, to output: inout [UInt8]) {
        for part in parts {
            switch part {
            case .text(let text): output += text
            case .variable(let variable, let isQuoted): append(variable, isQuoted, values, head, target, to: &output)
            }
        }
    }

    private func append(
        _ variable: Variable,
        _ isQuoted: Bool,
        _ values: Values,
        _ head: RequestHead,
        _ target: Span<UInt8>,
        to output: inout [UInt8]
    ) {
        let entry = values.entry
        func escaped(_ bytes: Span<UInt8>) { appendEscaped(bytes, isQuoted, to: &output) }
        func note(_ text: String?) { escaped(Array((text ?? "").utf8).span) }
        func number(_ number: Int64) { output += "\(number)".utf8 }
        func value(_ field: KnownField) {
            if head.fields.withValue(of: field, { escaped($0) }) == nil { output.append(UInt8(ascii: "-")) }
        }
        switch variable {
        case .remoteAddress: output += values.client
        case .remoteUser: note(values.notes?.user)
        case .localTime: output += values.localTime
        case .isoTime: output += values.isoTime + Array("+00:00".utf8)
        case .seconds: Self.append(thousandths: entry.milliseconds, to: &output)
        case .request:
            escaped(Array(head.method.bytes.prefix(64)).span)
            output.append(UInt8(ascii: " "))
            escaped(target)
            output += (entry.version == .http11 ? " HTTP/1.1" : " HTTP/1.0").utf8
        case .method: escaped(Array(head.method.bytes.prefix(64)).span)
        case .target: escaped(target)
        case .duration: Self.append(thousandths: entry.duration / 1_000_000, to: &output)
        case .completion: output += (entry.isComplete ? "OK" : "-").utf8
        case .version: output += (entry.version == .http11 ? "HTTP/1.1" : "HTTP/1.0").utf8
        case .status: number(Int64(entry.status))
        case .contentBytes: number(entry.contentBytes)
        case .host: value(.host)
        case .referer: escaped(values.secrets.redacted(head.fields.value(of: .referer) ?? []).span)
        case .agent: value(.userAgent)
        case .cache: output += "\(entry.outcome)".utf8
        case .reason: note(values.notes?.reason)
        case .rule: note(values.notes?.rule)
        case .service: note(values.notes?.service)
        }
    }

    /// Appends a value so that it begins and ends no field of the line; `-` if it is empty.
    private func appendEscaped(_ bytes: Span<UInt8>, _ isQuoted: Bool, to output: inout [UInt8]) {
        guard !bytes.isEmpty else { return output.append(UInt8(ascii: "-")) }
        let start = output.count
        LogEscaping.appendInner([UInt8](copying: bytes), to: &output)
        guard !isQuoted, output[start...].contains(where: { separators[Int($0)] }) else { return }
        let value = output[start...]
        output.removeSubrange(start...)
        for byte in value {
            if separators[Int(byte)] {
                output += [
                    UInt8(ascii: "\\"), UInt8(ascii: "x"), Hexadecimal.digit(byte >> 4), Hexadecimal.digit(byte & 0xF),
                ]
            } else {
                output.append(byte)
            }
        }
    }

    /// Appends thousandths with three decimals.
    private static func append(thousandths: Int64, to output: inout [UInt8]) {
        let (whole, rest) = max(0, thousandths).quotientAndRemainder(dividingBy: 1000)
        let digits = "\(rest)"
        output += "\(whole).".utf8
        output += repeatElement(0x30, count: 3 - digits.utf8.count)
        output += digits.utf8
    }
}
