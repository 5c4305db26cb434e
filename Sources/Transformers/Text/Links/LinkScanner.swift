import HTTPCore
import Transforms

/// Looks for links in a document byte by byte, and copies the runs of irrelevant bytes in between.
protocol LinkScanner: ContentFilter {
    /// The end of the run of irrelevant bytes from `start` on. Most of a document is such runs.
    func runEnd(_ input: Span<UInt8>, from start: Int, to end: Int) -> Int
    /// Consumes one byte that may be relevant.
    func consume(_ byte: UInt8, _ output: inout [UInt8])
}

extension LinkScanner {
    var needsWholeContent: Bool { false }

    func transform(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(TransformFailure) -> TransformProgress {
        let end = output.count + max(1, room)
        var position = 0
        while position < input.count, output.count < end {
            let stop = runEnd(input, from: position, to: min(input.count, position + end - output.count))
            if stop > position {
                output.append(copying: input.extracting(position..<stop))
                position = stop
            } else {
                consume(input[position], &output)
                position += 1
            }
        }
        return TransformProgress(consumed: position)
    }
}
