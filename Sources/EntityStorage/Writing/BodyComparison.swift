import Platform

/// Compares two body files byte for byte, on the thread for body files, a block at a time between other work.
///
/// Equal checksums prove nothing: an attacker can make XXH3 collide.
struct BodyComparison: Sendable {
    let one: StoredBodyFile
    let other: OpenFile
    let worker: WorkerThread
    /// Called on the worker with the result; not at all if the store closes meanwhile.
    let completion: @Sendable (Bool) -> Void

    func start() {
        guard other.count == one.count else { return completion(false) }
        compare(from: 0)
    }

    private func compare(from offset: Int64) {
        guard offset < one.count else { return completion(true) }
        let count = Int(min(SpillFile.blockSize, one.count - offset))
        guard let bytes = one.read(count, at: offset), bytes.count == count,
            (try? other.read(count, at: offset)) == bytes
        else { return completion(false) }
        worker.submit { compare(from: offset + Int64(count)) }
    }
}
