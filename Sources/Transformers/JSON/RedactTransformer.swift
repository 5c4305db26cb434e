public import Transforms

/// Replaces each value that one of several paths finds by a string; all other bytes stay as they are.
///
/// If a name repeats in an object, all its members are replaced, since readers differ in which one they use. Finding
/// nothing is not a failure. Empty content stays empty (S-252).
///
/// The transformer fails if the content is not JSON, or if it is ambiguous. It is ambiguous if a filter looks at an
/// object in which a name repeats, or if the content has an invalid pattern.
public struct RedactTransformer: StreamingTransformer {
    private let paths: [String]
    private let queries: [JSONQuery]
    private let replacement: String
    private let ignoreCase: Bool

    /// - Parameters:
    ///   - paths: JSONPath (RFC 9535) or pointers (RFC 6901), at least one.
    ///   - replacement: the value of the string that replaces each value.
    ///   - ignoreCase: whether `$..token` also finds `Token` and `TOKEN`; applies to ASCII letters.
    public init(
        paths: [String],
        replacement: String = "[redacted]",
        ignoreCase: Bool = false
    ) throws(JSONOptionError) {
        guard !paths.isEmpty else { throw JSONOptionError("a redaction needs at least one path") }
        var queries: [JSONQuery] = []
        for (index, path) in paths.enumerated() {
            do throws(JSONPathError) {
                queries.append(try JSONQuery(parsing: path))
            } catch {
                throw JSONOptionError(error.userMessage, pathIndex: index, column: error.column)
            }
        }
        self.paths = paths
        self.queries = queries
        self.replacement = replacement
        self.ignoreCase = ignoreCase
    }

    public var name: String { "redact" }
    public var fingerprint: String {
        "redact 1\(ignoreCase ? "i" : "") " + ([replacement] + paths).map { "\($0.utf8.count):\($0)" }.joined()
    }
    public var needsDecodedContent: Bool { true }
    public var dependsOnRequest: Bool { false }
    public var isRedaction: Bool { true }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        let limits = context.limits
        return WholeContent(limits: limits) { [self] content throws(TransformFailure) in
            if content.isEmpty { return [] }
            var meter = WorkMeter(context.budget)
            let document = try JSONDocument(copying: content, depthLimit: limits.jsonDepth, meter: &meter)
            let nodes = try nodes(in: document, meter: meter)
            var output = JSONOutput(limits)
            var done = 0
            for node in nodes {
                let range = document.range(of: Int(node))
                // The value is inside one that is replaced already.
                if range.lowerBound < done { continue }
                try output.append(document.bytes[done..<range.lowerBound])
                try output.append(quoted)
                done = range.upperBound
            }
            try output.append(document.bytes[done...])
            return output.bytes
        }
    }

    /// The nodes that any of the paths finds, in document order.
    private func nodes(in document: JSONDocument, meter: WorkMeter) throws(TransformFailure) -> [UInt32] {
        var evaluation = JSONEvaluation(document, repetition: .all, ignoresCase: ignoreCase, meter: meter)
        var marks = JSONNodeSet(count: document.nodes.count)
        for query in queries {
            for node in try evaluation.nodes(query) { marks.insert(Int(node)) }
        }
        return marks.nodes
    }

    /// The replacement as JSON text.
    private var quoted: [UInt8] {
        var text: [UInt8] = [0x22]
        for byte in replacement.utf8 {
            switch byte {
            case 0x22, 0x5C: text.append(contentsOf: [0x5C, byte])
            case ..<0x20:
                let digits = String(byte, radix: 16)
                text.append(contentsOf: "\\u00\(byte < 0x10 ? "0" : "")\(digits)".utf8)
            default: text.append(byte)
            }
        }
        text.append(0x22)
        return text
    }
}
