import HTTPCore
public import Transforms

/// Removes all content codings (gzip, deflate, br, zstd), in the reverse of the order they were applied.
///
/// It streams, within the limits on decoded bytes, on their ratio to the coded bytes and on nested codings (H-131). It
/// fails with `.invalidContent` for incomplete or invalid content, and with `.unsupported` for an unknown coding.
/// Content without any bytes stays as it is, whatever coding it declares.
public struct DecodeTransformer: StreamingTransformer {
    public init() {}

    /// - Parameter option: the value of `decode`, which is always `all`.
    public init(option: String) throws(TransformerOptionError) {
        guard option == "all" else {
            throw TransformerOptionError("`decode` must be \"all\": the origin chooses the codings")
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
