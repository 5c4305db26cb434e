import TestSupport
import Testing

@testable import SharedStorage

/// What waits for a server that has not greeted yet.
@Suite struct ServerConnectionTests {
    @Test("what waits for the greeting is bounded by the bytes that may wait, all together")
    func waitingBytes() throws {
        // Given a server that reads, and says nothing
        let server = TestOrigin { peer, _ in
            while !peer.read(1).isEmpty {}
        }
        defer { server.close() }
        var options = ServerOptions()
        options.unsentLimit = 25_000
        options.silence = .seconds(60)
        let run = try LoopRun(single: .host("127.0.0.1", port: server.port), options)
        let command = RedisCommand.set("a", String(repeating: "x", count: 10_000))
        let results = WaitQueue<Bool>()
        // When more than fits is sent
        run.onServer { server in
            for number in 0..<4 {
                server.send([command], within: .seconds(60)) { result in
                    if case .failure(.busy) = result { results.push(number >= 2) }
                }
            }
        }
        // Then what is too much is refused at once
        #expect(results.pop() == true && results.pop() == true)
    }

    @Test("what waits when the connection is closed from here is told that it is not needed any more")
    func closing() throws {
        let server = TestOrigin { peer, _ in
            while !peer.read(1).isEmpty {}
        }
        defer { server.close() }
        let run = try LoopRun(single: .host("127.0.0.1", port: server.port))
        let results = WaitQueue<SharedResult>()
        run.onServer { server in
            for _ in 0..<2 { server.send([.get("a")], within: .seconds(60)) { results.push($0) } }
            server.close()
        }
        for _ in 0..<2 { #expect(results.pop() == .failure(.lost("it is not needed any more"))) }
    }
}
