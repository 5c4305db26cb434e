extension [UInt8] {
    /// Copies the bytes of a span.
    public init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Appends the bytes of a span.
    public mutating func append(copying span: Span<UInt8>) {
        ByteScan.append(span, 0..<span.count, to: &self)
    }

    /// Appends the text of a literal.
    public mutating func append(_ text: StaticString) { ByteScan.append(text, to: &self) }
}
