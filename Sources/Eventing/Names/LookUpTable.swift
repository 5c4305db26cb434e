import HTTPCore

/// The look-ups in progress; waiters for the same name share one.
struct LookUpTable {
    typealias Resolution = Result<ResolvedName, NameError>

    /// One request that waits for a look-up.
    struct Waiter {
        var asker: NameAsker
        var deliver: @Sendable (Resolution) -> Void
    }

    private struct LookUp {
        var number: UInt64
        /// The asker to whose share it counts.
        var owner: NameAsker
        var waiters: [UInt64: Waiter] = [:]
        var began: MonotonicTime
        /// Ends it without an answer; nil until it has begun.
        var stop: (@Sendable () -> Void)?
        /// Whether it takes so long that the last good addresses are used.
        var isLate = false
    }

    /// What to do for a new waiter.
    enum JoinAction {
        /// Start a look-up under this number; another one may have been given up for it.
        case start(UInt64, giver: Ended?)
        /// A look-up is in progress: wait for it.
        case wait
        /// A look-up is in progress, but late: use the last good addresses, if any.
        case late
        case refuse
    }

    /// A look-up that is over; the caller ends it outside the lock.
    struct Ended {
        var waiters: [Waiter]
        var stop: (@Sendable () -> Void)?

        func end(_ answer: Resolution, stops: Bool) {
            if stops { stop?() }
            for waiter in waiters { waiter.deliver(answer) }
        }
    }

    /// The owner of renewals for which no request waits any more.
    ///
    /// They belong to no page, and are given up first.
    private static let renewals = NameAsker(client: nil, page: Array(" ".utf8))

    /// A look-up that has taken longer than this will most likely get no answer.
    private static let usualTime = Duration.seconds(1)

    private let limit: Int
    private var lookUps: [String: LookUp] = [:]
    private var shares = LookUpShares()
    private var lastNumber: UInt64 = 0
    private(set) var refused = 0

    init(limit: Int) { self.limit = max(1, limit) }

    var count: Int { lookUps.count }

    /// Adds a waiter for `name`, under a unique number.
    mutating func join(
        _ name: String,
        _ number: UInt64,
        _ waiter: Waiter,
        hasLastGood: Bool,
        now: MonotonicTime
    ) -> JoinAction {
        if let lookUp = lookUps[name] {
            if lookUp.isLate, hasLastGood { return .late }
            lookUps[name]?.waiters[number] = waiter
            return .wait
        }
        var ended: Ended?
        if shares.count >= limit {
            refused += 1
            guard let given = newest(for: waiter.asker) ?? oldest(for: waiter.asker, now: now) else { return .refuse }
            ended = remove(given)
        }
        lastNumber += 1
        lookUps[name] = LookUp(number: lastNumber, owner: waiter.asker, waiters: [number: waiter], began: now)
        shares.add(waiter.asker)
        return .start(lastNumber, giver: ended)
    }

    /// Notes that a look-up has begun; `stop` ends it.
    ///
    /// - Returns: false if it has ended meanwhile.
    mutating func didStart(_ name: String, _ number: UInt64, stop: @escaping @Sendable () -> Void) -> Bool {
        guard lookUps[name]?.number == number else { return false }
        lookUps[name]?.stop = stop
        return true
    }

    /// Removes a look-up that has an answer; nil if it is no longer wanted.
    mutating func finish(_ name: String, _ number: UInt64) -> Ended? {
        lookUps[name]?.number == number ? remove(name) : nil
    }

    /// Returns the waiters of a look-up that takes long; they get the last good addresses.
    ///
    /// The look-up continues for later ones.
    mutating func becomeLate(_ name: String, _ number: UInt64) -> [Waiter] {
        guard var lookUp = lookUps[name], lookUp.number == number else { return [] }
        let waiters = Array(lookUp.waiters.values)
        lookUp.isLate = true
        lookUp.waiters = [:]
        change(owner: Self.renewals, of: &lookUp)
        lookUps[name] = lookUp
        return waiters
    }

    /// Removes a waiter.
    ///
    /// - Returns: the look-up, if no waiter is left.
    mutating func leave(_ name: String, _ number: UInt64) -> Ended? {
        guard var lookUp = lookUps[name], lookUp.waiters.removeValue(forKey: number) != nil else { return nil }
        guard let other = lookUp.waiters.values.first else { return remove(name) }
        if !lookUp.waiters.values.contains(where: { $0.asker == lookUp.owner }) {
            change(owner: other.asker, of: &lookUp)
        }
        lookUps[name] = lookUp
        return nil
    }

    private mutating func change(owner: NameAsker, of lookUp: inout LookUp) {
        shares.remove(lookUp.owner)
        lookUp.owner = owner
        shares.add(owner)
    }

    /// The newest look-up of an asker that has more than its share, if no other asker waits for it.
    private func newest(for asker: NameAsker) -> String? {
        guard let giver = shares.giver(to: asker) else { return nil }
        let given = lookUps.filter { one in
            let owner = one.value.owner
            return owner.client == giver.client && (owner == giver || giver.client != asker.client)
                && one.value.waiters.values.allSatisfy { $0.asker == owner }
        }
        // Begin with the page that has the most.
        return given.max { one, other in
            (one.value.owner == giver ? 1 : 0, one.value.number) < (
                other.value.owner == giver ? 1 : 0, other.value.number
            )
        }?.key
    }

    /// The oldest look-up that takes unusually long and for which only its owner waits.
    ///
    /// It belongs to `asker`'s client, or to a client with more. So a flood from many pages still leaves room for
    /// another page.
    private func oldest(for asker: NameAsker, now: MonotonicTime) -> String? {
        lookUps.filter { one in
            let owner = one.value.owner
            return one.value.began + Self.usualTime <= now
                && (owner.client == asker.client || shares.total(of: owner.client) > shares.total(of: asker.client) + 1)
                && one.value.waiters.values.allSatisfy { $0.asker == owner }
        }.min { $0.value.number < $1.value.number }?.key
    }

    private mutating func remove(_ name: String) -> Ended? {
        guard let lookUp = lookUps.removeValue(forKey: name) else { return nil }
        shares.remove(lookUp.owner)
        return Ended(waiters: Array(lookUp.waiters.values), stop: lookUp.stop)
    }
}
