import Testing
import TestSupport

/// Parts of representations: stored, served, completed.
struct PartialTests {
    /// An origin that serves ranges of `content` under a strong tag, each response fresh for a minute.
    private static func origin(_ content: [UInt8], cutAfter: Int? = nil) throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=60", "ETag: \"v1\"", "Content-Type: text/plain"]
            guard let range = range(exchange.request["Range"], count: content.count),
                exchange.request["If-Range"] ?? "\"v1\"" == "\"v1\""
            else { return try exchange.reply("200 OK", fields, content: content) }
            let place = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
            guard let cutAfter, range.lowerBound > 0 else {
                return try exchange.reply("206 Partial Content", fields + [place], content: Array(content[range]))
            }
            try exchange.sendHead("206 Partial Content", fields + [place, "Content-Length: \(range.count)"])
            try exchange.sendRaw(String(decoding: content[range].prefix(cutAfter), as: UTF8.self))
            exchange.close()
        }
    }

    /// The bytes `bytes=a-b` or `bytes=a-` names.
    private static func range(_ text: String?, count: Int) -> Range<Int>? {
        guard let text, text.hasPrefix("bytes=") else { return nil }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]) else { return nil }
        return first..<min(count, Int(ends[1]).map { $0 + 1 } ?? count)
    }

    /// Text that shows where bytes belong.
    private static func text(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += Array("\(bytes.count).".utf8) }
        return Array(bytes.prefix(count))
    }

    @Test(
        "a part is stored, outlives a restart, answers what is inside it and becomes the whole (C-16.2, C-16.3)",
        arguments: [(1000, 400), (6_000_000, 3_000_000)]
    )
    func lifeOfAPart(count: Int, held: Int) throws {
        let content = Self.text(count)
        let origin = try Self.origin(content)
        let url = origin.url("/")
        let first = try DaemonProcess()
        let cold = try first.get(url, ["Range: bytes=0-\(held - 1)"])
        #expect(cold.status == 206 && cold.content == Array(content[..<held]))
        #expect(cold["Content-Range"] == "bytes 0-\(held - 1)/\(count)")
        #expect(try first.stop() == 0)

        let second = try DaemonProcess(home: first.home)
        let inside = try second.get(url, ["Range: bytes=\(held - 100)-\(held - 51)"])
        #expect(inside.status == 206 && inside.isHit)
        #expect(inside.content == Array(content[(held - 100)..<(held - 50)]))
        #expect(inside["Content-Range"] == "bytes \(held - 100)-\(held - 51)/\(count)")
        let parts = try second.get(url, ["Range: bytes=0-9,200-209"])
        #expect(parts.status == 206 && parts.isHit)
        #expect(parts["Content-Type"]?.hasPrefix("multipart/byteranges") == true)
        #expect(try second.get(url, ["Cache-Control: only-if-cached"]).status == 504)
        #expect(origin.requests.count == 1)

        let whole = try second.get(url)
        #expect(whole.status == 200 && whole.content == content)
        #expect(whole["Content-Length"] == "\(count)")
        #expect(whole["Cache-Status"]?.contains("fwd=partial") == true)
        #expect(origin.requests.last?["Range"] == "bytes=\(held)-")
        #expect(origin.requests.last?["If-Range"] == "\"v1\"")
        let hit = try second.get(url)
        #expect(hit.isHit && hit.content == content)
        #expect(try second.stop() == 0)

        let third = try DaemonProcess(home: first.home)
        let found = try third.get(url)
        #expect(found.isHit && found.content == content)
        #expect(origin.requests.count == 2)
    }

    @Test("a rest that is cut is gone on with, however often: the client gets the whole (C-16.3, C-22.1)")
    func cut() throws {
        let content = Self.text(1000)
        let origin = try Self.origin(content, cutAfter: 50)
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/"), ["Range: bytes=0-399"])
        let whole = try daemon.get(origin.url("/"))
        #expect(whole.status == 200 && whole.content == content)
        #expect(origin.requests.map { $0["Range"] }.suffix(2) == ["bytes=900-", "bytes=950-"])
        #expect(origin.requests.count == 13)
        #expect(try daemon.get(origin.url("/")).isHit)
    }

    @Test("an origin that answers the rest with the whole, or with another one, gives the whole (C-16.3)")
    func changed() throws {
        let origin = try ScriptedOrigin { exchange in
            let range = exchange.request["Range"]
            let tag = exchange.ordinal == 1 ? "\"v1\"" : "\"v2\""
            let fields = ["Cache-Control: max-age=60", "ETag: \(tag)"]
            switch range {
            case "bytes=0-3"?:
                try exchange.reply("206 Partial Content", fields + ["Content-Range: bytes 0-3/10"], body: "0123")
            case nil: try exchange.reply("200 OK", fields, body: "abcdefghij")
            default: try exchange.reply("206 Partial Content", fields + ["Content-Range: bytes 4-9/10"], body: "efghij")
            }
        }
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/"), ["Range: bytes=0-3"])
        let whole = try daemon.get(origin.url("/"))
        #expect(whole.status == 200 && whole.text == "abcdefghij")
        #expect(origin.requests.map { $0["Range"] } == ["bytes=0-3", "bytes=4-", nil])
        #expect(try daemon.get(origin.url("/")).isHit)
    }

    @Test("the tools tell a part from a whole, and print none as the other")
    func tools() throws {
        let origin = try Self.origin(Self.text(1000))
        let url = origin.url("/")
        let daemon = try DaemonProcess()
        _ = try daemon.get(url, ["Range: bytes=100-199"])
        #expect(try daemon.tool("ls").output.contains("206\t100\t"))
        #expect(try daemon.tool("show", url).output.contains("bytes 100-199 of 1000"))
        let cat = try daemon.tool("cat", url)
        #expect(cat.status == 1 && cat.output.isEmpty)
        #expect(cat.errors.contains("bytes 100-199 of 1000"))
        let listed = try daemon.admin("GET", "/v1/resources").text
        #expect(listed.contains(#""extents":[{"first":100,"last":199}],"total":1000"#), "\(listed)")
        let explained = try daemon.tool("explain", url).output
        #expect(
            explained.contains("fwd=partial") && explained.contains("bytes 100-199 of 1000 are stored"),
            "\(explained)"
        )
    }
}
