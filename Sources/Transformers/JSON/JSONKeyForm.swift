import Formats
import HTTPCore
import Transforms

/// Makes the text of a JSON value by which requests with the same meaning are found.
///
/// The order of members, white space and escapes in strings do not count; numbers count as they are written. Members of
/// one name stay in their order, since readers differ in which one they use. The text is JSON, but `_` stands for an
/// element of an array that does not count.
public struct JSONKeyForm: Sendable {
    private let ignored: [JSONQuery]
    private let only: [JSONQuery]
    private let depthLimit: Int
    /// Names the paths, for people and keys; empty if there are none.
    let pathsName: String
    /// For people and keys.
    public var name: String { "json" + pathsName }

    /// - Parameters:
    ///   - ignored: paths (RFC 9535) or pointers (RFC 6901) of values that do not count.
    ///   - only: those of values that count; empty: all.
    ///   - depthLimit: how deep arrays and objects may be nested.
    public init(
        ignoring ignored: [String] = [],
        only: [String] = [],
        depthLimit: Int = 128
    ) throws(JSONOptionError) {
        self.ignored = try Self.queries(ignored)
        self.only = try Self.queries(only)
        self.depthLimit = depthLimit
        let parts = [("without", ignored), ("only", only)].filter { !$0.1.isEmpty }
        pathsName = parts.map { ", \($0) \($1.joined(separator: " "))" }.joined()
    }

    private static func queries(_ paths: [String]) throws(JSONOptionError) -> [JSONQuery] {
        var queries: [JSONQuery] = []
        for (index, path) in paths.enumerated() {
            do throws(JSONPathError) {
                queries.append(try JSONQuery(parsing: path))
            } catch {
                throw JSONOptionError(error.userMessage, pathIndex: index, column: error.column)
            }
        }
        return queries
    }

    /// The text of `content`; nil if that is not JSON, nested too deep, or ambiguous for a filter in a path.
    public func text(of content: [UInt8]) -> [UInt8]? {
        document(content).flatMap { text(of: $0) }
    }

    /// Parses `content`; nil if that is not JSON or nested too deep.
    func document(_ content: [UInt8]) -> JSONDocument? {
        var meter = WorkMeter(TransformBudget())
        return try? JSONDocument(copying: content.span, depthLimit: depthLimit, meter: &meter)
    }

    /// - Parameters:
    ///   - replacement: a string that stands for the value of a node.
    ///   - others: further nodes that do not count.
    func text(
        of document: JSONDocument,
        replacing replacement: (node: Int, string: [UInt8])? = nil,
        omitting others: [Int] = []
    ) -> [UInt8]? {
        guard var omitted = try? omissions(in: document) else { return nil }
        for node in others { omitted[node] = true }
        var text: [UInt8] = []
        text.reserveCapacity(document.bytes.count)
        JSONKeyWriter(document, omitting: omitted, replacing: replacement).append(0, to: &text)
        return text
    }

    /// Whether each node does not count.
    private func omissions(in document: JSONDocument) throws(TransformFailure) -> [Bool] {
        let meter = WorkMeter(TransformBudget())
        let count = document.nodes.count
        var omitted = [Bool](repeating: !only.isEmpty, count: count)
        var evaluation = JSONEvaluation(document, repetition: .all, meter: meter)
        for query in only { for node in try evaluation.nodes(query) { keep(Int(node), in: document, &omitted) } }
        for query in ignored { for node in try evaluation.nodes(query) { omitted[Int(node)] = true } }
        return omitted
    }

    /// Keeps a node, its descendants, and the containers that lead to it.
    private func keep(_ node: Int, in document: JSONDocument, _ omitted: inout [Bool]) {
        for inner in node..<document.next(of: node) { omitted[inner] = false }
        // Each step enters the child that contains the node.
        var container = 0
        while container < node {
            omitted[container] = false
            var child = container + 1
            while document.next(of: child) <= node { child = document.next(of: child) }
            container = child
        }
    }
}

/// Writes the text of one document.
private struct JSONKeyWriter {
    private let document: JSONDocument
    private let omitted: [Bool]
    private let replacement: (node: Int, string: [UInt8])?

    init(
        _ document: JSONDocument,
        omitting omitted: [Bool],
        replacing replacement: (node: Int, string: [UInt8])?
    ) {
        self.document = document
        self.omitted = omitted
        self.replacement = replacement
    }

    /// Appends a value; the depth of the document is limited, and so is that of this recursion.
    func append(_ node: Int, to text: inout [UInt8]) {
        if omitted[node] { return text.append(0x5F) }
        if let replacement, replacement.node == node { return appendString(replacement.string, to: &text) }
        switch document.kind(of: node) {
        case .object: appendObject(node, to: &text)
        case .array:
            text.append(0x5B)
            for (index, child) in document.children(of: node).enumerated() {
                if index > 0 { text.append(0x2C) }
                append(child, to: &text)
            }
            text.append(0x5D)
        case .string: appendString(document.string(of: node), to: &text)
        case .number, .true, .false, .null: text += document.bytes[document.range(of: node)]
        }
    }

    private func appendObject(_ node: Int, to text: inout [UInt8]) {
        let counted = document.children(of: node).filter { !omitted[$0] }
        let members = counted.map { (name: document.name(of: $0), node: $0) }
        let sorted = members.sorted { left, right in
            left.name == right.name ? left.node < right.node : left.name.lexicographicallyPrecedes(right.name)
        }
        text.append(0x7B)
        for (index, member) in sorted.enumerated() {
            if index > 0 { text.append(0x2C) }
            appendString(member.name, to: &text)
            text.append(0x3A)
            append(member.node, to: &text)
        }
        text.append(0x7D)
    }

    private func appendString(_ string: [UInt8], to text: inout [UInt8]) {
        text.append(0x22)
        for byte in string {
            switch byte {
            case 0x22, 0x5C: text += [0x5C, byte]
            case ..<0x20:
                text += "\\u00".utf8
                text += [Hexadecimal.digit(byte >> 4), Hexadecimal.digit(byte & 15)]
            default: text.append(byte)
            }
        }
        text.append(0x22)
    }
}
