import CommandSyntax
import TestSupport
import Testing

@testable import Commands

/// What the client of the admin API sends.
struct AdminClientTests {
    @Test("content has the type that its sender gives; a request without content has none")
    func types() throws {
        let daemon = AnsweringOrigin { _ in .init(200, [("Content-Type", "application/json")], "{}") }
        let directory = TemporaryDirectory()
        let client = try AdminClient(
            try ParsedCommand.parse([
                "status", "--admin", "127.0.0.1:\(daemon.port)", "--config", "/dev/null",
                "--token-file", directory.path("token"),
            ])
        )
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
}
