import Formats
import Settings
import Terminal

/// What `respite top` shows at one moment.
struct TopFrame {
    /// A table of it, with the most important rows first.
    private struct Part {
        var columns: [Table.Column]
        var rows: [[Table.Cell]]
    }

    /// A narrower screen gets no limits.
    private static let narrow = 40

    let model: TopModel
    /// Where the daemon is asked.
    let address: String

    /// Lines that are no longer than the screen is wide, and at most `height`.
    func lines(on screen: Screen, height: Int) -> [String] {
        let width = screen.width ?? .max
        let head = [headLine(width, screen), secondLine(width, screen)]
        // Each table has its titles, and an empty line above them.
        let parts = [hottest, slowest, worst].filter { !$0.rows.isEmpty }
        let shown = Array(parts.prefix(max(1, (height - head.count) / 4)))
        let rooms = Self.rooms(shown.map(\.rows.count), of: height - head.count - shown.count * 2)
        let tables = zip(shown, rooms).flatMap { part, room in [""] + Self.lines(part, room, screen) }
        return Array((head + tables).prefix(height))
    }

    /// How many rows each table gets: alike, and what one does not need is for the others.
    static func rooms(_ counts: [Int], of room: Int) -> [Int] {
        var (rooms, left) = (counts.map { _ in 0 }, room)
        while left > 0, zip(rooms, counts).contains(where: { $0 < $1 }) {
            for index in counts.indices where rooms[index] < counts[index] && left > 0 {
                rooms[index] += 1
                left -= 1
            }
        }
        return rooms
    }

    private static func lines(_ part: Part, _ room: Int, _ screen: Screen) -> [String] {
        let rows = Array(part.rows.prefix(room))
        let layout = TableLayout(Table(part.columns), rows, on: screen)
        return (layout.heading + layout.text(rows)).split(separator: "\n").map(String.init)
    }

    // MARK: Head

    /// `3.2 requests/s   81 % hits   0.4 loads/s   …`, as much as there is room for.
    private func headLine(_ width: Int, _ screen: Screen) -> String {
        let (rates, hits) = (model.rates, model.hits)
        let share = hits.of > 0 ? Table.Cell.percent(Int64(hits.count), of: Int64(hits.of)) : "-"
        let bytes = Table.Cell.readable(bytes: Int64(rates.bytes.rounded()))
        let text = Self.joined(
            [
                "\(Self.text(rates.requests)) requests/s", "\(share) hits", "\(Self.text(rates.loads)) loads/s",
                "\(bytes)/s", Plural.text(Int(model.status["connections"]?.integer ?? 0), "connection"),
                Plural.text(hits.of, "request") + " in 5 min",
            ],
            width
        )
        return screen.hasColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text
    }

    /// Memory, store and mode; or what is wrong.
    private func secondLine(_ width: Int, _ screen: Screen) -> String {
        if let fault = model.fault { return colored(fault, 31, width, screen) }
        if let note = model.note { return colored(note, 33, width, screen) }
        func use(_ name: String) -> String? {
            guard let part = model.status[name], let used = part["usedBytes"]?.integer else { return nil }
            let short = "\(name) \(Table.Cell.readable(bytes: used))"
            guard let limit = part["limitBytes"]?.integer, width >= Self.narrow else { return short }
            return "\(short) of \(Table.Cell.readable(bytes: limit))"
        }
        let mode = model.status["mode"]?.text.map { "mode \($0)" }
        return Self.joined([use("memory"), use("store"), mode, address].compactMap(\.self), width)
    }

    private func colored(_ text: String, _ color: Int, _ width: Int, _ screen: Screen) -> String {
        let text = text.count > width ? String(text.prefix(max(0, width - 1))) + "…" : text
        return screen.hasColor ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
    }

    /// The first parts that fit; the first of all is cut if it must be.
    private static func joined(_ parts: [String], _ width: Int) -> String {
        var text = String((parts.first ?? "").prefix(width))
        for part in parts.dropFirst() where text.count + 3 + part.count <= width { text += "   " + part }
        return text
    }

    /// With a decimal below 10.
    private static func text(_ rate: Double) -> String {
        let tenths = Int64((rate * 10).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : Table.Cell.readable(count: (tenths + 5) / 10)
    }

    // MARK: Tables

    private var hottest: Part {
        Part(
            columns: [
                Table.Column(title: "REQUESTS", isNumber: true),
                Table.Column(title: "HITS", width: 5, isNumber: true, rank: 1),
                Table.Column(title: "BYTES", width: 8, isNumber: true, rank: 2), Table.Column(title: "HOT URL"),
            ],
            rows: model.hottest.map { one in
                [
                    .count(Int64(one.requests)),
                    Table.Cell(Table.Cell.percent(Int64(one.hits), of: Int64(one.requests)), plain: "\(one.hits)"),
                    .bytes(one.bytes), Table.Cell(one.url),
                ]
            }
        )
    }

    private var slowest: Part {
        Part(
            columns: [
                Table.Column(title: "MEAN", width: 8, isNumber: true),
                Table.Column(title: "SLOWEST", width: 8, isNumber: true, rank: 3),
                Table.Column(title: "WAITS", isNumber: true, rank: 1),
                Table.Column(title: "ERRORS", isNumber: true, rank: 2), Table.Column(title: "ORIGIN"),
            ],
            rows: model.slowest.map { one in
                [
                    .microseconds(one.mean), .microseconds(one.slowest), .count(Int64(one.waits)),
                    .bad(Int64(one.errors)), Table.Cell(one.name),
                ]
            }
        )
    }

    private var worst: Part {
        Part(
            columns: [
                Table.Column(title: "TIME", width: 8, isNumber: true),
                Table.Column(title: "MISSES", isNumber: true, rank: 1),
                Table.Column(title: "REASON", width: 20, most: 34, rank: 2), Table.Column(title: "WORST MISS"),
            ],
            rows: model.worst.map { one in
                [
                    .microseconds(one.time), .count(Int64(one.count)), Table.Cell(one.reason), Table.Cell(one.url),
                ]
            }
        )
    }

    // MARK: For programs

    /// The most rows of a table in JSON.
    private static let mostRows = 50

    func write(to writer: inout JSONWriter) {
        let (rates, hits) = (model.rates, model.hits)
        writer.name("requestsPerSecond")
        writer.real(rates.requests)
        writer.name("loadsPerSecond")
        writer.real(rates.loads)
        writer.name("bytesPerSecond")
        writer.real(rates.bytes)
        writer.member("requests", hits.of)
        writer.member("hits", hits.count)
        writer.memberArray("hottest") { writer in
            for one in model.hottest.prefix(Self.mostRows) {
                writer.object {
                    $0.member("url", one.url)
                    $0.member("requests", one.requests)
                    $0.member("hits", one.hits)
                    $0.member("bytes", one.bytes)
                }
            }
        }
        writer.memberArray("slowest") { writer in
            for one in model.slowest.prefix(Self.mostRows) { writer.object { one.write(to: &$0) } }
        }
        writer.memberArray("worst") { writer in
            for one in model.worst.prefix(Self.mostRows) {
                writer.object {
                    $0.member("url", one.url)
                    $0.member("misses", one.count)
                    $0.member("microseconds", one.time)
                    $0.member("reason", one.reason)
                }
            }
        }
    }
}
