import Testing
import TestSupport

/// Two clients of one response that is too large to be kept: one takes nothing until the other has it all.
@Suite struct SharedBodyTests {
    private static let length = 24 * 1024 * 1024
    /// No two blocks of 64 KiB are alike.
    private static let content: [UInt8] = {
        var content: [UInt8] = []
        content.reserveCapacity(length)
        var block = [UInt8](repeating: 0x78, count: 64 * 1024)
        for index in 0..<length / block.count {
            block[0] = UInt8(index & 0xFF)
            block[1] = UInt8(index >> 8)
            content += block
        }
        return content
    }()

    /// Sends the content, or its end where that is asked for; the first request waits until it is told.
    private static func origin(_ tag: String?, _ asked: WaitQueue<String>, _ go: WaitQueue<Void>) -> TestOrigin {
        TestOrigin { peer, number in
            while let head = peer.readHead() {
                let request = OriginRequestText(head)
                asked.push(request["Range"].first ?? "all")
                if number == 0 { _ = go.pop() }
                let lines = "Cache-Control: max-age=60\r\n" + (tag.map { "ETag: \($0)\r\n" } ?? "")
                let first = request["Range"].first.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
                let status =
                    first > 0
                    ? "206 Partial Content\r\nContent-Range: bytes \(first)-\(Self.length - 1)/\(Self.length)"
                    : "200 OK"
                peer.send("HTTP/1.1 \(status)\r\n\(lines)Content-Length: \(Self.length - first)\r\n\r\n")
                peer.send(Array(Self.content[first...]))
            }
        }
    }

    /// Head and content of the one response of a client.
    private static func receive(_ client: RawClient) -> (head: String, isWhole: Bool) {
        var all: [UInt8] = []
        var start: Int?
        while start.map({ all.count < $0 + length }) ?? true {
            guard case .bytes(let bytes) = client.receiveSome(1 << 20) else { break }
            all += bytes
            if start == nil {
                start = all.indices.dropLast(3).first { all[$0..<$0 + 4].elementsEqual([13, 10, 13, 10]) }.map {
                    $0 + 4
                }
            }
        }
        guard let start else { return ("", false) }
        return (String(decoding: all[..<start], as: UTF8.self), Array(all[start...]) == content)
    }

    @Test(
        "both clients of a response too large to be kept get it whole, and the fast one waits for nobody (H-128, C-23.1)",
        arguments: [("\"one\"", true), ("\"one\"", false), (nil, true), (nil, false)] as [(String?, Bool)]
    )
    func both(tag: String?, slowIsFirst: Bool) throws {
        let (asked, go) = (WaitQueue<String>(), WaitQueue<Void>())
        let origin = Self.origin(tag, asked, go)
        let proxy = try TestProxy()
        let request = proxy.request("GET", "http://127.0.0.1:\(origin.port)/large")
        let (slow, fast) = (proxy.client(receiveBuffer: 64 * 1024), proxy.client())
        (slowIsFirst ? slow : fast).send(request)
        #expect(asked.pop() == "all")
        (slowIsFirst ? fast : slow).send(request)
        // The loop reads in the order in which bytes came.
        for _ in 0..<2 { #expect(proxy.ask("/")?.status == 200) }
        // For the first request, and for one behind it on the same connection.
        for _ in 0..<2 { go.push(()) }
        let first = Self.receive(fast)
        #expect(first.isWhole && first.head.hasPrefix("HTTP/1.1 200 "))
        let second = Self.receive(slow)
        #expect(second.isWhole && second.head.hasPrefix("HTTP/1.1 200 "))
        // Two requests in all, the second for what was missing where a tag tells that it is the same.
        let again = try #require(asked.pop())
        #expect(tag == nil ? again == "all" : again.hasPrefix("bytes=") && again != "bytes=0-")
        #expect(first.head.contains("detail=too-large") && second.head.contains("detail=too-large"))
        #expect((first.head + second.head).contains("collapsed") == (tag != nil))
    }
}
