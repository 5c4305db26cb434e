import Exchanges
import HTTPCore
import Platform
import ResourceDoubles
import TestDoubles
import TestSupport
import Testing

@testable import ResourceCore
@testable import ResourceModel

@Suite("Downloads, each over one request or two")
struct DownloadTransferTests {
    /// Brings responses to sinks, when the test says so.
    private final class SinkNetworking: NetworkingProvider {
        let exchanges = SharedValue<[StubExchange]>([])

        var transfersFiles: Bool { true }

        func startRequest(
            _ request: HTTPRequest,
            completion: @escaping @Sendable (NetworkingResult) -> Void
        ) -> any RequestNetworking {
            let exchange = StubExchange(request, completion)
            exchanges.update { $0.append(exchange) }
            return exchange
        }

        /// The request of this number, once it was started.
        func exchange(_ number: Int) throws -> StubExchange {
            try exchanges.wait("request \(number)") { $0.count > number ? $0[number] : nil }
        }
    }

    private let directory = TemporaryDirectory()
    private let networking = SinkNetworking()
    private let result = SharedValue<NetworkingResult?>(nil)
    private var path: String { directory.path("file") }

    private func start(
        _ lines: [(String, String)] = [],
        method: Method = .get,
        url: TargetURI = World.uri("/a")
    ) -> any RequestNetworking {
        var request = HTTPRequest(method: method, url: url)
        for (name, value) in lines { request[field: name] = value }
        request.destination = path
        return networking.startTransfer(request) { [result] end in result.update { $0 = end } }
    }

    private func end() throws -> NetworkingResult { try result.wait("the end of a download") { $0 } }

    /// Leaves a part of ten bytes, as an earlier attempt would.
    private func leavePart(_ bytes: String, synced: Int64, sameStart: Bool = true) throws {
        var fields = Fields()
        for (name, value) in [("ETag", "\"1\""), ("Content-Length", "10")] { fields.append(name: name, value: value) }
        var note = try #require(DownloadNote(ResponseHead(status: 200, fields: fields), of: World.uri("/a")))
        note.synced = synced
        if !sameStart { note.boot = "another" }
        try directory.write(bytes, to: "file" + PartialFile.suffix)
        try directory.write(note.text, to: "file.respite-note")
    }

    @Test(
        "a part is continued by a plain GET of the same URL, from what surely is on the disk",
        arguments: [
            (.get, [], "/a", true, "bytes=4-"), (.get, [], "/a", false, "bytes=2-"), (.get, [], "/b", true, nil),
            (.post, [], "/a", true, nil), (.get, [("Range", "bytes=1-")], "/a", true, "bytes=1-"),
            (.get, [("If-Range", "\"2\"")], "/a", true, nil),
        ] as [(Method, [(String, String)], String, Bool, String?)]
    )
    func continued(method: Method, lines: [(String, String)], url: String, sameStart: Bool, range: String?) throws {
        try leavePart("abcd", synced: 2, sameStart: sameStart)
        let operation = start(lines, method: method, url: World.uri(url))
        #expect(try networking.exchange(0).request[field: "Range"] == range)
        operation.cancel()
        try networking.exchange(0).complete(NetworkingResult(error: CancellationError()))
        _ = try end()
    }

    @Test(
        "a part of which nothing is on the disk for sure is not continued, one of a single byte is",
        arguments: [0, 1] as [Int64]
    )
    func hardlyAnything(synced: Int64) throws {
        try leavePart("abcd", synced: synced, sameStart: false)
        _ = start()
        #expect(try networking.exchange(0).request[field: "Range"] == (synced == 1 ? "bytes=1-" : nil))
        try networking.exchange(0).complete(NetworkingResult(error: CancellationError()))
        _ = try end()
    }

    @Test("figures are those of the whole file; an unknown length stays unknown (S-148)")
    func metrics() throws {
        try leavePart("abcd", synced: 4)
        let first = start()
        // The second one has to wait for the path.
        let second = start()
        #expect(second.transferMetrics == RequestTransferMetrics())
        let exchange = try networking.exchange(0)
        var fields = Fields()
        fields.append(name: "Content-Range", value: "bytes 4-9/10")
        #expect(try exchange.request.sink?.begin(ResponseHead(status: 206, fields: fields)) == true)
        exchange.complete(NetworkingResult(error: CancellationError()))
        _ = try end()
        for (length, total) in [(6, 10), (1, 5), (0, 0), (-1, -1), (nil, nil)] as [(Int64?, Int64?)] {
            let own = RequestTransferMetrics(
                requestBytesSent: 1,
                requestBytesTotal: 2,
                responseBytesReceived: 3,
                responseBytesTotal: length
            )
            exchange.metrics.change { $0 = own }
            let expected = RequestTransferMetrics(
                requestBytesSent: 1,
                requestBytesTotal: 2,
                responseBytesReceived: 7,
                responseBytesTotal: total
            )
            #expect(first.transferMetrics == expected)
        }
        try networking.exchange(1).complete(NetworkingResult(error: CancellationError()))
    }

    @Test("a download that is cancelled while it waits for its path asks for nothing (S-129)")
    func cancelledInLane() throws {
        let first = start()
        let exchange = try networking.exchange(0)
        let second = SharedValue<NetworkingResult?>(nil)
        var request = HTTPRequest(method: .get, url: World.uri("/a"))
        request.destination = path
        let waiting = networking.startTransfer(request) { end in second.update { $0 = end } }
        waiting.cancel()
        first.cancel()
        exchange.complete(NetworkingResult(error: CancellationError()))
        let result = try second.wait("the end of a download") { $0 }
        #expect((result.error as? ExchangeFailure)?.kind == .cancelled && exchange.isCancelled)
        #expect(networking.exchanges.current.count == 1 && filesBelow(directory.path).isEmpty)
    }

    @Test(
        "a server that does not continue a part is asked once more for everything, unless that was cancelled",
        arguments: [false, true]
    )
    func anew(isCancelled: Bool) throws {
        try leavePart("abcd", synced: 4)
        let operation = start()
        let first = try networking.exchange(0)
        #expect(throws: DownloadSink.StartsAnew.self) { try first.request.sink?.begin(ResponseHead(status: 416)) }
        if isCancelled { operation.cancel() }
        first.complete(NetworkingResult(head: ResponseHead(status: 416), error: DownloadSink.StartsAnew()))
        guard !isCancelled else {
            #expect(try end().error is DownloadSink.StartsAnew && networking.exchanges.current.count == 1)
            return #expect(filesBelow(directory.path).count == 2)
        }
        let second = try networking.exchange(1)
        #expect(second.request[field: "Range"] == nil && second.request[field: "If-Range"] == nil)
        let head = ResponseHead(status: 200)
        #expect(try second.request.sink?.begin(head) == true)
        try second.request.sink?.receive(ByteChunk("new"))
        second.complete(NetworkingResult(head: head))
        let result = try end()
        #expect(result.file == DownloadedFile(path: path, size: 3) && result.content == nil && result.error == nil)
        #expect(contents(path) == Array("new".utf8) && filesBelow(directory.path) == [path])
    }

    @Test("the response to HEAD is no file (S-252)")
    func head() {
        let operation = start(method: .head)
        #expect(networking.exchanges.current.map(\.request.method) == [.head])
        #expect(networking.exchanges.current[0].request.sink == nil && operation is StubExchange)
    }
}
