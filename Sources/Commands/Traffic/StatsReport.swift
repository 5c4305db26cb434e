import Formats
import Terminal

/// What `respite stats` shows.
struct StatsReport {
    /// The most reasons and origins that are shown to people.
    private static let most = 10

    var period: TrafficPeriod
    /// The requests of the period that the daemon still has; nil if it keeps none.
    var summary: RequestSummary?

    /// For people with titles; programs get all rows alike.
    func text(on screen: Screen) -> String {
        guard screen.isTerminal else {
            let period = [Table.Cell("seconds"), Table.Cell("\(period.seconds)")]
            let misses = misses.map { [Table.Cell("miss"), $0[0], $0[2]] }
            return Table.plain([period] + traffic.rows + misses + origins.map { [Table.Cell("origin")] + $0 })
        }
        let tables = [(Self.missColumns, misses), (Self.originColumns, origins)].filter { !$0.1.isEmpty }
        return TableSection.text([traffic], on: screen)
            + tables.map { columns, rows in
                let layout = TableLayout(Table(columns), rows, on: screen)
                return "\n" + layout.heading + layout.text(rows)
            }.joined()
    }

    /// `Since the start, 2 h 3 min`.
    private var title: String {
        let time = Table.Cell.readable(seconds: period.seconds)
        return period.isSinceStart ? "Since the start, \(time)" : "The last \(time)"
    }

    private var traffic: TableSection {
        let counters = period.counters
        let bytes = counters.cachedBytes + counters.originBytes
        func row(_ name: String, _ cell: Table.Cell) -> [Table.Cell] { [Table.Cell(name), cell] }
        return TableSection(
            title: title,
            rows: [
                row("requests", .count(counters.requests)),
                row("hits", .part(counters.hits, of: counters.requests)),
                row("loads", .part(counters.loads, of: counters.requests)),
                row("passed by", .part(counters.passes, of: counters.requests)),
                row("errors", .bad(counters.failures)),
                row("refused", .bad(counters.refused)),
                row("from the cache", .size(counters.cachedBytes, of: bytes)),
                row("from origins", .size(counters.originBytes, of: bytes)),
            ] + saved
        )
    }

    // MARK: What only the requests that are kept can tell

    private var saved: [[Table.Cell]] {
        guard let summary, summary.count > 0 else { return [] }
        let requests = Plural.text(summary.count, "request")
        let text = "about \(Table.Cell.readable(microseconds: summary.saved)), in the last \(requests)"
        return [[Table.Cell("time saved", plain: "saved microseconds"), Table.Cell(text, plain: "\(summary.saved)")]]
    }

    private static let missColumns = [
        Table.Column(title: "REQUESTS", isNumber: true), Table.Column(title: "SHARE", isNumber: true, rank: 1),
        Table.Column(title: "WHY NO HIT"),
    ]

    private var misses: [[Table.Cell]] {
        guard let summary else { return [] }
        return summary.reasons.prefix(Self.most).map { reason, count in
            let share = Table.Cell.percent(Int64(count), of: Int64(summary.count))
            return [.count(Int64(count)), Table.Cell(share), Table.Cell(reason)]
        }
    }

    private static let originColumns = [
        Table.Column(title: "REQUESTS", isNumber: true), Table.Column(title: "HITS", isNumber: true, rank: 1),
        Table.Column(title: "ERRORS", isNumber: true, rank: 3), Table.Column(title: "MEAN", isNumber: true, rank: 2),
        Table.Column(title: "SLOWEST", isNumber: true, rank: 4), Table.Column(title: "ORIGIN"),
    ]

    private var origins: [[Table.Cell]] {
        (summary?.origins ?? []).prefix(Self.most).map { origin in
            [
                Table.Cell.count(Int64(origin.requests)), .part(Int64(origin.hits), of: Int64(origin.requests)),
                .bad(Int64(origin.errors)), .microseconds(origin.mean),
                .microseconds(origin.waits > 0 ? origin.slowest : nil), Table.Cell(origin.name),
            ]
        }
    }

    func write(to writer: inout JSONWriter) {
        let counters = period.counters
        writer.member("seconds", period.seconds)
        writer.member("isSinceStart", period.isSinceStart)
        writer.member("requests", counters.requests)
        writer.member("hits", counters.hits)
        writer.member("loads", counters.loads)
        writer.member("passes", counters.passes)
        writer.member("errors", counters.failures)
        writer.member("refused", counters.refused)
        writer.member("bytesFromCache", counters.cachedBytes)
        writer.member("bytesFromOrigins", counters.originBytes)
        guard let summary else { return }
        writer.memberObject("recent") { writer in
            writer.member("requests", summary.count)
            writer.member("savedMicroseconds", summary.saved)
            writer.memberArray("misses") { writer in
                for (reason, count) in summary.reasons {
                    writer.object {
                        $0.member("reason", reason)
                        $0.member("requests", count)
                    }
                }
            }
            writer.memberArray("origins") { writer in
                for origin in summary.origins { writer.object { origin.write(to: &$0) } }
            }
        }
    }
}

extension RequestSummary.OriginCounts {
    func write(to writer: inout JSONWriter) {
        writer.member("origin", name)
        writer.member("requests", requests)
        writer.member("hits", hits)
        writer.member("errors", errors)
        if let mean { writer.member("meanMicroseconds", mean) }
        if waits > 0 { writer.member("slowestMicroseconds", slowest) }
    }
}

extension Table.Cell {
    /// A count of what should not be; people see it in red.
    static func bad(_ count: Int64) -> Table.Cell {
        var cell = Table.Cell.count(count)
        if count > 0 { cell.color = 31 }
        return cell
    }
}
