import Testing
import TestSupport

/// Users of one proxy, at the same time, with real sockets and two loops.
struct IsolationTests {
    /// What the origin decided, so that no answer is right by accident.
    private struct Record: Sendable {
        /// User and path of requests that were reset or answered by an error.
        var failed: Set<String> = []
        var numbers = FixedRandom(seed: 7)
    }

    private static let users = [
        "Authorization: Bearer alice", "Authorization: Bearer bob", "Cookie: id=carol", "Cookie: id=dave",
        "X-Api-Key: erin", "X-Api-Key: frank",
    ]

    /// Answers for the user of the request alone, in every way in which an origin may say so.
    private static func answer(_ exchange: OriginExchange, _ record: SharedValue<Record>) throws {
        let names = ["Authorization", "Cookie", "X-Api-Key"]
        let user = names.compactMap { name in exchange.request[name].map { "\(name): \($0)" } }.first ?? "nobody"
        let mustSayPrivate = user.hasPrefix("Cookie")
        let (kind, hasCookie, control) = record.update { record in
            let kind = Int.random(in: 0..<10, using: &record.numbers)
            let hasCookie = Int.random(in: 0..<4, using: &record.numbers) == 0
            let number = Int.random(in: 0..<6, using: &record.numbers)
            if kind < 2 { record.failed.insert("\(user) \(exchange.target)") }
            return (kind, hasCookie, number)
        }
        let controls = [
            "private, max-age=60", "no-store", "private, max-age=0", "private, max-age=60", "max-age=60", "max-age=60",
        ]
        let value = mustSayPrivate && !hasCookie ? controls[control % 4] : controls[control]
        let fields = ["X-For: \(user)", "Cache-Control: \(value)"] + (hasCookie ? ["Set-Cookie: u=\(user)"] : [])
        switch kind {
        case 0: exchange.reset()
        case 1: try exchange.reply("503 Service Unavailable", ["X-For: \(user)"], body: user)
        default: try exchange.reply("200 OK", fields, body: user)
        }
    }

    @Test(
        "six users with three kinds of credential share URLs, loads and loops, and never an answer or an error (C-20.3)"
    )
    func users() throws {
        let record = SharedValue(Record())
        let origin = try ScriptedOrigin { try Self.answer($0, record) }
        // Whether the origin is down is no user's secret: every failure here is to be one's own.
        let daemon = try DaemonProcess([
            "--set", "upstream.retry-time=100ms", "--set", "upstream.circuit-breaker=false",
        ])
        // Several connections each, so that every user is on both loops.
        let hits = try concurrently(Self.users.count * 4) { index -> (user: String, hits: Int) in
            let user = Self.users[index % Self.users.count]
            var numbers = FixedRandom(seed: UInt64(index))
            var hits = 0
            for round in 0..<60 {
                let path = "/\(round / 10)/\(Int.random(in: 0..<3, using: &numbers))"
                let response = try daemon.get(origin.url(path), [user])
                if response.status == 200 {
                    guard response.text == user, response["X-For"] == user else {
                        throw HarnessError("\(user) got \(response.text)")
                    }
                    if let cookie = response["Set-Cookie"], cookie != "u=\(user)" {
                        throw HarnessError("\(user) got the cookie \(cookie)")
                    }
                    if response.isHit { hits += 1 }
                } else {
                    let isOwn = response["X-For"].map { $0 == user } ?? true
                    guard isOwn, record.current.failed.contains("\(user) \(path)") else {
                        throw HarnessError("\(user) got another's error \(response.status): \(response.text)")
                    }
                }
            }
            return (user, hits)
        }
        for user in Self.users {
            #expect(hits.contains { $0.user == user && $0.hits > 0 }, "\(user)")
        }
        #expect(record.current.failed.count > 10)
    }
}
