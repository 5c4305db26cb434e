import HTTPCore
import Settings
import Testing

@testable import Administration

/// The samples of what the daemon did lately.
struct HistoryTests {
    private func sample(_ second: Int64, hits: Int = 0) -> History.Sample {
        var sample = History.Sample()
        sample.time = MonotonicTime(nanoseconds: second * 1_000_000_000)
        sample.traffic.hits = hits
        return sample
    }

    @Test("samples are kept every 5 s, 60 s and 600 s, in a number that does not grow")
    func bounds() {
        // Given a daemon that runs for 30 hours
        let history = History()
        for tick in 0..<Int64(21_600) { history.record(sample(tick * 5)) }
        // Then
        let series = history.series
        #expect(series.map(\.samples.count) == [60, 60, 144])
        for (one, step) in zip(series, [5, 60, 600] as [Int64]) {
            let times = one.samples.map { $0.time.nanoseconds / 1_000_000_000 }
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == step })
            #expect(107_995 - (times.last ?? 0) < step)
        }
    }

    @Test("a timer that is half a second early loses no sample, one that fires twice adds none")
    func unpunctual() {
        let history = History()
        for nanoseconds in [0, 4_500_000_000, 4_600_000_000, 9_400_000_000] as [Int64] {
            var one = History.Sample()
            one.time = MonotonicTime(nanoseconds: nanoseconds)
            history.record(one)
        }
        #expect(history.series[0].samples.map(\.time.nanoseconds) == [0, 4_500_000_000, 9_400_000_000])
        #expect(history.series[1].samples.count == 1)
    }

    @Test("a sample may come a second early in each series, and no more")
    func early() {
        let history = History()
        for milliseconds in [0, 3_999, 4_000, 58_999, 59_000, 598_999, 599_000] as [Int64] {
            var one = History.Sample()
            one.time = MonotonicTime(nanoseconds: milliseconds * 1_000_000)
            history.record(one)
        }
        let times = history.series.map { $0.samples.map { $0.time.nanoseconds / 1_000_000 } }
        #expect(times == [[0, 4_000, 58_999, 598_999], [0, 59_000, 598_999], [0, 599_000]])
    }

    @Test("/v1/history has a row for each sample, in the order of its columns")
    func document() throws {
        let admin = try TestAdmin { source, _ in
            for second in 0...1 {
                var sample = History.Sample()
                sample.time = MonotonicTime(nanoseconds: Int64(990 + 5 * second) * 1_000_000_000)
                sample.traffic.hits = 7 + second
                sample.store = 4096
                source.history.record(sample)
            }
        }
        let json = try admin.json("/v1/history")
        #expect(json["now"]?.integer == 1000)
        let columns = (json["columns"]?.elements ?? []).map(\.text)
        let rows = json["series"]?.elements.first?["samples"]?.elements.map(\.elements) ?? []
        #expect(rows.count == 2 && rows.allSatisfy { $0.count == columns.count })
        let hits = try #require(columns.firstIndex(of: "hits"))
        let store = try #require(columns.firstIndex(of: "storeBytes"))
        #expect(rows.map { $0[hits].integer } == [7, 8] && rows.map { $0[store].integer } == [4096, 4096])
        #expect(try admin.send("GET", "/v1/history", [admin.host]).status == 401)
    }
}
