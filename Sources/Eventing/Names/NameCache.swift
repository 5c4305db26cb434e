import HTTPCore

/// Keeps answers as long as they are valid, and the last good addresses a while longer.
struct NameCache {
    /// How long each kind of answer is valid.
    struct Lifetimes: Sendable, Equatable {
        /// An answer is valid between this time and `longestAnswer`, whatever its records say.
        var leastAnswer = Duration.seconds(1)
        var longestAnswer = Duration.seconds(3600)
        /// The lifetime of addresses from the C library, which reports none.
        var untimedAnswer = Duration.seconds(30)
        /// The lifetime of the answer that a name has no address.
        var failure = Duration.seconds(5)
        /// The lifetime of the result that no server answered.
        var timeout = Duration.seconds(1)
        /// How long addresses may be used beyond their lifetime while there is no newer answer (RFC 8767).
        var lastGood = Duration.seconds(86_400)
    }

    private struct Entry {
        var answer: Result<ResolvedName, NameError>
        var expires: MonotonicTime
        /// When the addresses may no longer be used at all.
        var ends: MonotonicTime
    }

    let lifetimes: Lifetimes
    private let capacity: Int
    private var entries: [String: Entry] = [:]
    /// Names in the order in which their entries were made, to drop the oldest.
    private var order: [String] = []

    init(lifetimes: Lifetimes, capacity: Int) {
        self.lifetimes = lifetimes
        self.capacity = max(1, capacity)
    }

    /// The answer for `name`, if it is still valid.
    func answer(_ name: String, now: MonotonicTime) -> Result<ResolvedName, NameError>? {
        guard let entry = entries[name], now < entry.expires else { return nil }
        return entry.answer
    }

    /// Addresses of `name` to use while there is no newer answer.
    func lastGood(_ name: String, now: MonotonicTime) -> ResolvedName? {
        guard let entry = entries[name], now < entry.ends else { return nil }
        return try? entry.answer.get()
    }

    /// Remembers the result of a look-up.
    ///
    /// - Returns: the result for its waiters: the last good addresses if no server answered.
    mutating func didLookUp(
        _ name: String,
        _ answer: Result<ResolvedName, NameError>,
        timeToLive: Duration?,
        now: MonotonicTime
    ) -> Result<ResolvedName, NameError> {
        switch answer {
        case .success:
            let lifetime = timeToLive.map { min(max($0, lifetimes.leastAnswer), lifetimes.longestAnswer) }
            let expires = now + (lifetime ?? lifetimes.untimedAnswer)
            insert(Entry(answer: answer, expires: expires, ends: expires + lifetimes.lastGood), for: name)
        case .failure(.notFound), .failure(.invalid):
            let expires = now + lifetimes.failure
            insert(Entry(answer: answer, expires: expires, ends: expires), for: name)
        case .failure(.timeout), .failure(.failed):
            if let good = lastGood(name, now: now) {
                // Not every request looks the name up again (RFC 8767 §5).
                entries[name]?.expires = now + lifetimes.failure
                return .success(good)
            }
            let expires = now + lifetimes.timeout
            insert(Entry(answer: answer, expires: expires, ends: expires), for: name)
        case .failure(.busy): break
        }
        return answer
    }

    mutating func removeAll() {
        entries = [:]
        order = []
    }

    private mutating func insert(_ entry: Entry, for name: String) {
        if entries.updateValue(entry, forKey: name) == nil { order.append(name) }
        guard entries.count > capacity else { return }
        // Drop a quarter at once, so that the order is seldom shifted.
        let dropped = max(1, capacity / 4)
        for name in order.prefix(dropped) { entries[name] = nil }
        order.removeFirst(min(dropped, order.count))
    }
}
