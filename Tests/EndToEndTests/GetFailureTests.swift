import TestSupport
import Testing

/// What `respite get` says of a proxy that breaks off, speaks no HTTP or is not there.
///
/// Stand-ins answer for the daemon: one as its admin API, another one as its listener.
struct GetFailureTests {
    private let home = TemporaryDirectory()

    /// Gets a URL by a listener that the admin API names.
    private func get(by listeners: [String], _ words: [String] = []) throws -> Command.Outcome {
        let list = listeners.map { "\"\($0)\"" }.joined(separator: ",")
        let daemon = AnsweringOrigin { _ in
            .init(200, [("Content-Type", "application/json")], "{\"forwardListeners\":[\(list)]}")
        }
        let options = ["--admin", "127.0.0.1:\(daemon.port)", "--token-file", home.path("token")]
        return try Command.run(
            [DaemonProcess.executable, "get", "http://h.example/a"] + words + options,
            environment: DaemonProcess.environment(home)
        )
    }

    /// Gets a URL by a proxy that sends these bytes and closes the connection.
    private func get(_ bytes: String, resets: Bool = false, _ words: [String] = []) throws -> Command.Outcome {
        let proxy = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send(bytes)
            if resets { peer.reset() }
        }
        defer { proxy.close() }
        return try get(by: ["127.0.0.1:\(proxy.port)"], words)
    }

    private static let status = "The status line is not a version, a space, three digits from 100 to 599, and a reason"
    private static let chunk = "A chunk size is not one to sixteen hexadecimal digits before CRLF or an extension"

    @Test(
        "a response that is not HTTP, or ends too early, is told with what had come of it",
        arguments: [
            ("HELLO\r\n\r\n", "", "the response is not HTTP: \(status)"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n", "abc",
                "the response is not HTTP: \(chunk), after 3 B"
            ),
            ("", "", "the response ended before it was complete"),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "abc",
                "the response ended before it was complete, after 3 B of 9 B"
            ),
        ]
    )
    func broken(bytes: String, content: String, sentence: String) throws {
        let outcome = try get(bytes)
        #expect(outcome.status == 1 && outcome.output == content, "\(outcome)")
        #expect(outcome.errors == "respite: http://h.example/a: \(sentence)\n")
        let path = try home.write("old", to: "file")
        let saved = try get(bytes, ["-o", path])
        #expect(saved.status == 1 && saved.output.isEmpty)
        #expect(saved.errors == "respite: http://h.example/a: \(sentence); nothing was saved\n")
        #expect(try readFile(path) == Array("old".utf8))
    }

    @Test("a connection that breaks is told from one that ends")
    func reset() throws {
        let outcome = try get("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", resets: true)
        let sentence = "http://h.example/a: the response ended before it was complete: the connection broke"
        #expect(outcome.status == 1 && outcome.errors.hasPrefix("respite: \(sentence)"), "\(outcome)")
    }

    @Test("an interim response is skipped, and content without a length ends with its connection")
    func interim() throws {
        let outcome = try get("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 Fine\r\n\r\nabc")
        #expect(outcome.status == 0 && outcome.output == "abc", "\(outcome)")
        #expect(outcome.errors.hasPrefix("respite: 200 Fine, 3 B in "), "\(outcome)")
    }

    @Test("a listener that speaks TLS cannot be used, and one that is gone is no proxy")
    func noListener() throws {
        let secure = try get(by: ["https://127.0.0.1:1"])
        #expect(secure.status == 1 && secure.output.isEmpty)
        #expect(
            secure.errors
                == "respite: all listeners speak TLS, so `get` cannot use them; add one without to `listen`\n"
        )
        let address = "127.0.0.1:\(try unusedPort())"
        let gone = try get(by: ["https://127.0.0.1:1", address])
        #expect(gone.status == 4 && gone.output.isEmpty)
        #expect(gone.errors == "respite: no proxy answers at \(address): connection refused\n")
    }
}
