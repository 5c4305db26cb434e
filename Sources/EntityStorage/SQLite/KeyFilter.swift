import HTTPCore
import Locking
import Synchronization

/// Tells of most URIs without a record that they have none, so that no look-up is made for them.
///
/// A Bloom filter of the first halves of the rows' keys, one word to a key. It knows what is committed from the call on, and
/// what was there before once a walk over the keys has ended; until then every URI may have a record. What is removed
/// stays in it: when it has taken in as many keys as it was made for, another walk makes it anew. Safe from any thread; two
/// bytes to a key, at most 8 MiB.
final class KeyFilter: Sendable {
    /// Marks of one walk, or of all that has come since it began.
    fileprivate struct Marks {
        static let wordLimit = 1 << 20

        private var words: [UInt64]
        /// Keys it was made for.
        let capacity: Int
        private(set) var count = 0

        init(for keys: Int) {
            var words = 4096
            while words * 4 < keys, words < Self.wordLimit { words *= 2 }
            self.words = Array(repeating: 0, count: words)
            capacity = max(words * 4, keys)
        }

        private func place(_ key: UInt64) -> Int { Int(truncatingIfNeeded: key >> 32) & (words.count - 1) }

        /// Four bits of a word; from other bits of the hash than the word's place.
        private static func mask(_ key: UInt64) -> UInt64 {
            1 << (key & 63) | 1 << (key >> 6 & 63) | 1 << (key >> 12 & 63) | 1 << (key >> 18 & 63)
        }

        func contains(_ key: UInt64) -> Bool {
            let mask = Self.mask(key)
            return words[place(key)] & mask == mask
        }

        mutating func insert(_ key: UInt64) {
            let (place, mask) = (place(key), Self.mask(key))
            guard words[place] & mask != mask else { return }
            words[place] |= mask
            count += 1
        }
    }

    fileprivate struct State {
        /// Of the database that is open.
        var seed: UInt64?
        /// All keys there are; nil until the first walk has ended.
        var whole: Marks?
        /// What the walk under way has found, and what was queued since it was announced.
        var growing: Marks?
        var walk = 0
    }

    private let state = Lock(State())
    private let absences = Atomic<Int64>(0)

    /// How often it has told that there is no record.
    var absenceCount: Int64 { absences.load(ordering: .relaxed) }

    // MARK: Walks

    /// A database is open that hashes URIs with `seed`.
    ///
    /// The walk may begin once all commits queued before this call are done: what is queued later is noted here.
    /// - Parameter entries: rows there are.
    /// - Returns: the number of the walk.
    func begin(seed: UInt64, entries: Int) -> Int {
        state.withLock { state in
            state.seed = seed
            state.whole = nil
            return state.announce(entries)
        }
    }

    /// The same for the database that is open already, if the filter is due to be made anew.
    func renew(entries: Int) -> Int? {
        state.withLock { state in
            guard state.growing == nil, let whole = state.whole, whole.count > whole.capacity else { return nil }
            return state.announce(entries)
        }
    }

    /// Takes in what a walk has found; false if it is of no use any more.
    func take(_ keys: [UInt64], of walk: Int) -> Bool {
        state.withLock { state in
            guard state.walk == walk, state.growing != nil else { return false }
            for key in keys { state.growing?.insert(key) }
            return true
        }
    }

    /// The walk has seen all keys.
    func finish(_ walk: Int) {
        state.withLock { state in
            guard state.walk == walk, let growing = state.growing.take() else { return }
            state.whole = growing
        }
    }

    /// No database is open, or a walk has failed: nothing is known.
    func end() { state.withLock { $0 = State(walk: $0.walk + 1) } }

    // MARK: Keys

    /// A record of `uri` was queued for the writer; true if the filter is due to be made anew.
    func note(_ uri: TargetURI) -> Bool {
        state.withLock { state in
            guard let seed = state.seed else { return false }
            let key = RecordKey.prefix(uri, seed: seed)
            state.whole?.insert(key)
            state.growing?.insert(key)
            guard state.growing == nil, let whole = state.whole else { return false }
            return whole.count > whole.capacity
        }
    }

    /// False: there is no record of `uri`, and none is on its way; counted as a look-up then.
    func mayHold(_ uri: TargetURI) -> Bool {
        let mayHold = contains(uri)
        if !mayHold { absences.add(1, ordering: .relaxed) }
        return mayHold
    }

    /// The same without being counted.
    func contains(_ uri: TargetURI) -> Bool {
        state.withLock { state in
            guard let seed = state.seed, let whole = state.whole else { return true }
            return whole.contains(RecordKey.prefix(uri, seed: seed))
        }
    }
}

extension KeyFilter.State {
    fileprivate mutating func announce(_ entries: Int) -> Int {
        walk += 1
        // As many again may come before it is made anew.
        growing = KeyFilter.Marks(for: 2 * min(max(0, entries), 1 << 30))
        return walk
    }
}
