/// The pieces in which a stream came, each with its time; empty if they do not matter.
///
/// A piece is what one read of the connection brought, so clients get what the first one got.
public struct StreamPieces: Sendable, Equatable {
    /// Some bytes of the content.
    public struct Piece: Sendable, Equatable {
        public var count: Int64
        /// Since the head, in milliseconds; at least that of the piece before.
        public var milliseconds: Int64

        public init(count: Int64, milliseconds: Int64) {
            self.count = count
            self.milliseconds = milliseconds
        }
    }

    /// For each piece two numbers: its bytes, and the milliseconds since the piece before it.
    ///
    /// Each byte has seven bits of a number, the lowest first. The highest bit is set except in a number's last byte.
    public let encoded: [UInt8]

    public init() { encoded = [] }

    public init(_ pieces: some Sequence<Piece>) {
        var encoded: [UInt8] = []
        var last: Int64 = 0
        for piece in pieces where piece.count > 0 {
            encoded.append(variable: UInt64(piece.count))
            encoded.append(variable: UInt64(max(0, piece.milliseconds - last)))
            last = max(last, piece.milliseconds)
        }
        self.encoded = encoded
    }

    /// Returns nil if these are not the encoded pieces of content with `size` bytes.
    public init?(encoded: [UInt8], of size: Int64) {
        self.encoded = encoded
        var left = size
        var reader = Reader(encoded)
        while let piece = reader.next() {
            guard piece.count <= left else { return nil }
            left -= piece.count
        }
        guard reader.isAtEnd, left == 0 || encoded.isEmpty else { return nil }
    }

    public var reader: Reader { Reader(encoded) }
    public var all: [Piece] { Array(IteratorSequence(reader)) }
    public var isEmpty: Bool { encoded.isEmpty }
    /// The number of pieces; costs a look at each byte of `encoded`.
    public var count: Int { encoded.count { $0 < 0x80 } / 2 }
    /// The time of the last piece since the head, in milliseconds.
    public var milliseconds: Int64 {
        var reader = Reader(encoded)
        while reader.next() != nil {}
        return reader.milliseconds
    }

    /// Reads the pieces in their order.
    public struct Reader: Sendable, IteratorProtocol {
        private let encoded: [UInt8]
        private var position = 0
        fileprivate private(set) var milliseconds: Int64 = 0

        fileprivate init(_ encoded: [UInt8]) { self.encoded = encoded }

        fileprivate var isAtEnd: Bool { position == encoded.count }

        /// The next piece; nil at the end, and where the bytes are no pieces.
        public mutating func next() -> Piece? {
            let start = position
            guard let count = number(), count > 0, let pause = number() else {
                position = start
                return nil
            }
            let (time, overflow) = milliseconds.addingReportingOverflow(pause)
            milliseconds = overflow ? .max : time
            return Piece(count: count, milliseconds: milliseconds)
        }

        private mutating func number() -> Int64? {
            var value: Int64 = 0
            for shift in stride(from: Int64(0), to: 63, by: 7) {
                guard position < encoded.count else { return nil }
                let byte = encoded[position]
                position += 1
                value |= Int64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
            }
            return nil
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(variable number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
