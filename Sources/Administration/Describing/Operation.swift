import HTTPCore

/// What a route does for one method.
struct Operation: Sendable {
    let method: Method
    /// Its name for programs: the `operationId`.
    let name: String
    /// A sentence.
    let summary: String
    let need: TokenNeed
    var parameters: [Parameter] = []
    var content: RequestContent?
    /// Successes, and the problems that only this operation has.
    var responses: [DescribedResponse]
    /// Whether a session is not enough, whatever it may do.
    var refusesSessions = false

    static func get(
        _ name: String,
        _ summary: String,
        _ need: TokenNeed,
        _ parameters: [Parameter] = [],
        responses: [DescribedResponse]
    ) -> Operation {
        Operation(
            method: .get,
            name: name,
            summary: summary,
            need: need,
            parameters: parameters,
            responses: responses
        )
    }

    /// An operation that changes something, so that it needs the admin token or a session that has its right.
    static func change(
        _ method: Method,
        _ name: String,
        _ summary: String,
        _ parameters: [Parameter] = [],
        content: RequestContent? = nil,
        responses: [DescribedResponse]
    ) -> Operation {
        Operation(
            method: method,
            name: name,
            summary: summary,
            need: .all,
            parameters: parameters,
            content: content,
            responses: responses
        )
    }

    /// The parameters of the query.
    var queryParameters: [Parameter] { parameters.filter { $0.place == .query } }

    /// All its responses, by status: its own, and the responses of every such operation.
    var allResponses: [DescribedResponse] {
        let own = Set(responses.map(\.status))
        return (responses + commonProblems.filter { !own.contains($0.status) }).sorted { $0.status < $1.status }
    }

    private var commonProblems: [DescribedResponse] {
        var problems: [DescribedResponse] = [.badRequest, .forbidden, .misdirected, .longTarget, .longHead, .busy]
        if need != .none { problems.append(method == .get ? .loginNeeded : .unauthorized) }
        if let content {
            problems += [.slow, .largeContent]
            if case .json = content { problems.append(.notJSON) }
        }
        return problems
    }
}

/// The content that a request must have.
enum RequestContent: Sendable {
    case json(NamedSchema)
    /// Content of any type, which may be empty; the sentence describes it.
    case data(String)
}

/// One response of an operation.
struct DescribedResponse: Sendable {
    let status: UInt16
    /// When there is this response, or what it has.
    let summary: String
    /// The media types, with the schema of what is JSON.
    var contents: [(type: String, schema: Schema?)]

    static func json(_ schema: NamedSchema, _ summary: String? = nil) -> DescribedResponse {
        DescribedResponse(
            status: 200,
            summary: summary ?? schema.summary,
            contents: [("application/json", .named(schema))]
        )
    }

    /// Content that is not JSON.
    static func plain(_ types: String..., status: UInt16 = 200, summary: String) -> DescribedResponse {
        DescribedResponse(status: status, summary: summary, contents: types.map { ($0, nil) })
    }

    /// A response without content.
    static func empty(_ status: UInt16, _ summary: String) -> DescribedResponse {
        DescribedResponse(status: status, summary: summary, contents: [])
    }

    static func problem(_ status: UInt16, _ summary: String) -> DescribedResponse {
        DescribedResponse(
            status: status,
            summary: summary,
            contents: [("application/problem+json", .named(.problem))]
        )
    }
}
