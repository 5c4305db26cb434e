import HTTPCore

/// The source of a freshness lifetime; the raw value is the word for people.
public enum LifetimeSource: String, Sendable {
    case sMaxAge = "s-maxage"
    case maxAge = "max-age"
    case expires
    case heuristic
    /// A rule, which replaces the origin's lifetime.
    case rule
    /// No lifetime is stated, and none may be guessed.
    case none

    /// Whether the origin states it.
    public var isExplicit: Bool {
        switch self {
        case .sMaxAge, .maxAge, .expires: true
        case .heuristic, .rule, .none: false
        }
    }
}

/// How long a response is fresh (RFC 9111 §4.2.1).
struct Lifetime: Sendable, Equatable {
    var seconds: Int64
    var source: LifetimeSource

    init(seconds: Int64, source: LifetimeSource) {
        self.seconds = seconds
        self.source = source
    }

    /// Uses the first of these that exists: `s-maxage`, `max-age`, Expires minus Date, the heuristic.
    init(
        governing: GoverningControl,
        status: UInt16,
        dates: ResponseDates,
        options: borrowing CachingOptions
    ) {
        if let stated = governing.control.sMaxAgeSeconds {
            seconds = stated
            source = .sMaxAge
        } else if let stated = governing.control.maxAgeSeconds {
            seconds = stated
            source = .maxAge
        } else if dates.hasExpires, governing.targetedField == nil {
            // Both from the origin's clock; an invalid date is in the past.
            seconds = dates.expires.map { DeltaSeconds.between(dates.date.seconds, $0.seconds) } ?? 0
            source = .expires
        } else if let guess = Self.heuristic(governing.control, status, dates, options) {
            seconds = guess
            source = .heuristic
        } else {
            seconds = 0
            source = .none
        }
    }

    /// A part of the time since the last modification (RFC 9111 §4.2.2).
    private static func heuristic(
        _ control: CacheControl,
        _ status: UInt16,
        _ dates: ResponseDates,
        _ options: borrowing CachingOptions
    ) -> Int64? {
        guard let lastModified = dates.lastModified else { return nil }
        guard StatusCodes.isHeuristicallyCacheable(status) || control.flags.contains(.isPublic) else { return nil }
        let unchanged = DeltaSeconds.between(lastModified.seconds, dates.date.seconds)
        let share = Double(unchanged) * min(max(0, options.heuristicFraction), 1)
        guard share.isFinite else { return nil }
        return min(Int64(share), DeltaSeconds.clamped(options.heuristicLimitSeconds))
    }
}

/// The dates of a response.
struct ResponseDates {
    /// Date, or the time of receipt where it is missing or invalid.
    var date: HTTPDate
    /// Whether there is a valid Date.
    var hasDate: Bool
    var hasExpires: Bool
    /// Nil also if invalid.
    var expires: HTTPDate?
    var lastModified: HTTPDate?

    init(_ fields: borrowing Fields, receivedAt: HTTPDate) {
        let given = Self.date(.date, fields, receivedAt)
        date = given ?? receivedAt
        hasDate = given != nil
        hasExpires = fields.contains(.expires)
        expires = Self.date(.expires, fields, receivedAt)
        lastModified = Self.date(.lastModified, fields, receivedAt)
    }

    /// The value of a date field; nil if it is invalid, or has several lines.
    static func date(_ field: KnownField, _ fields: Fields, _ now: HTTPDate) -> HTTPDate? {
        guard fields.count(of: field) == 1 else { return nil }
        return fields.withValue(of: field) { HTTPDate(parsing: $0, now: now) } ?? nil
    }
}
