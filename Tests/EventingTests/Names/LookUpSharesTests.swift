import HTTPCore
import Locking
import Testing

@testable import Eventing

/// Who may look up how much, and what is kept of it.
@Suite struct LookUpSharesTests {
    private static func asker(_ client: UInt32, _ page: String = "") -> NameAsker {
        NameAsker(client: .v4(client), page: Array(page.utf8))
    }

    private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

    @Test("a client gives way to another that would still have less than it")
    func clients() {
        var shares = LookUpShares()
        #expect(shares.giver(to: Self.asker(2)) == nil && shares.count == 0)
        shares.add(Self.asker(1, "a"))
        #expect(shares.giver(to: Self.asker(2)) == nil)
        shares.add(Self.asker(1, "b"))
        shares.add(Self.asker(1, "b"))
        #expect(shares.giver(to: Self.asker(2)) == Self.asker(1, "b"))
        shares.add(Self.asker(2))
        #expect(shares.giver(to: Self.asker(2)) == Self.asker(1, "b"))
        shares.remove(Self.asker(1, "a"))
        #expect(shares.giver(to: Self.asker(2)) == nil)
        #expect(shares.count == 3 && shares.total(of: .v4(1)) == 2 && shares.total(of: .v4(2)) == 1)
    }

    @Test("a page gives way to another one of its client that would still have less")
    func pages() {
        var shares = LookUpShares()
        shares.add(Self.asker(1, "a"))
        #expect(shares.giver(to: Self.asker(1, "b")) == nil)
        shares.add(Self.asker(1, "a"))
        #expect(shares.giver(to: Self.asker(1, "b")) == Self.asker(1, "a"))
        #expect(shares.giver(to: Self.asker(1, "a")) == nil)
        shares.add(Self.asker(1, "b"))
        #expect(shares.giver(to: Self.asker(1, "b")) == nil)
    }

    @Test("what was not added is not taken away, and nothing is left of what was")
    func removal() {
        var shares = LookUpShares()
        shares.add(Self.asker(1, "a"))
        shares.add(Self.asker(1, "a"))
        shares.remove(Self.asker(1, "b"))
        shares.remove(Self.asker(2, "a"))
        #expect(shares.count == 2 && shares.total(of: .v4(1)) == 2)
        for _ in 0..<3 { shares.remove(Self.asker(1, "a")) }
        #expect(shares.count == 0 && shares.total(of: .v4(1)) == 0 && shares.total(of: nil) == 0)
    }

    @Test("a look-up is known by its number: another one's end and start leave it alone")
    func numbers() throws {
        var table = LookUpTable(limit: 4)
        let told = Lock<[String]>([])
        let stopped = Lock(0)
        func join(_ name: String, _ number: UInt64, client: UInt32 = 1) -> UInt64? {
            let waiter = LookUpTable.Waiter(asker: Self.asker(client)) { answer in
                told.withLock { $0.append("\(number) \((try? answer.get())?.addresses.count ?? -1)") }
            }
            let action = table.join(name, number, waiter, hasLastGood: true, now: Self.start)
            if case .start(let id, giver: nil) = action { return id }
            return nil
        }
        let first = try #require(join("a", 1))
        #expect(join("a", 2) == nil && join("a", 3, client: 2) == nil && table.count == 1)
        let stop: @Sendable () -> Void = { stopped.withLock { $0 += 1 } }
        let starts = [table.didStart("a", first + 1, stop: stop), table.didStart("b", first, stop: stop)]
        #expect(starts == [false, false])
        let isStarted = table.didStart("a", first, stop: stop)
        #expect(isStarted && table.finish("a", first + 1) == nil && table.finish("b", first) == nil)
        #expect(table.leave("a", 9) == nil && table.leave("a", 2) == nil && table.count == 1)
        let found = table.finish("a", first)
        let ended = try #require(found)
        ended.end(.success(ResolvedName(addresses: [.v4(1)], source: .dns)), stops: false)
        #expect(told.withLock { $0.sorted() } == ["1 1", "3 1"] && stopped.withLock { $0 } == 0)
        ended.end(.failure(.busy), stops: true)
        #expect(told.withLock { $0.count } == 4 && stopped.withLock { $0 } == 1 && table.count == 0)
    }

    @Test("the last asker to leave ends a look-up; one that became late waits for nobody")
    func leaving() {
        var table = LookUpTable(limit: 4)
        let waiter = LookUpTable.Waiter(asker: Self.asker(1)) { _ in }
        func action(_ name: String, _ number: UInt64, hasLastGood: Bool) -> String {
            switch table.join(name, number, waiter, hasLastGood: hasLastGood, now: Self.start) {
            case .start: "start"
            case .wait: "wait"
            case .late: "late"
            case .refuse: "refuse"
            }
        }
        #expect(action("a", 1, hasLastGood: true) == "start" && action("a", 2, hasLastGood: true) == "wait")
        #expect(table.leave("a", 1) == nil)
        #expect(table.leave("a", 2) != nil && table.count == 0)
        #expect(action("b", 3, hasLastGood: true) == "start")
        #expect(table.becomeLate("b", 1).isEmpty && table.becomeLate("c", 2).isEmpty)
        #expect(table.becomeLate("b", 2).count == 1 && table.becomeLate("b", 2).isEmpty)
        #expect(action("b", 4, hasLastGood: true) == "late" && action("b", 5, hasLastGood: false) == "wait")
        #expect(table.finish("b", 2)?.waiters.count == 1)
    }

    @Test("at the limit, a slow look-up gives way only to a client that would still have fewer look-ups than its own")
    func slowLookUps() {
        func join(_ others: [UInt32], asking client: UInt32) -> String {
            var table = LookUpTable(limit: others.count)
            var number: UInt64 = 0
            func action(_ client: UInt32, page: String, after delay: Duration) -> LookUpTable.JoinAction {
                number += 1
                let waiter = LookUpTable.Waiter(asker: Self.asker(client, page)) { _ in }
                return table.join("n\(number)", number, waiter, hasLastGood: false, now: Self.start + delay)
            }
            for other in others {
                // Those of the client that asks are new; each is of a page of its own.
                let delay = other == client ? Duration.seconds(5) : .zero
                _ = action(other, page: "p\(number)", after: delay)
            }
            return switch action(client, page: "p", after: .seconds(5)) {
            case .start(_, nil): "start"
            case .start: "start in place of another"
            case .wait, .late: "wait"
            case .refuse: "refuse"
            }
        }
        #expect(join([1], asking: 2) == "refuse")
        #expect(join([1, 1, 2], asking: 2) == "refuse")
        #expect(join([1, 1, 3, 3, 2], asking: 2) == "refuse")
        #expect(join([1, 1, 1, 2], asking: 2) == "start in place of another")
    }

    @Test("a full cache drops the oldest quarter, and what is renewed counts as before")
    func capacity() {
        var cache = NameCache(lifetimes: NameCache.Lifetimes(), capacity: 8)
        let answer = Result<ResolvedName, NameError>.success(ResolvedName(addresses: [.v4(1)], source: .dns))
        func insert(_ number: Int) {
            _ = cache.didLookUp("n\(number)", answer, timeToLive: .seconds(60), now: Self.start)
        }
        func kept() -> [Int] { (1...12).filter { cache.answer("n\($0)", now: Self.start) != nil } }
        for number in 1...8 { insert(number) }
        insert(1)
        #expect(kept() == Array(1...8))
        insert(9)
        #expect(kept() == Array(3...9))
        for number in 10...11 { insert(number) }
        #expect(kept() == Array(5...11))
        cache.removeAll()
        #expect(kept() == [])
        var least = NameCache(lifetimes: NameCache.Lifetimes(), capacity: 0)
        for name in ["a", "b"] { _ = least.didLookUp(name, answer, timeToLive: nil, now: Self.start) }
        #expect(least.answer("a", now: Self.start) == nil && least.answer("b", now: Self.start) == answer)
    }

    @Test("what is not found is kept for 5 s, a time-out for 1 s, an answer without a time for 30 s, busy not at all")
    func lifetimes() {
        let good = Result<ResolvedName, NameError>.success(ResolvedName(addresses: [.v4(1)], source: .system))
        let expected: [(Result<ResolvedName, NameError>, Int64)] = [
            (.failure(.notFound), 5), (.failure(.invalid), 5), (.failure(.timeout), 1), (.failure(.failed), 1),
            (good, 30), (.failure(.busy), 0),
        ]
        for (answer, seconds) in expected {
            var cache = NameCache(lifetimes: NameCache.Lifetimes(), capacity: 8)
            let told = cache.didLookUp("a", answer, timeToLive: nil, now: Self.start)
            #expect(told == answer)
            let end = Self.start + .seconds(seconds)
            #expect(cache.answer("a", now: end) == nil)
            if seconds > 0 {
                #expect(cache.answer("a", now: Self.start + (.seconds(seconds) - .nanoseconds(1))) == answer)
            }
        }
        var cache = NameCache(lifetimes: NameCache.Lifetimes(), capacity: 8)
        _ = cache.didLookUp("a", good, timeToLive: .seconds(10), now: Self.start)
        let end = Self.start + .seconds(86_410)
        #expect(cache.lastGood("a", now: Self.start + (.seconds(86_410) - .nanoseconds(1))) == (try? good.get()))
        #expect(cache.lastGood("a", now: end) == nil)
    }
}
