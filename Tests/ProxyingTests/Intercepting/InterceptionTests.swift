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

    private static let client = SocketAddress.ip(.v4(0x0A00_0001), port: 1000, scope: 0)
    private static let start = MonotonicTime(nanoseconds: 0)

    private static func interception(for hosts: [PermittedHost] = []) throws -> Interception {
        Interception(
            hosts: [try HostPattern("*.example")],
            passThrough: [try HostPattern("bank.example")],
            context: try TLSMintingContext(
                try CertificateMint(try CertificateAuthority.make(name: "Lab", days: 2, for: hosts, at: now))
            ),
            refusals: CertificateRefusals()
        )
    }

    private static func note(_ interception: Interception, _ host: String, isOpen: Bool = true) throws -> String {
        let uri = try TargetURI(parsing: "https://\(host)/")
        return interception.note(uri, isOpen: isOpen, at: start, wall: now)
    }

    private static func verdict(_ interception: Interception, _ host: String) -> Interception.Verdict {
        interception.verdict(Array(host.utf8), port: 443, for: client, at: start, wall: now)
    }

    @Test(
        "an explanation says why a CONNECT is intercepted or not",
        arguments: [
            ("a.example", true, "CONNECT is intercepted: requests inside are answered from here"),
            ("a.example", false, "CONNECT to its port is refused (`access.connect-ports`)"),
            ("a.b.example", true, "CONNECT makes a blind tunnel: `intercept.hosts` does not name the host"),
            ("bank.example", true, "CONNECT makes a blind tunnel: `intercept.pass-through` names the host"),
        ]
    )
    func notes(host: String, isOpen: Bool, expected: String) throws {
        #expect(try Self.note(Self.interception(), host, isOpen: isOpen) == expected)
    }

    @Test("hosts that are named are intercepted, unless they pass through, or no certificate can be for them")
    func verdicts() throws {
        let interception = try Self.interception()
        #expect(Self.verdict(interception, "a.example") == .intercept)
        for host in ["bank.example", "a.b.example", String(repeating: "a", count: 64) + ".example"] {
            #expect(Self.verdict(interception, host) == .tunnel, "\(host)")
        }
    }

    @Test("an authority that is good for some hosts alone leaves the others to blind tunnels, and says so")
    func constraints() throws {
        let interception = try Self.interception(for: [.name("a.example")])
        #expect(Self.verdict(interception, "a.example") == .intercept)
        #expect(Self.verdict(interception, "b.example") == .tunnel)
        #expect(try Self.note(interception, "a.example").hasPrefix("CONNECT is intercepted"))
        let note = try Self.note(interception, "b.example")
        #expect(note.hasPrefix("CONNECT makes a blind tunnel: our CA is good for a.example alone; "))
    }

    @Test("clients that refuse our certificate get blind tunnels for a while, and an explanation names them")
    func refusals() throws {
        var interception = try Self.interception()
        for _ in 0..<2 {
            interception.refusals.noteRefusal(
                of: "a.example:443",
                by: Self.client,
                at: Self.start,
                time: .milliseconds(99_500)
            )
        }
        #expect(Self.verdict(interception, "a.example") == .tunnelAfterRefusals)
        #expect(
            try Self.note(interception, "a.example")
                == "CONNECT is intercepted, but makes a blind tunnel for clients that refuse our certificate: 10.0.0.1 (99 s more)"
        )
        #expect(Self.verdict(interception, "b.example") == .intercept)
        for _ in 0..<2 {
            interception.refusals.noteRefusal(
                of: "b.example:443",
                by: .unix(path: "/a"),
                at: Self.start,
                time: .milliseconds(400)
            )
        }
        #expect(try Self.note(interception, "b.example").hasSuffix(" refuse our certificate: a Unix socket (1 s more)"))
        interception.passThroughTime = nil
        #expect(Self.verdict(interception, "a.example") == .intercept)
        #expect(
            try Self.note(interception, "a.example") == "CONNECT is intercepted: requests inside are answered from here"
        )
    }
}
