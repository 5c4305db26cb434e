import HTTPCore
public import Transforms

/// Takes all content codings off: gzip, deflate, br and zstd, in the reverse of the order they were applied.
///
/// Streams, within the limits on decoded bytes, on their ratio to the coded ones and on nested codings (H-131). Content
/// that is not whole or not valid fails with `.invalidContent`, an unknown coding with `.unsupported`. Content without
/// any byte is left as it is, whatever coding it is said to have.
public struct DecodeTransformer: StreamingTransformer {
    public init() {}

    /// For the option `decode`, which is always `all`.
    public init(option: String) throws(TransformerOptionError) {
        guard option == "all" else {
            throw TransformerOptionError("`decode` is \"all\": which codings there are is the origin's choice")
        }
    }

    public var name: String { "decode" }
    public var dependsOnRequest: Bool { false }
    public var fingerprint: String { "decode" }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        guard head.fields.contains(.contentEncoding) else { return nil }
        let codings = try ContentCoding.list(in: head.fields, limits: context.limits)
        head.fields.remove(.contentEncoding)
        guard !codings.isEmpty else { return nil }
        head.fields.remove(.contentLength)
        let account = DecodingAccount(limits: context.limits, budget: context.budget)
        let decoders = codings.reversed().enumerated()
            .map { CodingDecoder($0.element, account: account, isOutermost: $0.offset == 0) }
        return decoders.count == 1 ? decoders[0] : TransformerChain(decoders)
    }
}
