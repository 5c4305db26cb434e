/// Runs the benchmarks whose names contain one of the arguments, or all of them.
///
/// With `--turns N` each runs N turns once and measures nothing, for tools that count instructions.
@main
enum Main {
    static func main() {
        var words = Array(CommandLine.arguments.dropFirst())
        let turns = takeTurns(&words)
        let all =
            HeadBenchmarks.all + CacheBenchmarks.all + ReportingBenchmarks.all + ResourceBenchmarks.all
            + SecurityBenchmarks.all
        let chosen = all.filter { benchmark in words.isEmpty || words.contains { benchmark.name.contains($0) } }
        if let turns {
            for benchmark in chosen where !benchmark.run(turns) { fatalError("\(benchmark.name): wrong result") }
            return
        }
        print("ns per turn, median (best) of 7 rounds")
        for benchmark in chosen {
            guard let (median, best) = benchmark.measure() else { fatalError("\(benchmark.name): wrong result") }
            print("\(rounded(median)) (\(rounded(best)))  \(benchmark.name)")
        }
    }

    private static func takeTurns(_ words: inout [String]) -> Int? {
        guard let index = words.firstIndex(of: "--turns"), index + 1 < words.count else { return nil }
        defer { words.removeSubrange(index...(index + 1)) }
        return Int(words[index + 1])
    }

    private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
