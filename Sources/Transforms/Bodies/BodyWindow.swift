import HTTPCore

/// The bytes of a body that are in memory: consecutive chunks, each with its offset in the body.
struct BodyWindow {
    private struct Entry {
        var start: Int64
        var chunk: ByteChunk

        var end: Int64 { start + Int64(chunk.count) }
    }

    /// Smaller chunks are joined.
    ///
    /// A peer that sends byte by byte then costs no more memory than another.
    private static let joinLimit = 1024

    /// The offset of the first byte in memory; equal to `end` if there is none.
    private(set) var start: Int64 = 0
    /// The offset past the last byte.
    private(set) var end: Int64 = 0
    private var entries: [Entry] = []
    /// The index of the first entry that is still in use.
    private var first = 0

    /// The number of bytes in memory.
    var count: Int64 { end - start }
    var chunks: [ByteChunk] { entries[first...].map(\.chunk) }

    mutating func append(_ chunk: ByteChunk) {
        guard !chunk.isEmpty else { return }
        if let last = entries.last, entries.count > first, last.chunk.count + chunk.count <= Self.joinLimit {
            entries[entries.count - 1].chunk = ByteChunk(last.chunk.bytes + chunk.bytes)
        } else {
            entries.append(Entry(start: end, chunk: chunk))
        }
        end += Int64(chunk.count)
    }

    /// Drops whole chunks that end at or before `limit`, the oldest first, while `condition` is true for the bytes that
    /// would remain.
    mutating func drop(upTo limit: Int64, while condition: (_ remaining: Int64) -> Bool) {
        while first < entries.count, entries[first].end <= limit, condition(end - start) {
            start = entries[first].end
            entries[first].chunk = ByteChunk([])
            first += 1
        }
        if first > 32, first > entries.count / 2 {
            entries.removeFirst(first)
            first = 0
        }
    }

    /// Returns at least one and at most `maximum` bytes from `offset`, which must be in memory.
    func read(from offset: Int64, maximum: Int) -> [ByteChunk] {
        var result: [ByteChunk] = []
        var left = max(1, maximum)
        var index = entry(at: offset)
        var position = offset
        while left > 0, index < entries.count {
            let entry = entries[index]
            let piece = entry.chunk.dropFirst(Int(position - entry.start)).prefix(left)
            result.append(piece)
            left -= piece.count
            position += Int64(piece.count)
            index += 1
        }
        return result
    }

    /// The index of the entry that contains `offset`, by bisection.
    private func entry(at offset: Int64) -> Int {
        var low = first
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].end <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
