import HTTPCore

/// Collects the whole content, up to a limit, and changes it at once.
public final class WholeContent: ContentFilter {
    private let limit: Int
    private let body: (Span<UInt8>) throws(TransformFailure) -> [UInt8]
    private var collected: [UInt8] = []
    private var result: [UInt8]?
    private var sent = 0

    /// - Parameters:
    ///   - limits: only `wholeContent` is used.
    ///   - body: called once, with the whole content.
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
                "the content is larger than \(limit) bytes, the most that a transformer may collect; see `max-transform-size`"
            )
        }
        collected.append(copying: input)
        return TransformProgress(consumed: input.count)
    }

    public func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        let result = try changed()
        let end = min(result.count, sent + max(1, room))
        output.append(contentsOf: result[sent..<end])
        sent = end
        return sent < result.count
    }

    private func changed() throws(TransformFailure) -> [UInt8] {
        if let result { return result }
        let whole = collected
        collected = []
        let made = try body(whole.span)
        result = made
        return made
    }
}
