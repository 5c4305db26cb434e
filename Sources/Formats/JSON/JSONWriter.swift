import HTTPCore

/// Writes JSON (RFC 8259) and inserts the commas between members and elements.
///
/// The caller closes each object and array that it opens.
public struct JSONWriter: Sendable {
    /// Which characters of a text become escapes.
    public enum Escaping: Sendable {
        /// Only the characters that RFC 8259 §7 requires: quotation mark, backslash and controls. The text must be
        /// UTF-8.
        case required
        /// Also the characters that end a line, steer a terminal or turn the direction of text (H-159). Bytes that are
        /// not UTF-8 become U+FFFD.
        case disruptive
    }

    /// The text so far.
    public private(set) var bytes: [UInt8]
    private let escaping: Escaping
    private var needsComma = false

    /// Appends to `bytes`, whose capacity is kept.
    public init(appendingTo bytes: [UInt8] = [], escaping: Escaping = .disruptive) {
        self.bytes = bytes
        self.escaping = escaping
    }

    /// Writes an object; `body` writes its members.
    public mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        begin(UInt8(ascii: "{"))
        try body(&self)
        end(UInt8(ascii: "}"))
    }

    /// Writes an array; `body` writes its elements.
    public mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        begin(UInt8(ascii: "["))
        try body(&self)
        end(UInt8(ascii: "]"))
    }

    /// Writes the name of the next member.
    public mutating func name(_ name: String) {
        text(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func text(_ value: String) { text(bytes: Array(value.utf8)) }

    /// Writes a string whose bytes need not be UTF-8.
    public mutating func text(bytes value: [UInt8]) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(value)
        bytes.append(UInt8(ascii: "\""))
    }

    public mutating func integer(_ value: Int64) { literal("\(value)") }

    /// Writes the shortest text that reads as the same number; `null` if the number is not finite.
    public mutating func real(_ value: Double) { literal(value.isFinite ? "\(value)" : "null") }

    public mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }

    public mutating func null() { literal("null") }

    /// Writes a number, `true`, `false` or `null` as given.
    mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func appendEscaped(_ value: [UInt8]) {
        switch escaping {
        case .required: appendEscapingRequired(value)
        case .disruptive: appendEscapingDisruptive(value)
        }
    }

    private mutating func appendEscapingRequired(_ value: [UInt8]) {
        for byte in value {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case ..<0x20: appendUnicodeEscape(UInt32(byte))
            default: bytes.append(byte)
            }
        }
    }

    private mutating func appendEscapingDisruptive(_ value: [UInt8]) {
        var rest = value[...]
        while let byte = rest.first {
            let length = UTF8Scalar.length(at: rest)
            let scalar = rest.prefix(max(1, length))
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
            case _ where length == 0: bytes.append(contentsOf: "\u{FFFD}".utf8)
            case _ where UTF8Scalar.isDisruptive(scalar): appendUnicodeEscape(UTF8Scalar.value(of: scalar))
            default: bytes.append(contentsOf: scalar)
            }
            rest = rest.dropFirst(scalar.count)
        }
    }

    /// Escapes a code point below 2^16.
    ///
    /// All disruptive characters are below that.
    private mutating func appendUnicodeEscape(_ value: UInt32) {
        bytes.append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] as [UInt32] { bytes.append(Hexadecimal.digit(UInt8((value >> shift) & 0x0F))) }
    }
}

extension JSONWriter {
    public mutating func member(_ name: String, _ value: String) {
        self.name(name)
        text(value)
    }

    public mutating func member(_ name: String, bytes value: [UInt8]) {
        self.name(name)
        text(bytes: value)
    }

    public mutating func member(_ name: String, _ value: Int) { member(name, Int64(value)) }

    public mutating func member(_ name: String, _ value: Int64) {
        self.name(name)
        integer(value)
    }

    public mutating func member(_ name: String, _ value: Double) {
        self.name(name)
        real(value)
    }

    public mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        boolean(value)
    }

    public mutating func memberObject<E: Error>(
        _ name: String,
        _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        self.name(name)
        try object(body)
    }

    public mutating func memberArray<E: Error>(
        _ name: String,
        _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        self.name(name)
        try array(body)
    }
}
