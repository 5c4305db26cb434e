/// The value of a Content-Length line (RFC 9110 §8.6).
enum ContentLength {
    enum Value: Equatable {
        case invalid
        /// Digits, but above 2^63−1.
        case tooLarge
        case value(Int64)
    }

    /// Parses `1*DIGIT` and nothing else.
    static func parse(_ input: Span<UInt8>, _ range: Range<Int>) -> Value {
        guard !range.isEmpty else { return .invalid }
        var value: Int64 = 0
        var overflowed = false
        for index in range {
            guard input[index].isDigit else { return .invalid }
            guard !overflowed else { continue }
            let (product, first) = value.multipliedReportingOverflow(by: 10)
            let (sum, second) = product.addingReportingOverflow(Int64(input[index] - 0x30))
            overflowed = first || second
            value = sum
        }
        return overflowed ? .tooLarge : .value(value)
    }

    /// Parses a list of equal numbers as one number (RFC 9110 §8.6; responses only).
    static func parseList(_ input: Span<UInt8>, _ range: Range<Int>) -> Value {
        var result: Value?
        var start = range.lowerBound
        while start <= range.upperBound {
            var end = start
            while end < range.upperBound, input[end] != 0x2C { end += 1 }
            let value = parse(input, input.trimmed(start..<end))
            guard case .value = value, result == nil || result == value else {
                return value == .tooLarge && result == nil ? .tooLarge : .invalid
            }
            result = value
            start = end + 1
        }
        return result ?? .invalid
    }
}

/// The value of a Transfer-Encoding line (RFC 9112 §6.1).
enum TransferEncoding {
    enum Judgement {
        case chunked
        /// Well-formed, and chunked at the end, but with other codings before.
        case unknownCoding
        case invalid
    }

    static func judge(_ input: Span<UInt8>, _ range: Range<Int>) -> Judgement {
        if ByteScan.matches(input, range, "chunked") { return .chunked }
        var start = range.lowerBound
        while start <= range.upperBound {
            var end = start
            while end < range.upperBound, input[end] != 0x2C { end += 1 }
            let member = input.trimmed(start..<end)
            let isLast = end == range.upperBound
            guard !member.isEmpty,
                ByteScan.end(of: .token, input, from: member.lowerBound, to: member.upperBound) == member.upperBound,
                ByteScan.matches(input, member, "chunked") == isLast, !ByteScan.matches(input, member, "identity")
            else { return .invalid }
            start = end + 1
        }
        return .unknownCoding
    }
}

/// What the Connection lines of a message say about persistence (RFC 9112 §9.3).
struct ConnectionOptions: Sendable {
    var close = false
    var keepAlive = false

    /// Reads one line; returns false if a member is no token.
    mutating func note(_ input: Span<UInt8>, _ range: Range<Int>) -> Bool {
        if ByteScan.matches(input, range, "keep-alive") {
            keepAlive = true
            return true
        }
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start
            while end < range.upperBound, input[end] != 0x2C { end += 1 }
            let member = input.trimmed(start..<end)
            guard ByteScan.end(of: .token, input, from: member.lowerBound, to: member.upperBound) == member.upperBound
            else { return false }
            if ByteScan.matches(input, member, "close") { close = true }
            if ByteScan.matches(input, member, "keep-alive") { keepAlive = true }
            start = end + 1
        }
        return true
    }

    func isPersistent(_ version: HTTPVersion) -> Bool {
        version == .http11 ? !close : keepAlive && !close
    }
}
