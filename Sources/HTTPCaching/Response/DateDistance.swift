import HTTPCore

/// How far a date is from another one, or none, in four bytes: stored responses have several dates.
struct DateDistance: Sendable, Equatable {
    private var seconds = Int32.min

    /// None also if 68 years or more lie between the two.
    init(_ date: HTTPDate?, from base: HTTPDate) {
        guard let date else { return }
        let (difference, overflow) = date.seconds.subtractingReportingOverflow(base.seconds)
        if !overflow { seconds = Int32(exactly: difference) ?? .min }
    }

    var isNone: Bool { seconds == .min }

    /// Nil for none.
    ///
    /// - Parameter base: the one the distance was taken from.
    func date(from base: HTTPDate) -> HTTPDate? {
        isNone ? nil : HTTPDate(seconds: base.seconds &+ Int64(seconds))
    }
}
