import HTTPCore

/// An optional date as its distance from another, in four bytes: each stored response has several dates.
struct DateDistance: Sendable, Equatable {
    private var seconds = Int32.min

    /// Becomes none also if the two dates are 68 years or more apart.
    init(_ date: HTTPDate?, from base: HTTPDate) {
        guard let date else { return }
        let (difference, overflow) = date.seconds.subtractingReportingOverflow(base.seconds)
        if !overflow { seconds = Int32(exactly: difference) ?? .min }
    }

    var isNone: Bool { seconds == .min }

    /// The date; nil if there is none.
    ///
    /// - Parameter base: the date from which the distance counts.
    func date(from base: HTTPDate) -> HTTPDate? {
        isNone ? nil : HTTPDate(seconds: base.seconds &+ Int64(seconds))
    }
}
