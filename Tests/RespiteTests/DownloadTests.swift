import Exchanges
import Glibc
import HTTPCore
import Locking
import ResourceCore
import ResourceModel
import Respite
import TestSupport
import Testing

@Suite("Downloads to files")
struct DownloadTests {
    private static let tagged = [("ETag", "\"1\""), ("Content-Type", "x/y")]
    private static let dated = [
        ("Last-Modified", "Sun, 06 Nov 1994 08:49:36 GMT"), ("Date", "Sun, 06 Nov 1994 09:00:00 GMT"),
    ]

    private let directory = TemporaryDirectory()
    private var path: String { directory.path("file") }

    /// Breaks the first response off behind `cut` bytes, then serves the whole.
    private static func breaking(
        _ bytes: [UInt8],
        _ fields: [(String, String)],
        cut: Int,
        then answer: @escaping @Sendable (AnsweringOrigin.Request) -> AnsweringOrigin.Reply
    ) -> AnsweringOrigin {
        let hasBroken = Lock(false)
        return AnsweringOrigin { request in
            let isFirst = hasBroken.withLock { hasBroken in
                defer { hasBroken = true }
                return !hasBroken
            }
            guard isFirst else { return answer(request) }
            var reply = AnsweringOrigin.Reply(200, fields, bytes: bytes)
            reply.cut = cut
            return reply
        }
    }

    /// The file alone: neither part nor note.
    private var isClean: Bool { filesBelow(directory.path) == [path] }

    @Test(
        "a download is the file the server has, of any size, and the resource learns nothing",
        arguments: Carrier.allCases
    )
    func whole(carrier: Carrier) async throws {
        for size in [0, 1, 2_000_000] {
            let bytes = sampleBytes(size)
            let origin = AnsweringOrigin { .file(bytes, to: $0, Self.tagged) }
            let resource = carrier.service(origin).resource("a")
            let entity = try await resource.download(to: path).entity
            #expect(entity.content as? DownloadedFile == DownloadedFile(path: path, size: Int64(size)))
            #expect(entity.etag == "\"1\"" && entity.contentType == "x/y")
            #expect(contents(path) == bytes && isClean)
            #expect(resource.latestData == nil && resource.latestError == nil)
            let request = try #require(origin.requests.first)
            #expect(request.fields["accept-encoding"] == "identity" && request.fields["range"] == nil)
        }
    }

    @Test("content larger than what may be in memory goes to a file")
    func largerThanMemory() async throws {
        let bytes = sampleBytes(1_000_000)
        let origin = AnsweringOrigin { .file(bytes, to: $0, []) }
        let networking = ExchangeNetworking(HTTPClient().exchanges, contentLimit: 1000)
        let service = Service(baseURL: origin.url, networking: networking)
        _ = try await service.resource("a").download(to: path).entity
        #expect(contents(path) == bytes && isClean)
    }

    @Test(
        "a download that broke off is continued at the byte where it broke, by tag or date",
        arguments: [0, 1, 4096, 99_999, 100_000],
        [tagged, dated]
    )
    func resuming(cut: Int, fields: [(String, String)]) async throws {
        let bytes = sampleBytes(100_000)
        try directory.write("old", to: "file")
        let origin = Self.breaking(bytes, fields, cut: cut) { .file(bytes, to: $0, fields) }
        let resource = Service(baseURL: origin.url).resource("a")
        let first = await resource.download(to: path).outcome.response
        if cut < bytes.count {
            #expect((first.error?.cause as? RequestError.Cause.Network)?.kind == .responseIncomplete)
            #expect(contents(path) == Array("old".utf8))
        }
        let entity = try await resource.download(to: path).entity
        let kept = cut < bytes.count ? cut : 0
        #expect((entity.content as? DownloadedFile)?.resumedAt == Int64(kept))
        #expect(contents(path) == bytes && isClean)
        let asked = try #require(origin.requests.last)
        #expect(asked.fields["range"] == (kept > 0 ? "bytes=\(kept)-" : nil))
        #expect(asked.fields["if-range"] == (kept > 0 ? fields[0].1 : nil))
    }

    @Test("what nothing proves is not kept", arguments: [[], [("ETag", "W/\"1\"")]] as [[(String, String)]])
    func unprovable(fields: [(String, String)]) async throws {
        let bytes = sampleBytes(10_000)
        let origin = Self.breaking(bytes, fields, cut: 5000) { .file(bytes, to: $0, fields) }
        let resource = Service(baseURL: origin.url).resource("a")
        _ = await resource.download(to: path).outcome
        #expect(filesBelow(directory.path) == [])
        _ = try await resource.download(to: path).entity
        #expect(contents(path) == bytes && origin.requests.allSatisfy { $0.fields["range"] == nil })
    }

    @Test("a part is not continued for another URL")
    func otherURL() async throws {
        let (one, two) = (sampleBytes(10_000), [UInt8](repeating: 7, count: 10_000))
        let origin = Self.breaking(one, Self.tagged, cut: 5000) { .file(two, to: $0, Self.tagged) }
        let service = Service(baseURL: origin.url)
        _ = await service.resource("a").download(to: path).outcome
        _ = try await service.resource("b").download(to: path).entity
        #expect(contents(path) == two && origin.requests.last?.fields["range"] == nil)
    }

    @Test("a changed file is loaded anew: the server answers the range with the whole")
    func changed() async throws {
        let (one, two) = (sampleBytes(10_000), [UInt8](repeating: 7, count: 4000))
        let origin = Self.breaking(one, Self.tagged, cut: 5000) { .file(two, to: $0, [("ETag", "\"2\"")]) }
        let resource = Service(baseURL: origin.url).resource("a")
        _ = await resource.download(to: path).outcome
        let entity = try await resource.download(to: path).entity
        #expect(entity.content as? DownloadedFile == DownloadedFile(path: path, size: 4000))
        #expect(contents(path) == two && isClean && origin.requests.count == 2)
        #expect(origin.requests.last?.fields["if-range"] == "\"1\"")
    }

    @Test(
        "an answer that contradicts the part makes the download start anew, without loss",
        arguments: [
            (416, [("Content-Range", "bytes */3")]), (206, [("Content-Range", "bytes 4999-9999/10000")]),
            (206, [("Content-Range", "bytes 5001-9999/10000")]), (206, [("Content-Range", "bytes 5000-9999/10001")]),
            (206, [("Content-Range", "bytes 5000-9999/*"), ("ETag", "\"2\"")]), (206, []),
            (206, [("Content-Range", "bytes 5000-9999/10000"), ("ETag", "\"2\"")]),
            (206, [("Content-Range", "bytes 5000-9999/10000"), ("Content-Encoding", "gzip")]),
            (206, [("Content-Range", "bytes 5000-9998/10000")]),
            (206, [("Content-Type", "multipart/byteranges; boundary=x")]),
        ] as [(Int, [(String, String)])]
    )
    func contradicting(status: Int, fields: [(String, String)]) async throws {
        let bytes = sampleBytes(10_000)
        let origin = Self.breaking(bytes, Self.tagged, cut: 5000) { request in
            request.fields["range"] == nil
                ? .init(200, Self.tagged, bytes: bytes)
                : .init(status, fields, bytes: status == 206 ? Array(bytes[5000...]) : [])
        }
        let resource = Service(baseURL: origin.url).resource("a")
        _ = await resource.download(to: path).outcome
        let entity = try await resource.download(to: path).entity
        #expect(entity.content as? DownloadedFile == DownloadedFile(path: path, size: 10_000))
        #expect(contents(path) == bytes && isClean)
        #expect(origin.requests.map { $0.fields["range"] } == [nil, "bytes=5000-", nil])
    }

    @Test("parts that a server sends one by one become the file", arguments: Carrier.allCases)
    func piecewise(carrier: Carrier) async throws {
        let bytes = sampleBytes(10_000)
        let origin = Self.breaking(bytes, Self.tagged, cut: 4000) { request in
            let start = Int(request.fields["range"]?.dropFirst(6).dropLast() ?? "") ?? 0
            let end = min(start + 4000, bytes.count)
            let extent = ("Content-Range", "bytes \(start)-\(end - 1)/10000")
            return .init(206, Self.tagged + [extent], bytes: Array(bytes[start..<end]))
        }
        let resource = carrier.service(origin).resource("a")
        guard carrier == .client else {
            // Nothing is kept of a response that never came as a whole.
            _ = await resource.download(to: path).outcome
            return #expect(filesBelow(directory.path) == [])
        }
        for _ in 0..<2 {
            let cause = await resource.download(to: path).outcome.response.error?.cause as? RequestError.Cause.Network
            #expect(cause?.kind == .responseIncomplete)
        }
        _ = try await resource.download(to: path).entity
        #expect(contents(path) == bytes && isClean)
    }

    @Test(
        "errors of the server are errors with their content, and both file and part stay",
        arguments: Carrier.allCases
    )
    func errors(carrier: Carrier) async throws {
        try directory.write("old", to: "file")
        let bytes = sampleBytes(10_000)
        let isDown = Lock(true)
        let origin = Self.breaking(bytes, Self.tagged, cut: 5000) { request in
            isDown.withLock { $0 }
                ? .init(503, [("Content-Type", "text/plain")], "later") : .file(bytes, to: request, Self.tagged)
        }
        let resource = carrier.service(origin).resource("a")
        _ = await resource.download(to: path).outcome
        let response = await resource.download(to: path).outcome.response
        #expect(response.error?.httpStatusCode == 503 && response.text == "later")
        #expect(contents(path) == Array("old".utf8))
        isDown.withLock { $0 = false }
        let file = try await resource.download(to: path).entity.content as? DownloadedFile
        #expect(file?.resumedAt == (carrier == .client ? 5000 : 0))
        #expect(contents(path) == bytes && isClean)
    }

    @Test("a response without a file's content is an error", arguments: Carrier.allCases, [300, 302, 304, 399, 206])
    func noFile(carrier: Carrier, status: Int) async throws {
        let fields = [("Location", "/other"), ("Content-Range", "bytes 0-1/2")]
        let origin = AnsweringOrigin { _ in .init(status, fields, status == 304 ? "" : "go") }
        let error = await carrier.service(origin).resource("a").download(to: path).outcome.response.error
        let cause = try #require(error?.cause as? RequestError.Cause.FileTransfer)
        #expect(cause.direction == .receiving && cause.path == path && error?.httpStatusCode == status)
        if status == 302 { #expect(cause.reason == "the server answered with status 302 and the location /other") }
        #expect(filesBelow(directory.path) == [])
    }

    @Test("a coded response is refused, unless the request accepts it: then its bytes stay as they are")
    func codings() async throws {
        let origin = AnsweringOrigin { _ in .init(200, [("Content-Encoding", "gzip"), ("ETag", "\"1\"")], "coded") }
        let resource = Service(baseURL: origin.url).resource("a")
        let error = await resource.download(to: path).outcome.response.error
        #expect((error?.cause as? RequestError.Cause.UndecodableContent)?.coding == "gzip")
        #expect(error?.userMessage.contains("Accept-Encoding") == true && filesBelow(directory.path) == [])
        _ = try await resource.download(to: path) { $0[field: "Accept-Encoding"] = "gzip" }.entity
        #expect(contents(path) == Array("coded".utf8))
    }

    @Test("a range of the program's own is what becomes the file", arguments: Carrier.allCases)
    func ownRange(carrier: Carrier) async throws {
        let origin = AnsweringOrigin { _ in .init(206, [("Content-Range", "bytes 2-3/9"), ("ETag", "\"1\"")], "cd") }
        let request = carrier.service(origin).resource("a").download(to: path) { $0[field: "Range"] = "bytes=2-3" }
        #expect((try await request.entity.content as? DownloadedFile)?.size == 2)
        #expect(contents(path) == Array("cd".utf8) && origin.requests.last?.fields["range"] == "bytes=2-3")
    }

    @Test(
        "files that cannot be written are errors with their path, and the server is not asked",
        arguments: Carrier.allCases
    )
    func faults(carrier: Carrier) async throws {
        let origin = AnsweringOrigin { _ in .init(200, [], "x") }
        let service = carrier.service(origin)
        let other = try directory.write("secret", to: "other")
        #expect(symlink(other, directory.path("trap.respite-part")) == 0)
        for (path, reason) in [
            (directory.path as String, "it is a directory" as String?),
            (directory.path("none/a"), "No such file or directory"),
            ("/dev/null", "it is no regular file"), ("/sys/respite", nil),
            (
                directory.path("trap"),
                "\(directory.path("trap.respite-part")) is not a plain file of this user alone; remove it"
            ),
        ] {
            let error = await service.resource("a").download(to: path).outcome.response.error
            let cause = try #require(error?.cause as? RequestError.Cause.FileTransfer)
            #expect(cause.direction == .receiving && cause.path == path && cause.reason == reason ?? cause.reason)
            #expect(error?.userMessage == "Cannot download to \(path): \(cause.reason)")
        }
        #expect(origin.requests.isEmpty && contents(other) == Array("secret".utf8))
    }

    @Test("cancelling keeps the part, and the next download continues it at once")
    func cancelling() async throws {
        let bytes = sampleBytes(1_000_000)
        let (hasSome, mayEnd) = (Gate(), Gate())
        let asked = SharedValue("")
        let origin = TestOrigin { peer, number in
            guard let head = peer.readHead() else { return }
            let fields = "HTTP/1.1 \(number == 0 ? 200 : 206) OK\r\nETag: \"1\"\r\n"
            if number == 0 {
                peer.send(Array("\(fields)Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes.prefix(300_000))
                try? mayEnd.wait()
                return
            }
            asked.update { $0 = head }
            let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("range: ") } ?? ""
            let start = Int(line.drop { $0 != "=" }.dropFirst().dropLast()) ?? 0
            let extent = "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n"
            peer.send(Array("\(fields)\(extent)Content-Length: \(bytes.count - start)\r\n\r\n".utf8) + bytes[start...])
        }
        defer { origin.close() }
        let networking = WatchedNetworking(inner: HTTPClient().networkingProvider, count: 100_000, gate: hasSome)
        let resource = Service(baseURL: "http://127.0.0.1:\(origin.port)", networking: networking).resource("a")
        let request = resource.download(to: path)
        try await hasSome.opened()
        request.cancel()
        let second = resource.download(to: path)
        let file = try #require(try await second.entity.content as? DownloadedFile)
        mayEnd.open()
        #expect(file.resumedAt >= 100_000 && file.resumedAt <= 300_000 && file.size == 1_000_000)
        #expect(contents(path) == bytes && isClean && asked.current.contains("If-Range: \"1\""))
        #expect(await request.outcome.response.isCancellation)
    }

    @Test("progress grows, and counts what an earlier attempt brought (S-220)")
    func progress() async throws {
        let bytes = sampleBytes(4_000_000)
        let origin = Self.breaking(bytes, Self.tagged, cut: 3_000_000) { .file(bytes, to: $0, Self.tagged) }
        let service = Service(baseURL: origin.url)
        service.configure("**") { $0.progressReportingInterval = .milliseconds(1) }
        let resource = service.resource("a")
        for _ in 0..<2 {
            let reports = SharedValue<[Double]>([])
            let request = resource.download(to: path)
            request.onProgress { value in reports.update { $0.append(value) } }
            _ = await request.outcome
            let values = reports.current
            #expect(values == values.sorted() && values.last == 1)
        }
        #expect(contents(path) == bytes)
    }

    @Test("downloads to one path come one after another, and the last one stays")
    func together() async throws {
        let count = Lock(0)
        let origin = AnsweringOrigin { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .init(200, [], bytes: [UInt8](repeating: UInt8(number), count: 100_000))
        }
        let resource = Service(baseURL: origin.url).resource("a")
        let requests = (0..<5).map { _ in resource.download(to: path) }
        for request in requests { _ = try await request.entity }
        #expect(contents(path) == [UInt8](repeating: 5, count: 100_000) && isClean)
    }

    @Test("a repeated download loads the file once more (S-135)")
    func repeating() async throws {
        let count = Lock(0)
        let origin = AnsweringOrigin { _ in
            count.withLock { $0 += 1 }
            return .init(200, [], "\(count.withLock { $0 })")
        }
        let request = Service(baseURL: origin.url).resource("a").download(to: path)
        _ = try await request.entity
        #expect(contents(path) == Array("1".utf8))
        _ = try await request.repeated().start().entity
        #expect(contents(path) == Array("2".utf8))
    }
}

/// A provider that opens a gate once a sink has taken so many bytes.
struct WatchedNetworking: NetworkingProvider {
    private final class Sink: ContentSink {
        private let inner: any ContentSink
        private let watch: WatchedNetworking
        private let taken = SharedValue(0)

        init(_ inner: any ContentSink, _ watch: WatchedNetworking) {
            self.inner = inner
            self.watch = watch
        }

        func begin(_ head: ResponseHead) throws -> Bool { try inner.begin(head) }

        func receive(_ content: ByteChunk) throws {
            try inner.receive(content)
            let sum = taken.update { taken in
                taken += content.count
                return taken
            }
            if sum >= watch.count { watch.gate.open() }
        }
    }

    let inner: any NetworkingProvider
    let count: Int
    let gate: Gate

    var transfersFiles: Bool { inner.transfersFiles }

    func startRequest(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        var watched = request
        watched.sink = request.sink.map { Sink($0, self) }
        return inner.startRequest(watched, completion: completion)
    }
}
