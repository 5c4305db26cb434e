import ResourceCore

/// The phase of a request; it only advances (S-119).
public enum RequestState: Int, Sendable, Comparable, CaseIterable {
    /// Made, not started.
    case notStarted
    /// Started; the result is not known.
    case inProgress
    /// It has its result, which never changes; hooks may still be due.
    case completed

    public static func < (left: RequestState, right: RequestState) -> Bool { left.rawValue < right.rawValue }
}
