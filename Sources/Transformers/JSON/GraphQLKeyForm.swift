import Formats

/// Judges the content of a GraphQL request, and makes the text by which queries with the same meaning are found.
///
/// The content is a JSON object with a document, or the document alone. The text is that of `JSONKeyForm`, with the
/// document's text for the document. So variables, extensions and all other members count.
public struct GraphQLKeyForm: Sendable {
    public enum Content: Sendable, Equatable {
        /// Every operation of the document is a query.
        case query([UInt8])
        case mutation
        case subscription
        /// Several requests, none of them known to be anything but a query.
        case batch
        /// The server knows the document, and this content has at most a name for it.
        case unknown
        /// No GraphQL request, or nested too deep.
        case invalid
    }

    private let form: JSONKeyForm
    private let depthLimit: Int
    /// For people and keys.
    public var name: String { "graphql" + form.pathsName }

    /// - Parameters:
    ///   - ignored: paths (RFC 9535) or pointers (RFC 6901) of values in the request that do not count.
    ///   - depthLimit: how deep brackets may be nested, in the JSON and in the document.
    public init(ignoring ignored: [String] = [], depthLimit: Int = 128) throws(JSONOptionError) {
        form = try JSONKeyForm(ignoring: ignored, depthLimit: depthLimit)
        self.depthLimit = depthLimit
    }

    public func judge(_ content: [UInt8]) -> Content {
        // No GraphQL document is JSON.
        guard let json = form.document(content) else {
            return document(content).map { $0.exception ?? .query($0.text) } ?? .invalid
        }
        switch json.kind(of: 0) {
        case .object: return judge(json)
        case .array: return judge(batch: json.children(of: 0).map { request($0, in: json) })
        case .string, .number, .true, .false, .null: return .invalid
        }
    }

    private func document(_ text: [UInt8]) -> GraphQLDocument? { GraphQLDocument(text, depthLimit: depthLimit) }

    /// What one request has as its document.
    private enum Request {
        case document(GraphQLDocument, node: Int)
        case unknown
        case invalid
    }

    private func request(_ node: Int, in json: JSONDocument) -> Request {
        guard json.kind(of: node) == .object else { return .invalid }
        let queries = json.children(of: node).filter { json.hasName($0, Self.query) }
        guard let query = queries.first else { return .unknown }
        // Readers differ in which member of one name they use.
        guard queries.count == 1 else { return .invalid }
        switch json.kind(of: query) {
        case .null: return .unknown
        case .string: return document(json.string(of: query)).map { .document($0, node: query) } ?? .invalid
        case .object, .array, .number, .true, .false: return .invalid
        }
    }

    private func judge(_ json: JSONDocument) -> Content {
        switch request(0, in: json) {
        case .unknown: return .unknown
        case .invalid: return .invalid
        case .document(let document, let node):
            if let exception = document.exception { return exception }
            // As if they were not there (GraphQL over HTTP, "Request Parameters").
            let absent = json.children(of: 0).filter { member in
                json.kind(of: member) == .null && Self.optional.contains { json.hasName(member, $0) }
            }
            return form.text(of: json, replacing: (node, document.text), omitting: absent).map { .query($0) }
                ?? .invalid
        }
    }

    private func judge(batch: [Request]) -> Content {
        var isKnown = true
        var hasSubscription = false
        for request in batch {
            switch request {
            case .document(let document, _):
                if document.operations.contains(.mutation) { return .mutation }
                if document.operations.contains(.subscription) { hasSubscription = true }
            case .unknown: isKnown = false
            case .invalid: break
            }
        }
        return !isKnown ? .unknown : hasSubscription ? .subscription : .batch
    }

    private static let query = Array("query".utf8)
    private static let optional = ["operationName", "variables", "extensions"].map { Array($0.utf8) }
}

extension GraphQLDocument {
    /// What it is, unless every operation is a query.
    fileprivate var exception: GraphQLKeyForm.Content? {
        if operations.contains(.mutation) { return .mutation }
        if operations.contains(.subscription) { return .subscription }
        return operations.isEmpty ? .invalid : nil
    }
}
