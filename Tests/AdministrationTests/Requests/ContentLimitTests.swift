import Administration
import JSON
import TestSupport
import Testing

/// How long the content of a request may be.
@Suite struct ContentLimitTests {
    /// A text of so many bytes that means the same.
    private static func padded(_ json: String, to count: Int) -> [UInt8] {
        Array((json + String(repeating: " ", count: count - json.utf8.count)).utf8)
    }

    @Test(
        "content may be as long as the limit says, announced or not, and no longer (H-146)",
        arguments: [(1000, 200), (1001, 413)]
    )
    func limit(count: Int, status: Int) throws {
        let admin = try TestAdmin { _, options in options.contentLimit = 1000 }
        let content = Self.padded(#"{"filter":"http://h.example/**"}"#, to: count)
        let fields = [admin.host, TestAdmin.bearer, "Content-Type: application/json"]
        let announced = try admin.send("POST", "/v1/purge", fields, content: content)
        let client = RawClient(port: admin.port)
        let head = ["POST /v1/purge HTTP/1.1"] + fields + ["Transfer-Encoding: chunked", "Connection: close", "", ""]
        client.send(head.joined(separator: "\r\n") + "\(String(count, radix: 16))\r\n")
        client.send(content + Array("\r\n0\r\n\r\n".utf8))
        let chunked = try #require(Answer(client.receiveAllBytes().bytes))
        for answer in [announced, chunked] {
            #expect(answer.status == status, "\(answer.text)")
            guard status == 413 else { continue }
            #expect(try JSONReader.parse(answer.content)["detail"]?.text == "the content has more than 1000 bytes")
        }
    }

    @Test(
        "an imported entry may have the content of a replacement in base 64, and as much beside it",
        arguments: [(2332, 200), (2333, 413)]
    )
    func entry(count: Int, status: Int) throws {
        let admin = try TestAdmin { _, options in (options.overrideLimit, options.contentLimit) = (1000, 1000) }
        let content = Self.padded(#"{"entry":{}}"#, to: count)
        let fields = [admin.host, TestAdmin.bearer, "Content-Type: application/json"]
        #expect(try admin.send("POST", "/v1/import", fields, content: content).status == status)
    }
}
