import HTTPCore

/// The bytes of a body that are in memory: consecutive chunks with the place where they begin.
struct BodyWindow {
    private struct Entry {
        var start: Int64
        var chunk: ByteChunk

        var end: Int64 { start + Int64(chunk.count) }
    }

    /// Chunks smaller than this are joined, so that a peer that sends byte by byte costs no more memory than another.
    private static let joinLimit = 1024

    /// The place of the first byte in memory; equal to `end` if there is none.
    private(set) var start: Int64 = 0
    /// The place after the last byte.
    private(set) var end: Int64 = 0
    private var entries: [Entry] = []
    /// Entries before this one have left.
    private var first = 0

    /// Bytes in memory.
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

    /// Lets whole chunks go that end at or before `limit`, the oldest first, while `condition` holds for what would be
    /// left.
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

    /// At most `maximum` bytes from `offset`, which must lie inside; always at least one byte.
    func read(from offset: Int64, maximum: Int) -> [ByteChunk] {
        var result: [ByteChunk] = []
        var left = max(1, maximum)
        var index = entry(at: offset)
        var place = offset
        while left > 0, index < entries.count {
            let entry = entries[index]
            let piece = entry.chunk.dropFirst(Int(place - entry.start)).prefix(left)
            result.append(piece)
            left -= piece.count
            place += Int64(piece.count)
            index += 1
        }
        return result
    }

    /// The entry that holds `offset`, by bisection.
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
