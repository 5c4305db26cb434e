import Glibc
import HTTPCore
import Platform
import TestSupport
import Testing

@testable import Eventing

/// How many bytes of a buffer go into one call of the system.
@Suite struct OutputBufferSendingTests {
    /// Two sockets that keep apart what each call has sent.
    private final class Records {
        let near: Int32
        private let far: Int32

        init() throws {
            var pair: [Int32] = [-1, -1]
            let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw SystemError(errno) }
            (near, far) = (pair[0], pair[1])
        }

        deinit { for descriptor in [near, far] { close(descriptor) } }

        /// What the next call has sent; nothing if there was none.
        func next() -> [UInt8] { SocketCalls.receive(upTo: 1 << 20, from: far) }
    }

    /// A file whose bytes are their offsets modulo 251.
    private final class NumberedFile: Sendable {
        let descriptor: Int32

        init(_ count: Int) throws {
            var name = Array("/tmp/respite-eventing-XXXXXX".utf8CString)
            descriptor = mkstemp(&name)
            unlink(name)
            let content = NumberedFile.bytes(0..<count)
            guard Glibc.write(descriptor, content, count) == count else { throw SystemError(errno) }
        }

        deinit { close(descriptor) }

        static func bytes(_ range: Range<Int>) -> [UInt8] { range.map { UInt8($0 % 251) } }

        func region(_ offset: Int, _ count: Int) -> FileRegion {
            FileRegion(owner: self, descriptor: descriptor, offset: Int64(offset), count: count)
        }
    }

    @Test("where the system does not send files itself, 64 KiB go through memory at a time")
    func copies() throws {
        let records = try Records()
        // With this flag, sendfile(2) does not accept the socket.
        let flags = fcntl(records.near, F_GETFL)
        try #require(flags >= 0 && fcntl(records.near, F_SETFL, flags | O_APPEND) == 0)
        let buffer = OutputBuffer()
        buffer.append(try NumberedFile(100_000).region(5, 65_537))
        #expect(buffer.send(to: records.near) == .drained && buffer.count == 0)
        // Not the arrays: what differs would be shown byte by byte.
        let (first, second, third) = (records.next(), records.next(), records.next())
        let areRight = first == NumberedFile.bytes(5..<65_541) && second == NumberedFile.bytes(65_541..<65_542)
        #expect(areRight && third.isEmpty, "\(first.count), \(second.count) and \(third.count) bytes")
    }

    @Test("64 pieces leave with one call, and the bytes behind them with those that are left")
    func pieces() throws {
        let records = try Records()
        let buffer = OutputBuffer()
        for number in 0..<66 { buffer.append(ByteChunk([UInt8](repeating: UInt8(number), count: 1025))) }
        buffer.append { $0 += [1, 2, 3] }
        #expect(buffer.send(to: records.near) == .drained && buffer.count == 0)
        func content(_ numbers: Range<UInt8>) -> [UInt8] {
            numbers.flatMap { [UInt8](repeating: $0, count: 1025) }
        }
        let (first, second, third) = (records.next(), records.next(), records.next())
        let (sixtyFour, rest): ([UInt8], [UInt8]) = (content(0..<64), content(64..<66) + [1, 2, 3])
        let areRight = first == sixtyFour && second == rest
        #expect(areRight && third.isEmpty, "\(first.count), \(second.count) and \(third.count) bytes")
    }

    @Test("a mebibyte of a file leaves with one call; once four have left, other streams have their turn")
    func files() throws {
        let directory = TemporaryDirectory()
        let flags = O_RDWR | O_CREAT | O_CLOEXEC
        let (source, sink) = (open(directory.path("source"), flags, 0o600), open("/dev/null", O_WRONLY | O_CLOEXEC))
        defer { for descriptor in [source, sink] { close(descriptor) } }
        try #require(source >= 0 && sink >= 0 && ftruncate(source, 4 << 20) == 0)
        func region(_ count: Int) -> FileRegion {
            FileRegion(owner: directory, descriptor: source, offset: 0, count: count)
        }
        let exact = OutputBuffer()
        exact.append(region(4 << 20))
        // It accepts as much as it is given.
        #expect(exact.send(to: sink) == .drained && exact.count == 0)
        let buffer = OutputBuffer()
        // Three calls and a half; the fifth would begin within the limit.
        buffer.append(region(7 << 19))
        buffer.append(region(2 << 20))
        #expect(buffer.send(to: sink) == .blocked && buffer.count == 1 << 20)
        #expect(buffer.send(to: sink) == .drained && buffer.count == 0)
    }
}
