import HTTPCore

/// The content of one request, held until its key is known; then it goes to the origin, if that is asked.
///
/// Bound to its loop.
final class HeldContent {
    private(set) var bytes: [UInt8] = []
    /// The content that was received after the origin was first asked for more is not held.
    private(set) var isComplete = false
    private(set) var trailers: Fields?
    private var sentCount = 0
    private let memory: QuestionMemory

    init(_ memory: QuestionMemory) { self.memory = memory }

    deinit { memory.release(bytes.count) }

    /// Adds content; returns false, but still adds it, if there is no memory for it.
    func append(_ chunk: ByteChunk) -> Bool {
        let isTaken = memory.take(chunk.count)
        if !isTaken { memory.borrow(chunk.count) }
        chunk.withBytes { bytes.append(copying: $0) }
        return isTaken
    }

    func end(trailers: Fields?) {
        isComplete = true
        self.trailers = trailers
    }

    var isSent: Bool { sentCount == bytes.count }

    /// The next part that has not been sent.
    func takePart(_ limit: Int) -> ByteChunk {
        let part = ByteChunk(bytes, range: sentCount..<min(bytes.count, sentCount + max(0, limit)))
        sentCount += part.count
        return part
    }
}
