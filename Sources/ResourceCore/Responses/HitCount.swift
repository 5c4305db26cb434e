import Synchronization

/// Counts the hits of a stored response or of a rendition; hits of two loops at one instant may count as one.
struct HitCount: ~Copyable {
    /// All hits, above two bits for the number of hits that the eviction policy has not seen, at most 3.
    private let word = Atomic<UInt32>(0)

    /// Goes back to 0 after 2³⁰.
    var all: Int { Int(word.load(ordering: .relaxed) >> 2) }

    func add() {
        let old = word.load(ordering: .relaxed)
        word.store(old &+ (old & 3 == 3 ? 4 : 5), ordering: .relaxed)
    }

    func takeUnseen() -> Int { Int(word.bitwiseAnd(~3, ordering: .relaxed).oldValue & 3) }

    /// - Parameter unseen: whether hits that the eviction policy has not seen count for it here.
    func set(to other: borrowing HitCount, unseen: Bool) {
        word.store(other.word.load(ordering: .relaxed) & (unseen ? .max : ~3), ordering: .relaxed)
    }
}
