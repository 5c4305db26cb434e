import Testing
import TestSupport

/// Clients as people use them.
struct ToolTests {
    private static func curl(_ words: String...) throws -> Command.Outcome {
        try Command.run(["curl", "-sS", "--max-time", "20", "-D", "/dev/stderr"] + words)
    }

    @Test("curl through the proxy, twice, and through the prefix: the first minute of the README")
    func curl() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: "hello") }
        let daemon = try DaemonProcess()
        let proxy = "http://127.0.0.1:\(daemon.port)"
        let first = try Self.curl("-x", proxy, origin.url("/x"))
        let second = try Self.curl("-x", proxy, origin.url("/x"))
        let third = try Self.curl("\(proxy)/\(origin.url("/x"))")
        #expect([first.output, second.output, third.output] == ["hello", "hello", "hello"])
        for outcome in [second, third] {
            #expect(outcome.errors.contains("; hit") && outcome.errors.contains("Age: "), "\(outcome.errors)")
        }
        #expect(origin.requests.count == 1)
    }

    @Test("curl uploads with Expect: 100-continue and chunked")
    func upload() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", content: try $0.content()) }
        let daemon = try DaemonProcess()
        let text = String(repeating: "some text ", count: 200_000)
        let file = try daemon.home.write(text, to: "upload")
        for fields in [["-H", "X-A: b"], ["-H", "Transfer-Encoding: chunked"], ["-H", "Expect: 100-continue"]] {
            let words = ["curl", "-sS", "-x", "http://127.0.0.1:\(daemon.port)", "-T", file] + fields
            let outcome = try Command.run(words + [origin.url("/up")])
            #expect(outcome.output == text, "\(fields): \(outcome.errors)")
        }
    }

    @Test("curl reaches an HTTPS site through a tunnel")
    func tunnel() throws {
        let daemon = try DaemonProcess()
        let (server, port) = try secureServer(daemon.home)
        defer { server.send(signal: 9) }
        let words = ["--set", "access.connect-ports=[\(port)]"]
        let proxy = try DaemonProcess(words)
        let outcome = try Self.curl("-k", "-x", "http://127.0.0.1:\(proxy.port)", "https://127.0.0.1:\(port)/")
        #expect(outcome.status == 0 && outcome.output.contains("s_server"), "\(outcome.errors)")
    }

    /// An HTTPS server on a free port, which says when it accepts.
    private func secureServer(_ directory: TemporaryDirectory) throws -> (Command, UInt16) {
        let key = directory.path + "/key.pem"
        let certificate = directory.path + "/certificate.pem"
        try Command.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
            "/CN=127.0.0.1", "-days", "1", "-keyout", key, "-out", certificate,
        ])
        let port = try unusedPort()
        let words = ["openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-key", key, "-cert", certificate, "-www"]
        let server = try Command(words)
        _ = try server.waitForOutput("ACCEPT") { $0.contains("ACCEPT") ? true : nil }
        return (server, port)
    }
}
