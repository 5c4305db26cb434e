import ResourceCore

/// Where a request stands; it only goes forward (S-119).
public enum RequestState: Int, Sendable, Comparable, CaseIterable {
    /// Made, not begun.
    case notStarted
    /// Begun; what it brings is not known.
    case inProgress
    /// It has its result, which never changes; hooks may still have to be called.
    case completed

    public static func < (left: RequestState, right: RequestState) -> Bool { left.rawValue < right.rawValue }
}
