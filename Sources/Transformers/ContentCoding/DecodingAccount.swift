import Transforms

/// Counts the input and output of decoding one response, against its limits (H-131).
///
/// All codings of the response share it.
final class DecodingAccount {
    private let limits: TransformLimits
    private let budget: TransformBudget
    /// Steps since the last look at the clock.
    private var steps = 0
    /// The number of bytes consumed of the content as received.
    var coded: Int64 = 0

    init(limits: TransformLimits, budget: TransformBudget) {
        self.limits = limits
        self.budget = budget
    }

    /// Checks the output of one coding so far: an inner coding must not expand without limit either.
    func judge(decoded: Int64) throws(TransformFailure) {
        steps += 1
        if steps & 63 == 0 { try budget.check() }
        if limits.decodedContent > 0, decoded > limits.decodedContent {
            throw TransformFailure(
                .limit,
                "the decoded content is larger than \(limits.decodedContent) bytes; see `decoded-size`"
            )
        }
        guard limits.ratio > 0, decoded > 1024 * 1024 else { return }
        if decoded / Int64(limits.ratio) > coded {
            throw TransformFailure(
                .limit,
                "more than \(limits.ratio) bytes are decoded from each coded one; see `decoded-ratio`"
            )
        }
    }
}
