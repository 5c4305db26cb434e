import CZstd

/// Decodes Zstandard (RFC 8878), with windows of at most 8 MiB (RFC 9659).
@safe
final class ZstdDecoding: CodecStream {
    private let context: OpaquePointer

    init() throws(CodecError) {
        guard let context = unsafe ZSTD_createDCtx() else { throw .outOfMemory }
        unsafe self.context = context
        unsafe _ = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 23)
    }

    deinit { unsafe _ = ZSTD_freeDCtx(context) }

    func step(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int,
        isLast: Bool
    ) throws(CodecError) -> CodecStep {
        var result = 0
        var isFull = false
        unsafe lend(input, from: &position, into: &output, room: room) { bytes, free in
            var source = unsafe ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
            var target = unsafe ZSTD_outBuffer(dst: free.baseAddress, size: free.count, pos: 0)
            unsafe result = ZSTD_decompressStream(context, &target, &source)
            unsafe isFull = target.pos == target.size
            return unsafe CodecProgress(taken: source.pos, made: target.pos)
        }
        guard ZSTD_isError(result) == 0 else { throw Self.failure(result) }
        if result == 0 { return .ended }
        return isFull || position < input.count ? .needsRoom : .needsInput
    }

    private static func failure(_ result: Int) -> CodecError {
        switch ZSTD_getErrorCode(result) {
        case ZSTD_error_frameParameter_windowTooLarge: .windowTooLarge
        case ZSTD_error_memory_allocation: .outOfMemory
        default: unsafe .invalid(String(cString: ZSTD_getErrorName(result)).lowercased())
        }
    }

    /// The library begins the next frame by itself.
    func restart() throws(CodecError) {}
}
