import Stores

/// The eviction policy's nodes for the entries in memory, 32 bytes each.
///
/// They are in blocks of fixed size, so that growth moves and wastes nothing.
struct PolicyNodes: HashedElements {
    enum Queue: UInt64 { case none, small, main }

    struct Node {
        fileprivate(set) var entry: (any MemoryEntry)?
        /// Neighbours in the queue, -1 at its ends; in a free node `older` is the next free one.
        var newer: Int32 = -1
        var older: Int32 = -1
        /// From the lowest bit: queue (2), uses (2), cost.
        private var packed: UInt64

        fileprivate init(_ entry: any MemoryEntry, cost: Int) {
            self.entry = entry
            packed = UInt64(min(max(0, cost), 1 << 59)) << 4
        }

        var cost: Int { Int(packed >> 4) }
        /// 0 to 3.
        var uses: Int {
            get { Int(packed >> 2 & 3) }
            set { packed = packed & ~12 | UInt64(min(3, max(0, newValue))) << 2 }
        }
        var queue: Queue {
            get { Queue(rawValue: packed & 3) ?? .none }
            set { packed = packed & ~3 | newValue.rawValue }
        }
    }

    private static let pieceCount = 1024

    private var pieces: [[Node]] = []
    /// The first free node, or -1.
    private var free: Int32 = -1
    private var end = 0

    subscript(number: Int) -> Node {
        _read { yield pieces[number / Self.pieceCount][number % Self.pieceCount] }
        _modify { yield &pieces[number / Self.pieceCount][number % Self.pieceCount] }
    }

    /// Adds a node for `entry`, which is in no queue yet; returns its number.
    mutating func add(_ entry: any MemoryEntry, cost: Int) -> Int {
        let node = Node(entry, cost: cost)
        if free >= 0 {
            let number = Int(free)
            free = self[number].older
            self[number] = node
            return number
        }
        if end % Self.pieceCount == 0 {
            var piece: [Node] = []
            piece.reserveCapacity(Self.pieceCount)
            pieces.append(piece)
        }
        pieces[pieces.count - 1].append(node)
        end += 1
        return end - 1
    }

    /// Frees a node that is in no queue.
    mutating func remove(_ number: Int) {
        self[number].entry = nil
        self[number].older = free
        free = Int32(number)
    }

    func hash(of number: Int) -> UInt32 { self[number].entry.map(Self.hash) ?? 0 }

    /// A hash of the entry's identity as an object.
    static func hash(_ entry: any MemoryEntry) -> UInt32 {
        let address = UInt64(UInt(bitPattern: ObjectIdentifier(entry)))
        return UInt32(truncatingIfNeeded: ((address >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}
