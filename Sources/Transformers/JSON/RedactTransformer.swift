public import Transforms

/// Replaces each value that one of several paths finds by a string; every other byte stays as it is.
///
/// All members of one name are replaced, whichever a reader would take. What is not JSON, or cannot be judged, fails: an
/// object with members of one name that a filter looks at, a pattern in the content that is none. Finding nothing is no
/// failure. Empty content stays empty (S-252).
public struct RedactTransformer: StreamingTransformer {
    private let paths: [String]
    private let queries: [JSONQuery]
    private let replacement: String
    private let ignoreCase: Bool

    /// - Parameters:
    ///   - paths: JSONPath (RFC 9535), or pointers (RFC 6901); at least one.
    ///   - replacement: what the string in place of a value says.
    ///   - ignoreCase: whether `$..token` finds `Token` and `TOKEN`, too; ASCII letters.
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
            let places = try places(in: document, meter: meter)
            var output = JSONOutput(limits)
            var done = 0
            for place in places {
                let range = document.range(of: Int(place))
                // Inside of a value that is replaced already.
                if range.lowerBound < done { continue }
                try output.append(document.bytes[done..<range.lowerBound])
                try output.append(quoted)
                done = range.upperBound
            }
            try output.append(document.bytes[done...])
            return output.bytes
        }
    }

    /// What any of the paths finds, in the order of the document.
    private func places(in document: JSONDocument, meter: WorkMeter) throws(TransformFailure) -> [UInt32] {
        var evaluation = JSONEvaluation(document, repetition: .all, ignoresCase: ignoreCase, meter: meter)
        var marks = JSONPlaceSet(count: document.nodes.count)
        for query in queries {
            for place in try evaluation.places(query) { marks.insert(Int(place)) }
        }
        return marks.places
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
