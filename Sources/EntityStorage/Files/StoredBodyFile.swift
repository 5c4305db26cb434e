import Locking
import Platform
import RecordFormat
import Transforms

/// A complete body file of this store.
///
/// Its descriptor keeps it readable after the row was evicted.
final class StoredBodyFile: BodyFile {
    private enum Block { case unknown, good, bad }

    let number: Int64
    let count: Int64
    let blockSums: [UInt64]
    /// Set if this process wrote the file.
    let ticket: BodyTicket?
    private let file: OpenFile
    private let worker: WorkerThread
    private let onDamage: @Sendable () -> Void
    private let blocks: Lock<[Block]>

    /// Blocks of a file that this process wrote, which has a `ticket`, need no check.
    init(
        number: Int64,
        file: OpenFile,
        count: Int64,
        blockSums: [UInt64],
        ticket: BodyTicket?,
        worker: WorkerThread,
        onDamage: @escaping @Sendable () -> Void
    ) {
        self.number = number
        self.file = file
        self.count = count
        self.blockSums = blockSums
        self.ticket = ticket
        self.worker = worker
        self.onDamage = onDamage
        blocks = Lock(Array(repeating: ticket == nil ? .unknown : .good, count: blockSums.count))
    }

    func piece(_ range: Range<Int64>) -> BodyPiece {
        .file(FileRegion(owner: self, descriptor: file.descriptor, offset: range.lowerBound, count: range.count))
    }

    func read(_ count: Int, at offset: Int64) -> [UInt8]? { try? file.read(count, at: offset) }

    /// Continues with another file of the same bytes, so that the space of this one is free.
    func refer(to other: OpenFile) { file.refer(to: other) }

    func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) {
        if range.isEmpty { return completion(range.lowerBound >= 0 && range.upperBound <= count) }
        guard let blocks = blocks(of: range) else { return completion(false) }
        if let known = verdict(on: blocks) { return completion(known) }
        worker.submit { completion(self.check(blocks)) }
    }

    func isVerified(_ range: Range<Int64>) -> Bool { blocks(of: range).flatMap(verdict) ?? false }

    /// Marks all blocks as bad, and drops the entry.
    func fileCouldNotBeRead() {
        blocks.withLock { blocks in blocks = blocks.map { _ in .bad } }
        onDamage()
    }

    /// The blocks that contain the bytes of `range`; nil if that is empty, or exceeds the file.
    private func blocks(of range: Range<Int64>) -> ClosedRange<Int>? {
        guard !range.isEmpty, range.lowerBound >= 0, range.upperBound <= count else { return nil }
        let first = Int(range.lowerBound / SpillFile.blockSize)
        let last = Int((range.upperBound - 1) / SpillFile.blockSize)
        return last < blockSums.count ? first...last : nil
    }

    /// The known result for these blocks: false if one is bad, true if all are good, else nil.
    private func verdict(on range: ClosedRange<Int>) -> Bool? {
        blocks.withLock { blocks in
            if blocks[range].contains(.bad) { return false }
            return blocks[range].allSatisfy { $0 == .good } ? true : nil
        }
    }

    /// Reads the blocks that were not checked yet; returns whether all are good.
    private func check(_ range: ClosedRange<Int>) -> Bool {
        for block in range {
            switch blocks.withLock({ $0[block] }) {
            case .good: continue
            case .bad: return false
            case .unknown:
                let isGood = matches(block)
                blocks.withLock { $0[block] = isGood ? .good : .bad }
                if !isGood {
                    onDamage()
                    return false
                }
            }
        }
        return true
    }

    private func matches(_ block: Int) -> Bool {
        let start = Int64(block) * SpillFile.blockSize
        let length = Int(min(SpillFile.blockSize, count - start))
        guard let bytes = try? file.read(length, at: start), bytes.count == length else { return false }
        return Checksum.sum(bytes) == blockSums[block]
    }
}
