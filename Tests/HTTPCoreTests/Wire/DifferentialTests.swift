import DifferentialRuns
import Testing

@Suite("Parsers and reference")
struct DifferentialTests {
    @Test(
        "what a plain reading of the rules accepts and refuses, and how (H-001 to H-046, H-055 to H-061, H-091 to H-103)",
        arguments: 1...8 as ClosedRange<UInt64>
    )
    func agree(seed: UInt64) {
        var comparison = Comparison(seed: seed)
        for _ in 0..<2_500 { comparison.turn() }
        #expect(comparison.disagreements.isEmpty, "\(comparison.disagreements.first?.description ?? "")")
        for outcome in [
            "request read", "response read", "content read", "request refused with 400", "content incomplete",
        ] {
            #expect(comparison.outcomes[outcome, default: 0] > 10, "\(outcome)")
        }
    }
}
