/// An immutable run of octets; copies and slices share one storage.
///
/// The currency of message content between the modules. A slice keeps the whole storage alive.
public struct ByteChunk: Sendable {
    /// The shared octets; this chunk is `storage[range]`.
    public let storage: [UInt8]
    public let range: Range<Int>

    @inlinable
    public init(_ octets: [UInt8]) {
        storage = octets
        range = 0..<octets.count
    }

    /// A part of `octets`; `range` must lie inside.
    @inlinable
    public init(_ octets: [UInt8], range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= octets.count, "range outside of the storage")
        storage = octets
        self.range = range
    }

    public init(_ text: String) { self.init(Array(text.utf8)) }

    /// Copies the octets a span lends.
    public init(copying span: Span<UInt8>) {
        self.init([UInt8](copying: span))
    }

    @inlinable public var count: Int { range.count }
    @inlinable public var isEmpty: Bool { range.isEmpty }

    /// The same octets in memory that is hardly more than they need, to be kept.
    public var compact: ByteChunk {
        storage.capacity - count <= max(64, count / 8) ? self : ByteChunk(copying: storage.span.extracting(range))
    }

    /// The octets as an array; free of copying if the chunk is its whole storage.
    public var octets: [UInt8] { count == storage.count ? storage : Array(storage[range]) }

    /// The first `count` octets, or all if there are fewer.
    public func prefix(_ count: Int) -> ByteChunk {
        ByteChunk(storage, range: range.lowerBound..<min(range.upperBound, range.lowerBound + count))
    }

    /// All but the first `count` octets.
    public func dropFirst(_ count: Int) -> ByteChunk {
        ByteChunk(storage, range: min(range.upperBound, range.lowerBound + count)..<range.upperBound)
    }

    /// Lends the octets without copying them.
    @inlinable
    public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(storage.span.extracting(range))
    }
}

extension ByteChunk: Equatable {
    public static func == (left: ByteChunk, right: ByteChunk) -> Bool {
        left.storage[left.range] == right.storage[right.range]
    }
}
