/// A format of access log lines in nginx's words: text with variables such as `$remote_addr`.
///
/// It is parsed once. `$$` is one `$`, and `${name}` separates a variable from letters behind it.
public struct AccessLogTemplate: Sendable, Equatable {
    /// What a variable stands for.
    enum Variable: String, Sendable, CaseIterable {
        case remoteAddress = "remote_addr"
        case remoteUser = "remote_user"
        case localTime = "time_local"
        case isoTime = "time_iso8601"
        case seconds = "msec"
        case request
        case method = "request_method"
        case target = "request_uri"
        case duration = "request_time"
        case completion = "request_completion"
        case version = "server_protocol"
        case status
        case contentBytes = "body_bytes_sent"
        case host = "http_host"
        case referer = "http_referer"
        case agent = "http_user_agent"
        case cache = "cache_status"
        case reason = "cache_reason"
        case rule
        case service
    }

    enum Part: Sendable, Equatable {
        case text([UInt8])
        /// - Parameter isQuoted: whether it stands between quotation marks.
        case variable(Variable, isQuoted: Bool)
    }

    /// Why a text is no template.
    public struct Fault: Error, Equatable {
        /// A clause about the setting.
        public var message: String
        /// The name of a variable that there is not.
        public var unknownName: String?
    }

    /// The text as it was given.
    public let text: String
    let parts: [Part]
    /// For each byte, whether it ends a value outside quotation marks, so that it is escaped there.
    let separators: [Bool]

    /// The names of all variables.
    public static let names = Variable.allCases.map(\.rawValue)

    public init(_ text: String) throws(Fault) {
        var reader = TemplateReader(Array(text.utf8))
        self.text = text
        parts = try reader.read()
        separators = Self.separators(parts)
    }

    /// The bytes around variables outside quotation marks, and the blank: a reader may split lines there.
    private static func separators(_ parts: [Part]) -> [Bool] {
        var separators = [Bool](repeating: false, count: 256)
        separators[0x20] = true
        for (index, part) in parts.enumerated() {
            guard case .variable(_, isQuoted: false) = part else { continue }
            if index > 0, case .text(let before) = parts[index - 1], let byte = before.last { mark(byte) }
            if index + 1 < parts.count, case .text(let after) = parts[index + 1], let byte = after.first { mark(byte) }
        }
        func mark(_ byte: UInt8) {
            let isWord = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte >= 0x80
            // These two are escaped anyway.
            separators[Int(byte)] = !isWord && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        return separators
    }
}

/// Reads the parts of a template.
private struct TemplateReader {
    private let bytes: [UInt8]
    private var index = 0
    private var parts: [AccessLogTemplate.Part] = []
    private var text: [UInt8] = []
    /// The position of the quotation mark that has no partner yet.
    private var quote: Int?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func read() throws(AccessLogTemplate.Fault) -> [AccessLogTemplate.Part] {
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "$") { try readVariable() } else { try readText() }
        }
        endText()
        if let quote {
            throw AccessLogTemplate.Fault(message: "has a quotation mark without a second one\(position(quote))")
        }
        return parts
    }

    /// - Parameter index: counted from 0.
    private func position(_ index: Int) -> String {
        ", at character \(String(decoding: bytes[..<index], as: UTF8.self).count + 1)"
    }

    private mutating func readText() throws(AccessLogTemplate.Fault) {
        let byte = bytes[index]
        guard byte >= 0x20, byte != 0x7F else {
            throw AccessLogTemplate.Fault(message: "must be one line without control characters\(position(index))")
        }
        if byte == UInt8(ascii: "\"") { quote = quote == nil ? index : nil }
        text.append(byte)
        index += 1
    }

    private mutating func readVariable() throws(AccessLogTemplate.Fault) {
        let start = index
        index += 1
        if index < bytes.count, bytes[index] == UInt8(ascii: "$") {
            text.append(bytes[index])
            index += 1
            return
        }
        let hasBraces = index < bytes.count && bytes[index] == UInt8(ascii: "{")
        if hasBraces { index += 1 }
        let name = String(decoding: bytes[index...].prefix(while: Self.isOfName), as: UTF8.self)
        index += name.utf8.count
        if hasBraces {
            guard index < bytes.count, bytes[index] == UInt8(ascii: "}") else {
                throw AccessLogTemplate.Fault(message: "has ${ without }\(position(start))")
            }
            index += 1
        }
        guard !name.isEmpty else {
            throw AccessLogTemplate.Fault(
                message: "has $ without a variable\(position(start)); write $$ for the sign itself"
            )
        }
        guard let variable = AccessLogTemplate.Variable(rawValue: name) else {
            throw AccessLogTemplate.Fault(message: "knows no variable $\(name)\(position(start))", unknownName: name)
        }
        endText()
        parts.append(.variable(variable, isQuoted: quote != nil))
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
    }

    private mutating func endText() {
        if !text.isEmpty { parts.append(.text(text)) }
        text = []
    }
}
