import Glibc
import TestSupport
import Testing

/// Random courses of events against a model of plain arrays.
///
/// `RESPITE_PARTS_SEED` and `RESPITE_PARTS_STEPS` run others than the usual ones.
@Suite("Parts, by a model of arrays")
struct PartPropertyTests {
    private static func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

    private static let first = number("RESPITE_PARTS_SEED") ?? 1
    private static let steps = number("RESPITE_PARTS_STEPS") ?? 10_000
    private static let stepsOfOne = 50

    @Test("no client gets a mixture, and no byte that is held is asked for again (C-22.1, C-22.2)", arguments: 0..<2)
    func parts(lane: Int) throws {
        let directory = TemporaryDirectory()
        var violations = 0
        var (answers, steps) = (0, 0)
        let count = max(1, Self.steps / Self.stepsOfOne)
        for index in stride(from: lane, to: count, by: 2) {
            let seed = UInt64(Self.first + index)
            let sequence = try PartSequence(seed: seed, in: directory)
            try sequence.run(steps: Self.stepsOfOne)
            answers += sequence.answers
            steps += Self.stepsOfOne
            guard let violation = sequence.violation else { continue }
            // The same once more, told step by step.
            let told = try PartSequence(seed: seed, in: directory, isTold: true)
            try told.run(steps: Self.stepsOfOne)
            Issue.record("seed \(seed): \(violation)\n\(told.trace.joined(separator: "\n"))")
            violations += 1
            if violations == 3 { return }
        }
        // It would be easy to answer nothing.
        #expect(answers >= steps / 4)
    }
}
