import CZlib

/// Encodes in the formats of zlib.
@safe
final class Deflater: CodecStream {
    /// On the heap, since zlib stores its address.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter level: 1 to 9.
    init(_ format: Inflater.Format, level: Int32) throws(CodecError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe respite_deflate_init(stream, level, format.rawValue) == Z_OK else { throw .outOfMemory }
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    func step(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int,
        isLast: Bool
    ) throws(CodecError) -> CodecStep {
        var code = Z_OK
        unsafe lend(input, from: &position, into: &output, room: room) { bytes, free in
            unsafe ZlibStep.run(stream, bytes, free) { unsafe code = deflate($0, isLast ? Z_FINISH : Z_NO_FLUSH) }
        }
        switch code {
        case Z_STREAM_END: return .ended
        case Z_OK, Z_BUF_ERROR: return unsafe stream.pointee.avail_out == 0 ? .needsRoom : .needsInput
        default: throw unsafe .invalid(ZlibStep.message(stream))
        }
    }

    func restart() throws(CodecError) {
        guard unsafe deflateReset(stream) == Z_OK else { throw .invalid("inconsistent state") }
    }
}

/// Shared by both directions of zlib.
enum ZlibStep {
    /// Sets input and output of the stream, runs `work` once and returns its progress.
    @unsafe
    static func run(
        _ stream: UnsafeMutablePointer<z_stream>,
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ free: UnsafeMutableBufferPointer<UInt8>,
        _ work: (UnsafeMutablePointer<z_stream>) -> Void
    ) -> CodecProgress {
        let left = UInt32(clamping: bytes.count)
        let space = UInt32(clamping: free.count)
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        unsafe stream.pointee.avail_in = left
        unsafe stream.pointee.next_out = free.baseAddress
        unsafe stream.pointee.avail_out = space
        unsafe work(stream)
        return unsafe CodecProgress(
            taken: Int(left - stream.pointee.avail_in),
            made: Int(space - stream.pointee.avail_out)
        )
    }

    /// zlib's message for the last error.
    @unsafe
    static func message(_ stream: UnsafeMutablePointer<z_stream>) -> String {
        guard let text = unsafe stream.pointee.msg else { return "unknown error" }
        return unsafe String(cString: text)
    }
}
