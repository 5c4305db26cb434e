import Exchanges
import Glibc
import HTTPCore
import Locking
import ResourceCore
import ResourceModel
import Respite
import TestSupport
import Testing

/// A provider like those of programs that know nothing of files.
struct MemoryNetworking: NetworkingProvider {
    let client = HTTPClient()

    func startRequest(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        var plain = HTTPRequest(method: request.method, url: request.url, fields: request.fields)
        plain.body = request.body
        return client.networkingProvider.startRequest(plain, completion: completion)
    }
}

/// Who carries the requests of a test.
enum Carrier: CaseIterable {
    case client, memory

    func service(_ origin: AnsweringOrigin) -> Service { service(origin.url) }

    func service(_ url: String) -> Service {
        switch self {
        case .client: Service(baseURL: url)
        case .memory: Service(baseURL: url, networking: MemoryNetworking())
        }
    }
}

/// Bytes of which no two places look alike.
func sampleBytes(_ count: Int) -> [UInt8] {
    var state: UInt32 = 12345
    return (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}

@Suite("Content from files")
struct FileUploadTests {
    private let directory = TemporaryDirectory()

    @Test(
        "a file is sent as it is, with its type and length, of any size",
        arguments: Carrier.allCases,
        [0, 1, 3_000_000]
    )
    func sending(carrier: Carrier, size: Int) async throws {
        let bytes = sampleBytes(size)
        let path = try directory.write(bytes, to: "a")
        let origin = AnsweringOrigin { _ in .init(201) }
        let resource = carrier.service(origin).resource("a")
        _ = try await resource.request(.put, file: path, contentType: "x/y").entity
        let request = try #require(origin.requests.first)
        #expect(request.method == "PUT" && request.fields["content-type"] == "x/y")
        #expect(request.fields["content-length"] == "\(size)" && request.content == bytes)
        #expect(resource.latestData == nil)
    }

    @Test("a repeated request sends what the file has by then (S-135)", arguments: Carrier.allCases)
    func repeating(carrier: Carrier) async throws {
        let path = try directory.write("one", to: "a")
        let origin = AnsweringOrigin { _ in .init(201) }
        let request = carrier.service(origin).resource("a").request(.put, file: path, contentType: "x/y")
        _ = await request.outcome
        try directory.write("second", to: "a")
        _ = try await request.repeated().start().entity
        #expect(origin.requests.map { String(decoding: $0.content, as: UTF8.self) } == ["one", "second"])
    }

    @Test("what cannot be sent fails with path and reason, and nothing is sent", arguments: Carrier.allCases)
    func faults(carrier: Carrier) async throws {
        mkfifo(directory.path("pipe"), 0o600)
        let origin = AnsweringOrigin { _ in .init(201) }
        let service = carrier.service(origin)
        for (path, reason) in [
            (directory.path("none"), "No such file or directory"), (directory.path, "it is a directory"),
            (directory.path("pipe"), "it is no regular file"), ("a\0b", "the path contains a NUL byte"),
        ] {
            let error = await service.resource("a").request(.put, file: path, contentType: "x/y").outcome.response.error
            let cause = error?.cause as? RequestError.Cause.FileTransfer
            #expect(cause == .init(.sending, path: path, reason: reason))
            #expect(error?.userMessage == "Cannot send the file \(path): \(reason)")
        }
        #expect(origin.requests.isEmpty)
    }

    @Test(
        "a file that shrinks or grows while it is sent fails, and its request is not completed",
        arguments: [false, true]
    )
    func resizing(grows: Bool) async throws {
        // More than fits into the buffers on the way.
        let size = 24 << 20
        let path = directory.path("a")
        try directory.write("", to: "a")
        #expect(truncate(path, off_t(size)) == 0)
        let received = SharedValue<Int?>(nil)
        let hasEnded = Gate()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            let start = peer.read(1000).count
            truncate(path, off_t(grows ? size + 1 : 1000))
            let rest = peer.readAll().utf8.count
            received.update { $0 = start + rest }
            hasEnded.open()
        }
        defer { origin.close() }
        let resource = Service(baseURL: "http://127.0.0.1:\(origin.port)").resource("a")
        let error = await resource.request(.put, file: path, contentType: "x/y").outcome.response.error
        let cause = try #require(error?.cause as? RequestError.Cause.FileTransfer)
        #expect(cause.path == path && cause.reason.hasPrefix("its size changed from \(size) to "))
        try await hasEnded.opened()
        #expect(try #require(received.current) < size)
    }

    @Test("progress grows with the bytes that are sent, and is 1 at the end (S-220)")
    func progress() async throws {
        let path = try directory.write(sampleBytes(4 << 20), to: "a")
        let reports = SharedValue<[Double]>([])
        let origin = AnsweringOrigin { _ in .init(201) }
        let service = Service(baseURL: origin.url)
        service.configure("**") { $0.progressReportingInterval = .milliseconds(1) }
        let request = service.resource("a").request(.put, file: path, contentType: "x/y")
        request.onProgress { value in reports.update { $0.append(value) } }
        _ = try await request.entity
        let values = reports.current
        #expect(values == values.sorted() && values.last == 1)
        #expect(request.progress == 1)
    }

    @Test("a request that is cancelled while it sends a file ends, and so does its connection (S-129)")
    func cancelling() async throws {
        let path = try directory.write(sampleBytes(8 << 20), to: "a")
        let (hasBegun, hasEnded) = (Gate(), Gate())
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            hasBegun.open()
            if peer.hasEnded() { hasEnded.open() }
        }
        defer { origin.close() }
        let resource = Service(baseURL: "http://127.0.0.1:\(origin.port)").resource("a")
        let request = resource.request(.put, file: path, contentType: "x/y")
        try await hasBegun.opened()
        request.cancel()
        #expect(await request.outcome.response.isCancellation)
        try await hasEnded.opened()
    }
}
