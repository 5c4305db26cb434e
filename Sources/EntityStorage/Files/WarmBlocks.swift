import Locking

/// The blocks of body files that were sent a short while ago, and are mapped where they are sent again so soon that their
/// octets still lie in the processor's caches.
///
/// To have the system copy such octets costs less than to have it hand over the pages they lie on; for others it costs more,
/// since they come from the memory itself. How soon is counted in octets sent from files, of which about `reach` are mapped
/// at most. Shared by all loops: a look at the table for each block sent.
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
        /// Octets sent from files so far.
        var sent: Int64 = 0
        var lastSweep: Int64 = 0
        var blocks: [Key: Block] = [:]

        /// Takes out what has become cold; now and then only, so that it costs each block sent next to nothing.
        mutating func sweep() -> [Block] {
            guard sent - lastSweep >= WarmBlocks.reach / 4 else { return [] }
            lastSweep = sent
            return removeAll { [sent] _, block in sent - block.lastSent > WarmBlocks.reach }
        }

        mutating func removeAll(where isOut: (Key, Block) -> Bool) -> [Block] {
            let out = blocks.filter(isOut)
            for key in out.keys { blocks[key] = nil }
            return Array(out.values)
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
            var found = state.blocks[key] ?? Block(lastSent: state.sent)
            let isWarm = found.lastSent < state.sent && state.sent - found.lastSent <= Self.reach
            if isWarm && found.mapping == nil { found.mapping = map() }
            found.lastSent = state.sent
            state.blocks[key] = found
            return (isWarm ? found.mapping : nil, cold)
        }
        return mapping
    }

    /// `file` is about to go: its disk space with it, so that nothing of it may stay mapped but what is being sent.
    func forget(_ file: ObjectIdentifier) {
        _ = state.withLock { $0.removeAll { key, _ in key.file == file } }
    }
}
