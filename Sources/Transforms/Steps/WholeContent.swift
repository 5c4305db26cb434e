import HTTPCore

/// For transformers that need everything: collects the content, up to a limit, and changes it in one go.
public final class WholeContent: ContentFilter {
    private let limit: Int
    private let body: (Span<UInt8>) throws(TransformFailure) -> [UInt8]
    private var collected: [UInt8] = []
    private var result: [UInt8]?
    private var sent = 0

    /// - Parameters:
    ///   - limits: `wholeContent` counts.
    ///   - body: called once, with all of the content.
    public init(limits: TransformLimits, _ body: @escaping (Span<UInt8>) throws(TransformFailure) -> [UInt8]) {
        limit = limits.wholeContent
        self.body = body
    }

    public var needsWholeContent: Bool { true }

    /// Throws `.limit` as soon as the content is known to be too large.
    public func transform(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(TransformFailure) -> TransformProgress {
        guard collected.count + input.count <= limit else {
            throw TransformFailure(
                .limit,
                "the content is larger than \(limit) bytes, which a transformer may take in; see `max-transform-size`"
            )
        }
        collected.append(copying: input)
        return TransformProgress(consumed: input.count)
    }

    public func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        if result == nil {
            let whole = collected
            collected = []
            result = try body(whole.span)
        }
        guard let result else { return false }
        let end = min(result.count, sent + max(1, room))
        output.append(contentsOf: result[sent..<end])
        sent = end
        return sent < result.count
    }
}
