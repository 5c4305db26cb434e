import Glibc
import Testing

/// Random courses of events against a brute-force reading of RFC 9111.
///
/// `RESPITE_PROPERTY_SEED` and `RESPITE_PROPERTY_COUNT` run others than the usual ones.
@Suite("What RFC 9111 forbids")
struct PropertyTests {
    private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

    private static let first = number("RESPITE_PROPERTY_SEED") ?? 1
    private static let count = number("RESPITE_PROPERTY_COUNT") ?? 2000

    @Test("no course of events makes the cache serve what RFC 9111 forbids")
    func nothingForbidden() {
        var reuses = 0
        var violations = 0
        for seed in Self.first..<Self.first + Self.count {
            let sequence = RandomSequence(seed: seed)
            sequence.run(steps: 24)
            reuses += sequence.reuses
            guard let violation = sequence.violation else { continue }
            // The same once more, told step by step.
            let told = RandomSequence(seed: seed, isTold: true)
            told.run(steps: 24)
            Issue.record("seed \(seed): \(violation)\n\(told.trace.joined(separator: "\n"))")
            violations += 1
            if violations == 3 { return }
        }
        // It would be easy to serve nothing.
        #expect(reuses > Int(Self.count))
    }

    @Test("the property finds faults between the world and the cache", arguments: Fault.allCases)
    func findsFaults(fault: Fault) {
        for seed in 1...4000 as ClosedRange<UInt64> {
            let sequence = RandomSequence(seed: seed, fault: fault)
            sequence.run(steps: 24)
            if sequence.violation != nil { return }
        }
        Issue.record("no course of events shows that the cache \(fault.rawValue)")
    }
}
