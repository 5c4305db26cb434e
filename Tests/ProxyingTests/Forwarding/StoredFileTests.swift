import Configurations
import Glibc
import HTTPCore
import Locking
import ResourceDoubles
import Stores
import TestDoubles
import TestSupport
import Testing
import Transforms

/// Stored responses whose content is in a file.
@Suite struct StoredFileTests {
    /// A body in a file, which may be damaged.
    private final class FileBody: BodyFile {
        private let bytes: [UInt8]
        private let descriptor: Int32
        private let isRight: Bool
        private let calls = Lock(0)

        init(_ bytes: [UInt8], isRight: Bool = true, in directory: TemporaryDirectory) throws {
            self.bytes = bytes
            self.isRight = isRight
            descriptor = open(try directory.write(bytes, to: "body"), O_RDONLY | O_CLOEXEC)
        }

        deinit { close(descriptor) }

        /// How often content was to be verified.
        var verifications: Int { calls.withLock { $0 } }

        var count: Int64 { Int64(bytes.count) }
        func read(_ count: Int, at offset: Int64) -> [UInt8]? {
            Array(bytes.dropFirst(Int(offset)).prefix(count))
        }
        func piece(_ range: Range<Int64>) -> BodyPiece {
            .file(FileRegion(owner: self, descriptor: descriptor, offset: range.lowerBound, count: range.count))
        }
        func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) {
            calls.withLock { $0 += 1 }
            completion(isRight)
        }
        func isVerified(_ range: Range<Int64>) -> Bool { isRight }
    }

    /// A proxy whose store has one response, and a client.
    private struct Stored {
        let proxy: QuietProxy
        private let connection: QuietConnection

        init(_ file: FileBody, in directory: TemporaryDirectory) throws {
            var fields = Fields()
            fields.append(.cacheControl, "max-age=600")
            let store = MemoryVariantStore()
            // The time of a clock that stands still.
            let time = HTTPDate(seconds: 1000)
            store.put(
                StoredRecord(
                    uri: World.uri("/a"),
                    partition: .shared,
                    selection: [],
                    status: 200,
                    reason: [],
                    fields: fields,
                    requestFields: Fields(),
                    requestTime: time,
                    responseTime: time,
                    isInvalidated: false,
                    body: .file(file)
                )
            )
            proxy = try QuietProxy(in: directory, store: store, configuration: Configuration())
            connection = QuietConnection(proxy.path)
        }

        func send() {
            connection.send("GET http://origin.example/a HTTP/1.1\r\nHost: origin.example\r\n\r\n")
        }

        /// What has come when nothing is left to do.
        func receive() -> [UInt8] {
            var bytes: [UInt8] = []
            // To be accepted, to be read and to be answered may be turns of their own.
            for _ in 0..<8 { proxy.run { connection.read(into: &bytes) } }
            return bytes
        }
    }

    private static func content(_ count: Int) -> [UInt8] {
        (0..<count).map { index in
            let step: Int = index / 7 + index / 251
            return UInt8(0x21 + step % 90)
        }
    }

    @Test("content that is damaged is loaded anew before anything of it is sent")
    func damaged() throws {
        let directory = TemporaryDirectory()
        let stored = try Stored(FileBody(Self.content(5000), isRight: false, in: directory), in: directory)
        stored.send()
        #expect(stored.receive().isEmpty)
        let loads = stored.proxy.provider.take()
        #expect(loads.map(\.receiver) == [.load])
        loads.first?.exchange.answer(200, [("Cache-Control", "max-age=60")], "fresh")
        let text = String(decoding: stored.receive(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("\r\n\r\nfresh"))
        #expect(text.count(of: "HTTP/1.1 200") == 1)
    }

    @Test(
        "content of at most a MiB that is known to be right is sent at once; larger content is verified block by block",
        arguments: [(5000, true), (1 << 20, true), (1 << 20 + 1, false)]
    )
    func atOnce(count: Int, isAtOnce: Bool) throws {
        let directory = TemporaryDirectory()
        let content = Self.content(count)
        let file = try FileBody(content, in: directory)
        let stored = try Stored(file, in: directory)
        var counts: [Int] = []
        for _ in 0..<2 {
            stored.send()
            let bytes = stored.receive()
            let head = String(decoding: bytes.prefix(max(0, bytes.count - count)), as: UTF8.self)
            #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("\r\n\r\n"))
            // Without the bytes in what a failure prints.
            let isWhole = Array(bytes.suffix(count)) == content
            #expect(isWhole)
            counts.append(file.verifications)
        }
        #expect(counts[0] > 0 && (counts[1] == counts[0]) == isAtOnce, "\(counts)")
        #expect(stored.proxy.provider.take().isEmpty)
    }
}
