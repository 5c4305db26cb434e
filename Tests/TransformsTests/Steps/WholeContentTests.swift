import HTTPCore
import Testing

@testable import Transforms

@Suite("Whole contents") struct WholeContentTests {
    private func limits(_ bytes: Int) -> TransformLimits {
        var limits = TransformLimits()
        limits.wholeContent = bytes
        return limits
    }

    @Test("the closure gets everything once, and the result comes in pieces of the room", arguments: [0, 1, 3, 100])
    func pieces(room: Int) throws {
        var calls = 0
        let filter = WholeContent(limits: limits(6)) { span in
            calls += 1
            return [UInt8](copying: span).reversed()
        }
        #expect(filter.needsWholeContent)
        var output: [UInt8] = []
        for piece in [[1, 2], [3], [4, 5, 6]] as [[UInt8]] {
            #expect(try filter.transform(piece.span, into: &output, room: room).consumed == piece.count)
        }
        #expect(output.isEmpty && calls == 0)
        var largest = 0
        while true {
            let before = output.count
            let hasMore = try filter.finish(into: &output, room: room)
            largest = max(largest, output.count - before)
            if !hasMore { break }
        }
        #expect(output == [6, 5, 4, 3, 2, 1] && calls == 1 && largest == min(6, max(1, room)))
    }

    @Test("content beyond the limit fails as soon as it is known")
    func limit() throws {
        let filter = WholeContent(limits: limits(3)) { [UInt8](copying: $0) }
        var output: [UInt8] = []
        let (first, second) = ([1, 2, 3] as [UInt8], [4] as [UInt8])
        _ = try filter.transform(first.span, into: &output, room: 10)
        let failure = #expect(throws: TransformFailure.self) {
            try filter.transform(second.span, into: &output, room: 10)
        }
        let message = "the content is larger than 3 bytes, the most that a transformer may collect"
        #expect(failure == TransformFailure(.limit, "\(message); see `max-transform-size`"))
    }
}
