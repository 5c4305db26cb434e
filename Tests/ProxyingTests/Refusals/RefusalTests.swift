import Configurations
import Eventing
import Exchanges
import HTTPCore
import Locking
import Observability
import ResourceCore
import Testing
import TestSupport

@testable import Proxying

/// Which refusals end a connection, and which of them the log tells.
@Suite struct RefusalTests {
    @Test(
        "a refusal of a request as it came ends the connection; one of a rule, a limit or the origin does not",
        arguments: [
            (400, true), (403, true), (404, false), (405, true), (407, true), (417, true), (421, true), (499, true),
            (500, false), (501, true), (502, false), (503, false), (504, false), (505, true), (508, false),
        ] as [(UInt16, Bool)]
    )
    func ends(status: UInt16, ends: Bool) {
        #expect(Refusal(status, "no").endsConnection == ends)
        #expect(!Refusal.failed(status, by: "rule 1").endsConnection)
    }

    @Test("a rule that denies, and a login that is missing, leave the connection open")
    func open() {
        #expect(!Refusal.denied(Denial("not here", rule: "rule 1")).endsConnection)
        #expect(!Refusal.loginNeeded("log in").endsConnection && Refusal.loginNeeded("log in").asksForLogin)
        #expect(!Refusal.tooManyLogins.endsConnection && Refusal.tooManyLogins.retryAfterSeconds == 1)
        #expect(!Refusal.notAsked(in: .offline).endsConnection && Refusal.notAsked(in: .offline).status == 504)
        let waiters = Refusal.tooManyWaiters(limit: 7)
        #expect(waiters.status == 503 && waiters.retryAfterSeconds == 1 && waiters.detail.hasPrefix("7 requests wait"))
        #expect(Refusal.notAsked(in: .replay).cacheDetail == "replay")
        #expect(Refusal.failed(503, by: "rule 1").cacheDetail == "fail")
    }

    @Test(
        "what settings could allow concerns them, unless a rule forbids it",
        arguments: [
            (400, false), (402, false), (403, true), (404, false), (405, true), (406, false), (421, true), (422, false),
        ]
            as [(UInt16, Bool)]
    )
    func settings(status: UInt16, concerns: Bool) {
        #expect(Refusal(status, "no").concernsSettings == concerns)
        #expect(!Refusal.failed(status, by: "rule 1").concernsSettings)
    }

    @Test("refusals are of one kind if they differ in numbers alone, or behind 48 characters")
    func kinds() {
        let long = String(repeating: "a", count: 48)
        #expect(Refusal(403, "port 25").kind == Refusal(403, "port 2525").kind)
        #expect(Refusal(403, "port 25").kind != Refusal(405, "port 25").kind)
        #expect(Refusal(403, long + "b").kind == Refusal(403, long + "c").kind)
        #expect(Refusal(403, long.dropLast() + "b").kind != Refusal(403, long.dropLast() + "c").kind)
    }

    @Test("of 64 kinds at a time the log tells, and of others once some of these are a minute old")
    func bounded() {
        let log = RefusalLog(.silent)
        func turn(_ kind: String, _ seconds: Int64) -> Int? {
            log.turn(kind, at: MonotonicTime(nanoseconds: seconds * 1_000_000_000))
        }
        for number in 0..<64 { #expect(turn("kind \(number)", 0) == 0) }
        #expect(turn("one more", 59) == nil)
        #expect(turn("kind 1", 59) == nil)
        #expect(turn("one more", 60) == 0)
        #expect(turn("kind 1", 61) == 0 && turn("one more", 61) == nil)
    }

    /// What a log was told.
    private final class Lines: Sendable {
        private let kept = Lock<[String]>([])

        var all: [String] { kept.withLock { $0 } }

        var log: Logger {
            Logger(
                level: .debug,
                output: { [self] bytes in kept.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } },
                clock: { 0 }
            )
        }
    }

    @Test("the log tells of a refusal by status, reason, client and host, of which it has 255 characters at most")
    func line() throws {
        let lines = Lines()
        let proxy = try TestProxy { $0.options.refusalLog = RefusalLog(lines.log) }
        let host = String(repeating: "a", count: 253) + ":12345"
        for _ in 0..<2 { #expect(proxy.ask("/", "Host: \(host)")?.status == 421) }
        let reason =
            "Host is none of this proxy's names; use 127.0.0.1, localhost or a name that `access.own-names` lists"
        let told = "refused status=421 reason=\"\(reason)\" client=127.0.0.1 host=\(host.prefix(255)) more=0\n"
        #expect(lines.all.count == 1 && lines.all.first?.hasSuffix(" warning \(told)") == true, "\(lines.all)")
    }

    @Test("a client that speaks another SOCKS is told of in the log, once a minute")
    func socks() throws {
        let lines = Lines()
        let log = RefusalLog(lines.log)
        let client = SocketAddress.ip(.v4(0xC000_0201), port: 1)
        for second in [0, 1, 60] as [Int64] {
            log.note(.version4, from: client, at: MonotonicTime(nanoseconds: second * 1_000_000_000))
        }
        log.note(.method, from: .unix(path: "/a"), at: MonotonicTime(nanoseconds: 0))
        let told = lines.all
        #expect(told.map { $0.contains("SOCKS refused") } == [true, true, true])
        #expect(told.first?.contains("client=192.0.2.1 more=0") == true)
        #expect(told.dropFirst().first?.contains("client=192.0.2.1 more=1") == true)
        #expect(told.last?.contains("client=unix more=0") == true)
    }

    @Test("a connection that begins as SOCKS4 is refused, counted and told of")
    func version4() throws {
        let lines = Lines()
        let proxy = try TestProxy { $0.options.refusalLog = RefusalLog(lines.log) }
        let client = proxy.client()
        client.send([4, 1, 0, 80, 192, 0, 2, 1, 0])
        #expect(client.receiveAllBytes().bytes.starts(with: [0, 0x5B]))
        _ = proxy.recentRequests()
        #expect(lines.all.map { $0.contains("SOCKS refused") && $0.contains("SOCKS4") } == [true])
    }
}
