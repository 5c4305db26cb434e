import HTTPCore
import Locking
import Synchronization

/// Knows for most URIs without a record that there is none, which saves look-ups; safe from any thread.
///
/// It is a Bloom filter of the first halves of the rows' keys, with one word per key. It uses two bytes for each key,
/// at most 8 MiB. A record is added when it is committed. A walk over all keys adds earlier records; until it has
/// ended, any URI may have a record. Removed records stay in the filter. Once it has as many keys as it was made for,
/// another walk replaces it.
final class KeyFilter: Sendable {
    /// The bits of one walk, with those of all records that came since it began.
    fileprivate struct Marks {
        static let wordLimit = 1 << 20

        private var words: [UInt64]
        /// The number of keys that it was made for.
        let capacity: Int
        private(set) var count = 0

        init(for keys: Int) {
            var words = 4096
            while words * 4 < keys, words < Self.wordLimit { words *= 2 }
            self.words = Array(repeating: 0, count: words)
            capacity = max(words * 4, keys)
        }

        private func index(_ key: UInt64) -> Int { Int(truncatingIfNeeded: key >> 32) & (words.count - 1) }

        /// Four bits of a word, selected by other bits of the hash than the word.
        private static func mask(_ key: UInt64) -> UInt64 {
            1 << (key & 63) | 1 << (key >> 6 & 63) | 1 << (key >> 12 & 63) | 1 << (key >> 18 & 63)
        }

        func contains(_ key: UInt64) -> Bool {
            let mask = Self.mask(key)
            return words[index(key)] & mask == mask
        }

        mutating func insert(_ key: UInt64) {
            let (index, mask) = (index(key), Self.mask(key))
            guard words[index] & mask != mask else { return }
            words[index] |= mask
            count += 1
        }
    }

    fileprivate struct State {
        /// The seed of the open database's hashes; nil if none is open.
        var seed: UInt64?
        /// All existing keys; nil until the first walk has ended.
        var complete: Marks?
        /// Keys that the current walk has found, and keys of records that were queued since it was announced.
        var growing: Marks?
        var walk = 0
    }

    private let state = Lock(State())
    private let absences = Atomic<Int64>(0)

    /// How often `mayHold` has returned false.
    var absenceCount: Int64 { absences.load(ordering: .relaxed) }

    // MARK: Walks

    /// Announces a walk: a database is open that hashes URIs with `seed`.
    ///
    /// The walk may begin once all commits queued before this call are done; `add` adds later ones.
    /// - Parameter entries: the number of rows.
    /// - Returns: the number of the walk.
    func begin(seed: UInt64, entries: Int) -> Int {
        state.withLock { state in
            state.seed = seed
            state.complete = nil
            return state.announce(entries)
        }
    }

    /// Announces another walk over the same database if the filter is full; else returns nil.
    func renew(entries: Int) -> Int? {
        state.withLock { state in
            guard state.growing == nil, let complete = state.complete, complete.count > complete.capacity else {
                return nil
            }
            return state.announce(entries)
        }
    }

    /// Adds keys that a walk has found; returns false if the walk is outdated.
    func add(_ keys: [UInt64], of walk: Int) -> Bool {
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
            state.complete = growing
        }
    }

    /// No database is open, or a walk has failed: any URI may have a record.
    func end() { state.withLock { $0 = State(walk: $0.walk + 1) } }

    // MARK: Keys

    /// A record of `uri` was queued for the writer; returns whether the filter is full.
    func add(_ uri: TargetURI) -> Bool {
        state.withLock { state in
            guard let seed = state.seed else { return false }
            let key = RecordKey.prefix(uri, seed: seed)
            state.complete?.insert(key)
            state.growing?.insert(key)
            guard state.growing == nil, let complete = state.complete else { return false }
            return complete.count > complete.capacity
        }
    }

    /// Returns false if there is no record of `uri` and none is queued; this counts as a look-up.
    func mayHold(_ uri: TargetURI) -> Bool {
        let mayHold = contains(uri)
        if !mayHold { absences.add(1, ordering: .relaxed) }
        return mayHold
    }

    /// The same, without counting it.
    func contains(_ uri: TargetURI) -> Bool { contains { RecordKey.prefix(uri, seed: $0) } }

    /// Returns false if there is no record of a question to `target`, and none is queued.
    func containsQuestions(to target: TargetURI) -> Bool {
        contains { RecordKey.questionPrefix(target, seed: $0) }
    }

    private func contains(_ key: (_ seed: UInt64) -> UInt64) -> Bool {
        state.withLock { state in
            guard let seed = state.seed, let complete = state.complete else { return true }
            return complete.contains(key(seed))
        }
    }
}

extension KeyFilter.State {
    fileprivate mutating func announce(_ entries: Int) -> Int {
        walk += 1
        // Twice the number of rows, so that as many again may come before the next walk.
        growing = KeyFilter.Marks(for: 2 * min(max(0, entries), 1 << 30))
        return walk
    }
}
