import HTTPCore

/// A text to look for, prepared as Knuth, Morris and Pratt do: each octet of content is looked at once, or twice on
/// average where matches fail.
struct SearchPattern: Sendable {
    let octets: [UInt8]
    let ignoreCase: Bool
    /// For each count of octets matched: the longest shorter beginning that is also their end.
    private let fallbacks: [Int]

    /// - Parameter octets: at least one.
    init(_ octets: [UInt8], ignoreCase: Bool) {
        let octets = ignoreCase ? octets.map(\.asciiLowercased) : octets
        self.octets = octets
        self.ignoreCase = ignoreCase
        var fallbacks = [0, 0]
        var matched = 0
        for octet in octets.dropFirst() {
            while matched > 0, octets[matched] != octet { matched = fallbacks[matched] }
            if octets[matched] == octet { matched += 1 }
            fallbacks.append(matched)
        }
        self.fallbacks = fallbacks
    }

    /// How many octets are matched once `octet` follows `matched` of them; `matched` is less than all.
    func advance(_ matched: Int, by octet: UInt8) -> Int {
        let octet = ignoreCase ? octet.asciiLowercased : octet
        var matched = matched
        while matched > 0, octets[matched] != octet { matched = fallbacks[matched] }
        return octets[matched] == octet ? matched + 1 : 0
    }
}
