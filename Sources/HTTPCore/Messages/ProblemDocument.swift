/// The content of an error response that the proxy makes: `application/problem+json` (RFC 9457).
public struct ProblemDocument: Sendable, Equatable {
    /// A further member, with text as its value.
    public struct Member: Sendable, Equatable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public static let mediaType: StaticString = "application/problem+json"

    /// A URI reference for the kind of problem.
    public var type: String
    public var title: String
    public var status: UInt16
    /// What is wrong in this case, and how to mend it.
    public var detail: String
    public var members: [Member]

    /// By default the title is the reason phrase of the status.
    public init(
        status: UInt16,
        title: String? = nil,
        detail: String,
        type: String = "about:blank",
        members: [Member] = []
    ) {
        self.status = status
        self.title = title ?? String(describing: ReasonPhrase.text(for: status))
        self.detail = detail
        self.type = type
        self.members = members
    }

    /// The problem of a request that cannot be read.
    public init(_ error: ParseError) {
        self.init(status: error.status, detail: error.userMessage)
    }

    /// The JSON text with a line end; ASCII only, so that it is harmless in terminals and logs.
    public var json: [UInt8] {
        var text: [UInt8] = [0x7B]
        append("type", type, to: &text)
        append("title", title, to: &text)
        text += "\"status\":\(status),".utf8
        append("detail", detail, to: &text)
        for member in members { append(member.name, member.value, to: &text) }
        text.removeLast()
        text += [0x7D, 0x0A]
        return text
    }

    private func append(_ name: String, _ value: String, to text: inout [UInt8]) {
        appendString(name, to: &text)
        text.append(0x3A)
        appendString(value, to: &text)
        text.append(0x2C)
    }

    private func appendString(_ value: String, to text: inout [UInt8]) {
        text.append(0x22)
        for unit in value.utf16 {
            switch unit {
            case 0x22, 0x5C: text += [0x5C, UInt8(truncatingIfNeeded: unit)]
            case 0x20..<0x7F: text.append(UInt8(truncatingIfNeeded: unit))
            default: appendEscape(unit, to: &text)
            }
        }
        text.append(0x22)
    }

    private func appendEscape(_ unit: UInt16, to text: inout [UInt8]) {
        text += [0x5C, 0x75]
        for shift in [12, 8, 4, 0] as [UInt16] {
            let digit = UInt8(truncatingIfNeeded: unit >> shift & 15)
            text.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
    }
}
