/// A set of nodes of a document, one bit for each.
struct JSONNodeSet: Sendable {
    private var words: [UInt64]

    init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

    mutating func insert(_ node: Int) { words[node / 64] |= 1 << UInt64(node % 64) }

    /// The nodes, in order.
    var nodes: [UInt32] {
        var result: [UInt32] = []
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                result.append(UInt32(truncatingIfNeeded: index * 64 + rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
        return result
    }
}
