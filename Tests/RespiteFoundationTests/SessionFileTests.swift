import Foundation
import Glibc
import HTTPCore
import ResourceCore
import ResourceModel
import RespiteFoundation
import TestSupport
import Testing

@Suite("Content of Foundation's types, and files over URL sessions")
struct SessionFileTests {
    private struct Item: Codable, Sendable {
        var name: String
        var made: Date
    }

    private struct Impossible: Encodable { var value = Double.infinity }

    private static let tagged = [("ETag", "\"1\""), ("Content-Type", "x/y")]

    private let directory = TemporaryDirectory()
    private var path: String { directory.path("file") }

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 / 3 + $0 / 1000) } }

    private func service(_ origin: AnsweringOrigin) -> Service {
        Service(baseURL: origin.url, networking: URLSessionNetworking(contentLimit: 10_000))
    }

    // MARK: Values

    @Test("bytes of Data are sent as they are, and any Encodable value as JSON (S-112, S-114)")
    func values() async throws {
        let origin = AnsweringOrigin { _ in .init(201) }
        let resource = service(origin).resource("a")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .secondsSince1970
        let item = Item(name: "a/b", made: Date(timeIntervalSince1970: 7))
        _ = try await resource.request(.post, data: Data([0, 255]), contentType: "x/y").entity
        _ = try await resource.request(.post, json: item, encoder: encoder).entity
        _ = try await resource.request(.put, json: [item], encoder: encoder, contentType: "x/json").entity
        _ = try await resource.request(.post, json: ["title": "new"]).entity
        _ = try await resource.request(.post, json: ["a", 1] as [any Sendable]).entity
        let requests = origin.requests
        #expect(requests[0].content == [0, 255] && requests[0].fields["content-type"] == "x/y")
        #expect(
            requests.dropFirst().map { String(decoding: $0.content, as: UTF8.self) } == [
                #"{"made":7,"name":"a\/b"}"#, #"[{"made":7,"name":"a\/b"}]"#, #"{"title":"new"}"#, #"["a",1]"#,
            ]
        )
        #expect(
            requests.dropFirst().map { $0.fields["content-type"] } == [
                "application/json", "x/json", "application/json", "application/json",
            ]
        )
    }

    @Test("a value that cannot be encoded fails at once with the encoder's error (S-116)")
    func unencodable() async throws {
        let origin = AnsweringOrigin { _ in .init(201) }
        let request = service(origin).resource("a").request(.post, json: Impossible())
        #expect(request.isCompleted && request.result?.response.error?.cause is EncodingError)
        #expect(origin.requests.isEmpty)
    }

    // MARK: Uploads

    @Test(
        "a file goes over a session as it is, also by a link or a URL, and anew if repeated",
        arguments: [1, 3_000_000]
    )
    func upload(size: Int) async throws {
        let content = bytes(size)
        let file = try directory.write(content, to: "a")
        #expect(symlink(file, directory.path("link")) == 0)
        let origin = AnsweringOrigin { _ in .init(201) }
        let resource = service(origin).resource("a")
        let request = resource.request(.put, file: directory.path("link"), contentType: "x/y")
        let reports = SharedValue<[Double]>([])
        request.onProgress { value in reports.update { $0.append(value) } }
        _ = try await request.entity
        #expect(origin.requests.last?.content == content && origin.requests.last?.fields["content-type"] == "x/y")
        #expect(origin.requests.last?.fields["content-length"] == "\(size)")
        let values = reports.current
        #expect(values == values.sorted() && values.last == 1)
        try directory.write("second", to: "a")
        _ = try await request.repeated().start().entity
        #expect(origin.requests.last?.content == Array("second".utf8))
        let url = URL(fileURLWithPath: file)
        _ = try await resource.request(.put, file: url, contentType: "x/y").entity
        #expect(origin.requests.last?.content == Array("second".utf8))
    }

    @Test("a file that is missing, or no regular one, fails with its path, and nothing is sent")
    func uploadFaults() async throws {
        let origin = AnsweringOrigin { _ in .init(201) }
        let resource = service(origin).resource("a")
        for path in [directory.path("none"), directory.path, "/dev/null"] {
            let error = await resource.request(.put, file: path, contentType: "x/y").outcome.response.error
            #expect((error?.cause as? RequestError.Cause.FileTransfer)?.path == path)
        }
        #expect(origin.requests.isEmpty)
    }

    @Test("a file larger than may be in memory fails with its path and a way out, and nothing is sent")
    func largeFile() async throws {
        let origin = AnsweringOrigin { _ in .init(201) }
        let file = try directory.write("", to: "a")
        #expect(truncate(file, 64 << 20 + 1) == 0)
        let error = await service(origin).resource("a").request(.put, file: file, contentType: "x/y").outcome.response
            .error
        let cause = try #require(error?.cause as? RequestError.Cause.FileTransfer)
        #expect(cause.path == file && cause.reason.contains("HTTPClient sends files of any size"))
        #expect(origin.requests.isEmpty)
    }

    @Test("a server may answer, or close, before it has read a file", arguments: [false, true])
    func earlyAnswers(answers: Bool) async throws {
        let origin = TestOrigin { peer, _ in
            guard peer.readHead() != nil else { return }
            if answers { peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n") }
        }
        defer { origin.close() }
        let file = try directory.write("", to: "a")
        #expect(truncate(file, 4 << 20) == 0)
        let service = Service(baseURL: "http://127.0.0.1:\(origin.port)", networking: URLSessionNetworking())
        let requests = (0..<20).map { service.resource("\($0)").request(.put, file: file, contentType: "x/y") }
        for request in requests { #expect(await request.outcome.response.error != nil) }
    }

    // MARK: Downloads

    @Test("a download over a session is the file that the server has, larger than what may be in memory")
    func download() async throws {
        for size in [0, 1, 2_000_000] {
            let content = bytes(size)
            let origin = AnsweringOrigin { .file(content, to: $0, Self.tagged) }
            let resource = service(origin).resource("a")
            let entity = try await resource.download(to: URL(fileURLWithPath: path)).entity
            #expect(entity.content as? DownloadedFile == DownloadedFile(path: path, size: Int64(size)))
            #expect(contents(path) == content && filesBelow(directory.path) == [path])
            #expect(resource.latestData == nil && origin.requests.last?.fields["accept-encoding"] == "identity")
        }
    }

    @Test("a download over a session that broke off is continued where it broke", arguments: [1, 4096, 99_999])
    func resuming(cut: Int) async throws {
        let content = bytes(100_000)
        try directory.write("old", to: "file")
        let origin = AnsweringOrigin { request in
            var reply = AnsweringOrigin.Reply.file(content, to: request, Self.tagged)
            if reply.status == 200 { reply.cut = cut }
            return reply
        }
        let resource = service(origin).resource("a")
        #expect(await resource.download(to: path).outcome.response.error != nil)
        #expect(contents(path) == Array("old".utf8))
        let file = try await resource.download(to: path).entity.content as? DownloadedFile
        #expect(file == DownloadedFile(path: path, size: 100_000, resumedAt: Int64(cut)))
        #expect(contents(path) == content && filesBelow(directory.path) == [path])
        #expect(origin.requests.last?.fields["if-range"] == "\"1\"")
    }

    @Test("an answer that contradicts the part makes a download over a session start anew", arguments: [416, 206, 200])
    func contradicting(status: Int) async throws {
        let content = bytes(10_000)
        let isCut = SharedValue(true)
        let origin = AnsweringOrigin { request in
            if request.fields["range"] != nil, status != 200 {
                return .init(status, [("Content-Range", "bytes 4000-9999/10000")], bytes: Array(content[4000...]))
            }
            var reply = AnsweringOrigin.Reply(200, Self.tagged, bytes: content)
            let cuts = isCut.update { isCut in
                defer { isCut = false }
                return isCut
            }
            if cuts { reply.cut = 5000 }
            return reply
        }
        let target = service(origin).resource("a")
        _ = await target.download(to: path).outcome
        let file = try await target.download(to: path).entity.content as? DownloadedFile
        #expect(file == DownloadedFile(path: path, size: 10_000) && contents(path) == content)
        #expect(origin.requests.map { $0.fields["range"] }.prefix(2) == [nil, "bytes=5000-"])
    }

    @Test("errors and redirects are errors, with content; the file and its directory stay as they were")
    func errors() async throws {
        try directory.write("old", to: "file")
        let origin = AnsweringOrigin { request in
            request.target == "/a"
                ? .init(404, [("Content-Type", "text/plain")], "no such thing")
                : .init(302, [("Location", "/a")], "go")
        }
        let service = service(origin)
        let missing = await service.resource("a").download(to: path).outcome.response
        #expect(missing.error?.httpStatusCode == 404 && missing.text == "no such thing")
        let moved = await service.resource("b").download(to: path).outcome.response.error
        #expect((moved?.cause as? RequestError.Cause.FileTransfer)?.path == path && moved?.httpStatusCode == 302)
        let fault = await service.resource("a").download(to: directory.path("none/a")).outcome.response.error
        #expect((fault?.cause as? RequestError.Cause.FileTransfer)?.reason == "No such file or directory")
        #expect(contents(path) == Array("old".utf8) && filesBelow(directory.path) == [path])
    }

    @Test(
        "a coded response is refused, since the session takes the coding off; that of an error is an error as it is",
        arguments: [(200, true), (299, true), (300, false)]
    )
    func coded(status: Int, isRefused: Bool) async throws {
        let digits = "1f8b0800000000000203cb48cdc9c9070086a6103605000000".compactMap(\.hexDigitValue)
        let gzip = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        let fields = [("Content-Encoding", "gzip"), ("ETag", "\"1\"")]
        let origin = AnsweringOrigin { _ in .init(status, fields, bytes: gzip) }
        let error = await service(origin).resource("a").download(to: path).outcome.response.error
        let coding = (error?.cause as? RequestError.Cause.UndecodableContent)?.coding
        #expect(error != nil && coding == (isRefused ? "gzip" : nil) && filesBelow(directory.path) == [])
    }

    @Test("cancelling a download over a session keeps the part")
    func cancelling() async throws {
        let content = bytes(300_000)
        let (hasSome, mayEnd) = (Gate(), Gate())
        let origin = TestOrigin { peer, _ in
            guard let head = peer.readHead() else { return }
            if head.lowercased().contains("if-range: \"1\"") {
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
            } else {
                peer.send(Array("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 900000\r\n\r\n".utf8) + content)
                try? mayEnd.wait()
            }
        }
        defer { origin.close() }
        let networking = WatchedNetworking(inner: URLSessionNetworking(), count: 100_000, gate: hasSome)
        let service = Service(baseURL: "http://127.0.0.1:\(origin.port)", networking: networking)
        let request = service.resource("a").download(to: path)
        try await hasSome.opened()
        request.cancel()
        _ = try await service.resource("a").download(to: path).entity
        mayEnd.open()
        #expect(contents(path) == Array("done".utf8) && filesBelow(directory.path) == [path])
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
