import CommandSyntax
import TestSupport
import Testing

@testable import Commands

/// What the client of the admin API sends.
struct AdminClientTests {
    /// A client whose file for the token does not exist yet.
    private static func client(of port: UInt16, _ directory: TemporaryDirectory) throws -> AdminClient {
        try AdminClient(
            try ParsedCommand.parse([
                "status", "--admin", "127.0.0.1:\(port)", "--config", "/dev/null",
                "--token-file", directory.path("token"),
            ])
        )
    }

    @Test("content has the type that its sender gives; a request without content has none")
    func types() throws {
        let daemon = AnsweringOrigin { _ in .init(200, [("Content-Type", "application/json")], "{}") }
        let directory = TemporaryDirectory()
        let client = try Self.client(of: daemon.port, directory)
        _ = try client.get("/v1/status")
        _ = try client.post("/v1/purge", json: Array("{}".utf8))
        _ = try client.put("/v1/resources", Array("a".utf8), type: "text/plain")
        _ = try client.put("/v1/resources", [], type: "text/css")
        _ = try client.put("/v1/resources", Array("a".utf8), type: nil)
        _ = try client.patch("/v1/resources", Array("a".utf8))
        #expect(
            daemon.requests.map { "\($0.method) \($0.fields["content-type"] ?? "-")" } == [
                "GET -", "POST application/json", "PUT text/plain", "PUT text/css", "PUT -", "PATCH -",
            ]
        )
    }

    @Test("a response without a length ends with its connection, and no response is none", arguments: ["abc", nil])
    func endingWithConnection(content: String?) throws {
        let daemon = TestOrigin { peer, _ in
            _ = peer.readHead()
            if let content { peer.send("HTTP/1.0 200 OK\r\n\r\n\(content)") }
        }
        defer { daemon.close() }
        let directory = TemporaryDirectory()
        let client = try Self.client(of: daemon.port, directory)
        if let content {
            #expect(try client.get("/v1/status").content == Array(content.utf8))
        } else {
            let failure = #expect(throws: CommandFailure.self) { try client.get("/v1/status") }
            #expect(failure?.userMessage == "the daemon closed the connection before its response was complete")
        }
    }

    @Test("a connection that ends before its response is told from one that breaks", arguments: [false, true])
    func broken(resets: Bool) throws {
        let daemon = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
            if resets { peer.reset() }
        }
        defer { daemon.close() }
        let directory = TemporaryDirectory()
        let client = try Self.client(of: daemon.port, directory)
        let failure = #expect(throws: CommandFailure.self) { try client.get("/v1/status") }
        let closed = "the daemon closed the connection before its response was complete"
        #expect(failure?.userMessage == (resets ? "the connection to the daemon broke" : closed))
    }
}
