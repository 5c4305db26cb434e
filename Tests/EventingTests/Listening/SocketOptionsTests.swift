import Glibc
import HTTPCore
import Platform
import Testing

@testable import Eventing

/// How sockets are set up before anybody uses them.
@Suite struct SocketOptionsTests {
    private static let open = AddressPolicy(
        allowsLoopback: true,
        allowsPrivate: true,
        listeners: OwnListeners(localAddresses: [])
    )

    private static func option(_ name: Int32, _ level: Int32 = SOL_SOCKET, of descriptor: Int32) -> Int32? {
        var value: Int32 = -1
        var count = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, level, name, &value, &count) == 0 ? value : nil
    }

    private static func sendsAtOnce(_ descriptor: Int32) -> Bool {
        option(TCP_NODELAY, Int32(IPPROTO_TCP), of: descriptor) == 1
    }

    @Test("unless told otherwise a socket listens with a long backlog, alone on its port, for its owner")
    func defaults() {
        let options = ListeningSocket.Options()
        #expect(options.backlog == 4096 && !options.sharesPort && options.acceptsConnections)
        #expect(options.unixMode == 0o600 && options.setting == "listen")
    }

    @Test(
        "a listener's address is free as soon as it ends, and shared only if it is told",
        arguments: [.v4(0x7F00_0001), .v4(0), .v6(0, 1)] as [IPAddress]
    )
    func listeners(address: IPAddress) throws {
        var options = ListeningSocket.Options()
        for (shares, accepts) in [(false, true), (true, true), (false, false)] {
            options.sharesPort = shares
            options.acceptsConnections = accepts
            let socket = try ListeningSocket(binding: .ip(address, port: 0), options: options)
            let descriptor = socket.descriptor
            #expect(Self.option(SO_REUSEADDR, of: descriptor) == 1 && Self.sendsAtOnce(descriptor))
            #expect(Self.option(SO_REUSEPORT, of: descriptor) == (shares ? 1 : 0))
            #expect(Self.option(SO_ACCEPTCONN, of: descriptor) == (accepts ? 1 : 0))
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0 && fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
            if !address.isIPv4 {
                // IPv4 has its own listener at the same port.
                #expect(Self.option(IPV6_V6ONLY, Int32(IPPROTO_IPV6), of: descriptor) == 1)
            }
            withExtendedLifetime(socket) {}
        }
    }

    @Test("small segments leave at once on both sides of a connection, also where the listener was handed over")
    func connections() async throws {
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let handedOver = try SocketCalls.makeSocket(family: AF_INET).get()
        #expect(SocketCalls.bind(handedOver, to: loopback) == nil)
        #expect(SocketCalls.listen(handedOver, backlog: 1) == nil)
        for socket in [try ListeningSocket(adopting: handedOver), try ListeningSocket(binding: loopback)] {
            let found: [Bool] = try await onLoop { loop, outcome in
                var streams: [Stream] = []
                func note(_ stream: Stream) {
                    streams.append(stream)
                    if streams.count == 2 { outcome.succeed(streams.map { Self.sendsAtOnce($0.descriptor) }) }
                }
                _ = Listener(loop: loop, socket: socket) { stream, _ in note(stream) }
                let resolver = NameResolver(workers: workers, options: .system) { _ in .failure(.notFound) }
                let connector = Connector(loop: loop, resolver: resolver)
                connector.connect(to: socket.address, policy: Self.open, timeout: .seconds(5)) { result in
                    switch result {
                    case .success(let stream): note(stream)
                    case .failure(let error): outcome.finish(.failure(error))
                    }
                }
            }
            #expect(found == [true, true])
        }
    }

    @Test("a connector is open and tries one address alone for a quarter of a second; a closed one connects to none")
    func closed() async throws {
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let socket = try ListeningSocket(binding: loopback)
        let (usual, reason): (Bool, ConnectError.Reason?) = try await onLoop { loop, outcome in
            let resolver = NameResolver(workers: workers, options: .system) { _ in .failure(.notFound) }
            let connector = Connector(loop: loop, resolver: resolver)
            let usual = connector.stagger == .milliseconds(250) && !connector.isClosed
            connector.isClosed = true
            connector.connect(to: socket.address, policy: Self.open, timeout: .seconds(5)) { result in
                guard case .failure(let error) = result else { return outcome.succeed((usual, nil)) }
                outcome.succeed((usual, error.reason))
            }
        }
        #expect(usual && reason == .closed)
    }
}
