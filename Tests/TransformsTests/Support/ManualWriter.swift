import HTTPCore
import Locking

@testable import Transforms

/// A writer that flushes when the test says so.
final class ManualWriter: BodyWriter {
    private let state = Lock((count: 0, waiting: [(Int64, @Sendable (Int64?) -> Void)](), discards: 0))
    let descriptor: Int32 = 99

    var count: Int { state.withLock { $0.count } }
    var discards: Int { state.withLock { $0.discards } }

    func read(_ count: Int, at offset: Int64) -> [UInt8]? { nil }

    func append(_ chunk: ByteChunk, _ completion: @escaping @Sendable (Int64?) -> Void) {
        state.withLock { state in
            state.count += chunk.count
            state.waiting.append((Int64(state.count), completion))
        }
    }

    func flush(refuses: Bool = false, isReversed: Bool = false) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for (count, completion) in isReversed ? waiting.reversed() : waiting { completion(refuses ? nil : count) }
    }

    func finish(_ completion: @escaping @Sendable ((any BodyFile)?) -> Void) { completion(WrittenFile(Int64(count))) }
    func discard() { state.withLock { $0.discards += 1 } }
}

/// What a writer made.
final class WrittenFile: BodyFile {
    let count: Int64

    init(_ count: Int64) { self.count = count }

    func piece(_ range: Range<Int64>) -> BodyPiece { .chunks([]) }

    func read(_ count: Int, at offset: Int64) -> [UInt8]? { nil }
    func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) { completion(true) }
    func isVerified(_ range: Range<Int64>) -> Bool { true }
}
