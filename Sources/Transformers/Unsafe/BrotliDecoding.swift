import CBrotli

/// Decodes Brotli (RFC 7932), with windows of at most 16 MiB.
@safe
final class BrotliDecoding: CodecStream {
    private var state: OpaquePointer

    init() throws(CodecError) {
        guard let state = unsafe BrotliDecoderCreateInstance(nil, nil, nil) else { throw .outOfMemory }
        unsafe self.state = state
    }

    deinit { unsafe BrotliDecoderDestroyInstance(state) }

    func step(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int,
        isLast: Bool
    ) throws(CodecError) -> CodecStep {
        var result = BROTLI_DECODER_RESULT_ERROR
        unsafe lend(input, from: &position, into: &output, room: room) { bytes, free in
            var next = bytes.baseAddress
            var target = free.baseAddress
            var left = bytes.count
            var space = free.count
            unsafe result = BrotliDecoderDecompressStream(state, &left, &next, &space, &target, nil)
            return CodecProgress(taken: bytes.count - left, made: free.count - space)
        }
        switch result {
        case BROTLI_DECODER_RESULT_SUCCESS: return .ended
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return .needsInput
        case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: return .needsRoom
        default: throw failure
        }
    }

    private var failure: CodecError {
        let code = unsafe BrotliDecoderGetErrorCode(state)
        // The range of BROTLI_DECODER_ERROR_ALLOC_….
        if (-30 ... -21).contains(code.rawValue) { return .outOfMemory }
        return unsafe .invalid(String(cString: BrotliDecoderErrorString(code)).lowercased())
    }

    func restart() throws(CodecError) {
        guard let fresh = unsafe BrotliDecoderCreateInstance(nil, nil, nil) else { throw .outOfMemory }
        unsafe BrotliDecoderDestroyInstance(state)
        unsafe state = fresh
    }
}
