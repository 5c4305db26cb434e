import Eventing
import HTTPCore
import Testing
import TransportSecurity

@testable import Proxying

/// What becomes of a CONNECT.
@Suite struct InterceptionTests {
    private static let now = HTTPDate.now

    @Test("once the CA has ended the hosts it was for get blind tunnels, and an explanation tells since when")
    func over() throws {
        let authority = try CertificateAuthority.make(name: "Lab", days: 2, at: Self.now)
        let interception = Interception(
            hosts: [try HostPattern("*.example")],
            context: try TLSMintingContext(try CertificateMint(authority)),
            refusals: CertificateRefusals()
        )
        let end = authority.certificate.ends
        func verdict(_ wall: HTTPDate) -> Interception.Verdict {
            let client = SocketAddress.ip(.v4(0x0A00_0001), port: 1000, scope: 0)
            let now = MonotonicTime(nanoseconds: 0)
            return interception.verdict(Array("a.example".utf8), port: 443, for: client, at: now, wall: wall)
        }
        func note(_ wall: HTTPDate) throws -> String {
            let uri = try TargetURI(parsing: "https://a.example/")
            return interception.note(uri, isOpen: true, at: MonotonicTime(nanoseconds: 0), wall: wall)
        }
        let late = HTTPDate(seconds: end.seconds + 1)
        #expect(verdict(end) == .intercept && verdict(late) == .tunnel)
        #expect(try !note(end).contains("blind"))
        #expect(try note(late) == "CONNECT makes a blind tunnel: our CA ended on \(end.day)")
    }

    @Test(
        "a dot at the end of a name evades no pattern, and needs none of its own",
        arguments: [
            ("bank.example", "bank.example", true), ("bank.example.", "bank.example", true),
            ("bank.example.", "*.example", true), ("bank.example.", "bank.example.", true),
            ("a.bank.example.", "bank.example", false),
            ("bank.example.:444", "bank.example", false), ("[::1]", "[::1]", true),
        ]
    )
    func trailingDot(host: String, pattern: String, expected: Bool) throws {
        let uri = try TargetURI(parsing: "https://\(host)/")
        #expect(Interception.isNamed(uri, by: [try HostPattern(pattern)]) == expected)
    }
}
