import CommandSyntax
import TestSupport
import Testing

@testable import Commands

/// What the client of the admin API sends.
struct AdminClientTests {
    /// A client whose file for the token does not exist yet.
    private static func client(
        of port: UInt16,
        _ directory: TemporaryDirectory,
        patience: Duration = AdminConnection.timeout
    ) throws -> AdminClient {
        try AdminClient(
            try ParsedCommand.parse([
                "status", "--admin", "127.0.0.1:\(port)", "--config", "/dev/null",
                "--token-file", directory.path("token"),
            ]),
            patience: patience
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

    @Test("a daemon that accepts a connection and then is silent counts as one that does not answer")
    func silence() throws {
        let daemon = TestOrigin { peer, _ in _ = peer.hasEnded() }
        defer { daemon.close() }
        let directory = TemporaryDirectory()
        let client = try Self.client(of: daemon.port, directory, patience: .seconds(1))
        let failure = #expect(throws: CommandFailure.self) { try client.get("/v1/status") }
        #expect(failure?.exitCode == 4)
        #expect(
            failure?.userMessage == "no daemon answers at 127.0.0.1:\(daemon.port): no response within 1 second; "
                + "start one with `respite serve`, or `systemctl start respite`"
        )
    }

    @Test(
        "what is not HTTP is told with what is wrong in it",
        arguments: [
            ("HELLO\r\n\r\n", "The status line is not a version, a space, three digits from 100 to 599, and a reason"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "A chunk size is not one to sixteen hexadecimal digits before CRLF or an extension"
            ),
        ]
    )
    func notHTTP(bytes: String, reason: String) throws {
        let daemon = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send(bytes)
        }
        defer { daemon.close() }
        let directory = TemporaryDirectory()
        let client = try Self.client(of: daemon.port, directory)
        let failure = #expect(throws: CommandFailure.self) { try client.get("/v1/status") }
        #expect(failure?.exitCode == 1 && failure?.userMessage == "the response is not HTTP: \(reason)")
    }

    @Test("an interim response is skipped, and content may come in chunks")
    func interim() throws {
        let daemon = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n")
            peer.send("Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
            _ = peer.hasEnded()
        }
        defer { daemon.close() }
        let directory = TemporaryDirectory()
        #expect(try Self.client(of: daemon.port, directory).get("/v1/status").content == Array("abc".utf8))
    }

    @Test("the content of a 200 is passed on as it comes; that of another status says why there is none")
    func downloads() throws {
        let daemon = AnsweringOrigin { request in
            request.target == "/a" ? .init(200, [], "content") : .init(404, [], #"{"detail":"gone"}"#)
        }
        let directory = TemporaryDirectory()
        let client = try Self.client(of: daemon.port, directory)
        let received = SharedValue([UInt8]())
        func download(_ path: String) throws(CommandFailure) {
            try client.download(path) { bytes in received.update { $0 += bytes } }
        }
        try download("/a")
        let failure = #expect(throws: CommandFailure.self) { try download("/b") }
        #expect(failure?.exitCode == 3 && failure?.userMessage == "gone")
        #expect(received.current == Array("content".utf8))
    }
}
