import Transforms

/// Finds values in JSON texts: those of paths, and texts by the names of their members.
public struct JSONSelection: Sendable {
    private let queries: [JSONQuery]
    private let names: [JSONQuery]

    /// - Parameters:
    ///   - paths: JSONPath (RFC 9535) or pointers (RFC 6901).
    ///   - names: names of members anywhere in a text, in any case of ASCII letters. Their values count if they are
    ///     strings.
    public init(paths: [String], names: [String]) throws(JSONOptionError) {
        var queries: [JSONQuery] = []
        for (index, path) in paths.enumerated() {
            do throws(JSONPathError) {
                queries.append(try JSONQuery(parsing: path))
            } catch {
                throw JSONOptionError(error.userMessage, pathIndex: index, column: error.column)
            }
        }
        self.queries = queries
        self.names = names.map { name in
            let selector = JSONSelector.name(Array(name.utf8))
            return JSONQuery(segments: [JSONSegment(isDescendant: true, selectors: [selector])], isAbsolute: true)
        }
    }

    /// The ranges of the values in a text, ascending, none of which is inside another; nil if the text is not JSON.
    ///
    /// The whole text counts where a filter cannot be evaluated, since a name repeats in an object.
    public func ranges(in text: [UInt8]) -> [Range<Int>]? {
        var meter = WorkMeter(TransformBudget())
        guard let document = try? JSONDocument(copying: text.span, depthLimit: 128, meter: &meter) else { return nil }
        guard let nodes = try? nodes(in: document, meter) else { return [document.range(of: 0)] }
        var ranges: [Range<Int>] = []
        for node in nodes {
            let range = document.range(of: Int(node))
            if range.lowerBound >= ranges.last?.upperBound ?? 0 { ranges.append(range) }
        }
        return ranges
    }

    /// The nodes that are selected, in document order.
    private func nodes(in document: JSONDocument, _ meter: WorkMeter) throws(TransformFailure) -> [UInt32] {
        var evaluation = JSONEvaluation(document, repetition: .all, ignoresCase: true, meter: meter)
        var marks = JSONNodeSet(count: document.nodes.count)
        for query in queries {
            for node in try evaluation.nodes(query) { marks.insert(Int(node)) }
        }
        for query in names {
            for node in try evaluation.nodes(query) where Self.isText(Int(node), in: document) {
                marks.insert(Int(node))
            }
        }
        return marks.nodes
    }

    /// Whether a node is a string with content.
    private static func isText(_ node: Int, in document: JSONDocument) -> Bool {
        document.kind(of: node) == .string && document.range(of: node).count > 2
    }
}
