/// How fast the pieces of a stored stream are sent to a client.
public enum ReplayPace: Sendable, Equatable {
    /// All at once.
    case instant
    /// So many times as fast as they came; 1 is as they came.
    case speed(Double)

    /// Nil: all at once.
    var factor: Double? { if case .speed(let factor) = self, factor > 0 { factor } else { nil } }
}
