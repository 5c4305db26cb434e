import HTTPCore
import JSON
import Settings

/// What `respite top` knows: the requests of the last minutes, and how fast counters rise.
struct TopModel {
    /// How long a request counts.
    static let window = Duration.seconds(300)
    /// The most requests that count, the latest.
    static let mostRequests = 10_000
    /// Rates are those of so many statuses.
    private static let samples = 6

    /// What the daemon reports of itself.
    private(set) var status = JSONValue.null
    private(set) var requests: [AnsweredRequest] = []
    /// Why nothing new comes; nil: it does.
    private(set) var fault: String?
    /// Why there are no requests, if the daemon keeps none.
    private(set) var note: String?
    private var counters: [(time: MonotonicTime, counters: TrafficCounters)] = []
    /// What happened lately, before there were statuses to compare.
    private var beginning: TrafficPeriod?

    init(_ status: JSONValue, history: JSONValue, at now: MonotonicTime) {
        beginning = TrafficPeriod(1, status: status, history: history)
        note(status, at: now)
    }

    // MARK: News

    mutating func note(_ status: JSONValue, at now: MonotonicTime) {
        self.status = status
        fault = nil
        let latest = TrafficCounters(status["traffic"])
        // A daemon that was started anew counts from 0.
        if let last = counters.last, latest.requests < last.counters.requests {
            counters = []
            beginning = nil
        }
        counters.append((now, latest))
        if counters.count > Self.samples { counters.removeFirst() }
    }

    mutating func note(fault: String) {
        self.fault = fault
        counters = []
        beginning = nil
    }

    mutating func note(absence: String) {
        note = absence
        requests = []
    }

    /// Forgets the requests: the daemon is about to tell them anew.
    mutating func begin() {
        note = nil
        requests = []
    }

    /// - Parameter now: milliseconds since 1970 UTC.
    mutating func add(_ more: [AnsweredRequest], at now: Int64) {
        requests += more
        trim(at: now)
    }

    /// Forgets the requests that are too old.
    mutating func trim(at now: Int64) {
        let start = now - Self.window.components.seconds * 1000
        let old = requests.firstIndex { $0.time >= start } ?? requests.count
        requests.removeFirst(max(old, requests.count - Self.mostRequests))
    }

    // MARK: Rates

    /// What happened in a second.
    struct Rates: Equatable {
        var requests = 0.0
        var loads = 0.0
        var bytes = 0.0
    }

    var rates: Rates {
        if counters.count >= 2, let first = counters.first, let last = counters.last {
            return Self.rates(last.counters - first.counters, in: last.time - first.time)
        }
        return beginning.map { Self.rates($0.counters, in: .seconds($0.seconds)) } ?? Rates()
    }

    private static func rates(_ counters: TrafficCounters, in time: Duration) -> Rates {
        let seconds = max(0.001, Double(time.wholeNanoseconds) / 1e9)
        return Rates(
            requests: Double(counters.requests) / seconds,
            loads: Double(counters.loads + counters.passes) / seconds,
            bytes: Double(counters.cachedBytes + counters.originBytes) / seconds
        )
    }

    /// Requests and hits of the last minutes.
    var hits: (count: Int, of: Int) { (requests.count(where: \.isHit), requests.count) }

    // MARK: Tables

    struct HotURL: Equatable {
        var url: String
        var requests = 0
        var hits = 0
        var bytes: Int64 = 0
    }

    var hottest: [HotURL] {
        var found: [String: HotURL] = [:]
        // The proxy's own pages have no URL.
        for request in requests where request.url.contains("://") {
            var one = found[request.url] ?? HotURL(url: request.url)
            one.requests += 1
            one.hits += request.isHit ? 1 : 0
            one.bytes += request.bytes
            found[request.url] = one
        }
        return found.values.sorted { ($1.requests, $0.url) < ($0.requests, $1.url) }
    }

    /// The origins that requests had to wait for.
    var slowest: [RequestSummary.OriginCounts] {
        RequestSummary(requests).origins.filter { $0.waits > 0 }
            .sorted { ($1.mean ?? 0, $0.name) < ($0.mean ?? 0, $1.name) }
    }

    struct WorstMiss: Equatable {
        var url: String
        var count = 0
        /// Microseconds of all together.
        var time: Int64 = 0
        var reason = ""
    }

    /// URLs by the time that clients waited for them.
    var worst: [WorstMiss] {
        var found: [String: WorstMiss] = [:]
        for request in requests where request.isForwarded || request.isError {
            var one = found[request.url] ?? WorstMiss(url: request.url)
            one.count += 1
            one.time += request.duration
            one.reason = request.reason
            found[request.url] = one
        }
        return found.values.sorted { ($1.time, $0.url) < ($0.time, $1.url) }
    }
}
