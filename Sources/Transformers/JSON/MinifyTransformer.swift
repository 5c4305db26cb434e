import Formats
public import Transforms

/// Takes the white space between tokens away; every token keeps its exact text.
///
/// Streams, and fails where the content turns out not to be JSON. A byte order mark goes too. Empty content stays empty
/// (S-252).
public struct MinifyTransformer: StreamingTransformer {
    public init() {}

    public var name: String { "json minify" }
    public var fingerprint: String { "json minify 1" }
    public var needsDecodedContent: Bool { true }
    public var dependsOnRequest: Bool { false }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        JSONRewriter(MinifiedLayout(), context)
    }
}

/// Tokens and nothing between them.
struct MinifiedLayout: JSONLayout {
    func writeSpace(before token: JSONToken, to output: inout [UInt8]) {}
}
