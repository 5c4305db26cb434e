import CLinux
import Glibc
import HTTPCore
import Testing

@testable import Transforms

@Suite("Windows of a body") struct BodyWindowTests {
    private func bytes(_ chunks: [ByteChunk]) -> [UInt8] { chunks.flatMap(\.bytes) }

    @Test(
        "a read begins at its offset, is never longer than asked, and never empty",
        arguments: [0, 1, 5, 1024, 1500, 3072, 4095]
    )
    func read(offset: Int) {
        var window = BodyWindow()
        let content = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for start in stride(from: 0, to: 4096, by: 512) {
            window.append(ByteChunk(Array(content[start..<start + 512])))
        }
        for maximum in [0, 1, 513, 10_000] {
            let end = min(4096, offset + max(1, maximum))
            let chunks = window.read(from: Int64(offset), maximum: maximum)
            #expect(bytes(chunks) == Array(content[offset..<end]) && chunks.allSatisfy { !$0.isEmpty })
        }
    }

    @Test("small chunks are joined up to 1 KiB; empty ones add nothing")
    func joined() {
        var window = BodyWindow()
        for _ in 0..<1025 { window.append(ByteChunk([7])) }
        window.append(ByteChunk([]))
        #expect(window.chunks.map(\.count) == [1024, 1])
        #expect(window.count == 1025)
    }

    @Test("whole chunks leave, the oldest first, up to the limit and while the condition holds")
    func dropping() {
        var window = BodyWindow()
        for _ in 0..<10 { window.append(ByteChunk([UInt8](repeating: 1, count: 2000))) }
        window.drop(upTo: 3999) { _ in true }
        #expect(window.start == 2000 && window.end == 20_000 && window.count == 18_000)
        window.drop(upTo: 20_000) { $0 > 10_000 }
        #expect(window.start == 10_000)
        window.drop(upTo: 20_000) { _ in true }
        #expect(window.start == window.end && window.chunks.isEmpty)
    }

    @Test("bytes are found after many chunks have left")
    func manyDropped() {
        var window = BodyWindow()
        for index in 0..<200 { window.append(ByteChunk([UInt8](repeating: UInt8(index), count: 1024))) }
        window.drop(upTo: 150 * 1024) { _ in true }
        #expect(window.start == 150 * 1024)
        for index in [150, 199] {
            #expect(window.read(from: Int64(index) * 1024, maximum: 1) == [ByteChunk([UInt8(index)])])
        }
    }

    @Test("what comes after all has left is found at its own offset, however small it is")
    func afterAll() {
        var window = BodyWindow()
        window.append(ByteChunk("abc"))
        window.drop(upTo: 3) { _ in true }
        window.append(ByteChunk("d"))
        window.append(ByteChunk("e"))
        #expect(window.start == 3 && window.end == 5)
        #expect(window.read(from: 4, maximum: 9) == [ByteChunk("e")])
        #expect(window.chunks == [ByteChunk("de")])
    }

    @Test("chunks that have left take no memory, however many have passed and however many are still there")
    func memory() async {
        // In a process of its own: nothing else allocates there.
        await #expect(processExitsWith: .success) {
            // Another allocator, as a sanitizer's, tells nothing.
            if respite_heap_in_use() == 0 { return }
            let chunk = ByteChunk([UInt8](repeating: 1, count: 1025))
            for count in [1, 100] {
                let limit = Int64(count * 1025)
                var window = BodyWindow()
                for _ in 0..<count { window.append(chunk) }
                let before = respite_heap_in_use()
                for _ in 0..<200_000 {
                    window.append(chunk)
                    window.drop(upTo: window.end) { $0 > limit }
                }
                let after = respite_heap_in_use()
                guard window.count == limit, after < before + 1 << 20 else { exit(1) }
            }
        }
    }
}
