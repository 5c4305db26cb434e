import TestSupport

extension FixedRandom {
    /// True in so many of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool { Int(next() % 100) < percent }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    mutating func pick<Element>(_ all: [Element]) -> Element { all[Int(next() % UInt64(all.count))] }
}

/// Requests and responses as they might come, with what matters to caches in them.
struct RandomMessages {
    var random: FixedRandom

    init(seed: UInt64) { random = FixedRandom(seed: seed) }

    typealias Lines = [(String, String)]

    // MARK: Requests

    mutating func request() -> Lines {
        var lines: Lines = []
        if random.chance(25) { lines.append(("Authorization", random.pick(["alice", "bob"]))) }
        if random.chance(15) { lines.append(("Cookie", random.pick(["id=1", "id=2"]))) }
        if random.chance(8) { lines.append(("X-Api-Key", random.pick(["k1", "k2"]))) }
        if random.chance(50) { lines.append(("Accept-Language", random.pick(["de, en", "en,de", "fr"]))) }
        if random.chance(40) { lines.append(("X-Kind", random.pick(["a", "b", "a,b", "a , b"]))) }
        if random.chance(35) { lines.append(("Cache-Control", random.pick(Self.wishes))) }
        if random.chance(5) { lines.append(("Pragma", "no-cache")) }
        if random.chance(20) {
            lines.append(("Range", random.pick(Self.ranges)))
            if random.chance(15) { lines.append(("If-Range", tag())) }
        }
        return lines
    }

    private static let ranges = [
        "bytes=0-3", "bytes=0-3", "bytes=0-5", "bytes=2-5", "bytes=4-", "bytes=-3", "bytes=0-0,2-3", "bytes=0-",
        "bytes=5-2",
    ]

    private static let wishes = [
        "no-cache", "max-age=0", "max-age=5", "max-age=60", "min-fresh=10", "max-stale", "max-stale=30", "max-stale=x",
        "only-if-cached", "no-store", "stale-if-error=60", "max-age=60, max-stale=20", "unknown, NO-CACHE",
        "only-if-cached, max-stale",
    ]

    // MARK: Responses

    mutating func status() -> Int {
        random.chance(70) ? 200 : random.pick([203, 204, 206, 299, 302, 404, 410, 500, 503, 504, 599, 599])
    }

    /// - Parameter now: on the wall clock.
    mutating func response(_ number: Int, now: Int) -> Lines {
        var lines: Lines = [("X-Response", "\(number)")] + freshness(now: now, usual: 65)
        if random.chance(15) { lines.append(("Age", random.pick(["5", "30", "0, 70", "70, 0", "-3", "x"]))) }
        if random.chance(45) { lines.append(("ETag", tag())) }
        if random.chance(30) { lines.append(("Last-Modified", ReferenceSyntax.date(now - random.number(1...30) * 50))) }
        if random.chance(35) { lines.append(("Vary", random.pick(Self.varies))) }
        if random.chance(7) { lines.append(("Set-Cookie", "id=\(number)")) }
        return lines
    }

    /// What a 206 says it holds; not always what it does hold, or was asked for.
    ///
    /// - Parameters:
    ///   - range: the bytes it holds.
    ///   - length: of the whole.
    mutating func contentRange(_ range: Range<Int>, length: Int) -> String {
        switch random.number(0...19) {
        case 0: "bytes \(range.lowerBound)-\(range.upperBound)/\(length)"
        case 1: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(range.upperBound - 1)"
        case 2: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length + 1)"
        case 3, 4: "bytes \(range.lowerBound)-\(range.upperBound - 1)/*"
        case 5: "lines \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
        default: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
        }
    }

    /// - Parameter offered: the tags that the request names.
    mutating func notModified(_ update: Int, offered: [String], now: Int) -> Lines {
        var lines: Lines = [("X-Update", "\(update)")] + freshness(now: now, usual: 45)
        if let one = offered.randomElement(using: &random), random.chance(75) {
            lines.append(("ETag", one))
        } else if random.chance(20) {
            lines.append(("ETag", tag()))
        }
        if random.chance(5) { lines.append(("Age", "20")) }
        return lines
    }

    private mutating func freshness(now: Int, usual: Int) -> Lines {
        var lines: Lines = []
        if random.chance(usual) {
            let count = random.number(1...3)
            lines.append(("Cache-Control", (0..<count).map { _ in random.pick(Self.controls) }.joined(separator: ", ")))
        }
        if random.chance(20) {
            lines.append(("Expires", random.chance(20) ? "0" : ReferenceSyntax.date(now + random.number(-20...60))))
        }
        if random.chance(75) {
            let date = now + random.pick([0, 0, 0, -1, -15, 10, 20])
            lines.append(("Date", random.chance(4) ? "today" : ReferenceSyntax.date(date)))
        }
        return lines
    }

    private mutating func tag() -> String { random.pick(["\"1\"", "\"2\"", "W/\"1\"", "W/\"3\""]) }

    private static let varies = ["Accept-Language", "X-Kind", "X-Kind, accept-language", "*", "X-Kind, *"]
    private static let controls = [
        "max-age=0", "max-age=10", "max-age=60", "max-age=60", "MAX-AGE=15", "max-age=\"30\"", "max-age=-5",
        "max-age=x",
        "s-maxage=20", "s-maxage=0", "no-store", "no-cache", "no-cache=\"x-other\"", "private", "public",
        "must-revalidate", "proxy-revalidate", "must-understand", "immutable", "stale-while-revalidate=30",
        "stale-if-error=40", "max-age=5, stale-if-error=60", "ext=\"a, no-store, max-age=99\"", "max-age =99",
    ]
}
