public import Transforms

/// Puts what a path finds in place of the content, each value with its exact text.
///
/// A path that can find one value at most (a pointer, or a singular query such as `$.a[0]`) gives that value, and fails
/// if there is none. All others give an array of what they find, perhaps an empty one. Of members of one name the last
/// counts. Empty content stays empty (S-252).
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
            let places = try evaluation.places(query)
            var output = JSONOutput(limits)
            if query.isSingular {
                guard let place = places.first else {
                    throw TransformFailure(.invalidContent, "the path selects nothing")
                }
                try output.append(document.bytes[document.range(of: Int(place))])
            } else {
                try Self.write(places, of: document, to: &output)
            }
            return output.bytes
        }
    }

    private static func write(
        _ places: [UInt32],
        of document: JSONDocument,
        to output: inout JSONOutput
    ) throws(TransformFailure) {
        try output.append(CollectionOfOne(0x5B))
        var isFirst = true
        for place in places {
            if !isFirst { try output.append(CollectionOfOne(0x2C)) }
            isFirst = false
            try output.append(document.bytes[document.range(of: Int(place))])
        }
        try output.append(CollectionOfOne(0x5D))
    }
}
