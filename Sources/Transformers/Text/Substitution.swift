import HTTPCore
import Transforms

/// Replaces what matches a pattern in one content.
final class Substitution: ContentFilter {
    private let pattern: SearchPattern
    private let replacement: [UInt8]
    /// How many bytes at the end of what was taken may begin a match.
    private var matched = 0
    /// Those bytes as they came, as far as they came before the present piece.
    private var held: [UInt8] = []
    private var heldStart = 0

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
        /// Bytes of `input` that are in the output, or dropped.
        var released = 0
        var position = 0
        while position < input.count, output.count + max(0, position - matched - released) < end {
            matched = pattern.advance(matched, by: input[position])
            position += 1
            guard matched == pattern.bytes.count else { continue }
            release(input, &released, until: position - matched, into: &output)
            output.append(contentsOf: replacement)
            held.removeAll(keepingCapacity: true)
            heldStart = 0
            released = position
            matched = 0
        }
        release(input, &released, until: position - matched, into: &output)
        hold(input, released..<position)
        return TransformProgress(consumed: position)
    }

    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        output.append(contentsOf: held[heldStart...])
        held = []
        heldStart = 0
        matched = 0
        return false
    }

    /// Lets go of everything before `end`, a place in `input`; a negative one lies in what is held.
    private func release(_ input: Span<UInt8>, _ released: inout Int, until end: Int, into output: inout [UInt8]) {
        if heldStart < held.count {
            let count = min(held.count - heldStart, held.count - heldStart + end)
            output.append(contentsOf: held[heldStart..<heldStart + max(0, count)])
            heldStart += max(0, count)
        }
        guard end > released else { return }
        output.append(copying: input.extracting(released..<end))
        released = end
    }

    /// Keeps what may begin a match; moves what is held only when half of it is gone.
    private func hold(_ input: Span<UInt8>, _ range: Range<Int>) {
        if heldStart > 0, heldStart * 2 >= held.count {
            held.removeFirst(heldStart)
            heldStart = 0
        }
        held.append(copying: input.extracting(range))
    }
}
