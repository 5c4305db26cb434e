/// An immutable run of bytes; copies and slices share one storage.
///
/// Modules pass content as chunks. A slice keeps the whole storage alive.
public struct ByteChunk: Sendable {
    /// The shared bytes; this chunk is `storage[range]`.
    public let storage: [UInt8]
    public let range: Range<Int>

    @inlinable
    public init(_ bytes: [UInt8]) {
        storage = bytes
        range = 0..<bytes.count
    }

    /// A part of `bytes`; `range` must lie within them.
    @inlinable
    public init(_ bytes: [UInt8], range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "range outside of the storage")
        storage = bytes
        self.range = range
    }

    public init(_ text: String) { self.init(Array(text.utf8)) }

    /// Copies the bytes of a span.
    public init(copying span: Span<UInt8>) {
        self.init([UInt8](copying: span))
    }

    @inlinable public var count: Int { range.count }
    @inlinable public var isEmpty: Bool { range.isEmpty }

    /// The same bytes, to be kept, in memory that is hardly larger than they need.
    public var compact: ByteChunk {
        storage.capacity - count <= max(64, count / 8) ? self : ByteChunk(copying: storage.span.extracting(range))
    }

    /// The bytes as an array; copies nothing if the chunk is its whole storage.
    public var bytes: [UInt8] { count == storage.count ? storage : Array(storage[range]) }

    /// The first `count` bytes, or all if there are fewer.
    public func prefix(_ count: Int) -> ByteChunk {
        ByteChunk(storage, range: range.lowerBound..<min(range.upperBound, range.lowerBound + count))
    }

    /// All but the first `count` bytes.
    public func dropFirst(_ count: Int) -> ByteChunk {
        ByteChunk(storage, range: min(range.upperBound, range.lowerBound + count)..<range.upperBound)
    }

    /// Lends the bytes without copying them.
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
