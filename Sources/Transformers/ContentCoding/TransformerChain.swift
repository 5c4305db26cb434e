import HTTPCore
import Transforms

/// Joins several filters, with at most 64 KiB waiting between two of them.
final class TransformerChain: ContentFilter {
    /// A filter and the input that waits for it.
    private struct Link {
        let transformer: any ContentFilter
        /// The output of the link before; empty for the first.
        var waiting: [UInt8] = []
        /// How much of `waiting` is consumed.
        var taken = 0
        var hasMore = false
        var hasFinished = false

        var waitingCount: Int { waiting.count - taken }
    }

    private static let capacity = 65_536
    private var links: [Link]

    /// - Parameter transformers: in the order of application; none of them may need the whole content.
    init(_ transformers: [any ContentFilter]) { links = transformers.map { Link(transformer: $0) } }

    var needsWholeContent: Bool { false }

    func transform(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(TransformFailure) -> TransformProgress {
        var position = 0
        let end = output.count + max(1, room)
        var isMoving = true
        while isMoving, output.count < end {
            isMoving = false
            for index in links.indices {
                let rest = input.extracting(position...)
                if index == 0, rest.isEmpty, !links[0].hasMore { continue }
                let before = (position, output.count)
                if try advance(index, rest, &position, &output, until: end) || before != (position, output.count) {
                    isMoving = true
                }
            }
        }
        return TransformProgress(consumed: position, hasMore: position < input.count || isBusy)
    }

    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        let end = output.count + max(1, room)
        var isMoving = true
        while isMoving, output.count < end, links.last?.hasFinished == false {
            isMoving = false
            for index in links.indices {
                var position = 0
                let before = output.count
                if try advance(index, [UInt8]().span, &position, &output, until: end) { isMoving = true }
                if try conclude(index, &output, until: end) { isMoving = true }
                if output.count != before { isMoving = true }
            }
        }
        return links.last?.hasFinished == false
    }

    private var isBusy: Bool { links.contains { $0.waitingCount > 0 || $0.hasMore } }

    /// Runs one link on its waiting input; returns whether that changed anything.
    private func advance(
        _ index: Int,
        _ input: Span<UInt8>,
        _ position: inout Int,
        _ output: inout [UInt8],
        until end: Int
    ) throws(TransformFailure) -> Bool {
        let free = room(after: index, output, end)
        let isFirst = index == 0
        guard free > 0, links[index].hasMore || (isFirst ? !input.isEmpty : links[index].waitingCount > 0) else {
            return false
        }
        var made = take(after: index, &output)
        let before = made.count
        let transformer = links[index].transformer
        let progress: TransformProgress
        if isFirst {
            progress = try transformer.transform(input, into: &made, room: free)
            position += progress.consumed
        } else {
            let waiting = links[index].waiting
            progress = try transformer.transform(
                waiting.span.extracting(links[index].taken...),
                into: &made,
                room: free
            )
            links[index].taken += progress.consumed
        }
        links[index].hasMore = progress.hasMore
        let hasWorked = progress.consumed > 0 || made.count > before
        put(&made, after: index, &output)
        return hasWorked
    }

    /// Ends a link whose input has ended; returns whether that changed anything.
    private func conclude(_ index: Int, _ output: inout [UInt8], until end: Int) throws(TransformFailure) -> Bool {
        guard !links[index].hasFinished, !links[index].hasMore, links[index].waitingCount == 0,
            index == 0 || links[index - 1].hasFinished
        else { return false }
        let free = room(after: index, output, end)
        guard free > 0 else { return false }
        var made = take(after: index, &output)
        let hasMore = try links[index].transformer.finish(into: &made, room: free)
        links[index].hasFinished = !hasMore
        put(&made, after: index, &output)
        return true
    }

    // MARK: The output of a link: the waiting bytes of the next one, or of the chain

    private func room(after index: Int, _ output: [UInt8], _ end: Int) -> Int {
        index + 1 < links.count ? Self.capacity - links[index + 1].waitingCount : end - output.count
    }

    private func take(after index: Int, _ output: inout [UInt8]) -> [UInt8] {
        var taken: [UInt8] = []
        guard index + 1 < links.count else {
            swap(&taken, &output)
            return taken
        }
        swap(&taken, &links[index + 1].waiting)
        taken.removeFirst(links[index + 1].taken)
        links[index + 1].taken = 0
        return taken
    }

    private func put(_ made: inout [UInt8], after index: Int, _ output: inout [UInt8]) {
        if index + 1 < links.count { swap(&made, &links[index + 1].waiting) } else { swap(&made, &output) }
    }
}
