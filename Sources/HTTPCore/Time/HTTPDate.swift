/// A moment on the wall clock in whole seconds since 1970 UTC, the precision of HTTP's dates (RFC 9110 §5.6.7).
public struct HTTPDate: Sendable, Hashable, Comparable {
    public var seconds: Int64

    @inlinable public init(seconds: Int64) { self.seconds = seconds }

    @inlinable
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.seconds < right.seconds }
}
