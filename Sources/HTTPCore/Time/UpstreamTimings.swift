/// How long the parts of a request to an origin took, in nanoseconds.
///
/// A part is nil if there was none; the last part of a failed attempt lasts until it failed. A connection that was kept
/// has no look-up, no connect and no handshake.
public struct UpstreamTimings: Sendable, Equatable {
    /// The wait for a place among the connections to the origin.
    public var queue: Int64?
    /// The look-up of the name, or of the parent proxy's.
    public var name: Int64?
    /// From the addresses to the connection, with what a parent proxy was asked.
    public var connect: Int64?
    /// The handshake of TLS.
    public var handshake: Int64?
    /// From the request to the head of the response.
    public var firstByte: Int64?

    public init() {}
}
