/// What some requests have in common: why they were no hits, which origins they needed, how much time hits saved.
struct RequestSummary {
    /// What one origin did.
    struct OriginCounts: Equatable {
        var name: String
        var requests = 0
        var hits = 0
        var errors = 0
        /// Requests that waited for it, and how long all of them together did, in microseconds.
        var waits = 0
        var waited: Int64 = 0
        var slowest: Int64 = 0

        var mean: Int64? { waits > 0 ? waited / Int64(waits) : nil }
    }

    private(set) var count = 0
    /// Requests that were no hits by their reasons, the most frequent first.
    private(set) var reasons: [(reason: String, count: Int)] = []
    /// The origins with the most requests first.
    private(set) var origins: [OriginCounts] = []
    /// An estimate in microseconds: what the hits would have taken if their URL, or else their origin, had been loaded.
    private(set) var saved: Int64 = 0

    init(_ requests: some Sequence<AnsweredRequest>) {
        var reasons: [String: Int] = [:]
        var origins: [String: OriginCounts] = [:]
        var loads: [String: (count: Int64, time: Int64)] = [:]
        for request in requests {
            count += 1
            if request.isForwarded || request.isError { reasons[request.reason, default: 0] += 1 }
            guard request.url.contains("://") else { continue }
            origins[request.origin, default: OriginCounts(name: request.origin)].add(request)
            guard request.isForwarded else { continue }
            let load = loads[request.url] ?? (0, 0)
            loads[request.url] = (load.count + 1, load.time + request.duration)
        }
        for request in requests where request.isHit {
            let load = loads[request.url].map { $0.time / $0.count } ?? origins[request.origin]?.mean
            saved += max(0, (load ?? 0) - request.duration)
        }
        self.reasons = reasons.map { ($0.key, $0.value) }.sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
        self.origins = origins.values.sorted { ($1.requests, $0.name) < ($0.requests, $1.name) }
    }
}

extension RequestSummary.OriginCounts {
    fileprivate mutating func add(_ request: AnsweredRequest) {
        requests += 1
        if request.isHit { hits += 1 }
        if request.isError { errors += 1 }
        guard request.isForwarded || request.isError else { return }
        waits += 1
        waited += request.duration
        slowest = max(slowest, request.duration)
    }
}
