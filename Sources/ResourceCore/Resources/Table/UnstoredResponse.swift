package import HTTPCaching
package import HTTPCore

/// A response that was not stored, and why; told by `explain`.
package struct UnstoredResponse: Sendable {
    let hash: UInt64
    package let status: UInt16
    package let reason: RefusalReason
    package let time: MonotonicTime
}

/// The last responses that were not stored, one for each place: newer ones take the places of older ones.
struct UnstoredResponses: Sendable {
    private static let places = 32
    /// Empty until the first one comes.
    private var responses: [UnstoredResponse?] = []

    private static func place(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 1) & (places - 1) }

    subscript(hash: UInt64) -> UnstoredResponse? {
        guard !responses.isEmpty, let found = responses[Self.place(hash)], found.hash == hash else { return nil }
        return found
    }

    mutating func insert(_ response: UnstoredResponse) {
        if responses.isEmpty { responses = Array(repeating: nil, count: Self.places) }
        responses[Self.place(response.hash)] = response
    }

    /// One that was stored has come.
    mutating func remove(_ hash: UInt64) {
        if self[hash] != nil { responses[Self.place(hash)] = nil }
    }
}
