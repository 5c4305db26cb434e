import HTTPCore

/// A text to look for, prepared as Knuth, Morris and Pratt do: each byte of content is looked at once, or twice on
/// average where matches fail.
struct SearchPattern: Sendable {
    let bytes: [UInt8]
    let ignoreCase: Bool
    /// For each count of bytes matched: the longest shorter beginning that is also their end.
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

    /// How many bytes are matched once `byte` follows `matched` of them; `matched` is less than all.
    func advance(_ matched: Int, by byte: UInt8) -> Int {
        let byte = ignoreCase ? byte.asciiLowercased : byte
        var matched = matched
        while matched > 0, bytes[matched] != byte { matched = fallbacks[matched] }
        return bytes[matched] == byte ? matched + 1 : 0
    }
}
