import HTTPCore
import Platform
import TestSupport
import Testing
import TransportSecurity

@testable import Eventing

/// What happens on a connection before its user gets it.
@Suite struct ConnectStageTests {
    /// How a dialogue with a proxy ended; `isFree`: the stream has no delegate.
    private struct End: Equatable {
        var reason: ConnectError.Reason?
        var isFree = true
        var unread = 0
    }

    private static func end(of answer: [UInt8], targetMayBegin: Bool = false, isCut: Bool = false) async throws -> End {
        try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            let dialogue = SOCKSDialogue(.name(Array("a.example".utf8)), port: 80, login: nil)
            let stage = DialogueStage(dialogue, targetMayBegin: targetMayBegin, loop: loop)
            let proxy = Scripted()
            var isAnswered = false
            proxy.onRead = { stream, bytes in
                guard !isAnswered else { return bytes.count }
                isAnswered = true
                stream.append { $0 += answer }
                if isCut { stream.closeWrite() }
                return bytes.count
            }
            right.delegate = proxy
            stage.run(on: left) { reason in
                outcome.succeed(End(reason: reason, isFree: left.delegate == nil, unread: left.unreadBytes))
            }
        }
    }

    @Test("a dialogue ends with the proxy's answer; bytes behind it are left to the user where there may be some")
    func dialogue() async throws {
        let granted: [UInt8] = [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        #expect(try await Self.end(of: granted) == End())
        #expect(try await Self.end(of: granted + [1, 2]) == End(reason: .parent(.earlyBytes), unread: 2))
        #expect(try await Self.end(of: granted + [1, 2], targetMayBegin: true) == End(unread: 2))
        #expect(try await Self.end(of: [5, 0, 5, 4]).reason == .parent(.reply(4)))
        #expect(try await Self.end(of: [5, 0xFF]).reason == .parent(.wantsLogin))
        #expect(try await Self.end(of: [5, 0, 5], isCut: true).reason == .parent(.closed))
        #expect(try await Self.end(of: [], isCut: true) == End(reason: .parent(.closed)))
    }

    @Test("a stage that lasts too long is told by its kind; without an engine there is no room for TLS")
    func timeouts() async throws {
        let reasons: [ConnectError.Reason?] = try await onLoop { loop, outcome in
            let (left, _) = try makePair(loop)
            let dialogue = SOCKSDialogue(.name([]), port: 80, login: nil)
            let stages: [any ConnectStage] = [
                DialogueStage(dialogue, targetMayBegin: false, loop: loop), SecurityStage { nil },
            ]
            stages[1].run(on: left) { reason in
                var reasons: [ConnectError.Reason?] = []
                for stage in stages { reasons.append(stage.timeout) }
                outcome.succeed(reasons + [reason])
            }
        }
        #expect(reasons == [.parent(.timeout), .security(TLSError(.timeout)), .exhausted])
    }

    /// Which parts of connecting took time.
    private static func parts(
        _ host: String,
        _ answer: Result<[IPAddress], NameError>,
        port: UInt16
    ) async throws -> [Bool] {
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let resolver = NameResolver(workers: workers, options: .system) { _ in answer }
        return try await onLoop { loop, outcome in
            let policy = AddressPolicy(
                allowsLoopback: true,
                allowsPrivate: true,
                listeners: OwnListeners(localAddresses: [])
            )
            let connector = Connector(loop: loop, resolver: resolver)
            var attempt: ConnectAttempt?
            attempt = connector.connect(
                host: Array(host.utf8),
                port: port,
                policy: policy,
                timeout: .seconds(5)
            ) { _ in
                let timings = attempt?.timings ?? UpstreamTimings()
                for time in [timings.name, timings.connect, timings.handshake] where time ?? 0 < 0 {
                    Issue.record("a part took \(time ?? 0) ns")
                }
                outcome.succeed([timings.name != nil, timings.connect != nil, timings.handshake != nil])
                attempt = nil
            }
        }
    }

    @Test("each part of connecting that took place has its time, also where the last one failed")
    func timings() async throws {
        let socket = try ListeningSocket(binding: loopback)
        let port = try #require(socket.address.port)
        let here: Result<[IPAddress], NameError> = .success([.v4(0x7F00_0001)])
        #expect(try await Self.parts("a.example", here, port: port) == [true, true, false])
        #expect(try await Self.parts("127.0.0.1", here, port: port) == [false, true, false])
        #expect(try await Self.parts("127.9.9.9", here, port: port) == [false, true, false])
        #expect(try await Self.parts("a.example", .failure(.notFound), port: port) == [true, false, false])
        #expect(try await Self.parts("a.example", .success([.v4(0x7F09_0909)]), port: port) == [true, true, false])
    }

    private static let open = AddressPolicy(
        allowsLoopback: true,
        allowsPrivate: true,
        listeners: OwnListeners(localAddresses: [])
    )

    @Test("a name that does not come in time takes all the time there was, and no more")
    func slowName() throws {
        let workers = try WorkerPool(count: 1)
        let gate = WaitQueue<Bool>()
        let resolver = NameResolver(workers: workers, options: .system) { _ in
            _ = gate.pop()
            return .failure(.notFound)
        }
        let manual = try ManualLoop()
        let connector = Connector(loop: manual.loop, resolver: resolver)
        var reasons: [ConnectError.Reason] = []
        let attempt = connector.connect(
            host: Array("slow.example".utf8),
            port: 80,
            policy: Self.open,
            timeout: .seconds(2)
        ) { result in
            if case .failure(let error) = result { reasons.append(error.reason) }
        }
        manual.advance(by: .milliseconds(1999))
        #expect(reasons == [])
        manual.advance(by: .milliseconds(1))
        #expect(reasons == [.name(.timeout)] && attempt.timings.name == 2_000_000_000)
        #expect(attempt.timings.connect == nil && attempt.timings.handshake == nil)
        gate.push(true)
        workers.stop()
    }

    @Test("while the clock stands still, the name and the connection take no time, but are told")
    func noTime() throws {
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let socket = try ListeningSocket(binding: loopback)
        let port = try #require(socket.address.port)
        var options = NameResolver.Options.system
        options.overrides = ["a.example": [.v4(0x7F00_0001)]]
        let resolver = NameResolver(workers: workers, options: options) { _ in .failure(.notFound) }
        let manual = try ManualLoop()
        let connector = Connector(loop: manual.loop, resolver: resolver)
        var stream: Stream?
        let attempt = connector.connect(
            host: Array("a.example".utf8),
            port: port,
            policy: Self.open,
            timeout: .seconds(2)
        ) { stream = try? $0.get() }
        while attempt.isWanted { manual.loop.turn(mayBlock: true) }
        #expect(stream?.isOpen == true && attempt.timings.handshake == nil)
        #expect(attempt.timings.name == 0 && attempt.timings.connect == 0)
    }
}
