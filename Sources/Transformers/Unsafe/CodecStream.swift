/// One direction of a compression library, fed piece by piece; used by one thread at a time.
protocol CodecStream: AnyObject {
    /// Takes bytes of `input` from `position` on, which moves, and appends at most `room` bytes.
    ///
    /// - Parameters:
    ///   - room: at least 1.
    ///   - isLast: whether nothing follows `input`; decoders do not need to know.
    func step(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int,
        isLast: Bool
    ) throws(CodecError) -> CodecStep

    /// Makes a decoder ready for another member or frame behind the one that ended.
    func restart() throws(CodecError)
}

/// Where a step left off.
enum CodecStep {
    /// All input is taken and all that could come out has come out.
    case needsInput
    /// There may be more to come out.
    case needsRoom
    /// The stream, member or frame is complete; input may be left.
    case ended
}

/// Why a compression library gives up.
enum CodecError: Error, Equatable {
    /// What is wrong with the coded bytes, in the library's words.
    case invalid(String)
    /// The coded content asks for more memory than is allowed for its coding.
    case windowTooLarge
    case outOfMemory
}

/// Most bytes one step makes, so that a buffer is never grown far beyond what comes out.
let codecStepRoom = 65_536

/// How far one call of a library came.
struct CodecProgress {
    var taken: Int
    var made: Int
}

extension CodecStream {
    /// Lends a library the rest of `input` and free memory behind `output`, and takes note of how far it came.
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
