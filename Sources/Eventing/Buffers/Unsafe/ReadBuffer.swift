import CLinux
import LibC
import TransportSecurity

/// The result of one attempt to read.
enum ReceiveResult: Equatable {
    case bytes(Int)
    /// The peer has sent its last byte.
    case end
    /// Nothing to read at present.
    case wouldBlock
    case failed(Int32)
    /// TLS failed.
    indirect case insecure(TLSError)
}

/// A buffer into which all streams of a loop read, in turn.
@safe
final class ReadBuffer {
    /// 64 KiB: one read gets what a TCP window of a local peer commonly holds.
    static let capacity = 65536

    private let raw: UnsafeMutablePointer<UInt8>

    init() {
        unsafe raw = .allocate(capacity: Self.capacity)
        unsafe raw.initialize(repeating: 0, count: Self.capacity)
    }

    deinit { unsafe raw.deallocate() }

    /// Copies `bytes` to the front; they must fit.
    func load(_ bytes: [UInt8]) {
        precondition(bytes.count <= Self.capacity, "more bytes than the read buffer holds")
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe raw.update(from: start, count: source.count)
        }
    }

    /// Reads once from a socket, to the room after the first `offset` bytes.
    func receive(from descriptor: Int32, at offset: Int) -> ReceiveResult {
        receive(from: descriptor, at: offset, limit: Self.capacity - offset)
    }

    /// Does the same with at most `limit` bytes.
    func receive(from descriptor: Int32, at offset: Int, limit: Int) -> ReceiveResult {
        precondition(offset >= 0 && limit > 0 && offset + limit <= Self.capacity, "no room in the read buffer")
        while true {
            let count = unsafe recv(descriptor, raw + offset, limit, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed(errno)
            }
        }
    }

    /// Lends the room after the first `offset` bytes for writing.
    func withRoom<R>(from offset: Int, _ body: (inout MutableSpan<UInt8>) -> R) -> R {
        precondition(offset >= 0 && offset <= Self.capacity, "no room in the read buffer")
        var room = unsafe UnsafeMutableBufferPointer(start: raw + offset, count: Self.capacity - offset).mutableSpan
        return body(&room)
    }

    /// Copies `bytes` to the room after the first `offset` ones, as many as fit; returns how many.
    func write(_ bytes: Span<UInt8>, at offset: Int) -> Int {
        precondition(offset >= 0 && offset <= Self.capacity, "no room in the read buffer")
        let count = min(bytes.count, Self.capacity - offset)
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe (raw + offset).update(from: start, count: count)
        }
        return count
    }

    /// Reads the beginning of `region` to the front: at most `limit` bytes.
    ///
    /// - Returns: the number; not above 0 at the end of the file or after an error.
    func read(_ region: FileRegion, limit: Int) -> Int {
        unsafe pread(region.descriptor, raw, min(limit, region.count, Self.capacity), off_t(region.offset))
    }

    /// Lends the bytes of `range`.
    func withBytes<R>(_ range: Range<Int>, _ body: (Span<UInt8>) -> R) -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= Self.capacity, "range outside of the read buffer")
        return unsafe body(UnsafeBufferPointer(start: raw + range.lowerBound, count: range.count).span)
    }

    /// Copies the bytes of `range`.
    func copy(_ range: Range<Int>) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= Self.capacity, "range outside of the read buffer")
        return unsafe Array(UnsafeBufferPointer(start: raw + range.lowerBound, count: range.count))
    }
}

extension [UInt8] {
    /// Appends the bytes of a span.
    mutating func append(lent span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
