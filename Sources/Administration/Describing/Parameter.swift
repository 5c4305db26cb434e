import Formats

/// A parameter of an operation.
struct Parameter: Sendable {
    enum Place: String { case query, path, header }

    let name: String
    let place: Place
    let schema: Schema
    /// A sentence.
    let summary: String
    var isRequired = false
    /// Whether it may stand there several times.
    var isRepeatable = false
    /// The value of a request without it.
    var usual: Int?

    static func query(
        _ name: String,
        _ schema: Schema,
        _ summary: String,
        isRequired: Bool = false,
        isRepeatable: Bool = false,
        usual: Int? = nil
    ) -> Parameter {
        Parameter(
            name: name,
            place: .query,
            schema: schema,
            summary: summary,
            isRequired: isRequired,
            isRepeatable: isRepeatable,
            usual: usual
        )
    }

    static func path(_ name: String, _ summary: String) -> Parameter {
        Parameter(name: name, place: .path, schema: .text, summary: summary, isRequired: true)
    }

    static func header(_ name: String, _ summary: String) -> Parameter {
        Parameter(name: name, place: .header, schema: .text, summary: summary)
    }

    /// The values that an integer may have; nil if it is none.
    var range: ClosedRange<Int>? {
        guard case .integer(let least?, let most?) = schema, least <= most else { return nil }
        return least...most
    }

    /// Writes its members in an OpenAPI document.
    func write(to writer: inout JSONWriter) {
        writer.member("name", name)
        writer.member("in", place.rawValue)
        writer.member("description", summary)
        if isRequired { writer.member("required", true) }
        writer.memberObject("schema") { writer in
            (isRepeatable ? .list(schema) : schema).write(to: &writer)
            if let usual { writer.member("default", usual) }
        }
    }
}
