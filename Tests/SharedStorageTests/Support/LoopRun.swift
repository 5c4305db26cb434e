import Eventing
import Platform
import TestSupport
@testable import SharedStorage

/// What one test has on a loop of its own: a connector, and a server to ask.
final class LoopRun: Sendable {
    let group: LoopGroup
    private let workers: WorkerPool
    private let server: LoopBound<Box>

    final class Box {
        let loop: EventLoop
        let server: any SharedServer
        init(_ loop: EventLoop, _ server: any SharedServer) { (self.loop, self.server) = (loop, server) }
    }

    init(_ make: @escaping @Sendable (EventLoop, Connector) -> any SharedServer) throws {
        group = try LoopGroup(count: 1)
        workers = try WorkerPool(count: 1)
        let resolver = NameResolver(workers: workers)
        let made = WaitQueue<LoopBound<Box>>()
        group.handles[0].submit { loop in
            let connector = Connector(loop: loop, resolver: resolver)
            made.push(LoopBound(Box(loop, make(loop, connector)), loop: loop))
        }
        guard let server = made.pop() else { throw HarnessError("no loop") }
        self.server = server
    }

    convenience init(single address: ServerAddress, _ options: ServerOptions = ServerOptions()) throws {
        try self.init { SingleServer(address, loop: $0, connector: $1, options: options) }
    }

    convenience init(cluster seeds: [ServerAddress], _ options: ServerOptions = ServerOptions()) throws {
        try self.init { ClusterServer(seeds, loop: $0, connector: $1, options: options) }
    }

    deinit {
        workers.stop()
        group.stop()
        group.join()
    }

    /// The result of one batch.
    func result(_ commands: [RedisCommand], within time: Duration = .seconds(5)) throws -> SharedResult {
        let results = WaitQueue<SharedResult>()
        server.submit { $0.server.send(commands, within: time) { results.push($0) } }
        guard let result = results.pop() else { throw HarnessError("no result") }
        return result
    }

    /// The replies to one batch.
    func replies(_ commands: RedisCommand..., within time: Duration = .seconds(5)) throws -> [RedisReply] {
        try result(commands, within: time).get()
    }

    /// Does something with the server on its loop.
    func onServer(_ work: @escaping @Sendable (any SharedServer) -> Void) { server.submit { work($0.server) } }

    /// Publishes on a channel until so many listen.
    func publish(on channel: [UInt8], until count: Int64) throws {
        try askAgain(for: "\(count) that listen") {
            try replies(RedisCommand("PUBLISH", [channel, []]))
        } until: {
            $0 == [.number(count)]
        }
    }

    func failure(_ commands: RedisCommand..., within time: Duration = .seconds(5)) throws -> SharedFailure? {
        if case .failure(let failure) = try result(commands, within: time) { failure } else { nil }
    }
}

extension RedisCommand {
    static func get(_ key: String) -> RedisCommand { RedisCommand("GET", key: Array(key.utf8)) }
    static func set(_ key: String, _ value: String) -> RedisCommand {
        RedisCommand("SET", key: Array(key.utf8), [Array(value.utf8)])
    }
}

extension RedisReply {
    static func line(_ text: String) -> RedisReply { .text(Array(text.utf8)) }
}
