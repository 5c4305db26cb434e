import HTTPCore
import Platform
import RecordFormat

/// A body file that is being written: its bytes, and a sum for each block.
///
/// Used on one thread at a time; `SpillWriter` adds a queue.
final class SpillFile {
    /// A block of a body file has one sum.
    static let blockSize: Int64 = 1 << 20

    let ticket: BodyTicket
    let file: OpenFile
    private(set) var count: Int64 = 0
    private let sum = Checksum()
    private var blockSums: [UInt64] = []
    private var blockCount: Int64 = 0

    init(_ ticket: BodyTicket) throws(FileError) {
        self.ticket = ticket
        file = try ticket.directory.makeDraft(ticket.file)
    }

    /// How many bytes the disk budget must reserve before `bytes` more may be written.
    func missingReservation(for bytes: Int) -> Int64 {
        max(0, StoreLimits.fileCost(count + Int64(bytes)) - ticket.reserved)
    }

    /// Writes `chunk` at the end.
    func append(_ chunk: ByteChunk) throws(FileError) {
        try file.write(chunk, at: count)
        var rest = chunk
        while !rest.isEmpty {
            let piece = rest.prefix(Int(min(Int64(rest.count), SpillFile.blockSize - blockCount)))
            sum.update(piece)
            blockCount += Int64(piece.count)
            if blockCount == SpillFile.blockSize { endBlock() }
            rest = rest.dropFirst(piece.count)
        }
        count += Int64(chunk.count)
    }

    private func endBlock() {
        blockSums.append(sum.digest)
        sum.reset()
        blockCount = 0
    }

    /// Returns the complete body; nothing may be appended afterwards.
    func finish(worker: WorkerThread) -> StoredBodyFile {
        if blockCount > 0 { endBlock() }
        return StoredBodyFile(
            number: ticket.file,
            file: file,
            count: count,
            blockSums: blockSums,
            ticket: ticket,
            worker: worker,
            onDamage: {}
        )
    }
}
