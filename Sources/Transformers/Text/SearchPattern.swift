import HTTPCore

/// A search text prepared for the algorithm of Knuth, Morris and Pratt.
///
/// It looks at each byte of content once, or on average twice where matches fail.
struct SearchPattern: Sendable {
    let bytes: [UInt8]
    let ignoreCase: Bool
    /// For each number of matched bytes: the length of their longest proper prefix that is also a suffix.
    private let fallbacks: [Int]

    /// - Parameter bytes: at least one.
    init(_ bytes: [UInt8], ignoreCase: Bool) {
        let bytes = ignoreCase ? bytes.map(\.asciiLowercased) : bytes
        self.bytes = bytes
        self.ignoreCase = ignoreCase
        var fallbacks = [0, 0]
        var matched = 0
        for byte in bytes.dropFirst() {
            while matched > 0, bytes[matched] != byte { matched = fallbacks[matched] }
            if bytes[matched] == byte { matched += 1 }
            fallbacks.append(matched)
        }
        self.fallbacks = fallbacks
    }

    /// The number of bytes matched once `byte` follows `matched` matched bytes, which must not be all.
    func advance(_ matched: Int, by byte: UInt8) -> Int {
        let byte = ignoreCase ? byte.asciiLowercased : byte
        var matched = matched
        while matched > 0, bytes[matched] != byte { matched = fallbacks[matched] }
        return bytes[matched] == byte ? matched + 1 : 0
    }
}
