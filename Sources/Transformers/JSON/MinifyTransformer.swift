import Formats
public import Transforms

/// Removes the white space between tokens; every token keeps its exact text.
///
/// It streams, and fails as soon as the content is not JSON. It removes a byte order mark. Empty content stays empty
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

/// Writes nothing between tokens.
struct MinifiedLayout: JSONLayout {
    func writeSpace(before token: JSONToken, to output: inout [UInt8]) {}
}
