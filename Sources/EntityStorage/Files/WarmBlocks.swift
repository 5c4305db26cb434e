import Locking

/// The blocks of body files that were sent a short while ago, and are mapped where they are sent again so soon that their
/// octets still lie in the processor's caches.
///
/// To have the system copy such octets costs less than to have it hand over the pages they lie on; for others it costs more,
/// since they come from the memory itself. How soon is counted in octets of the blocks sent from, so that not much more than
/// `reach` is mapped. Shared by all loops: a look at the table for each block sent.
final class WarmBlocks: Sendable {
    /// A block that is sent again before so many other octets is warm.
    static let reach: Int64 = 32 << 20
    /// Fewer octets are not worth a mapping.
    static let leastCount = 64 * 1024

    private struct Key: Hashable {
        /// A file that lives: it is forgotten before its identifier can become another's.
        let file: ObjectIdentifier
        let block: Int64
    }

    private struct Block {
        /// What `State.sent` was then.
        var lastSent: Int64
        var mapping: MappedBlock?
    }

    private struct State {
        /// Octets of the blocks that were sent from so far, those of one as often as that was.
        var sent: Int64 = 0
        var lastSweep: Int64 = 0
        var blocks: [Key: Block] = [:]

        /// Takes out what has become cold; now and then only, so that it costs each block sent next to nothing.
        mutating func sweep() -> [Block] {
            guard sent - lastSweep >= WarmBlocks.reach / 4 else { return [] }
            lastSweep = sent
            let cold = blocks.filter { sent - $0.value.lastSent > WarmBlocks.reach }
            for key in cold.keys { blocks[key] = nil }
            return Array(cold.values)
        }
    }

    private let state = Lock(State())

    /// Octets of a block of `file` are about to be sent, no fewer than `leastCount`: its mapping, if the block is warm.
    ///
    /// - Parameter count: octets of the whole block, which counts as sent, since that is what is mapped.
    func mapping(
        of block: Int64,
        _ file: StoredBodyFile,
        count: Int,
        map: () -> MappedBlock?
    ) -> MappedBlock? {
        let key = Key(file: ObjectIdentifier(file), block: block)
        // What has become cold is unmapped behind the lock.
        let (mapping, _) = state.withLock { state -> (MappedBlock?, [Block]) in
            state.sent += Int64(count)
            let cold = state.sweep()
            let last = state.blocks[key]
            let isWarm = last.map { state.sent - $0.lastSent <= Self.reach } ?? false
            let mapping = isWarm ? last?.mapping ?? map() : nil
            state.blocks[key] = Block(lastSent: state.sent, mapping: mapping)
            return (mapping, cold + (last.map { [$0] } ?? []))
        }
        return mapping
    }

    /// `file` with so many blocks is about to go: its disk space with it, so that nothing of it may stay mapped but what is
    /// being sent.
    func forget(_ file: ObjectIdentifier, blocks: Int) {
        _ = state.withLock { state in
            (0..<blocks).compactMap { state.blocks.removeValue(forKey: Key(file: file, block: Int64($0))) }
        }
    }
}
