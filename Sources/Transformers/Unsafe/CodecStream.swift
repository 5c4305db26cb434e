/// One direction of a compression library.
///
/// It is used by one thread at a time.
protocol CodecStream: AnyObject {
    /// Consumes bytes of `input` from `position` on, moves `position` past them, and appends at most `room` bytes.
    ///
    /// - Parameters:
    ///   - room: at least 1.
    ///   - isLast: whether `input` is the last; decoders do not use it.
    func step(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int,
        isLast: Bool
    ) throws(CodecError) -> CodecStep

    /// Prepares a decoder for another member or frame after one that ended.
    func restart() throws(CodecError)
}

/// Why a step ended.
enum CodecStep {
    /// All input is consumed, and its output is complete.
    case needsInput
    /// There may be more output.
    case needsRoom
    /// The stream, member or frame is complete; there may be input left.
    case ended
}

/// Why a compression library failed.
enum CodecError: Error, Equatable {
    /// The coded bytes are invalid; the text is the library's.
    case invalid(String)
    /// The coded content needs more memory than its coding may use.
    case windowTooLarge
    case outOfMemory
}

/// The greatest output of one step, so that a buffer does not grow far beyond the output.
let codecStepRoom = 65_536

/// The progress of one call of a library.
struct CodecProgress {
    var taken: Int
    var made: Int
}

extension CodecStream {
    /// Lends a library the rest of `input` and free memory after `output`, and applies the progress that it returns.
    @unsafe
    func lend(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int,
        _ work: (UnsafeBufferPointer<UInt8>, UnsafeMutableBufferPointer<UInt8>) -> CodecProgress
    ) {
        let start = position
        let space = max(1, min(room, codecStepRoom))
        var progress = CodecProgress(taken: 0, made: 0)
        output.append(addingCapacity: space) { span in
            unsafe span.withUnsafeMutableBufferPointer { bytes, count in
                let free = unsafe UnsafeMutableBufferPointer(rebasing: bytes[count..<count + space])
                unsafe input.extracting(start...).withUnsafeBufferPointer { raw in
                    unsafe progress = work(raw, free)
                }
                count += progress.made
            }
        }
        position = start + progress.taken
    }
}
