/// Bounds of one run of a pipeline (H-131).
public struct TransformLimits: Sendable, Equatable {
    /// The number of bytes that a transformer may collect if it needs the whole content.
    public var wholeContent = 8 * 1024 * 1024
    /// The number of bytes that decoding may produce; 0 or less for any number.
    public var decodedContent: Int64 = 64 * 1024 * 1024
    /// The number of decoded bytes allowed for each coded byte, checked beyond 1 MiB of decoded content; 0 or less for
    /// any number.
    public var ratio = 100
    /// The number of content codings that may be nested.
    public var codings = 2
    /// The depth to which arrays and objects in JSON may be nested.
    public var jsonDepth = 128
    /// The working time of a run, without the time spent waiting for content or for readers.
    public var time = Duration.seconds(10)

    public init() {}
}
