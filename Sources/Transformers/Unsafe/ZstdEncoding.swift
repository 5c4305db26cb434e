import CZstd

/// Encodes as Zstandard (RFC 8878), with windows of at most 8 MiB (RFC 9659).
@safe
final class ZstdEncoding: CodecStream {
    private let context: OpaquePointer

    /// - Parameter level: 1 to 19.
    init(level: Int32) throws(CodecError) {
        guard let context = unsafe ZSTD_createCCtx() else { throw .outOfMemory }
        unsafe self.context = context
        unsafe _ = ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
        unsafe _ = ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 21)
    }

    deinit { unsafe _ = ZSTD_freeCCtx(context) }

    func step(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int,
        isLast: Bool
    ) throws(CodecError) -> CodecStep {
        var result = 0
        var isFull = false
        let directive = isLast ? ZSTD_e_end : ZSTD_e_continue
        unsafe lend(input, from: &position, into: &output, room: room) { bytes, free in
            var source = unsafe ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
            var target = unsafe ZSTD_outBuffer(dst: free.baseAddress, size: free.count, pos: 0)
            unsafe result = ZSTD_compressStream2(context, &target, &source, directive)
            unsafe isFull = target.pos == target.size
            return unsafe CodecProgress(taken: source.pos, made: target.pos)
        }
        guard ZSTD_isError(result) == 0 else {
            throw unsafe .invalid(String(cString: ZSTD_getErrorName(result)).lowercased())
        }
        if isLast { return result == 0 ? .ended : .needsRoom }
        return isFull || position < input.count ? .needsRoom : .needsInput
    }

    func restart() throws(CodecError) { unsafe _ = ZSTD_CCtx_reset(context, ZSTD_reset_session_only) }
}
