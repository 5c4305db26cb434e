/// Changes content piece by piece.
///
/// It is used by one thread at a time, and not after it has thrown.
public protocol ContentFilter: AnyObject {
    /// Whether the filter has no output before the input ends. The head is then held back until the end.
    var needsWholeContent: Bool { get }

    /// Consumes bytes of `input` and appends about `room` bytes to `output`; up to 64 KiB more are fine.
    ///
    /// It may consume less than all of `input`, or report more output, only when room ran out. The driver then calls
    /// again with the rest, which may be empty, before there is new input.
    func transform(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(TransformFailure) -> TransformProgress

    /// Ends the input; returns true if there is more output: the driver then calls again.
    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool
}

/// The progress of one call of `ContentFilter.transform`.
public struct TransformProgress: Sendable, Equatable {
    /// The number of bytes consumed from the input.
    public var consumed: Int
    /// Whether some output did not fit.
    public var hasMore: Bool

    public init(consumed: Int, hasMore: Bool = false) {
        self.consumed = consumed
        self.hasMore = hasMore
    }
}
