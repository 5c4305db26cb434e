/// Runs the benchmarks whose names contain one of the arguments, all without any.
@main
enum Main {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        let all = HeadBenchmarks.all + ReportingBenchmarks.all
        let chosen = all.filter { benchmark in words.isEmpty || words.contains { benchmark.name.contains($0) } }
        print("ns per turn, median (best) of 7 rounds")
        for benchmark in chosen {
            guard let (median, best) = benchmark.measure() else { fatalError("\(benchmark.name): wrong result") }
            print("\(rounded(median)) (\(rounded(best)))  \(benchmark.name)")
        }
    }

    private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
