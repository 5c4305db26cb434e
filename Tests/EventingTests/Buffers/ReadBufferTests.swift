import CLinux
import Glibc
import HTTPCore
import Platform
import Testing

@testable import Eventing

/// The memory into which streams read.
@Suite struct ReadBufferTests {
    @Test("a buffer that is given up leaves no memory behind")
    func memory() async {
        // In a process of its own: nothing else allocates there.
        await #expect(processExitsWith: .success) {
            // Another allocator, as a sanitizer's, tells nothing.
            if respite_heap_in_use() == 0 { return }
            func use() -> Bool {
                let buffer = ReadBuffer()
                buffer.load([1, 2])
                return buffer.copy(0..<2) == [1, 2]
            }
            guard use() else { exit(2) }
            let before = respite_heap_in_use()
            for _ in 0..<200 { guard use() else { exit(3) } }
            guard respite_heap_in_use() < before + 1 << 20 else { exit(1) }
        }
    }

    @Test("a read takes at most as many bytes as it is told, and puts them behind the offset")
    func limits() throws {
        let buffer = ReadBuffer()
        let (near, far) = try SocketCalls.makePair().get()
        defer { close(near) }
        #expect(buffer.receive(from: near, at: 0) == .wouldBlock)
        let sent: [UInt8] = [1, 2, 3, 4, 5]
        let count = try SocketCalls.send(sent.span, to: far).get()
        #expect(count == 5)
        #expect(buffer.receive(from: near, at: 3, limit: 2) == .bytes(2) && buffer.copy(3..<5) == [1, 2])
        #expect(buffer.receive(from: near, at: ReadBuffer.capacity - 1) == .bytes(1))
        #expect(buffer.copy(ReadBuffer.capacity - 1..<ReadBuffer.capacity) == [3])
        close(far)
        #expect(buffer.receive(from: near, at: 0) == .bytes(2) && buffer.copy(0..<5) == [4, 5, 0, 1, 2])
        #expect(buffer.receive(from: near, at: 0) == .end)
    }

    @Test("bytes that are copied into it, from memory or a file, are as many as fit, are told and are there")
    func room() throws {
        let buffer = ReadBuffer()
        let bytes: [UInt8] = [1, 2, 3]
        let counts = [5, ReadBuffer.capacity - 2, ReadBuffer.capacity].map { buffer.write(bytes.span, at: $0) }
        #expect(counts == [3, 2, 0] && buffer.copy(4..<9) == [0, 1, 2, 3, 0])
        #expect(buffer.copy(ReadBuffer.capacity - 2..<ReadBuffer.capacity) == [1, 2])
        // The file begins with "\u{7F}ELF".
        let region = FileRegion(file: try FileDescriptor(path: "/proc/self/exe"), offset: 1, count: 100_000)
        #expect(buffer.read(region, limit: 2) == 2 && buffer.copy(0..<3) == Array("EL".utf8) + [0])
        #expect(buffer.read(region, limit: 100_000) == ReadBuffer.capacity)
        let short = FileRegion(file: try FileDescriptor(path: "/proc/self/exe"), offset: 0, count: 4)
        #expect(buffer.read(short, limit: 100) == 4 && buffer.copy(0..<4) == [0x7F] + Array("ELF".utf8))
        let beyond = FileRegion(file: try FileDescriptor(path: "/proc/self/exe"), offset: 1 << 40, count: 4)
        #expect(buffer.read(beyond, limit: 100) == 0)
    }
}
