import Proxying
import TestSupport
import Testing

/// Responses that consist of stored parts and of bytes that are loaded meanwhile, over sockets.
@Suite struct AssembledAnswerTests {
    private static let digits = Array("0123456789".utf8)

    private static func text(_ count: Int) -> [UInt8] {
        (0..<count).map { index in
            let step: Int = index / 7 + index / 251
            return UInt8(0x21 + step % 90)
        }
    }

    @Test("separate ranges stay, and holes are asked for alone, under the tag (C-22.1)")
    func holes() throws {
        let origin = RangeOrigin(Self.digits)
        let proxy = try TestProxy()
        #expect(proxy.ask(origin.url, "Range: bytes=2-3")?.content == "23")
        #expect(proxy.ask(origin.url, "Range: bytes=6-7")?.content == "67")
        #expect(proxy.ask(origin.url, "Range: bytes=2-2")?.isHit == true)
        let all = try #require(proxy.ask(origin.url, "Range: bytes=0-9"))
        #expect(all.status == 206 && all.content == "0123456789")
        #expect(all["Content-Range"] == ["bytes 0-9/10"])
        #expect(origin.ranges == ["bytes=2-3", "bytes=6-7", "bytes=0-1", "bytes=4-5", "bytes=8-9"])
        #expect(origin.origin.requests.last?["If-Range"] == ["\"v1\""])
        #expect(origin.sent == 10)
        // All bytes are there: it is the whole.
        let whole = try #require(proxy.ask(origin.url))
        #expect(whole.status == 200 && whole.content == "0123456789" && whole.isHit)
        #expect(origin.ranges.count == 5)
    }

    @Test("the whole is made of separate parts and of what lies between them (C-22.1)")
    func whole() throws {
        let origin = RangeOrigin(Self.digits)
        let proxy = try TestProxy()
        for range in ["1-2", "5-6"] { _ = proxy.ask(origin.url, "Range: bytes=\(range)") }
        let whole = try #require(proxy.ask(origin.url))
        #expect(whole.status == 200 && whole.content == "0123456789")
        #expect(whole["Content-Length"] == ["10"] && whole["Content-Range"] == [])
        #expect(origin.sent == 10)
        #expect(proxy.ask(origin.url)?.isHit == true)
    }

    @Test("several ranges are one multipart answer from any parts, holes included (C-22.1, C-22.4)")
    func several() throws {
        let origin = RangeOrigin(Self.text(1000))
        let proxy = try TestProxy()
        for range in ["0-9", "500-509"] { _ = proxy.ask(origin.url, "Range: bytes=\(range)") }
        let reply = try #require(proxy.ask(origin.url, "Range: bytes=5-9,700-709,500-504"))
        #expect(reply.status == 206)
        for range in [5..<10, 700..<710, 500..<505] {
            let part = String(decoding: Self.text(1000)[range], as: UTF8.self)
            #expect(
                reply.content.contains("bytes \(range.lowerBound)-\(range.upperBound - 1)/1000\r\n\r\n\(part)\r\n--")
            )
        }
        #expect(origin.ranges == ["bytes=0-9", "bytes=500-509", "bytes=700-709"])
    }

    @Test("a representation that has changed meanwhile is answered anew, and its parts go (C-22.2)")
    func changed() throws {
        let origin = RangeOrigin(Self.digits)
        let proxy = try TestProxy()
        for range in ["0-1", "6-7"] { _ = proxy.ask(origin.url, "Range: bytes=\(range)") }
        origin.change(Array("abcdefghij".utf8), tag: "\"v2\"")
        let reply = try #require(proxy.ask(origin.url, "Range: bytes=0-7"))
        #expect(reply.content == (reply.status == 200 ? "abcdefghij" : "abcdefgh"))
        #expect(proxy.ask(origin.url, "Range: bytes=0-1")?.content == "ab")
    }

    @Test(
        "random ranges are what the file has, and the origin sends no byte twice (C-22.1, C-22.3)",
        arguments: [1, 2, 3]
    )
    func random(seed: UInt64) throws {
        var generator = FixedRandom(seed: seed)
        let content = Self.text(20_000)
        let origin = RangeOrigin(content)
        let proxy = try TestProxy()
        let connection = proxy.reader()
        for _ in 0..<150 {
            let first = Int.random(in: 0..<20_000, using: &generator)
            let last = min(19_999, first + Int.random(in: 0..<600, using: &generator))
            let (value, range) =
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: ("-\(last - first + 1)", 20_000 - (last - first + 1)..<20_000)
                case 1 where first > 19_000: ("\(first)-", first..<20_000)
                default: ("\(first)-\(last)", first..<(last + 1))
                }
            let reply = try #require(connection.ask(proxy.request("GET", origin.url, ["Range: bytes=\(value)"])))
            #expect(reply.status == 206)
            #expect(reply.content == String(decoding: content[range], as: UTF8.self), "bytes=\(value)")
        }
        #expect(origin.sent <= 20_000)
        let whole = try #require(connection.ask(proxy.request("GET", origin.url)))
        #expect(whole.content == String(decoding: content, as: UTF8.self))
        #expect(origin.sent == 20_000)
    }

    @Test("large ranges are loaded in steps, and no byte twice, however they overlap (C-22.3)")
    func large() throws {
        let content = Self.text(3_000_000)
        let origin = RangeOrigin(content)
        let proxy = try TestProxy()
        for range in [2_000_000..<2_500_000, 100..<2_900_000, 0..<3_000_000] {
            let value = "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)"
            let reply = try #require(proxy.ask(origin.url, value))
            #expect(reply.content.utf8.elementsEqual(content[range]))
        }
        #expect(origin.sent == 3_000_000)
        #expect(proxy.ask(origin.url)?.isHit == true)
    }

    @Test("an answer that the origin cuts is resumed: the client gets the whole, and no byte comes twice (C-22.1)")
    func resumed() throws {
        let content = Self.text(300_000)
        let origin = RangeOrigin(content)
        origin.cut(after: [100_000, 50_000, 1, 0, 77_777])
        let proxy = try TestProxy()
        let reply = try #require(proxy.ask(origin.url))
        #expect(reply.status == 200)
        #expect(reply.content.utf8.elementsEqual(content))
        #expect(origin.sent == 300_000)
        #expect(origin.ranges.dropFirst().first == "bytes=100000-")
        #expect(proxy.ask(origin.url)?.isHit == true)
    }

    @Test("a cut amid another representation stays visible: no answer is a mixture (C-22.2)")
    func cutAndChanged() throws {
        let origin = RangeOrigin(Self.text(300_000))
        origin.cut(after: 100_000, changingTo: [UInt8](repeating: 0x61, count: 300_000), tag: "\"v2\"")
        let proxy = try TestProxy()
        let client = proxy.client()
        client.send(proxy.request("GET", origin.url, ["Connection: close"]))
        let (bytes, _) = client.receiveAllBytes()
        #expect(bytes.suffix(100_000).elementsEqual(Self.text(300_000).prefix(100_000)))
        #expect(proxy.ask(origin.url)?.content.hasPrefix("aaa") == true)
    }

    @Test("a load ends with its last reader: a range that has got its bytes from it holds it no longer (H-150)")
    func rangeLeaves() throws {
        let length = 900_000
        let (begun, ended) = (WaitQueue<Int>(), WaitQueue<Bool>())
        let origin = TestOrigin { peer, _ in
            while let head = peer.readHead(), let range = Self.range(in: head) {
                let place = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)\r\n"
                let fields = "ETag: \"v1\"\r\nCache-Control: max-age=600\r\nContent-Length: \(range.count)\r\n\(place)"
                peer.send("HTTP/1.1 206 Partial Content\r\n\(fields)\r\n")
                let count = min(range.count, 100_000)
                peer.send(Array(repeating: 0x61, count: count))
                begun.push(range.count)
                // A slow origin: nothing more comes before the proxy gives up.
                if count < range.count { return ended.push(peer.hasEnded()) }
            }
        }
        let url = "http://127.0.0.1:\(origin.port)/file"
        // No limit ends the load.
        let proxy = try TestProxy { ($0.upstream.idleTimeout, $0.upstream.minimumRate) = (.seconds(600), 0) }
        // Nothing is finished for nobody.
        proxy.service.reconfigure { $0.configure { ($0.fillRemainder, $0.fillPercent) = (0, 100) } }
        #expect(proxy.ask(url, "Range: bytes=0-9")?.content.utf8.count == 10)
        #expect(begun.pop() == 10)
        var whole: RawClient? = proxy.client()
        whole?.send(proxy.request("GET", url))
        // More than the stored part.
        _ = whole?.receive { $0.content.utf8.count > 10 }
        #expect(begun.pop() == 899_990)
        #expect(proxy.ask(url, "Range: bytes=5-999")?.content.utf8.count == 995)
        whole = nil
        #expect(ended.pop() == true)
    }

    /// The range that a request asks for.
    private static func range(in head: String) -> Range<Int>? {
        guard let line = head.split(separator: "\r\n").first(where: { $0.hasPrefix("Range: bytes=") }) else {
            return nil
        }
        let ends = line.dropFirst("Range: bytes=".count).split(separator: "-").compactMap { Int($0) }
        return ends.first.map { $0..<(ends.count == 2 ? ends[1] + 1 : 900_000) }
    }
}
