import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// A filter that plays back what a test says, and notes its input.
private final class PlayedFilter: ContentFilter {
    typealias Call = (consumed: Int, output: String, hasMore: Bool)

    let needsWholeContent: Bool
    private var calls: [Call]
    private var ends: [(output: String, hasMore: Bool)]
    private(set) var inputs: [String] = []

    init(_ calls: [Call], ends: [(output: String, hasMore: Bool)] = [("", false)], needsWholeContent: Bool = false) {
        self.calls = calls
        self.ends = ends
        self.needsWholeContent = needsWholeContent
    }

    func transform(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(TransformFailure) -> TransformProgress {
        inputs.append(String(decoding: [UInt8](copying: input), as: UTF8.self))
        if calls.isEmpty { throw TransformFailure(.unsupported, "another call") }
        let call = calls.removeFirst()
        output += call.output.utf8
        return TransformProgress(consumed: call.consumed, hasMore: call.hasMore)
    }

    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        if ends.isEmpty { throw TransformFailure(.unsupported, "another end") }
        let end = ends.removeFirst()
        output += end.output.utf8
        return end.hasMore
    }
}

@Suite("Pumps") struct PipelinePumpTests {
    private func active(_ filter: PlayedFilter, passes: Bool = false) -> PipelinePlan.ActiveFilter {
        PipelinePlan.ActiveFilter(stage: "model", name: "played", isPassedWhenOversize: passes, content: filter)
    }

    private func pump(_ filters: PlayedFilter..., limit: Int = 100) -> PipelinePump {
        var limits = TransformLimits()
        limits.wholeContent = limit
        return PipelinePump(filters.map { active($0) }, limits: limits)
    }

    /// Moves content through, and returns what comes out.
    private func output(_ pump: PipelinePump, _ pieces: String...) throws(TransformationFailure) -> String {
        var (result, rest) = ([UInt8](), pieces[...])
        for _ in 0..<100 {
            switch try pump.step() {
            case .moved(let bytes): result += bytes
            case .hungry: if let piece = rest.popFirst() { pump.feed(ByteChunk(piece)) } else { pump.end() }
            case .done: return String(decoding: result, as: UTF8.self)
            case .oversize: return "oversize"
            }
        }
        return "endless"
    }

    @Test("a filter without room is called again with the rest of its input, which may be empty, before there is more")
    func rest() throws {
        let filter = PlayedFilter([
            (1, "x", false), (1, "y", true), (0, "z", true), (1, "", false), (1, "w", false),
        ])
        #expect(try output(pump(filter), "abc", "d") == "xyzw")
        #expect(filter.inputs == ["abc", "bc", "c", "c", "d"])
    }

    @Test("output that did not fit comes although the input is used up")
    func more() throws {
        let filter = PlayedFilter([(2, "x", true), (0, "y", true), (0, "", false)], ends: [("1", true), ("2", false)])
        #expect(try output(pump(filter), "ab") == "xy12")
        #expect(filter.inputs == ["ab", "", ""])
    }

    @Test("content without bytes goes through no filter; each is told the end")
    func empty() throws {
        let filters = [PlayedFilter([], ends: [("x", false)]), PlayedFilter([(1, "y", false)], ends: [("z", false)])]
        #expect(try output(pump(filters[0], filters[1])) == "yz")
        #expect(filters[0].inputs.isEmpty && filters[1].inputs == ["x"])
    }

    @Test("the filter nearest to the output goes first, and gets all that the one before it puts out")
    func order() throws {
        let first = PlayedFilter([(1, "pq", false), (1, "r", false)], ends: [("s", true), ("t", false)])
        let second = PlayedFilter([(1, "P", false), (1, "Q", false), (1, "R", false), (1, "S", false), (1, "T", false)])
        #expect(try output(pump(first, second), "ab") == "PQRST")
        #expect(first.inputs == ["ab", "b"] && second.inputs == ["pq", "q", "r", "s", "t"])
    }

    @Test("a filter gets 64 KiB at once at most, however much the one before it puts out")
    func slices() throws {
        let first = PlayedFilter([(1, String(repeating: "p", count: 100_000), false)])
        let second = PlayedFilter([(65_536, "P", false), (34_464, "Q", false)])
        #expect(try output(pump(first, second), "a") == "PQ")
        #expect(second.inputs.map(\.utf8.count) == [65_536, 34_464])
    }

    @Test(
        "a filter that does not move, or takes what is not there, fails",
        arguments: [
            [(0, "", false)], [(3, "x", false)], [(-1, "x", false)], [(2, "x", true), (0, "", true)], [(0, "", true)],
        ] as [[(Int, String, Bool)]]
    )
    func stuck(calls: [(Int, String, Bool)]) {
        let filter = PlayedFilter(calls.map { (consumed: $0.0, output: $0.1, hasMore: $0.2) })
        let failure = #expect(throws: TransformationFailure.self) { _ = try output(pump(filter), "ab") }
        let reason = TransformFailure(.failed, "it neither consumes content nor produces any")
        #expect(failure == TransformationFailure(stage: "model", transformer: "played", failure: reason))
    }

    @Test("a filter that has more at the end but puts nothing out fails")
    func stuckAtEnd() {
        let filter = PlayedFilter([], ends: [("x", true), ("", true), ("y", false)])
        let failure = #expect(throws: TransformationFailure.self) { _ = try output(pump(filter)) }
        #expect(failure?.failure.userMessage == "it neither consumes content nor produces any")
    }

    @Test("what a filter throws is its failure, in the middle as at the end")
    func failing() {
        let atEnd = PlayedFilter([(1, "", false)], ends: [])
        for (filter, message) in [(PlayedFilter([]), "another call"), (atEnd, "another end")] {
            let failure = #expect(throws: TransformationFailure.self) { _ = try output(pump(filter), "a") }
            let reason = TransformFailure(.unsupported, message)
            #expect(failure == TransformationFailure(stage: "model", transformer: "played", failure: reason))
        }
    }

    @Test("what filters collect that need the whole content is counted, up to a limit")
    func whole() throws {
        let collecting = PlayedFilter([(2, "", false), (2, "", false)], ends: [("x", false)], needsWholeContent: true)
        let streaming = PlayedFilter([(1, "y", false)])
        let pump = pump(collecting, streaming, limit: 4)
        #expect(pump.needsWholeContent && pump.beginsWithWholeContent && pump.wholeContent == 0)
        #expect(!pump.isOversize(4) && pump.isOversize(5) && !pump.passesOversize)
        #expect(try output(pump, "ab", "cd") == "y")
        #expect(pump.wholeContent == 4)
        let behind = self.pump(PlayedFilter([]), PlayedFilter([], needsWholeContent: true), limit: 4)
        #expect(behind.needsWholeContent && !behind.beginsWithWholeContent && !behind.isOversize(5))
    }

    @Test("content beyond the limit fails, or is told if the rule allows the original", arguments: [true, false])
    func oversize(passes: Bool) throws {
        var limits = TransformLimits()
        limits.wholeContent = 3
        let collecting = PlayedFilter([(2, "", false)], needsWholeContent: true)
        let filters = [active(PlayedFilter([(4, "abcd", false)])), active(collecting, passes: passes)]
        let pump = PipelinePump(filters, limits: limits)
        #expect(pump.passesOversize == passes)
        if passes {
            #expect(try output(pump, "1234") == "oversize")
        } else {
            let failure = #expect(throws: TransformationFailure.self) { _ = try output(pump, "1234") }
            let message = "the content is larger than 3 bytes, the most that a transformer may collect"
            let reason = TransformFailure(.limit, "\(message); see `max-transform-size`")
            #expect(failure == TransformationFailure(stage: "model", transformer: "played", failure: reason))
        }
        #expect(collecting.inputs.isEmpty)
    }

    @Test("without filters nothing is needed, too large or left to do")
    func none() throws {
        let pump = pump()
        #expect(pump.isEmpty && !pump.needsWholeContent && !pump.beginsWithWholeContent)
        #expect(!pump.isOversize(.max) && pump.passesOversize && pump.wholeContent == 0)
        #expect(try output(pump).isEmpty)
        #expect(!self.pump(PlayedFilter([])).isEmpty)
    }
}
