import HTTPCore

/// The unsent bytes of a stream: chunks and file regions by reference, then one array to append to.
///
/// A loop keeps spare buffers, so that an idle stream has none and a busy one allocates none.
final class OutputBuffer {
    enum Item {
        case chunk(ByteChunk)
        indirect case file(FileRegion)

        var count: Int {
            switch self {
            case .chunk(let chunk): chunk.count
            case .file(let region): region.count
            }
        }
    }

    /// Chunks up to this size are copied, which is cheaper than a vector of their own.
    static let copyLimit = 1024
    /// A buffer with a larger array than this is not kept as a spare one.
    static let spareLimit = 131_072

    /// `items[firstItem...]` are unsent.
    private(set) var items: [Item] = []
    private(set) var firstItem = 0
    /// Bytes of `items` not sent yet.
    private var itemBytes = 0
    /// The bytes that follow the items.
    private(set) var tail: [UInt8] = []
    /// How much of `tail` is sent; 0 while there are items.
    private(set) var tailSent = 0

    /// Bytes that were taken from here and encrypted, and that the socket has not accepted yet.
    private(set) var inFlight = 0

    /// The unsent bytes.
    var count: Int { itemBytes + tail.count - tailSent + inFlight }

    var hasItems: Bool { firstItem < items.count }

    func append(_ build: (inout [UInt8]) -> Void) {
        // Taken out meanwhile: a closure that appends here again would otherwise break exclusivity.
        var bytes: [UInt8] = []
        swap(&bytes, &tail)
        let before = bytes.count
        build(&bytes)
        precondition(bytes.count >= before, "bytes to be sent may not be taken back")
        swap(&bytes, &tail)
    }

    func append(_ chunk: ByteChunk) {
        guard !chunk.isEmpty else { return }
        if chunk.count <= Self.copyLimit {
            chunk.withBytes { tail.append(lent: $0) }
        } else {
            push(.chunk(chunk))
        }
    }

    func append(_ region: FileRegion) {
        if region.count > 0 { push(.file(region)) }
    }

    /// Removes the first `bytes`, which have been sent.
    func consume(_ bytes: Int) {
        var left = bytes
        while left > 0 && hasItems {
            let size = items[firstItem].count
            if left < size {
                shortenFirstItem(by: left)
                itemBytes -= left
                return
            }
            left -= size
            itemBytes -= size
            dropFirstItem()
        }
        tailSent += left
        if tailSent >= tail.count {
            if !tail.isEmpty { tail.removeAll(keepingCapacity: true) }
            tailSent = 0
        }
    }

    /// Removes the first `bytes`, which have been encrypted; they count as unsent until `didSendEncrypted`.
    func didEncrypt(_ bytes: Int) {
        consume(bytes)
        inFlight += bytes
    }

    /// Notes that the encrypted bytes have been sent.
    func didSendEncrypted() { inFlight = 0 }

    /// Removes everything; returns whether the buffer is small enough to be a spare one.
    func reset() -> Bool {
        // Emptying an empty array costs as much as emptying a full one.
        if !items.isEmpty { items.removeAll(keepingCapacity: items.count <= 64) }
        firstItem = 0
        itemBytes = 0
        if !tail.isEmpty { tail.removeAll(keepingCapacity: true) }
        tailSent = 0
        inFlight = 0
        return tail.capacity <= Self.spareLimit
    }

    private func push(_ item: Item) {
        if !tail.isEmpty {
            let bytes = ByteChunk(tail, range: tailSent..<tail.count)
            tail = []
            tailSent = 0
            itemBytes += bytes.count
            items.append(.chunk(bytes))
        }
        itemBytes += item.count
        items.append(item)
    }

    private func shortenFirstItem(by bytes: Int) {
        switch items[firstItem] {
        case .chunk(let chunk):
            items[firstItem] = .chunk(chunk.dropFirst(bytes))
        case .file(var region):
            region.consume(bytes)
            items[firstItem] = .file(region)
        }
    }

    private func dropFirstItem() {
        // Releases the bytes at once; the slot is removed when all items are sent.
        items[firstItem] = .chunk(Self.nothing)
        firstItem += 1
        if firstItem == items.count {
            items.removeAll(keepingCapacity: true)
            firstItem = 0
        } else if firstItem >= 64 {
            items.removeFirst(firstItem)
            firstItem = 0
        }
    }

    private static let nothing = ByteChunk([])
}
