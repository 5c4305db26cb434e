/// What a command received through the cache: the difference of two counts.
struct RunSummary {
    let sentence: String

    init(_ before: Result<TrafficCounts, CommandFailure>, _ after: Result<TrafficCounts, CommandFailure>) {
        switch (before, after) {
        case (.success(let before), .success(let after)): sentence = Self.sentence(before, after)
        case (.failure(let error), _), (_, .failure(let error)): sentence = "no statistics: \(error.userMessage)"
        }
    }

    private static func sentence(_ before: TrafficCounts, _ after: TrafficCounts) -> String {
        let requests = after.requests - before.requests
        let tunnels = after.tunnels - before.tunnels
        guard requests >= 0, tunnels >= 0 else { return "no statistics: the daemon was restarted in between" }
        let bytes = Int64(max(0, after.cachedBytes - before.cachedBytes))
        var text = "\(count(requests, "request")), \(count(max(0, after.hits - before.hits), "hit")), "
        text += "\(Table.Cell.readable(bytes: bytes)) saved"
        return tunnels == 0 ? text : text + "; \(count(tunnels, "tunnel")) not cached"
    }

    private static func count(_ number: Int, _ name: String) -> String { "\(number) \(name)\(number == 1 ? "" : "s")" }
}
