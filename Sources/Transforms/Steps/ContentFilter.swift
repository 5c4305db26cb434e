/// Changes content piece by piece; used by one thread at a time, and not after a throw.
public protocol ContentFilter: AnyObject {
    /// Nothing comes out before the end: the whole content is needed, and the head is held back until then.
    var needsWholeContent: Bool { get }

    /// Takes bytes off `input` and appends at most about `room` bytes to `output` (64 KiB more are fine).
    ///
    /// Fewer bytes are consumed than given, or more is to come, only when room ran out: the driver then calls again with
    /// the rest, perhaps empty, before there is new input.
    func transform(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(TransformFailure) -> TransformProgress

    /// The input has ended; true asks to be called again, since more is to come.
    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool
}

/// How far one call of `ContentFilter.transform` came.
public struct TransformProgress: Sendable, Equatable {
    /// Bytes taken off the input.
    public var consumed: Int
    /// There is output left that did not fit.
    public var hasMore: Bool

    public init(consumed: Int, hasMore: Bool = false) {
        self.consumed = consumed
        self.hasMore = hasMore
    }
}
