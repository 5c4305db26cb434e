import HTTPCore
import JSON
import Settings
import Terminal

/// A request that the daemon has answered, as `/v1/requests` has it.
struct AnsweredRequest: Sendable, Equatable {
    var id = ""
    /// With masked secrets, and safe to print.
    var url = ""
    /// Milliseconds since 1970 UTC.
    var time: Int64 = 0
    var status: Int64 = 0
    /// The word for what became of it, such as `hit` or `miss`.
    var outcome = ""
    /// Why it was no hit: `uri-miss`, or `uri-miss, no-store`.
    var reason = ""
    /// Microseconds.
    var duration: Int64 = 0
    /// Bytes of content sent.
    var bytes: Int64 = 0

    init() {}

    init(_ document: JSONValue) {
        id = document["id"]?.text ?? ""
        url = Console.printable(document["url"]?.text ?? "-")
        time = document["time"]?.text.flatMap(Self.milliseconds) ?? 0
        status = document["status"]?.integer ?? 0
        outcome = Console.printable(document["cache"]?.text ?? "-")
        duration = max(0, document["durationMicroseconds"]?.integer ?? 0)
        bytes = document["bytes"]?.integer ?? 0
        reason = Self.reason(document) ?? outcome
    }

    /// Whether it was answered without waiting for the origin.
    var isHit: Bool { outcome == "hit" || outcome == "stale" }

    /// Whether it waited for the origin, or was sent past the store.
    var isForwarded: Bool { ["miss", "revalidated", "collapsed", "pass", "upgrade"].contains(outcome) }

    var isError: Bool { outcome == "error" }

    /// Scheme and authority of the URL: `http://example.org`.
    var origin: String {
        guard let start = url.ranges(of: "://").first?.upperBound else { return url }
        return String(url[..<(url[start...].firstIndex { $0 == "/" || $0 == "?" } ?? url.endIndex)])
    }

    /// What Cache-Status said behind `fwd=` and `detail=`, or else the daemon's own word.
    private static func reason(_ document: JSONValue) -> String? {
        let members = (document["cacheStatus"]?.text ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        let words = ["fwd=", "detail="].compactMap { name in
            members.first { $0.hasPrefix(name) }.map { $0.dropFirst(name.count).filter { $0 != "\"" } }
        }
        let text = words.isEmpty ? document["reason"]?.text : words.joined(separator: ", ")
        return text.map(Console.printable)
    }

    /// A time such as `2023-11-14T22:13:20.123Z`.
    static func milliseconds(_ text: String) -> Int64? {
        let numbers = text.split { "-T:.Z".contains($0) }.map { Int64($0) ?? -1 }
        guard numbers.count >= 6, numbers.allSatisfy({ $0 >= 0 && $0 < 10_000 }) else { return nil }
        let (year, month) = (numbers[1] > 2 ? numbers[0] : numbers[0] - 1, (numbers[1] + 9) % 12)
        // Days since 1970 of a calendar whose years begin in March.
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + numbers[2] - 719_469
        let seconds = days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
        return seconds * 1000 + (numbers.count > 6 ? numbers[6] : 0)
    }
}
