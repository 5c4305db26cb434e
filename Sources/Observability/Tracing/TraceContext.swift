public import HTTPCore

/// A span's place in a trace, as the field `traceparent` names it (W3C Trace Context).
public struct TraceContext: Sendable, Hashable {
    /// The first and the last 64 bits of the trace's identifier; not both are 0.
    public let traceHigh: UInt64
    public let traceLow: UInt64
    /// The span's identifier; not 0.
    public let span: UInt64
    public let flags: UInt8

    /// The trace is recorded.
    private static let sampledFlag: UInt8 = 1
    /// The trace's identifier is random (level 2).
    private static let randomFlag: UInt8 = 2

    /// The first span of a new trace.
    public static func root() -> TraceContext {
        TraceContext(
            traceHigh: .random(in: 1...UInt64.max),
            traceLow: .random(in: 1...UInt64.max),
            span: .random(in: 1...UInt64.max),
            flags: sampledFlag | randomFlag
        )
    }

    /// A new span of the same trace, which is recorded.
    public func child() -> TraceContext {
        TraceContext(
            traceHigh: traceHigh,
            traceLow: traceLow,
            span: .random(in: 1...UInt64.max),
            flags: Self.sampledFlag | flags & Self.randomFlag
        )
    }

    public var isSampled: Bool { flags & Self.sampledFlag != 0 }

    /// The trace's identifier, 32 digits.
    public var traceText: [UInt8] { Self.digits(traceHigh, 16) + Self.digits(traceLow, 16) }

    /// The span's identifier, 16 digits.
    public var spanText: [UInt8] { Self.digits(span, 16) }

    /// The value of `traceparent`.
    public var field: [UInt8] {
        let dash = UInt8(ascii: "-")
        return [0x30, 0x30, dash] + traceText + [dash] + spanText + [dash] + Self.digits(UInt64(flags), 2)
    }

    /// The so many lowest hexadecimal digits of a number, in lower case.
    private static func digits(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { Hexadecimal.digit(UInt8(truncatingIfNeeded: number >> UInt64(4 * (count - 1 - $0))) & 0xF) }
    }
}

extension TraceContext {
    /// Names of the fields, in lower case.
    public static let fieldName = Array("traceparent".utf8)
    public static let stateName = Array("tracestate".utf8)

    /// The lengths of version, trace, span and flags.
    private static let lengths = [2, 32, 16, 2]

    /// Reads the value of `traceparent`; nil if it is not valid.
    ///
    /// Of a later version than 00, which may have more parts, the known ones are read.
    public init?(field: [UInt8]) {
        var numbers: [UInt64] = []
        var index = 0
        for length in Self.lengths {
            if index > 0 {
                guard index < field.count, field[index] == UInt8(ascii: "-") else { return nil }
                index += 1
            }
            guard field.count - index >= length else { return nil }
            for start in stride(from: index, to: index + length, by: 16) {
                guard let number = Self.number(field[start..<min(start + 16, index + length)]) else { return nil }
                numbers.append(number)
            }
            index += length
        }
        let hasMore = index < field.count
        guard numbers[0] != 0xFF, numbers[1] | numbers[2] != 0, numbers[3] != 0 else { return nil }
        guard !hasMore || numbers[0] > 0 && field[index] == UInt8(ascii: "-") else { return nil }
        self.init(traceHigh: numbers[1], traceLow: numbers[2], span: numbers[3], flags: UInt8(numbers[4]))
    }

    /// The number that lower-case digits write, at most 16 of them.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            guard let value = Hexadecimal.value(digit), !(0x41...0x5A).contains(digit) else { return nil }
            number = number << 4 | UInt64(value)
        }
        return number
    }

    /// The context that a request's fields name; nil if they name none, or more than one.
    public init?(of fields: Fields) {
        let values = fields.values(named: Self.fieldName)
        guard values.count == 1 else { return nil }
        self.init(field: values[0])
    }
}
