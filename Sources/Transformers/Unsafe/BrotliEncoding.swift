import CBrotli

/// Encodes as Brotli (RFC 7932).
@safe
final class BrotliEncoding: CodecStream {
    private var state: OpaquePointer
    private let quality: UInt32
    private let windowBits: UInt32

    /// - Parameters:
    ///   - quality: 0 to 11.
    ///   - windowBits: 10 to 24.
    init(quality: UInt32, windowBits: UInt32) throws(CodecError) {
        self.quality = quality
        self.windowBits = windowBits
        unsafe state = try Self.make(quality, windowBits)
    }

    deinit { unsafe BrotliEncoderDestroyInstance(state) }

    @unsafe
    private static func make(_ quality: UInt32, _ windowBits: UInt32) throws(CodecError) -> OpaquePointer {
        guard let state = unsafe BrotliEncoderCreateInstance(nil, nil, nil) else { throw .outOfMemory }
        unsafe BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, quality)
        unsafe BrotliEncoderSetParameter(state, BROTLI_PARAM_LGWIN, windowBits)
        return unsafe state
    }

    func step(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int,
        isLast: Bool
    ) throws(CodecError) -> CodecStep {
        var isFine = false
        let operation = isLast ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS
        unsafe lend(input, from: &position, into: &output, room: room) { bytes, free in
            var next = bytes.baseAddress
            var target = free.baseAddress
            var left = bytes.count
            var space = free.count
            unsafe isFine =
                BrotliEncoderCompressStream(state, operation, &left, &next, &space, &target, nil) != 0
            return CodecProgress(taken: bytes.count - left, made: free.count - space)
        }
        guard isFine else { throw .invalid("the encoder failed") }
        if unsafe BrotliEncoderIsFinished(state) != 0 { return .ended }
        if unsafe BrotliEncoderHasMoreOutput(state) != 0 { return .needsRoom }
        return position < input.count || isLast ? .needsRoom : .needsInput
    }

    func restart() throws(CodecError) {
        let fresh = unsafe try Self.make(quality, windowBits)
        unsafe BrotliEncoderDestroyInstance(state)
        unsafe state = fresh
    }
}
