import HTTPCore
import Transforms

/// Replaces all matches of a pattern in one content.
final class Substitution: ContentFilter {
    private let pattern: SearchPattern
    private let replacement: [UInt8]
    /// The number of bytes at the end of the input that may begin a match.
    private var matched = 0
    /// Those of them that are from before the current piece, unchanged.
    private var pending: [UInt8] = []
    private var pendingStart = 0

    init(_ pattern: SearchPattern, _ replacement: [UInt8]) {
        self.pattern = pattern
        self.replacement = replacement
    }

    var needsWholeContent: Bool { false }

    func transform(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(TransformFailure) -> TransformProgress {
        let end = output.count + max(1, room)
        /// The number of bytes of `input` that are output or dropped.
        var released = 0
        var position = 0
        while position < input.count, output.count + max(0, position - matched - released) < end {
            matched = pattern.advance(matched, by: input[position])
            position += 1
            guard matched == pattern.bytes.count else { continue }
            release(input, &released, until: position - matched, into: &output)
            output.append(contentsOf: replacement)
            pending.removeAll(keepingCapacity: true)
            pendingStart = 0
            released = position
            matched = 0
        }
        release(input, &released, until: position - matched, into: &output)
        retain(input, released..<position)
        return TransformProgress(consumed: position)
    }

    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        output.append(contentsOf: pending[pendingStart...])
        pending = []
        pendingStart = 0
        matched = 0
        return false
    }

    /// Outputs everything before `end`, an index in `input`.
    ///
    /// A negative index is in the bytes held back.
    private func release(_ input: Span<UInt8>, _ released: inout Int, until end: Int, into output: inout [UInt8]) {
        if pendingStart < pending.count {
            let count = min(pending.count - pendingStart, pending.count - pendingStart + end)
            output.append(contentsOf: pending[pendingStart..<pendingStart + max(0, count)])
            pendingStart += max(0, count)
        }
        guard end > released else { return }
        output.append(copying: input.extracting(released..<end))
        released = end
    }

    /// Holds back bytes that may begin a match.
    ///
    /// Moves the buffer only when half of it is unused.
    private func retain(_ input: Span<UInt8>, _ range: Range<Int>) {
        if pendingStart > 0, pendingStart * 2 >= pending.count {
            pending.removeFirst(pendingStart)
            pendingStart = 0
        }
        pending.append(copying: input.extracting(range))
    }
}
