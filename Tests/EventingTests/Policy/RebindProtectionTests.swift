import Glibc
import HTTPCore
import Platform
import Testing

@testable import Eventing

/// Names that lead inward.
@Suite struct RebindProtectionTests {
    private static func policy(
        _ scope: RebindProtection.Scope,
        _ change: (inout RebindProtection) -> Void = { _ in }
    ) -> AddressPolicy {
        var policy = AddressPolicy(
            allowsLoopback: true,
            allowsPrivate: true,
            listeners: OwnListeners(localAddresses: [])
        )
        policy.rebinding.scope = scope
        policy.rebinding.named = ["service.example"]
        policy.rebinding.isListed = { $0.hasSuffix(".localtest.me") }
        change(&policy.rebinding)
        return policy
    }

    private static func hostsFile(_ text: String) throws -> String {
        var template = Array("/tmp/respite-hosts-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        _ = text.withCString { write(descriptor, $0, strlen($0)) }
        close(descriptor)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    @Test(
        "a name leads to loopback or private networks only if it is trusted (DNS rebinding)",
        arguments: [
            ("evil.example", "127.0.0.1", "none", true), ("evil.example", "127.0.0.1", "loopback", false),
            ("evil.example", "::1", "loopback", false), ("evil.example", "127.255.1.2", "loopback", false),
            ("evil.example", "64:ff9b::7f00:1", "loopback", false),
            ("evil.example", "::ffff:127.0.0.1", "loopback", false),
            ("evil.example", "10.0.0.1", "loopback", true), ("evil.example", "10.0.0.1", "private", false),
            ("evil.example", "fd12::1", "private", false), ("evil.example", "127.0.0.1", "private", false),
            ("evil.example", "8.8.8.8", "private", true), ("localhost", "127.0.0.1", "private", true),
            ("a.localhost", "::1", "loopback", true), ("localhost.evil.example", "127.0.0.1", "loopback", false),
            ("xlocalhost", "127.0.0.1", "loopback", false), ("service.example", "127.0.0.1", "private", true),
            ("x.service.example", "127.0.0.1", "loopback", false), ("app.localtest.me", "127.0.0.1", "loopback", true),
            ("localtest.me", "127.0.0.1", "loopback", false), ("127.0.0.1", "127.0.0.1", "private", true),
            ("::1", "::1", "private", true), ("127.1", "127.0.0.1", "loopback", false),
        ]
    )
    func judgement(host: String, address: String, scope: String, isAllowed: Bool) throws {
        let policy = Self.policy(scope == "none" ? .none : scope == "loopback" ? .loopback : .privateNetworks)
        let ip = try #require(IPAddress(text: address))
        let verdict = policy.judge(.ip(ip, port: 80), of: host, from: .dns)
        #expect(verdict == (isAllowed ? .allowed : .forbidden(.untrustedName(ip.addressClass))))
    }

    @Test("what is never allowed stays so for trusted names, and where nothing is protected")
    func neverAllowed() throws {
        for text in ["169.254.169.254", "fe80::1", "0.0.0.0"] {
            let ip = try #require(IPAddress(text: text))
            let refused = AddressPolicy.Verdict.forbidden(.addressClass(ip.addressClass))
            #expect(Self.policy(.none).judge(.ip(ip, port: 80), of: "service.example", from: .dns) == refused)
        }
    }

    @Test(
        "names in the hosts file are trusted, however it is written",
        arguments: [
            ("app.example", true), ("alias.example", true), ("upper.example", true), ("tabbed.example", true),
            ("last.example", true),
            ("comment.example", false), ("behind.example", false), ("127.0.0.1", false), ("app", false),
            ("pp.example", false),
        ]
    )
    func hostsFile(name: String, isThere: Bool) throws {
        let text =
            "# comment.example\n127.0.0.1 app.example alias.example # behind.example\n\n"
            + "::1\tUPPER.example  tabbed.example\r\n10.1.1.1 last.example"
        let path = try Self.hostsFile(text)
        defer { unlink(path) }
        #expect(HostsFile(path: path).addresses(of: name).isEmpty != isThere)
    }

    @Test("a hosts file is read again when it is another one; without one no name is trusted")
    func changedHostsFile() throws {
        let path = try Self.hostsFile("127.0.0.1 one.example\n")
        defer { unlink(path) }
        let file = HostsFile(path: path)
        #expect(file.addresses(of: "one.example") == [.v4(0x7F00_0001)] && file.addresses(of: "two.example") == [])
        let other = try Self.hostsFile("127.0.0.1 two.example\n")
        #expect(rename(other, path) == 0)
        #expect(file.addresses(of: "one.example") == [] && file.addresses(of: "two.example") == [.v4(0x7F00_0001)])
        #expect(unlink(path) == 0)
        #expect(file.addresses(of: "two.example") == [])
        let here = SocketAddress.ip(.v4(0x7F00_0001), port: 80)
        #expect(Self.policy(.loopback).judge(here, of: "two.example", from: .hostsFile) == .allowed)
        #expect(Self.policy(.loopback).judge(here, of: "two.example", from: .dns) != .allowed)
    }

    @Test("no connection is made for a name that may not lead here; an address beside it that may is used (H-140)")
    func connecting() async throws {
        let socket = try ListeningSocket(binding: .ip(.v4(0x7F00_0001), port: 0))
        let port = try #require(socket.address.port)
        func outcome(_ host: String, _ addresses: [IPAddress], _ policy: AddressPolicy) async throws -> String {
            let workers = try WorkerPool(count: 1)
            defer { workers.stop() }
            let resolver = NameResolver(workers: workers, options: .system) { _ in .success(addresses) }
            return try await onLoop { loop, outcome in
                let connector = Connector(loop: loop, resolver: resolver)
                connector.connect(host: Array(host.utf8), port: port, policy: policy, timeout: .seconds(5)) { result in
                    switch result {
                    case .success: outcome.succeed("connected")
                    case .failure(let error): outcome.succeed("\(error.status) \(error.userMessage)")
                    }
                }
            }
        }
        let here: [IPAddress] = [.v4(0x7F00_0001)]
        let refused = try await outcome("Evil.example.", here, Self.policy(.loopback))
        #expect(refused.hasPrefix("403 ") && refused.contains("`access.private-names`"))
        #expect(try await outcome("evil.example", here, Self.policy(.none)) == "connected")
        #expect(try await outcome("SERVICE.example.", here, Self.policy(.loopback)) == "connected")
        #expect(try await outcome("127.0.0.1", here, Self.policy(.loopback)) == "connected")
        // An address that the scope leaves out, where nobody listens: refused by the system, not by us.
        let mixed = try await outcome("evil.example", [.v4(0x7F00_0001), .v4(0x7F00_0002)], Self.policy(.loopback))
        #expect(mixed.hasPrefix("403 "))
    }
}
