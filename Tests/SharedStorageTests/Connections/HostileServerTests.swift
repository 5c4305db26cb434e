import TestSupport
import Testing

@testable import SharedStorage

private let greeting =
    "*6\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"

@Suite("A server that is none, or hostile")
struct HostileServerTests {
    /// What a client gets from a peer that sends some bytes at once, and reads on.
    private func failure(_ text: String, _ options: ServerOptions = ServerOptions()) throws -> SharedFailure? {
        let server = TestOrigin { peer, _ in
            _ = peer.send(Array(text.utf8))
            while !peer.read(1).isEmpty {}
        }
        defer { server.close() }
        return try LoopRun(single: .host("127.0.0.1", port: server.port), options)
            .failure(.get("a"), within: .seconds(5))
    }

    @Test(
        "what does not speak the protocol, or answers what nobody asked, is left with a clear sentence",
        arguments: [
            "HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail.example ESMTP\r\n", "*1\r\n:1\r\n", ":1\r\n",
            "*2147483647\r\n*2147483647\r\n*-7\r\n",
        ]
    )
    func noRedis(text: String) throws {
        guard case .noRedis? = try failure(text) else { return #expect(Bool(false)) }
    }

    @Test("a reply that nothing asked for ends the connection")
    func unasked() throws {
        let ended = WaitQueue<Bool>()
        let server = TestOrigin { peer, _ in
            _ = peer.send(Array((greeting + String(repeating: ":1\r\n", count: 9)).utf8))
            while !peer.read(1).isEmpty {}
            ended.push(true)
        }
        defer { server.close() }
        let run = try LoopRun(single: .host("127.0.0.1", port: server.port))
        _ = try run.result([.get("a")])
        withExtendedLifetime(run) { #expect(ended.pop() == true) }
    }

    @Test("a server older than 6.2 is named as such")
    func old() throws {
        let old = greeting.replacing("$6\r\n7.0.15", with: "$5\r\n6.0.9")
        #expect(try failure(old) == .tooOld("6.0.9"))
        #expect(try failure("-ERR unknown command `HELLO`\r\n") == .tooOld("5 or earlier"))
    }

    @Test("a reply without end takes no more memory than the limit, and ends the connection")
    func endless() throws {
        var options = ServerOptions()
        options.replies.bytes = 1 << 20
        let text = greeting + "$2000000000\r\n" + String(repeating: "x", count: 3 << 20)
        guard case .noRedis? = try failure(text, options) else { return #expect(Bool(false)) }
    }

    @Test("a server that never finishes its reply is left after a while")
    func silent() throws {
        var options = ServerOptions()
        options.silence = .milliseconds(200)
        #expect(try failure(greeting + "$10\r\nab", options) == .lost("the server is silent"))
    }

    @Test("a server that closes the connection before it replies is said to have done so")
    func closed() throws {
        let server = TestOrigin { peer, _ in
            _ = peer.send(Array(greeting.utf8))
            _ = peer.read(through: "$1\r\na\r\n")
        }
        defer { server.close() }
        let run = try LoopRun(single: .host("127.0.0.1", port: server.port))
        #expect(try run.failure(.get("a")) == .lost("the server closed it"))
    }
}
