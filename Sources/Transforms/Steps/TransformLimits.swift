/// Bounds of one run of a pipeline (H-131).
public struct TransformLimits: Sendable, Equatable {
    /// Bytes a transformer may take in that needs the whole content.
    public var wholeContent = 8 * 1024 * 1024
    /// Bytes that decoding may produce; 0 or less: any number.
    public var decodedContent: Int64 = 64 * 1024 * 1024
    /// Decoded bytes for each coded one, judged once more than 1 MiB is decoded; 0 or less: any number.
    public var ratio = 100
    /// Content codings that may be nested.
    public var codings = 2
    /// Nesting of arrays and objects in JSON.
    public var jsonDepth = 128
    /// Working time of a run; time spent waiting for content or for readers does not count.
    public var time = Duration.seconds(10)

    public init() {}
}
