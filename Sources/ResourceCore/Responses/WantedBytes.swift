/// Bytes of one representation that a response in progress still needs (C-22.1).
public struct WantedBytes: Sendable {
    /// Positions in the representation; never empty.
    public let range: Range<Int64>
    /// What the response says about its representation.
    public let response: StoredResponse
    /// How many bytes to ask the origin for at a time, if no other request loads any.
    public let step: Int64

    public init(_ range: Range<Int64>, of response: StoredResponse, step: Int64) {
        (self.range, self.response, self.step) = (range, response, step)
    }

    /// A load that is so close to the first byte is waited for, whatever its speed.
    static let patience: Int64 = 256 << 10
    /// How many bytes to ask for at a time while other requests load parts, too.
    public static let shortStep: Int64 = 1 << 20
    /// How many bytes to ask for at a time at most.
    public static let longStep: Int64 = 16 << 20
}
