import Glibc
import HTTPCore
import Platform
import Testing

@testable import Eventing

/// Bytes on their way out.
@Suite struct OutputBufferTests {
    private static func chunk(_ count: Int, _ byte: UInt8 = 7) -> ByteChunk {
        ByteChunk([UInt8](repeating: byte, count: count))
    }

    private static func region(_ count: Int) throws -> FileRegion {
        FileRegion(file: try FileDescriptor(path: "/proc/self/exe"), offset: 1, count: count)
    }

    @Test("chunks of up to 1024 bytes are copied, larger ones lent, empty ones passed over")
    func appending() throws {
        let buffer = OutputBuffer()
        buffer.append(Self.chunk(0))
        buffer.append(try Self.region(0))
        #expect(buffer.count == 0 && !buffer.hasItems)
        buffer.append(Self.chunk(1024))
        #expect(buffer.count == 1024 && !buffer.hasItems && buffer.tail.count == 1024)
        buffer.append(Self.chunk(1025))
        #expect(buffer.count == 2049 && buffer.items.count == 2 && buffer.tail.isEmpty)
        buffer.append(try Self.region(1))
        #expect(buffer.count == 2050 && buffer.items.count == 3)
    }

    @Test("bytes that are sent leave in order, parts of pieces too")
    func consuming() throws {
        let buffer = OutputBuffer()
        buffer.append { $0 += [1, 2, 3, 4] }
        buffer.consume(1)
        #expect(buffer.count == 3 && buffer.tailSent == 1)
        buffer.append(Self.chunk(2000))
        #expect(buffer.count == 2003 && buffer.items.map(\.count) == [3, 2000] && buffer.tailSent == 0)
        buffer.append(try Self.region(10))
        buffer.append { $0 += [5, 6] }
        #expect(buffer.count == 2015)
        buffer.consume(3)
        #expect(buffer.count == 2012 && buffer.firstItem == 1)
        buffer.consume(1999)
        #expect(buffer.count == 13 && buffer.items[1].count == 1 && buffer.firstItem == 1)
        buffer.consume(5)
        guard case .file(let rest) = buffer.items[2] else {
            Issue.record("no file is left")
            return
        }
        #expect(buffer.count == 8 && rest.offset == 5 && rest.count == 6)
        buffer.consume(7)
        #expect(buffer.count == 1 && !buffer.hasItems && buffer.items.isEmpty && buffer.tailSent == 1)
        buffer.consume(1)
        #expect(buffer.count == 0 && buffer.tail.isEmpty && buffer.tailSent == 0)
    }

    @Test("pieces that have left make room after sixty-four")
    func manyPieces() {
        let buffer = OutputBuffer()
        for _ in 0..<70 { buffer.append(Self.chunk(1025)) }
        buffer.consume(63 * 1025)
        #expect(buffer.firstItem == 63 && buffer.items.count == 70)
        buffer.consume(1025)
        #expect(buffer.firstItem == 0 && buffer.items.count == 6 && buffer.count == 6 * 1025)
    }

    @Test("encrypted bytes count until they are sent")
    func encrypted() {
        let buffer = OutputBuffer()
        buffer.append { $0 += [1, 2, 3] }
        buffer.didEncrypt(2)
        #expect(buffer.count == 3 && buffer.inFlight == 2 && buffer.tailSent == 2)
        buffer.didSendEncrypted()
        #expect(buffer.count == 1 && buffer.inFlight == 0)
        buffer.didEncrypt(1)
        #expect(buffer.count == 1 && buffer.tail.isEmpty)
    }

    @Test("a buffer for another stream is empty, and kept unless it has grown large")
    func reset() {
        let buffer = OutputBuffer()
        buffer.append(Self.chunk(2000))
        buffer.append { $0 += [1, 2, 3] }
        buffer.consume(2001)
        buffer.didEncrypt(1)
        let isKept = buffer.reset()
        #expect(isKept && buffer.count == 0 && !buffer.hasItems && buffer.tailSent == 0 && buffer.inFlight == 0)
        buffer.append { $0 = [UInt8](repeating: 0, count: 200_000) }
        let isKeptWhenLarge = buffer.reset()
        #expect(!isKeptWhenLarge && buffer.count == 0)
    }

    private static func front(_ buffer: OutputBuffer, upTo limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        let count = buffer.lendFront(upTo: limit, through: ReadBuffer()) { bytes += [UInt8](copying: $0) }
        return count == bytes.count ? bytes : []
    }

    @Test("the front is lent as far as is wanted: small pieces together, large ones by themselves")
    func fronts() throws {
        let buffer = OutputBuffer()
        buffer.append { $0 += [1, 2, 3, 4] }
        #expect(Self.front(buffer, upTo: 3) == [1, 2, 3] && Self.front(buffer, upTo: 9) == [1, 2, 3, 4])
        buffer.consume(1)
        #expect(Self.front(buffer, upTo: 2) == [2, 3] && Self.front(buffer, upTo: 3) == [2, 3, 4])
        buffer.append(Self.chunk(1500))
        buffer.append { $0 += [8, 9] }
        let small: [UInt8] = [2, 3, 4] + [UInt8](repeating: 7, count: 1500) + [8, 9]
        for limit in [1, 3, 4, 1502, 1503, 1504, 1505, 1506, 20_000] {
            #expect(Self.front(buffer, upTo: limit) == Array(small.prefix(limit)), "\(limit)")
        }
        let other = OutputBuffer()
        other.append(Self.chunk(4096))
        other.append { $0 += [1] }
        #expect(Self.front(other, upTo: 5000) == [UInt8](repeating: 7, count: 4096))
        #expect(Self.front(other, upTo: 4095) == [UInt8](repeating: 7, count: 4095))
        let mixed = OutputBuffer()
        mixed.append { $0 += [1, 2] }
        mixed.append(try Self.region(3))
        mixed.append { $0 += [3] }
        #expect(Self.front(mixed, upTo: 100) == [1, 2])
        mixed.consume(2)
        #expect(Self.front(mixed, upTo: 100) == Array("ELF".utf8) && Self.front(mixed, upTo: 2) == Array("EL".utf8))
    }

    @Test("what is gathered at once has a limit")
    func gathering() {
        let buffer = OutputBuffer()
        for byte in UInt8(0)..<20 { buffer.append(Self.chunk(1500, byte)) }
        let all = (UInt8(0)..<20).flatMap { [UInt8](repeating: $0, count: 1500) }
        #expect(Self.front(buffer, upTo: 100_000) == Array(all.prefix(16_384)))
    }

    @Test("a loop keeps one buffer at hand, and sixty-four more")
    func spares() {
        var buffers = LoopBuffers()
        let (first, second) = (OutputBuffer(), OutputBuffer())
        buffers.addSpare(first)
        buffers.addSpare(second)
        #expect(buffers.takeOutput() === first)
        #expect(buffers.takeOutput() === second)
        let fresh = buffers.takeOutput()
        #expect(fresh !== first && fresh !== second)
        for _ in 0..<70 { buffers.addSpare(OutputBuffer()) }
        let spares = buffers.takeSpares()
        #expect(spares.count == 65)
        let none = buffers.takeSpares()
        #expect(none.isEmpty)
    }

    @Test("a drain notice is given once, to who has asked for it or has written as much as is good")
    func drainNotices() {
        var output = StreamOutput()
        let unasked = output.takeDrainNotice()
        let buffer = OutputBuffer()
        output.buffer = buffer
        buffer.append(Self.chunk(Stream.highWaterMark - 1))
        output.didWrite(buffer)
        #expect(!unasked && !output.wantsDrainNotice && output.needsFlush && output.acceptsBytes)
        buffer.append { $0.append(1) }
        output.didWrite(buffer)
        #expect(output.wantsDrainNotice && output.unsentBytes == Stream.highWaterMark)
        buffer.consume(Stream.highWaterMark - output.lowWaterMark - 1)
        let early = output.takeDrainNotice()
        buffer.consume(1)
        let (first, second) = (output.takeDrainNotice(), output.takeDrainNotice())
        #expect(!early && first && !second)
        output.endsWhenSent = true
        #expect(!output.acceptsBytes)
        (output.endsWhenSent, output.isShut) = (false, true)
        #expect(!output.acceptsBytes)
        (output.isShut, output.pendingError) = (false, .reset)
        #expect(!output.acceptsBytes)
    }

    @Test("a peer that is gone is told as a reset, one that takes nothing as blocked; nothing is lost or made up")
    func sending() throws {
        let (left, right) = try SocketCalls.makePair().get()
        defer { SocketCalls.close(left) }
        let buffer = OutputBuffer()
        #expect(buffer.send(to: left) == .drained)
        buffer.append { $0 += [1, 2, 3] }
        #expect(buffer.send(to: left) == .drained && buffer.count == 0)
        #expect(SocketCalls.receive(upTo: 16, from: right) == [1, 2, 3])
        buffer.append(ByteChunk([UInt8](repeating: 5, count: 8 << 20)))
        #expect(buffer.send(to: left) == .blocked && buffer.count > 0 && buffer.count < 8 << 20)
        SocketCalls.close(right)
        #expect(buffer.send(to: left) == .failed(.reset))
        #expect(OutputBuffer().send(to: left) == .drained)
    }

    /// A file that counts how often it could not be read.
    private final class WatchedFile: FileReadObserver {
        let file: FileDescriptor
        let complaints = Counter()

        init(_ path: String) throws { file = try FileDescriptor(path: path) }

        func fileCouldNotBeRead() { complaints.increment() }

        func region(at offset: Int64) -> FileRegion {
            FileRegion(owner: self, descriptor: file.number, offset: offset, count: 10)
        }
    }

    @Test("a file that is too short or cannot be read is told to its owner, by each way to send it")
    func unreadableFiles() throws {
        let (left, right) = try SocketCalls.makePair().get()
        defer { for descriptor in [left, right] { SocketCalls.close(descriptor) } }
        // Nothing lies at the first address of a process: reading it is an error of input.
        for (path, offset, error) in [
            ("/proc/self/exe", 1 << 40, .fileTruncated), ("/proc/self/mem", 0, .system(SystemError(EIO))),
        ] as [(String, Int64, StreamError)] {
            let watched = try WatchedFile(path)
            let plain = OutputBuffer()
            plain.append(watched.region(at: offset))
            #expect(plain.send(to: left) == .failed(error) && watched.complaints.value == 1, "\(path)")
            let secure = OutputBuffer()
            secure.append(watched.region(at: offset))
            var isLent = false
            let count = secure.lendFront(upTo: 10, through: ReadBuffer()) { _ in isLent = true }
            #expect(count <= 0 && !isLent && watched.complaints.value == 2, "\(path)")
        }
    }

    @Test("a file is not blamed for a peer that is gone")
    func blamelessFile() throws {
        let (left, right) = try SocketCalls.makePair().get()
        defer { SocketCalls.close(left) }
        SocketCalls.close(right)
        let watched = try WatchedFile("/proc/self/exe")
        let buffer = OutputBuffer()
        buffer.append(watched.region(at: 0))
        #expect(buffer.send(to: left) == .failed(.reset) && watched.complaints.value == 0)
    }
}
