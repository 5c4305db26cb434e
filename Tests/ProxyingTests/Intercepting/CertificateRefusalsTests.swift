import Eventing
import HTTPCore
import Locking
import Testing

@testable import Proxying

/// Which clients do not take our certificates.
@Suite struct CertificateRefusalsTests {
    private static let host = "a.example:443"
    private static let ann = SocketAddress.ip(.v4(0x0A00_0001), port: 1000, scope: 0)
    private static let bob = SocketAddress.ip(.v4(0x0A00_0002), port: 1000, scope: 0)

    private static func time(_ seconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: seconds * 1_000_000_000)
    }

    private static func refuse(
        _ watch: CertificateRefusals,
        _ host: String = host,
        _ client: SocketAddress = ann,
        at: Int64
    ) {
        watch.noteRefusal(of: host, by: client, at: time(at), time: .seconds(100))
    }

    @Test("the second refusal within ten minutes makes blind tunnels, for that client and host, for a while")
    func twice() {
        let told = Lock<[CertificateRefusals.PassThrough]>([])
        let watch = CertificateRefusals { one in told.withLock { $0.append(one) } }
        Self.refuse(watch, at: 0)
        #expect(!watch.passesThrough(Self.host, for: Self.ann, at: Self.time(1)))
        // From another port it is the same client.
        Self.refuse(watch, Self.host, .ip(.v4(0x0A00_0001), port: 2000, scope: 0), at: 600)
        #expect(watch.passesThrough(Self.host, for: Self.ann, at: Self.time(601)))
        #expect(!watch.passesThrough(Self.host, for: Self.bob, at: Self.time(601)))
        #expect(!watch.passesThrough("b.example:443", for: Self.ann, at: Self.time(601)))
        let all = watch.all(at: Self.time(602))
        #expect(all.map(\.host) == [Self.host] && all[0].left == .seconds(98) && all[0].tunnels == 1)
        #expect(all[0].refusals == 2 && told.withLock { $0 }.map(\.left) == [.seconds(100)])
        #expect(!watch.passesThrough(Self.host, for: Self.ann, at: Self.time(700)))
        #expect(watch.all(at: Self.time(700)).isEmpty)
    }

    @Test("refusals that are far apart, or with a success in between, make none; nor where it is switched off")
    func apart() {
        let watch = CertificateRefusals()
        Self.refuse(watch, at: 0)
        Self.refuse(watch, at: 601)
        #expect(!watch.passesThrough(Self.host, for: Self.ann, at: Self.time(602)))
        watch.noteAcceptance(of: Self.host, by: Self.ann)
        Self.refuse(watch, at: 603)
        #expect(!watch.passesThrough(Self.host, for: Self.ann, at: Self.time(604)))
        for second in Int64(700)..<710 {
            watch.noteRefusal(of: "c.example:443", by: Self.ann, at: Self.time(second), time: nil)
        }
        #expect(!watch.passesThrough("c.example:443", for: Self.ann, at: Self.time(711)))
    }

    @Test("who closes without a word is believed at the fourth time, or behind an alert at the second")
    func silence() {
        let watch = CertificateRefusals()
        func close(_ host: String, at second: Int64) {
            watch.noteRefusal(.silence, of: host, by: Self.ann, at: Self.time(second), time: .seconds(100))
        }
        for second in Int64(0)..<3 { close(Self.host, at: second) }
        watch.noteAcceptance(of: Self.host, by: Self.ann)
        for second in Int64(3)..<6 { close(Self.host, at: second) }
        #expect(!watch.passesThrough(Self.host, for: Self.ann, at: Self.time(6)))
        close(Self.host, at: 6)
        #expect(watch.passesThrough(Self.host, for: Self.ann, at: Self.time(7)))
        close("b.example:443", at: 0)
        Self.refuse(watch, "b.example:443", at: 1)
        #expect(!watch.passesThrough("b.example:443", for: Self.ann, at: Self.time(2)))
        close("b.example:443", at: 3)
        #expect(watch.passesThrough("b.example:443", for: Self.ann, at: Self.time(4)))
    }

    @Test("a bounded number of hosts is remembered, the last ones")
    func bounded() {
        let watch = CertificateRefusals()
        #expect(CertificateRefusals.limit == 4096)
        for index in 0...CertificateRefusals.limit {
            for _ in 0..<2 { Self.refuse(watch, "h\(index).example:443", at: 0) }
        }
        let all = watch.all(at: Self.time(1))
        #expect(all.count == CertificateRefusals.limit * 3 / 4 + 1)
        #expect(
            all.count <= CertificateRefusals.limit
                && all.contains { $0.host == "h\(CertificateRefusals.limit).example:443" }
        )
    }

    @Test("of too many a quarter goes: those whose last refusal is the longest ago")
    func oldest() {
        let watch = CertificateRefusals()
        let limit = CertificateRefusals.limit
        func refuse(_ name: String) { Self.refuse(watch, "\(name).example:443", at: 0) }
        for index in 0..<limit { for _ in 0..<2 { refuse("h\(index)") } }
        #expect(watch.all(at: Self.time(1)).count == limit)
        refuse("h0")
        for _ in 0..<2 { refuse("new") }
        let left = ["h0", "new"] + (limit / 4 + 1..<limit).map { "h\($0)" }
        #expect(Set(watch.all(at: Self.time(1)).map(\.host)) == Set(left.map { "\($0).example:443" }))
    }
}
