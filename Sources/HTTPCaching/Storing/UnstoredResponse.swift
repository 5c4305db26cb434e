package import HTTPCore

/// A response that was not stored, and why; `explain` shows it.
package struct UnstoredResponse: Sendable {
    /// The hash of its URI.
    package let hash: UInt64
    package let status: UInt16
    package let reason: RefusalReason
    package let time: MonotonicTime

    package init(hash: UInt64, status: UInt16, reason: RefusalReason, time: MonotonicTime) {
        self.hash = hash
        self.status = status
        self.reason = reason
        self.time = time
    }
}

/// The last responses that were not stored, one for each slot; newer ones replace older ones.
package struct UnstoredResponses: Sendable {
    private static let slots = 32
    /// Empty until the first one comes.
    private var responses: [UnstoredResponse?] = []

    package init() {}

    private static func slot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 1) & (slots - 1) }

    package subscript(hash: UInt64) -> UnstoredResponse? {
        guard !responses.isEmpty, let found = responses[Self.slot(hash)], found.hash == hash else { return nil }
        return found
    }

    package mutating func insert(_ response: UnstoredResponse) {
        if responses.isEmpty { responses = Array(repeating: nil, count: Self.slots) }
        responses[Self.slot(response.hash)] = response
    }

    /// A response of this URI was stored.
    package mutating func remove(_ hash: UInt64) {
        if self[hash] != nil { responses[Self.slot(hash)] = nil }
    }
}
