package import HTTPCaching
package import HTTPCore

/// A response that was not stored, and why; `explain` shows it.
package struct UnstoredResponse: Sendable {
    let hash: UInt64
    package let status: UInt16
    package let reason: RefusalReason
    package let time: MonotonicTime
}

/// The last responses that were not stored, one for each slot; newer ones replace older ones.
struct UnstoredResponses: Sendable {
    private static let slots = 32
    /// Empty until the first one comes.
    private var responses: [UnstoredResponse?] = []

    private static func slot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 1) & (slots - 1) }

    subscript(hash: UInt64) -> UnstoredResponse? {
        guard !responses.isEmpty, let found = responses[Self.slot(hash)], found.hash == hash else { return nil }
        return found
    }

    mutating func insert(_ response: UnstoredResponse) {
        if responses.isEmpty { responses = Array(repeating: nil, count: Self.slots) }
        responses[Self.slot(response.hash)] = response
    }

    /// A response of this URI was stored.
    mutating func remove(_ hash: UInt64) {
        if self[hash] != nil { responses[Self.slot(hash)] = nil }
    }
}
