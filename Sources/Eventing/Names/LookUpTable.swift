import HTTPCore

/// The look-ups under way; several waiters for one name share one.
struct LookUpTable {
    typealias Answer = Result<ResolvedName, NameError>

    /// One request that waits for a look-up.
    struct Waiter {
        var asker: NameAsker
        var deliver: @Sendable (Answer) -> Void
    }

    private struct LookUp {
        var number: UInt64
        /// The asker whose share it counts to.
        var owner: NameAsker
        var waiters: [UInt64: Waiter] = [:]
        var began: MonotonicTime
        /// Ends it without an answer; nil until it is under way.
        var stop: (@Sendable () -> Void)?
        /// Whether it has taken so long that the last good addresses are used.
        var isLate = false
    }

    /// What is to be done for a new waiter.
    enum JoinAction {
        /// Look the name up, under this number; another look-up may have given way.
        case start(UInt64, giver: Ended?)
        /// It is being looked up.
        case wait
        /// It is being looked up, but late: use the last good addresses, if there are any.
        case late
        case refuse
    }

    /// A look-up that is over, to be ended outside of the lock.
    struct Ended {
        var waiters: [Waiter]
        var stop: (@Sendable () -> Void)?

        func end(_ answer: Answer, stops: Bool) {
            if stops { stop?() }
            for waiter in waiters { waiter.deliver(answer) }
        }
    }

    /// The owner of renewals that no request waits for any more; they belong to no page and give way first.
    private static let renewals = NameAsker(client: nil, page: Array(" ".utf8))

    /// After this long a look-up will most likely get no answer.
    private static let usualTime = Duration.seconds(1)

    private let limit: Int
    private var lookUps: [String: LookUp] = [:]
    private var shares = LookUpShares()
    private var lastNumber: UInt64 = 0
    private(set) var refused = 0

    init(limit: Int) { self.limit = max(1, limit) }

    var count: Int { lookUps.count }

    /// Adds a waiter for `name`, under a number that no other waiter has.
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

    /// A look-up is under way; `stop` ends it.
    ///
    /// - Returns: false if it has ended meanwhile.
    mutating func didStart(_ name: String, _ number: UInt64, stop: @escaping @Sendable () -> Void) -> Bool {
        guard lookUps[name]?.number == number else { return false }
        lookUps[name]?.stop = stop
        return true
    }

    /// A look-up has an answer; nil if it is no longer wanted.
    mutating func finish(_ name: String, _ number: UInt64) -> Ended? {
        lookUps[name]?.number == number ? remove(name) : nil
    }

    /// A look-up takes long: returns its waiters, which get the last good addresses; the look-up goes on for later ones.
    mutating func becomeLate(_ name: String, _ number: UInt64) -> [Waiter] {
        guard var lookUp = lookUps[name], lookUp.number == number else { return [] }
        let waiters = Array(lookUp.waiters.values)
        lookUp.isLate = true
        lookUp.waiters = [:]
        change(owner: Self.renewals, of: &lookUp)
        lookUps[name] = lookUp
        return waiters
    }

    /// A waiter has left.
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

    /// The newest look-up of an asker that has more than its share, if only that asker waits for it.
    private func newest(for asker: NameAsker) -> String? {
        guard let giver = shares.giver(to: asker) else { return nil }
        let given = lookUps.filter { one in
            let owner = one.value.owner
            return owner.client == giver.client && (owner == giver || giver.client != asker.client)
                && one.value.waiters.values.allSatisfy { $0.asker == owner }
        }
        // The page with most first.
        return given.max { one, other in
            (one.value.owner == giver ? 1 : 0, one.value.number) < (
                other.value.owner == giver ? 1 : 0, other.value.number
            )
        }?.key
    }

    /// The oldest look-up that takes unusually long, of `asker`'s client or of one with more, if only its owner waits for it.
    ///
    /// So a flood from many pages still leaves room for another page.
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
