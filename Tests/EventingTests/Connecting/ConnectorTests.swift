import Glibc
import HTTPCore
import Locking
import Platform
import Testing

@testable import Eventing

@Suite struct ConnectorTests {
    private static let open = AddressPolicy(
        allowsLoopback: true,
        allowsPrivate: true,
        listeners: OwnListeners(localAddresses: [])
    )

    /// Connects by a resolver that knows one name, `host.example`, and gives the outcome as text.
    private func connect(
        addresses: Result<[IPAddress], NameError>,
        host: String = "host.example",
        port: UInt16,
        policy: AddressPolicy = open,
        timeout: Duration = .seconds(5),
        stagger: Duration = .milliseconds(250)
    ) async throws -> (text: String, congestionControl: String?) {
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let resolver = NameResolver(workers: workers, options: .system) { name in
            name == "host.example" ? addresses : .failure(.notFound)
        }
        return try await onLoop { loop, outcome in
            let connector = Connector(loop: loop, resolver: resolver)
            connector.stagger = stagger
            connector.connect(host: Array(host.utf8), port: port, policy: policy, timeout: timeout) { result in
                switch result {
                case .success(let stream):
                    let control = congestionControlName(of: stream.descriptor)
                    outcome.succeed(("connected \(stream.peerAddress?.description ?? "nowhere")", control))
                case .failure(let error):
                    outcome.succeed((error.proxyErrorType, nil))
                }
            }
        }
    }

    private func v4(_ text: String) throws -> IPAddress { try #require(IPAddress(text: text)) }

    @Test("a closed connector looks up no name and connects to nothing", arguments: ["host.example", "127.0.0.1"])
    func closed(host: String) async throws {
        let socket = try ListeningSocket(binding: loopback)
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let lookUps = Lock(0)
        let port = try #require(socket.address.port)
        let text: String = try await onLoop { loop, outcome in
            let resolver = NameResolver(workers: workers, options: .system) { _ in
                lookUps.withLock { $0 += 1 }
                return .failure(.notFound)
            }
            let connector = Connector(loop: loop, resolver: resolver)
            connector.isClosed = true
            connector.connect(host: Array(host.utf8), port: port, policy: Self.open, timeout: .seconds(5)) { result in
                guard case .failure(let error) = result else { return outcome.succeed("connected") }
                outcome.succeed("\(error.status) \(error.sentence)")
            }
        }
        #expect(text == "504 this daemon replays a cassette, and makes no connections")
        #expect(lookUps.withLock { $0 } == 0)
    }

    @Test("a name and a literal lead to the same listener")
    func connects() async throws {
        let socket = try ListeningSocket(binding: loopback)
        let port = try #require(socket.address.port)
        let byName = try await connect(addresses: .success([try v4("127.0.0.1")]), port: port)
        #expect(byName.text == "connected \(socket.address)")
        // What goes to loopback goes without a pace.
        #expect(byName.congestionControl == "reno")
        let byLiteral = try await connect(addresses: .failure(.failed), host: "127.0.0.1", port: port)
        #expect(byLiteral.text == "connected \(socket.address)")
    }

    @Test("an address that does not answer costs no more than the stagger (RFC 8305 §5)")
    func fallsOver() async throws {
        // Given a listener whose backlog is full, so that the system drops what comes
        var options = ListeningSocket.Options()
        options.backlog = 0
        let silent = try ListeningSocket(binding: loopback, options: options)
        let port = try #require(silent.address.port)
        var fillers: [Int32] = []
        for _ in 0..<4 {
            let filler = try SocketCalls.makeSocket(family: AF_INET).get()
            _ = SocketCalls.connect(filler, to: silent.address)
            fillers.append(filler)
        }
        defer { for filler in fillers { SocketCalls.close(filler) } }
        let live = try ListeningSocket(binding: .ip(try v4("127.0.0.2"), port: port))
        // When both are addresses of one name, then
        let addresses = [try v4("127.0.0.1"), try v4("127.0.0.2")]
        let result = try await connect(addresses: .success(addresses), port: port)
        #expect(result.text == "connected \(live.address)")
        // And before the stagger has passed the other is not asked
        let early = try await connect(
            addresses: .success(addresses),
            port: port,
            timeout: .milliseconds(200),
            stagger: .seconds(60)
        )
        #expect(early.text == "connection_timeout")
        // And alone the silent one is a time-out (H-127)
        let alone = try await connect(addresses: .success([addresses[0]]), port: port, timeout: .milliseconds(200))
        #expect(alone.text == "connection_timeout")
    }

    @Test("an address that refuses gives way to the next at once")
    func refusedFirst() async throws {
        let live = try ListeningSocket(binding: .ip(try v4("127.0.0.2"), port: 0))
        let port = try #require(live.address.port)
        // Nobody else listens there, whatever the port.
        let both = [try v4("127.9.9.9"), try v4("127.0.0.2")]
        let result = try await connect(addresses: .success(both), port: port, stagger: .seconds(60))
        #expect(result.text == "connected \(live.address)")
        let refused = try await connect(addresses: .success([both[0]]), port: port)
        #expect(refused.text == "connection_refused")
    }

    @Test("of addresses that fail alike the first is the one that the error names")
    func firstOfEqual() async throws {
        let live = try ListeningSocket(binding: .ip(try v4("127.0.0.2"), port: 0))
        let port = try #require(live.address.port)
        let dead = [try v4("127.9.9.8"), try v4("127.9.9.9")]
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let resolver = NameResolver(workers: workers, options: .system) { _ in .success(dead) }
        let named: SocketAddress? = try await onLoop { loop, outcome in
            let connector = Connector(loop: loop, resolver: resolver)
            connector.stagger = .seconds(60)
            let host = Array("host.example".utf8)
            connector.connect(host: host, port: port, policy: Self.open, timeout: .seconds(5)) { result in
                if case .failure(let error) = result { outcome.succeed(error.address) } else { outcome.succeed(nil) }
            }
        }
        #expect(named == .ip(dead[0], port: port))
    }

    @Test("an address that answered where the first did not is told first from then on, for a while")
    func remembersWhatAnswered() async throws {
        let live = try ListeningSocket(binding: .ip(try v4("127.0.0.2"), port: 0))
        let port = try #require(live.address.port)
        let (dead, good) = (try v4("127.9.9.9"), try v4("127.0.0.2"))
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        for isKept in [true, false] {
            var options = NameResolver.Options.system
            options.overrides = ["over.example": [dead, good]]
            if !isKept { options.preferenceLifetime = .zero }
            let resolver = NameResolver(workers: workers, options: options) { _ in .success([dead, good]) }
            for name in ["host.example", "over.example"] {
                let answer: Result<[IPAddress], NameError> = try await onLoop { loop, outcome in
                    let host = Array(name.utf8)
                    let connector = Connector(loop: loop, resolver: resolver)
                    connector.connect(host: host, port: port, policy: Self.open, timeout: .seconds(5)) { _ in
                        resolver.resolve(host, on: loop) { outcome.succeed($0.map(\.addresses)) }
                    }
                }
                #expect(answer == .success(isKept ? [good, dead] : [dead, good]))
            }
        }
    }

    @Test("forbidden addresses among good ones are passed over, alone they are refused (H-140)")
    func forbiddenAmongGood() async throws {
        let live = try ListeningSocket(binding: loopback)
        let port = try #require(live.address.port)
        let metadata = try v4("169.254.169.254")
        let mixed = try await connect(addresses: .success([metadata, try v4("127.0.0.1")]), port: port)
        #expect(mixed.text == "connected \(live.address)")
        let alone = try await connect(addresses: .success([metadata]), port: 80)
        #expect(alone.text == "destination_ip_prohibited")
    }

    @Test("a name that leads to one of our own listeners is a loop (H-135)")
    func loop() async throws {
        let socket = try ListeningSocket(binding: loopback)
        var policy = Self.open
        policy.listeners = OwnListeners(proxy: [socket.address], localAddresses: [])
        let port = try #require(socket.address.port)
        let result = try await connect(addresses: .success([try v4("127.0.0.1")]), port: port, policy: policy)
        #expect(result.text == "proxy_loop_detected")
    }

    @Test(
        "names that are none, or have no address, are errors of the name (H-140)",
        arguments: [
            "missing.example", String(repeating: "a", count: 64) + ".example", "a..example", "", "a\0b.example",
            String(repeating: "abcdefgh.", count: 29),
        ]
    )
    func badNames(host: String) async throws {
        let result = try await connect(addresses: .success([]), host: host, port: 80)
        #expect(result.text == "dns_error")
    }

    @Test("a target whose look-up takes too long is told as such, whatever proxy it was to be reached through")
    func slowTarget() async throws {
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        var gate: [Int32] = [0, 0]
        try #require(pipe(&gate) == 0)
        let (held, release) = (gate[0], gate[1])
        defer { for descriptor in [release, held] { close(descriptor) } }
        let resolver = NameResolver(workers: workers, options: .system) { _ in
            // Until the other end is closed.
            var byte: UInt8 = 0
            _ = read(held, &byte, 1)
            return .failure(.notFound)
        }
        let parent = ParentProxy(.socks5(looksUpNames: false), host: Array("proxy.example".utf8), port: 1080)
        let error: ConnectError = try await onLoop { loop, outcome in
            Connector(loop: loop, resolver: resolver).connect(
                host: Array("host.example".utf8),
                port: 80,
                policy: Self.open,
                route: .tunnel(parent),
                timeout: .milliseconds(20)
            ) { result in
                if case .failure(let error) = result { outcome.succeed(error) }
            }
        }
        #expect(error.reason == .name(.timeout) && error.stage == .target)
    }

    @Test("concurrent look-ups of one name are one, and the answer is kept")
    func coalescesLookUps() async throws {
        let workers = try WorkerPool(count: 4)
        defer { workers.stop() }
        let calls = Counter()
        let resolver = NameResolver(workers: workers, options: .system) { _ in
            calls.increment()
            return .success([.v4(1)])
        }
        let answers: Int = try await onLoop { loop, outcome in
            var answers = 0
            func resolve(again: Bool) {
                for _ in 0..<10 {
                    resolver.resolve(Array("Host.Example.".utf8), on: loop) { _ in
                        answers += 1
                        if answers == 10 && again { resolve(again: false) }
                        if answers == 20 { outcome.succeed(answers) }
                    }
                }
            }
            resolve(again: true)
        }
        #expect(answers == 20)
        #expect(calls.value == 1)
    }

    @Test("an answer that comes between two requests for its name is kept for the second")
    func answersBetween() async throws {
        let workers = try WorkerPool(count: 4)
        defer { workers.stop() }
        let calls = Counter()
        let resolver = NameResolver(workers: workers, options: .system) { _ in
            calls.increment()
            return .success([.v4(1)])
        }
        let names = 500
        let answers: Int = try await onLoop { loop, outcome in
            var answers = 0
            for index in 0..<names {
                for _ in 0..<20 {
                    resolver.resolve(Array("h\(index).example".utf8), on: loop) { _ in
                        answers += 1
                        if answers == 20 * names { outcome.succeed(answers) }
                    }
                }
            }
        }
        #expect(answers == 20 * names)
        #expect(calls.value == names)
    }

    @Test("overrides, and names below localhost, need no look-up")
    func overrides() async throws {
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        var options = NameResolver.Options.system
        options.overrides = ["a.example": [.v4(7)]]
        let resolver = NameResolver(workers: workers, options: options) { _ in .failure(.notFound) }
        let answers: [Result<ResolvedName, NameError>] = try await onLoop { loop, outcome in
            resolver.resolve(Array("A.example".utf8), on: loop) { first in
                resolver.resolve(Array("x.localhost".utf8), on: loop) { outcome.succeed([first, $0]) }
            }
        }
        let written = ResolvedName(addresses: [.v4(7)], source: .override)
        let local = ResolvedName(addresses: [.v6(0, 1), .v4(0x7F00_0001)], source: .localhost)
        #expect(answers == [.success(written), .success(local)])
    }

    @Test("the system's resolver knows localhost")
    func systemResolver() throws {
        let addresses = try SystemNames.lookUp("localhost").get()
        #expect(addresses.allSatisfy { $0.addressClass == .loopback })
    }

    @Test("an attempt called off is never told")
    func cancel() async throws {
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let resolver = NameResolver(workers: workers, options: .system) { _ in .success([]) }
        let isTold: Bool = try await onLoop { loop, outcome in
            let socket = try ListeningSocket(binding: loopback)
            let connector = Connector(loop: loop, resolver: resolver)
            var isTold = false
            let attempt = connector.connect(to: socket.address, policy: Self.open, timeout: .seconds(1)) { _ in
                isTold = true
            }
            loop.atEndOfTurn { attempt.cancel() }
            loop.schedule(after: .milliseconds(30)) { outcome.succeed(isTold) }
        }
        #expect(!isTold)
    }

    @Test("families take turns, beginning with that of the first address (RFC 8305 §4)")
    func interleaving() {
        let mixed: [IPAddress] = [.v6(0, 1), .v6(0, 2), .v6(0, 3), .v4(1), .v4(2)]
        #expect(ConnectAttempt.interleaved(mixed) == [.v6(0, 1), .v4(1), .v6(0, 2), .v4(2), .v6(0, 3)])
    }
}
