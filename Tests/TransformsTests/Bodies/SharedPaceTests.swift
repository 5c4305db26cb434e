import HTTPCore
import Locking
import TestDoubles
import Testing

@testable import Transforms

/// Content that cannot be loaded again, such as the output of a pipeline, with several readers.
@Suite("Shared pace") struct SharedPaceTests {
    private static let piece = ByteChunk([UInt8](repeating: 7, count: 16 * 1024))

    @Test(
        "what the store has no file for stays in memory up to a size; beyond it a window stays, and nothing is stored"
    )
    func tooLargeForMemory() {
        var limits = GrowingBody.Limits()
        (limits.inMemory, limits.maximumMemoryObject, limits.window) = (16 * 1024, 64 * 1024, 32 * 1024)
        let losses = Lock(0)
        let body = GrowingBody(
            limits: limits,
            expected: nil,
            isShared: true,
            granted: 0,
            makeWriter: { _ in nil },
            grant: { _ in },
            lostStore: { losses.withLock { $0 += 1 } }
        )
        for _ in 0..<4 { body.append(Self.piece) }
        #expect(body.isStorable && body.acceptsReaders && losses.withLock { $0 } == 0)
        body.append(Self.piece)
        #expect(!body.isStorable && !body.acceptsReaders && losses.withLock { $0 } == 1)
        let stored = Lock<[Bool]>([])
        body.whenFinalized { content in stored.withLock { $0.append(content != nil) } }
        body.finish(trailers: nil)
        #expect(stored.withLock { $0 } == [false] && body.isComplete)
    }

    @Test(
        "where readers may fall behind, what all have read leaves at once if they are few, and with the window if many",
        arguments: [(16, 4), (17, 2)]
    )
    func manyReaders(count: Int, left: Int64) {
        var limits = GrowingBody.Limits()
        limits.window = 4096
        var state = GrowingBodyState(limits: limits, isShared: true, granted: 0)
        state.retention = .window
        state.leavesSlowReaders = true
        let context = ManualContext()
        let chunk = ByteChunk([UInt8](repeating: 7, count: 1024))
        let readers = (0..<count).compactMap { _ in state.addReader(from: 0, context: context, wake: {}) }
        for _ in 0..<4 { state.append(chunk) }
        for reader in readers { _ = state.read(reader, maximum: 4096) }
        #expect(readers.count == count && state.window.start == 0)
        for _ in 0..<2 { state.append(chunk) }
        #expect(state.window.start == left * 1024)
    }

    @Test(
        "content that cannot be loaded again comes at the slowest reader's pace, and no reader is cut off",
        arguments: [2, 40]
    )
    func slowest(count: Int) throws {
        let granted = Lock(256 * 1024)
        let body = GrowingBody(
            limits: GrowingBody.Limits(),
            expected: nil,
            isShared: true,
            granted: 256 * 1024,
            makeWriter: nil,
            grant: { bytes in granted.withLock { $0 += bytes } },
            lostStore: {}
        )
        let context = ManualContext()
        let readers = (0..<count).compactMap { _ in body.addReader(context: context) {} }
        #expect(readers.count == count)
        func fill() {
            while Int(body.received) + Self.piece.count <= granted.withLock({ $0 }) { body.append(Self.piece) }
        }
        func read(_ reader: BodyReader) -> Int {
            var total = 0
            while case .chunks(let chunks) = reader.read(maximum: 65_536) {
                total += chunks.reduce(0) { $0 + $1.count }
            }
            return total
        }
        fill()
        var taken = readers.dropFirst().map { read($0) }
        fill()
        #expect(body.received <= 512 * 1024, "nobody has read on before the slowest")
        var slow = 0
        for _ in 0..<32 {
            slow += read(readers[0])
            fill()
            for (index, reader) in readers.dropFirst().enumerated() { taken[index] += read(reader) }
            fill()
        }
        #expect(body.received > 4 * 1024 * 1024)
        // A reader that leaves does not delay the others.
        let before = body.received
        readers[0].cancel()
        fill()
        #expect(body.received > before)
        body.finish(trailers: nil)
        for (index, reader) in readers.dropFirst().enumerated() { taken[index] += read(reader) }
        #expect(taken.allSatisfy { $0 == Int(body.received) } && slow > 4 * 1024 * 1024 - 512 * 1024)
    }
}
