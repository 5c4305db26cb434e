import HTTPCore

/// How long origins took to begin their latest responses: a look-up should take much less.
struct OriginTimes {
    fileprivate struct Samples {
        var latest: [Duration] = []
        var next = 0
        /// Nil: there are too few.
        var median: Duration?
    }

    /// How many times of an origin make a median.
    static let count = 16
    /// The most origins; with one more, all are forgotten.
    private static let limit = 1_024

    private var origins: [Origin: Samples] = [:]

    /// Nil: it is not known.
    func median(of origin: Origin) -> Duration? { origins[origin]?.median }

    /// Notes the time from the request to the head of the response.
    mutating func note(_ time: Duration, of origin: Origin) {
        if origins.count >= Self.limit, origins[origin] == nil { origins = [:] }
        origins[origin, default: Samples()].note(time)
    }
}

extension OriginTimes.Samples {
    fileprivate mutating func note(_ time: Duration) {
        if latest.count < OriginTimes.count {
            latest.append(time)
        } else {
            latest[next] = time
            next = (next + 1) % latest.count
        }
        if latest.count == OriginTimes.count { median = latest.sorted()[latest.count / 2] }
    }
}
