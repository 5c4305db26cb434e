/// The value of an item or a member in a structured field (RFC 9651), as far as we need types.
public enum StructuredValue: Sendable, Equatable {
    case boolean(Bool)
    case integer(Int64)
    case string([UInt8])
    case token([UInt8])
    /// The strings and tokens of an inner list, with nil for members of other types.
    case innerList([[UInt8]?])
    case other
}

/// Reads the grammar of RFC 9651 §4.2 over one array.
public struct StructuredFieldScanner {
    /// The most parameters of one item; RFC 9651 §3.1.2 asks for no more.
    private static let parameterLimit = 256

    private let text: [UInt8]
    private var position = 0

    public init(_ text: [UInt8]) { self.text = text }

    /// Whether all bytes have been read.
    public var isAtEnd: Bool { position == text.count }
    private var current: UInt8? { isAtEnd ? nil : text[position] }

    /// Skips one byte if it is the next.
    public mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    public mutating func skipSpaces() { while skip(0x20) {} }
    /// Skips spaces and tabs.
    public mutating func skipBlanks() { while let byte = current, byte.isBlank { position += 1 } }

    private mutating func take(while condition: (UInt8) -> Bool) -> [UInt8] {
        let start = position
        while let byte = current, condition(byte) { position += 1 }
        return Array(text[start..<position])
    }

    // MARK: Members

    public mutating func key() -> [UInt8]? {
        guard let first = current, first.isLowercaseLetter || first == 0x2A else { return nil }
        return take { $0.isLowercaseLetter || $0.isDigit || [0x5F, 0x2D, 0x2E, 0x2A].contains($0) }
    }

    /// The value of a dictionary's member, with its parameters, which are skipped.
    public mutating func memberValue() -> StructuredValue? {
        guard skip(0x3D) else { return parameters() == nil ? nil : .boolean(true) }
        guard let value = current == 0x28 ? innerList() : bareItem(), parameters() != nil else { return nil }
        return value
    }

    /// Parameters in their order; of equal keys the last counts (RFC 9651 §4.2.3.2).
    ///
    /// Returns nil on a syntax error, and above `parameterLimit`.
    public mutating func parameters() -> [(key: [UInt8], value: StructuredValue)]? {
        var found: [(key: [UInt8], value: StructuredValue)] = []
        while skip(0x3B) {
            skipSpaces()
            guard let key = key() else { return nil }
            var value: StructuredValue? = .boolean(true)
            if skip(0x3D) { value = bareItem() }
            guard let value else { return nil }
            found.removeAll { $0.key == key }
            guard found.count < Self.parameterLimit else { return nil }
            found.append((key, value))
        }
        return found
    }

    private mutating func innerList() -> StructuredValue? {
        guard skip(0x28) else { return nil }
        var items: [[UInt8]?] = []
        while true {
            skipSpaces()
            if skip(0x29) { return .innerList(items) }
            guard let item = bareItem(), parameters() != nil else { return nil }
            guard current == 0x20 || current == 0x29 else { return nil }
            switch item {
            case .string(let bytes), .token(let bytes): items.append(bytes)
            case .boolean, .integer, .innerList, .other: items.append(nil)
            }
        }
    }

    // MARK: Items

    /// An item without parameters.
    public mutating func bareItem() -> StructuredValue? {
        guard let first = current else { return nil }
        switch first {
        case 0x2D, 0x30...0x39: return number()
        case 0x22: return string().map { .string($0) }
        case 0x3F: return boolean()
        case 0x3A: return byteSequence()
        case 0x40: return date()
        case 0x25: return displayString()
        case 0x2A, 0x41...0x5A, 0x61...0x7A:
            return .token(take { ByteClass.token.contains($0) || $0 == 0x3A || $0 == 0x2F })
        default: return nil
        }
    }

    private mutating func number() -> StructuredValue? {
        let isNegative = skip(0x2D)
        let digits = take(while: \.isDigit)
        guard !digits.isEmpty else { return nil }
        if skip(0x2E) {
            let fraction = take(while: \.isDigit)
            return digits.count <= 12 && (1...3).contains(fraction.count) ? .other : nil
        }
        guard digits.count <= 15 else { return nil }
        let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 &- 0x30) }
        return .integer(isNegative ? -value : value)
    }

    private mutating func string() -> [UInt8]? {
        guard skip(0x22) else { return nil }
        var bytes: [UInt8] = []
        while let byte = current {
            position += 1
            switch byte {
            case 0x22: return bytes
            case 0x5C:
                guard let escaped = current, escaped == 0x22 || escaped == 0x5C else { return nil }
                position += 1
                bytes.append(escaped)
            case 0x20...0x7E: bytes.append(byte)
            default: return nil
            }
        }
        return nil
    }

    private mutating func boolean() -> StructuredValue? {
        guard skip(0x3F) else { return nil }
        if skip(0x31) { return .boolean(true) }
        return skip(0x30) ? .boolean(false) : nil
    }

    private mutating func byteSequence() -> StructuredValue? {
        guard skip(0x3A) else { return nil }
        _ = take { $0.isDigit || $0.isLetter || [0x2B, 0x2F, 0x3D].contains($0) }
        return skip(0x3A) ? .other : nil
    }

    private mutating func date() -> StructuredValue? {
        guard skip(0x40), case .integer = number() else { return nil }
        return .other
    }

    private mutating func displayString() -> StructuredValue? {
        guard skip(0x25), skip(0x22) else { return nil }
        while let byte = current {
            position += 1
            switch byte {
            case 0x22: return .other
            case 0x25:
                guard take(while: \.isLowercaseHexDigit).count >= 2 else { return nil }
            case 0x20...0x7E: continue
            default: return nil
            }
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetter: Bool { (0x61...0x7A).contains(self) }
    fileprivate var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    fileprivate var isLowercaseHexDigit: Bool { isDigit || (0x61...0x66).contains(self) }
}
