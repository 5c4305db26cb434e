import CZlib

/// Decodes the formats of zlib.
@safe
final class Inflater: CodecStream {
    enum Format: Int32 {
        /// RFC 1950.
        case zlib = 15
        /// RFC 1951, without header and checksum.
        case raw = -15
        /// RFC 1952.
        case gzip = 31
    }

    /// On the heap, since zlib stores its address.
    private let stream: UnsafeMutablePointer<z_stream>

    init(_ format: Format) throws(CodecError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe respite_inflate_init(stream, format.rawValue) == Z_OK else { throw .outOfMemory }
    }

    deinit {
        unsafe inflateEnd(stream)
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
            unsafe ZlibStep.run(stream, bytes, free) { unsafe code = inflate($0, Z_NO_FLUSH) }
        }
        switch code {
        case Z_STREAM_END: return .ended
        // Z_BUF_ERROR means no progress, which is not an error.
        case Z_OK, Z_BUF_ERROR: return unsafe stream.pointee.avail_out == 0 ? .needsRoom : .needsInput
        case Z_MEM_ERROR: throw .outOfMemory
        case Z_NEED_DICT: throw .invalid("it needs a dictionary")
        default: throw unsafe .invalid(ZlibStep.message(stream))
        }
    }

    func restart() throws(CodecError) {
        guard unsafe inflateReset(stream) == Z_OK else { throw .invalid("inconsistent state") }
    }
}
