extension String {
    /// The text that a C function left in a buffer: what stands before the first zero byte.
    public init(terminatedIn buffer: [CChar]) {
        self.init(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
