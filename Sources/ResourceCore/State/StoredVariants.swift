/// The variants of a resource that are in memory, the least recently used first.
///
/// As large as a reference; a single variant, the usual case, needs no more memory.
public struct StoredVariants: Sendable, RandomAccessCollection, RangeReplaceableCollection, ExpressibleByArrayLiteral {
    private enum Storage {
        case none
        case one(StoredResponse)
        case several([StoredResponse])
    }

    private var storage = Storage.none

    public init() {}

    public init(_ elements: some Sequence<StoredResponse>) { self.init(array: Array(elements)) }

    public init(arrayLiteral elements: StoredResponse...) { self.init(array: elements) }

    private init(array: [StoredResponse]) {
        switch array.count {
        case 0: storage = .none
        case 1: storage = .one(array[0])
        default: storage = .several(array)
        }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int {
        switch storage {
        case .none: 0
        case .one: 1
        case .several(let all): all.count
        }
    }

    public subscript(position: Int) -> StoredResponse {
        switch storage {
        case .none: preconditionFailure("there is no variant \(position)")
        case .one(let only):
            precondition(position == 0, "there is no variant \(position)")
            return only
        case .several(let all): return all[position]
        }
    }

    public mutating func replaceSubrange(
        _ subrange: Range<Int>,
        with elements: some Collection<StoredResponse>
    ) {
        var array = Array(self)
        array.replaceSubrange(subrange, with: elements)
        self = StoredVariants(array: array)
    }
}
