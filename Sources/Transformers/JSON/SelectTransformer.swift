public import Transforms

/// Replaces the content by the values that a path finds, each with its exact text.
///
/// A path that can find only one value returns that value, and fails if there is none. Such a path is a pointer, or a
/// singular query like `$.a[0]`. Any other path returns an array of the values it finds, which may be empty. If a name
/// repeats, its last member counts. Empty content stays empty (S-252).
public struct SelectTransformer: StreamingTransformer {
    private let path: String
    private let query: JSONQuery

    /// - Parameter path: JSONPath (RFC 9535), or a pointer (RFC 6901).
    public init(path: String) throws(JSONOptionError) {
        self.path = path
        do throws(JSONPathError) {
            query = try JSONQuery(parsing: path)
        } catch {
            throw JSONOptionError(error.userMessage, column: error.column)
        }
    }

    public var name: String { "json select" }
    public var fingerprint: String { "json select 1 \(path)" }
    public var needsDecodedContent: Bool { true }
    public var dependsOnRequest: Bool { false }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        let limits = context.limits
        return WholeContent(limits: limits) { [query] content throws(TransformFailure) in
            if content.isEmpty { return [] }
            var meter = WorkMeter(context.budget)
            let document = try JSONDocument(copying: content, depthLimit: limits.jsonDepth, meter: &meter)
            var evaluation = JSONEvaluation(document, repetition: .last, meter: meter)
            let nodes = try evaluation.nodes(query)
            var output = JSONOutput(limits)
            if query.isSingular {
                guard let node = nodes.first else {
                    throw TransformFailure(.invalidContent, "the path selects nothing")
                }
                try output.append(document.bytes[document.range(of: Int(node))])
            } else {
                try Self.write(nodes, of: document, to: &output)
            }
            return output.bytes
        }
    }

    private static func write(
        _ nodes: [UInt32],
        of document: JSONDocument,
        to output: inout JSONOutput
    ) throws(TransformFailure) {
        try output.append(CollectionOfOne(0x5B))
        var isFirst = true
        for node in nodes {
            if !isFirst { try output.append(CollectionOfOne(0x2C)) }
            isFirst = false
            try output.append(document.bytes[document.range(of: Int(node))])
        }
        try output.append(CollectionOfOne(0x5D))
    }
}
