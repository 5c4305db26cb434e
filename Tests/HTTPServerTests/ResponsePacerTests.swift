import Eventing
import Glibc
import HTTPCore
import Testing

@testable import HTTPServer

/// When content whose rate is limited leaves.
@Suite struct ResponsePacerTests {
    /// A response at a limited rate whose head has been sent.
    private struct Paced {
        let server: StillServer
        let exchange: ServerExchange

        init(bytesPerSecond rate: Int, length: Int) throws {
            let server = try StillServer()
            server.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
            let exchange = try #require(server.responder.held.first)
            (self.server, self.exchange) = (server, exchange)
            exchange.limitRate(to: rate)
            exchange.start(200, fields: Fields(), content: .length(Int64(length)))
            server.turn()
            #expect(String(decoding: server.receive(), as: UTF8.self).hasSuffix("\r\n\r\n"))
        }

        func write(_ count: Int) { exchange.write(ByteChunk([UInt8](repeating: 0x78, count: count))) }

        /// How many bytes come in so many milliseconds.
        func received(after milliseconds: Int) -> Int { bytes(after: milliseconds).count }

        func bytes(after milliseconds: Int) -> [UInt8] {
            server.advance(by: .milliseconds(milliseconds))
            return server.receive()
        }
    }

    /// A file without a name whose bytes are their own offsets.
    private final class NumberedFile: Sendable {
        private let descriptor: Int32

        init() {
            var name = Array("/tmp/respite-pacer-XXXXXX".utf8CString)
            descriptor = mkstemp(&name)
            unlink(name)
            let bytes = [UInt8](0..<200)
            _ = Glibc.write(descriptor, bytes, bytes.count)
        }

        deinit { close(descriptor) }

        func region(_ offset: Int64, _ count: Int) -> FileRegion {
            FileRegion(owner: self, descriptor: descriptor, offset: offset, count: count)
        }
    }

    @Test("a part of a file leaves in parts, each byte once, and what was written behind it stays there")
    func file() throws {
        let paced = try Paced(bytesPerSecond: 1000, length: 150)
        paced.exchange.write(NumberedFile().region(10, 120))
        paced.write(30)
        paced.exchange.finish()
        let last = [UInt8](110..<130) + [UInt8](repeating: 0x78, count: 30)
        for expected in [[UInt8](10..<60), [UInt8](60..<110), last] {
            #expect(paced.exchange.contentBytes == 150)
            #expect(paced.bytes(after: 50) == expected)
        }
        #expect(!paced.exchange.isOpen && paced.exchange.contentBytes == 150)
    }

    @Test("content leaves every fiftieth millisecond, each time what the time since its beginning allows")
    func rate() throws {
        let paced = try Paced(bytesPerSecond: 100_000, length: 12_000)
        paced.write(12_000)
        paced.exchange.finish()
        let counts = [49, 1, 49, 1, 49, 1].map { paced.received(after: $0) }
        #expect(counts == [0, 5000, 0, 5000, 0, 2000] && !paced.exchange.isOpen)
    }

    @Test("content of one byte is content; content of none is nothing, and begins no time")
    func small() throws {
        let paced = try Paced(bytesPerSecond: 1000, length: 101)
        paced.exchange.write(ByteChunk(""))
        #expect(paced.received(after: 10_000) == 0)
        paced.exchange.write(ByteChunk("a"))
        paced.write(100)
        paced.exchange.finish()
        let counts = (0..<3).map { _ in paced.received(after: 50) }
        #expect(counts == [50, 50, 1] && !paced.exchange.isOpen)
    }

    @Test("time in which nothing waits gives no right to send more later")
    func pause() throws {
        let paced = try Paced(bytesPerSecond: 1000, length: 150)
        paced.write(50)
        #expect([paced.received(after: 50), paced.received(after: 10_000)] == [50, 0])
        paced.write(100)
        paced.exchange.finish()
        let counts = (0..<3).map { _ in paced.received(after: 50) }
        #expect(counts == [50, 50, 0] && !paced.exchange.isOpen)
    }

    /// Counts how often a writer is told that there is room.
    private final class Writer: ServerExchangeDelegate {
        var drains = 0

        func exchangeDidDrain(_ exchange: ServerExchange) { drains += 1 }
        func exchangeDidLoseClient(_ exchange: ServerExchange) {}
    }

    @Test("nothing more is accepted while 64 KiB wait, and the writer is told when less does")
    func room() throws {
        let paced = try Paced(bytesPerSecond: 1_000_000, length: 65_536)
        let writer = Writer()
        paced.exchange.delegate = writer
        paced.write(65_535)
        #expect(paced.exchange.mayWrite)
        paced.write(1)
        #expect(!paced.exchange.mayWrite && writer.drains == 0)
        #expect(paced.received(after: 50) == 50_000)
        #expect(paced.exchange.mayWrite && writer.drains == 1)
        paced.exchange.finish()
        #expect(paced.received(after: 50) == 15_536)
        #expect(!paced.exchange.isOpen && writer.drains == 1)
    }

    @Test("a client that reads more slowly than the rate gets no larger parts afterwards")
    func slowClient() throws {
        let (rate, length) = (1_000_000, 8_000_000)
        let paced = try Paced(bytesPerSecond: rate, length: length)
        paced.write(length)
        paced.exchange.finish()
        // The buffers on the way are full long before.
        paced.server.advance(by: .seconds(10))
        var count = 0
        for _ in 0..<100 {
            count += paced.server.receive().count
            paced.server.turn()
        }
        #expect(count < length)
        #expect((0..<3).map { _ in paced.received(after: 50) } == [50_000, 50_000, 50_000])
    }

    @Test("the least rate is a byte in a second")
    func least() throws {
        let paced = try Paced(bytesPerSecond: 0, length: 2)
        paced.write(2)
        paced.exchange.finish()
        #expect([950, 50, 950, 50].map { paced.received(after: $0) } == [0, 1, 0, 1])
    }
}
