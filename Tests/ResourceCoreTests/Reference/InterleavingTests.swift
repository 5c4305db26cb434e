import TestSupport
import ResourceDoubles
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import TestDoubles
import Testing

/// Two users of one resource, in any order of events, with requests that share loads.
@Suite("Credentials that never meet")
struct InterleavingTests {
    /// A world in which answers tell for whom the origin made them.
    private final class Course {
        private let world = World()
        /// Whether requests are questions, all with the same content (C-24.7).
        private let asksQuestions: Bool
        private var random: FixedRandom
        private var waiting: [(user: String, client: Client)] = []
        private var known = 0
        private var open: [ScriptedExchange] = []
        /// When a load of a user failed last, on the path of the course.
        private var failed: [String: Int64] = [:]
        private(set) var violation: String?
        /// Answers from what is held, by user.
        private(set) var hits: [String: Int] = [:]
        private(set) var collapsed = 0

        init(seed: UInt64, asksQuestions: Bool) {
            random = FixedRandom(seed: seed)
            self.asksQuestions = asksQuestions
        }

        private static let users: [String: (String, String)] = [
            "alice": ("Authorization", "Bearer a"), "bob": ("Authorization", "Bearer b"), "carol": ("Cookie", "id=c"),
            "dave": ("Cookie", "id=d"), "erin": ("X-Api-Key", "e"), "frank": ("X-Api-Key", "f"),
        ]
        private static let pairs = [["alice", "bob"], ["carol", "dave"], ["erin", "frank"], ["alice", "erin"]]
        /// Nothing here lets a response to a credential serve others, but for Cookie, which needs `private` or silence.
        private static let controls = [
            "private, max-age=60", "private", "no-store", "no-cache, private", "private, max-age=0",
        ]
        private static let ownControls = controls + ["max-age=60", "max-age=0", "proxy-revalidate, max-age=10"]

        func run(_ path: String) {
            let users = random.pick(Self.pairs)
            let usesCookies = users.contains("carol")
            failed = [:]
            for _ in 0..<8 where violation == nil {
                switch random.number(0...9) {
                case 0..<5: request(path, random.pick(users))
                case 5..<9:
                    if !open.isEmpty { answer(open.remove(at: random.number(0...(open.count - 1))), usesCookies) }
                default: world.timekeeper.advance(by: .seconds(random.pick([0, 1, 11, 61])))
                }
                runUntilIdle()
            }
            while violation == nil, let exchange = open.popLast() {
                answer(exchange, usesCookies)
                runUntilIdle()
            }
        }

        private func request(_ path: String, _ user: String) {
            guard let credential = Self.users[user] else { return }
            var lines = [credential, ("X-User", user)]
            if random.chance(10) { lines.append(("Cache-Control", "no-cache")) }
            waiting.append((user, asksQuestions ? world.ask("the same", lines, path) : world.get(path, lines)))
        }

        private func user(of exchange: ScriptedExchange) -> String {
            exchange.request.fields.values(named: Array("x-user".utf8)).first.map {
                String(decoding: $0, as: UTF8.self)
            } ?? ""
        }

        private func answer(_ exchange: ScriptedExchange, _ usesCookies: Bool) {
            let user = user(of: exchange)
            // A cookie that is set belongs to whose request it answers, whatever Cache-Control says.
            let setsCookie = random.chance(20)
            let controls = usesCookies && !setsCookie ? Self.controls : Self.ownControls
            var lines = [("X-For", user), ("Cache-Control", random.pick(controls))]
            if setsCookie { lines.append(("Set-Cookie", "u=\(user)")) }
            if random.chance(50) { lines.append(("ETag", "\"1\"")) }
            switch random.number(0...9) {
            case 0:
                failed[user] = world.timekeeper.now.nanoseconds
                exchange.fail()
            case 1:
                failed[user] = world.timekeeper.now.nanoseconds
                exchange.answer(503, [("X-For", user)], "down for \(user)")
            case 2..<5 where exchange.request.fields.contains(.ifNoneMatch):
                exchange.answer(304, [lines[1], ("ETag", "\"1\"")])
            default: exchange.answer(200, lines, "for \(user)")
            }
        }

        private func runUntilIdle() {
            world.runUntilIdle()
            for exchange in world.provider.exchanges.dropFirst(known) {
                known += 1
                open.append(exchange)
            }
            open.removeAll { $0.isCancelled }
            for (user, client) in waiting where client.answer != nil { judge(user, client) }
            waiting.removeAll { $0.client.answer != nil }
        }

        private func judge(_ user: String, _ client: Client) {
            switch client.answer {
            case .stored(let stored, let outcome):
                if outcome.isHit { hits[user, default: 0] += 1 }
                check(user, stored.fields)
            case .assembling(let response, _, _):
                check(user, response.fields)
            case .following(let loaded, let outcome):
                if outcome.isCollapsed { collapsed += 1 }
                check(user, loaded.fields)
            case .failure(let error):
                let time = failed[user] ?? .min
                if world.timekeeper.now.nanoseconds - max(time, 0) > 1_000_000_000 || time == .min {
                    violation = "\(user) is told another's error: \(error.userMessage)"
                }
            case .pass, .refused, nil: break
            }
        }

        private func check(_ user: String, _ fields: Fields) {
            let made = fields.values(named: Array("x-for".utf8)).map { String(decoding: $0, as: UTF8.self) }
            if made != [user] { violation = "\(user) gets what was made for \(made)" }
            if let cookie = fields.text(of: .setCookie), cookie != "u=\(user)" {
                violation = "\(user) is to bear the cookie \(cookie)"
            }
        }
    }

    @Test(
        "in 10,000 random interleavings no credential gets another's answer or error, and each gets hits (C-20.3, C-24.7)",
        arguments: [false, true]
    )
    func interleavings(asksQuestions: Bool) {
        var hits: [String: Int] = [:]
        var collapsed = 0
        for seed in 1...100 as ClosedRange<UInt64> {
            let course = Course(seed: seed, asksQuestions: asksQuestions)
            for number in 0..<100 where course.violation == nil { course.run("/\(number)") }
            hits.merge(course.hits, uniquingKeysWith: +)
            collapsed += course.collapsed
            #expect(course.violation == nil, "seed \(seed)")
            if course.violation != nil { return }
        }
        #expect(hits.count == 6 && hits.values.allSatisfy { $0 > 100 } && collapsed > 100, "\(hits), \(collapsed)")
    }
}
