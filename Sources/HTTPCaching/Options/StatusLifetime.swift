/// A lifetime for responses with some statuses.
public struct StatusLifetime: Sendable, Hashable {
    public var statuses: ClosedRange<UInt16>
    public var seconds: Int64

    public init(_ statuses: ClosedRange<UInt16>, seconds: Int64) {
        self.statuses = statuses
        self.seconds = seconds
    }
}

extension [StatusLifetime] {
    /// The lifetime of the narrowest range that has this status.
    func seconds(for status: UInt16) -> Int64? {
        filter { $0.statuses.contains(status) }.min { $0.statuses.count < $1.statuses.count }?.seconds
    }
}
