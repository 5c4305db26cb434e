/// One measurement: a name, and work that checks its own result.
struct Benchmark: Sendable {
    let name: String
    /// Does the work this many times; returns false if a result was wrong.
    let run: @Sendable (Int) -> Bool

    /// Measures seven rounds of about 50 ms; returns nil if a result was wrong.
    ///
    /// Returns the median and the best of them, in nanoseconds of wall time per turn.
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
