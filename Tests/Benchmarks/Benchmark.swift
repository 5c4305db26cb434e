/// One measurement: a name, and work that checks its own result.
struct Benchmark: Sendable {
    let name: String
    /// Does the work this many times; false if a result was wrong.
    let run: @Sendable (Int) -> Bool

    /// Median and best of seven rounds of about 50 ms each, in nanoseconds of wall time per turn; nil if a result was wrong.
    func measure() -> (median: Double, best: Double)? {
        var turns = 1
        while true {
            guard let time = time(turns) else { return nil }
            if time >= .milliseconds(50) { break }
            turns *= 2
        }
        var rounds: [Double] = []
        for _ in 0..<7 {
            guard let time = time(turns) else { return nil }
            rounds.append(nanoseconds(time) / Double(turns))
        }
        rounds.sort()
        return (rounds[3], rounds[0])
    }

    private func time(_ turns: Int) -> Duration? {
        var isRight = false
        let time = ContinuousClock().measure { isRight = run(turns) }
        return isRight ? time : nil
    }

    private func nanoseconds(_ time: Duration) -> Double {
        Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9
    }
}
