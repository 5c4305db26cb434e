/// The `Host` of a connection's last request, with its meaning: most clients repeat it in each request.
struct KnownHost: Sendable {
    /// A longer value is parsed each time.
    private static let limit = 32

    /// The value, eight bytes each from its end; the last word begins before it.
    private var words: InlineArray<4, UInt64> = .init(repeating: 0)
    /// 0: there was none.
    private var count: UInt8 = 0
    private var hostCount: UInt8 = 0
    private var port: UInt16?

    /// Parses `input[value]`; returns nil if that is no authority.
    ///
    /// It looks at up to seven bytes before the value, which belong to the name of the field.
    @inline(__always)
    mutating func authority(_ input: Span<UInt8>, _ value: Range<Int>) -> Authority? {
        guard !value.isEmpty, value.count <= Self.limit, value.lowerBound >= 8 else { return Authority(input, value) }
        if value.count == Int(count), isEqual(input, value) {
            return Authority(host: value.lowerBound..<value.lowerBound &+ Int(hostCount), port: port)
        }
        return parse(input, value)
    }

    @inline(__always)
    private func isEqual(_ input: Span<UInt8>, _ value: Range<Int>) -> Bool {
        var difference: UInt64 = 0
        var end = value.upperBound
        var index = 0
        while end > value.lowerBound {
            end &-= 8
            difference |= words[index] ^ ByteScan.word(input, at: end)
            index &+= 1
        }
        return difference == 0
    }

    @inline(never)
    private mutating func parse(_ input: Span<UInt8>, _ value: Range<Int>) -> Authority? {
        guard let authority = Authority(input, value) else { return nil }
        for index in 0..<(value.count + 7) / 8 {
            words[index] = ByteScan.word(input, at: value.upperBound - 8 * (index + 1))
        }
        count = UInt8(value.count)
        hostCount = UInt8(authority.host.count)
        port = authority.port
        return authority
    }
}
