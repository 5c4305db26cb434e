import Transforms

/// What the decoding of one response took and made, against its limits (H-131); shared by all its codings.
final class DecodingAccount {
    private let limits: TransformLimits
    private let budget: TransformBudget
    /// Steps since the time was looked at.
    private var steps = 0
    /// Bytes taken off the content as it was received.
    var coded: Int64 = 0

    init(limits: TransformLimits, budget: TransformBudget) {
        self.limits = limits
        self.budget = budget
    }

    /// Judges how much one coding made so far: an inner one must not explode either.
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
