import Exchanges
import Glibc
import HTTPCore
import ResourceDoubles
import TestDoubles
import TestSupport
import Testing

@testable import ResourceCore
@testable import ResourceModel

@Suite("Requests that wait for files")
struct FileOperationTests {
    private let directory = TemporaryDirectory()

    /// A request at a provider.
    private var exchange: StubExchange { StubExchange(HTTPRequest(method: .get, url: World.uri("/a"))) { _ in } }

    // MARK: Operations

    @Test("an operation is that of the request it follows, which it cancels, also if it was cancelled before (S-129)")
    func following() {
        let (operation, first, second) = (DeferredOperation(), exchange, exchange)
        #expect(!operation.isCancelled && operation.transferMetrics == RequestTransferMetrics())
        let metrics = RequestTransferMetrics(requestBytesSent: 1, responseBytesReceived: 2)
        first.metrics.change { $0 = metrics }
        operation.follow(first)
        #expect(operation.transferMetrics == metrics && !first.isCancelled)
        operation.cancel()
        #expect(operation.isCancelled && first.isCancelled)
        operation.follow(second)
        #expect(second.isCancelled && operation.transferMetrics == RequestTransferMetrics())
        #expect((DeferredOperation.cancellation.error as? ExchangeFailure)?.kind == .cancelled)
    }

    @Test("where no files are sent, one is read into memory; the request can be cancelled all the same (S-129)")
    func inMemory() async throws {
        let path = try directory.write("abc", to: "a")
        let hasBegun = Gate()
        let networking = StubNetworking { _ in
            hasBegun.open()
            return nil
        }
        let service = Service(baseURL: "http://h.example", networking: networking)
        let request = service.resource("a").request(.put, file: path, contentType: "x/y")
        try await hasBegun.opened()
        #expect(networking.last.request.body == Array("abc".utf8) && networking.last.request.bodyFile == nil)
        request.cancel()
        #expect(await request.outcome.response.isCancellation)
    }

    // MARK: Files

    @Test("what may be in memory is 64 MiB of a file and no more; the remedy is named")
    func memoryLimit() throws {
        let path = try directory.write("", to: "a")
        #expect(truncate(path, 64 << 20) == 0)
        #expect(try OutgoingFile(path: path).readWhole().count == 64 << 20)
        #expect(truncate(path, 64 << 20 + 1) == 0)
        let fault = #expect(throws: RequestError.Cause.FileTransfer.self) { try OutgoingFile(path: path).readWhole() }
        let reason =
            "its 67108865 bytes are more than the 67108864 that may be in memory; HTTPClient sends files of any size"
        #expect(fault == RequestError.Cause.FileTransfer(.sending, path: path, reason: reason))
    }

    @Test("a file that has grown is noticed with its last bytes, not before")
    func grown() throws {
        let path = try directory.write("abcdef", to: "a")
        let file = try OutgoingFile(path: path)
        try directory.write("abcdefg", to: "a")
        #expect(try file.size == 6 && file.read(from: 0, count: 5) == Array("abcde".utf8))
        for (offset, count) in [(0, 6), (5, 1)] as [(Int64, Int)] {
            let fault = #expect(throws: RequestError.Cause.FileTransfer.self) {
                try file.read(from: offset, count: count)
            }
            #expect(fault?.direction == .sending && fault?.reason.hasPrefix("its size changed from 6 to 7") == true)
        }
    }

    @Test("work on files is done although all threads for that are busy, and no more may wait for them")
    func fullQueue() async {
        // In a process of its own: other tests have work for the same threads.
        await #expect(processExitsWith: .success) {
            let (hasBegun, mayGoOn, works) = (Tally(), Gate(), Tally())
            let (isFirstDone, areAllDone) = (Gate(), Gate())
            for _ in 0..<4 {
                FileQueue().submit {
                    hasBegun.add()
                    do { try mayGoOn.wait() } catch { exit(1) }
                }
            }
            try hasBegun.wait(for: 4, "work on each thread")
            // As many as may wait, and one more.
            for _ in 0...10_000 {
                FileQueue().submit {
                    let count = works.add()
                    if count == 1 { isFirstDone.open() }
                    if count == 10_001 { areAllDone.open() }
                }
            }
            try await isFirstDone.opened()
            guard works.value == 1 else { exit(1) }
            mayGoOn.open()
            try await areAllDone.opened()
        }
    }

    // MARK: Uploads

    /// An exchange that notes what it is sent.
    private final class SendingExchange: Exchange {
        let sent = SharedValue<[UInt8]>([])
        let finishes = SharedValue(0)

        func grant(_ bytes: Int) {}
        func send(_ chunk: ByteChunk) { sent.update { $0 += chunk.bytes } }
        func finish(trailers: Fields?) { finishes.update { $0 += 1 } }
        func cancel() {}
    }

    private func upload(_ text: String) throws -> FileUpload {
        FileUpload(try OutgoingFile(path: try directory.write(text, to: "a")))
    }

    @Test("a file is sent by the byte as it is wanted, before its exchange is known, too, and finished once")
    func wanted() throws {
        let (upload, exchange) = (try upload("abcdef"), SendingExchange())
        upload.want(1)
        #expect(upload.size == 6 && upload.sent == 0)
        upload.begin(exchange) { _ in }
        try exchange.sent.wait("a byte") { $0 == [0x61] ? () : nil }
        upload.want(1)
        try exchange.sent.wait("two bytes") { $0 == Array("ab".utf8) ? () : nil }
        #expect(upload.sent == 2 && exchange.finishes.current == 0)
        for bytes in [-1, 0, .max, .max] { upload.want(bytes) }
        try exchange.finishes.wait("the end") { $0 == 1 ? () : nil }
        upload.want(1)
        #expect(exchange.sent.current == Array("abcdef".utf8) && upload.sent == 6 && exchange.finishes.current == 1)
    }

    @Test("an empty file is finished once something is wanted")
    func empty() throws {
        let (upload, exchange) = (try upload(""), SendingExchange())
        upload.begin(exchange) { _ in }
        upload.want(1)
        try exchange.finishes.wait("the end") { $0 == 1 ? () : nil }
        #expect(exchange.sent.current.isEmpty)
    }

    @Test(
        "a request that is over keeps no exchange, nor takes one that begins later (S-129)",
        arguments: [false, true]
    )
    func over(endsFirst: Bool) throws {
        let upload = try upload("abcdef")
        weak var kept: SendingExchange?
        do {
            let exchange = SendingExchange()
            kept = exchange
            if endsFirst { upload.end() }
            upload.begin(exchange) { _ in }
            if !endsFirst { upload.end() }
        }
        #expect(kept == nil)
        upload.want(1)
        #expect(upload.sent == 0)
    }

    @Test("a file that cannot be read to its end is told of once, and not finished")
    func failing() throws {
        let (upload, exchange) = (try upload("abcdef"), SendingExchange())
        try directory.write("abc", to: "a")
        let faults = SharedValue<[any Error]>([])
        upload.begin(exchange) { error in faults.update { $0.append(error) } }
        upload.want(6)
        let fault = try faults.wait("a fault") { $0.first as? RequestError.Cause.FileTransfer }
        #expect(fault.direction == .sending && fault.path == directory.path("a"))
        upload.want(6)
        #expect(faults.current.count == 1 && exchange.finishes.current == 0 && exchange.sent.current.isEmpty)
    }
}
