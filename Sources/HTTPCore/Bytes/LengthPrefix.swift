extension [UInt8] {
    /// Appends the length of `bytes` as four bytes, big-endian, then `bytes`.
    ///
    /// So different lists of parts give different texts.
    package mutating func appendWithLength(_ bytes: [UInt8]) { appendWithLength(bytes.span) }

    package mutating func appendWithLength(_ bytes: Span<UInt8>) {
        let length = UInt32(truncatingIfNeeded: bytes.count)
        for shift in stride(from: UInt32(24), through: 0, by: -8) { append(UInt8(truncatingIfNeeded: length >> shift)) }
        append(copying: bytes)
    }
}
