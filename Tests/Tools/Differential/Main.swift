import DifferentialRuns
import Glibc

/// Reads generated and mutated messages with the parsers and with the reference; fails where they differ.
///
/// Arguments: how many messages, and the seed of the first of them.
@main
enum Main {
    static func main() {
        let words = CommandLine.arguments.dropFirst().compactMap(UInt64.init)
        let count = words.first ?? 1_000_000
        let seed = words.dropFirst().first ?? UInt64.random(in: 1...999_999)
        print("\(count) messages, seed \(seed)")
        var comparison = Comparison(seed: seed)
        for _ in 0..<count { comparison.turn() }
        for (outcome, number) in comparison.outcomes.sorted(by: { $0.key < $1.key }) { print("\(number)  \(outcome)") }
        for disagreement in comparison.disagreements.prefix(20) { print(disagreement) }
        print("\(comparison.disagreements.count) disagreements")
        exit(comparison.disagreements.isEmpty ? 0 : 1)
    }
}
