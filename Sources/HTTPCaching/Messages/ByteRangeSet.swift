import HTTPCore

/// A member of a Range field in bytes (RFC 9110 §14.1.2), before the length of the content is known.
enum RangeSpecifier: Equatable {
    /// From `first`, to `last` inclusive or to the end.
    case from(Int64, through: Int64?)
    /// The last bytes.
    case suffix(Int64)

    /// The range in content of `length` bytes; nil if it is empty.
    func resolved(length: Int64) -> Range<Int64>? {
        switch self {
        case .from(let first, let last):
            guard first < length else { return nil }
            guard let last, last < length - 1 else { return first..<length }
            return first..<(last + 1)
        case .suffix(let count):
            guard count > 0, length > 0 else { return nil }
            return max(0, length - count)..<length
        }
    }

    /// Whether it names its last byte, and that is before `end`.
    func ends(before end: Int64) -> Bool {
        switch self {
        case .from(_, let last): last.map { $0 < end } ?? false
        case .suffix: false
        }
    }
}

enum RangeField {
    /// A value with more members is ignored.
    private static let memberLimit = 200

    /// Parses a Range value; nil if it must be ignored, since it is malformed, absurdly long, or of another unit.
    static func parse(_ value: [UInt8]) -> [RangeSpecifier]? {
        guard let equals = value.firstIndex(of: 0x3D) else { return nil }
        guard Array(value[..<equals]).equalsIgnoringCase(Array("bytes".utf8)) else { return nil }
        let members = Array(value[(equals + 1)...]).plainMembers
        guard !members.isEmpty, members.count <= memberLimit else { return nil }
        var specifiers: [RangeSpecifier] = []
        for member in members {
            guard let specifier = specifier(member) else { return nil }
            specifiers.append(specifier)
        }
        return specifiers
    }

    private static func specifier(_ text: [UInt8]) -> RangeSpecifier? {
        guard let dash = text.firstIndex(of: 0x2D) else { return nil }
        let firstText = text[..<dash]
        let lastText = text[(dash + 1)...]
        if firstText.isEmpty { return number(lastText).map { .suffix($0) } }
        guard let first = number(firstText) else { return nil }
        if lastText.isEmpty { return .from(first, through: nil) }
        guard let last = number(lastText), first <= last else { return nil }
        return .from(first, through: last)
    }

    /// Parses digits only; a number of more than 63 bits becomes the largest, so that nothing wraps.
    static func number(_ text: ArraySlice<UInt8>) -> Int64? {
        guard !text.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in text {
            guard byte.isDigit else { return nil }
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowed) = scaled.addingReportingOverflow(Int64(byte &- 0x30))
            value = overflow || overflowed ? .max : sum
        }
        return value
    }
}
