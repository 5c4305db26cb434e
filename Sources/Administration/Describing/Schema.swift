import Formats

/// What a JSON value looks like: the part of JSON Schema that the admin API needs.
indirect enum Schema: Sendable {
    case text
    /// The text of an absolute http or https URL.
    case url
    /// One of these texts.
    case word([String])
    /// Limits are inclusive; nil: none.
    case integer(Int?, Int?)
    /// A number between 0 and 1.
    case share
    case boolean
    case list(Schema)
    /// A list of two texts, such as the name and the value of a field.
    case pair
    case object([SchemaMember])
    /// An object that may have no other members: that of a request.
    case exactObject([SchemaMember])
    /// One of these.
    case either([Schema])
    /// The value, or null.
    case nullable(Schema)
    /// Described once, under its name.
    case named(NamedSchema)
    case null
    /// Any JSON value.
    case anything

    /// A whole number that is not negative.
    static let count = Schema.integer(0, nil)
    /// Any whole number.
    static let whole = Schema.integer(nil, nil)
}

/// A member of an object.
struct SchemaMember: Sendable {
    let name: String
    let schema: Schema
    /// A sentence; empty where the name suffices.
    let summary: String
    /// Whether every such object has it.
    let isRequired: Bool

    static func required(_ name: String, _ schema: Schema, _ summary: String = "") -> SchemaMember {
        SchemaMember(name: name, schema: schema, summary: summary, isRequired: true)
    }

    static func optional(_ name: String, _ schema: Schema, _ summary: String = "") -> SchemaMember {
        SchemaMember(name: name, schema: schema, summary: summary, isRequired: false)
    }
}

/// A schema with a name, which the document describes once.
struct NamedSchema: Sendable {
    let name: String
    let summary: String
    let schema: Schema

    init(_ name: String, _ summary: String, _ members: [SchemaMember]) {
        self.init(name, summary, of: .object(members))
    }

    init(_ name: String, _ summary: String, of schema: Schema) {
        self.name = name
        self.summary = summary
        self.schema = schema
    }
}

// MARK: Writing

extension Schema {
    /// Writes the members of its JSON Schema (draft 2020-12).
    func write(to writer: inout JSONWriter) {
        switch self {
        case .text: writer.member("type", "string")
        case .url:
            writer.member("type", "string")
            writer.member("format", "uri")
            writer.member("pattern", "^[Hh][Tt][Tt][Pp][Ss]?://")
        case .word(let words):
            writer.member("type", "string")
            writer.memberArray("enum") { writer in for word in words { writer.text(word) } }
        case .integer(let least, let most):
            writer.member("type", "integer")
            if let least { writer.member("minimum", least) }
            if let most { writer.member("maximum", most) }
        case .share:
            writer.member("type", "number")
            writer.member("minimum", 0)
            writer.member("maximum", 1)
        case .boolean: writer.member("type", "boolean")
        case .list(let element): Self.writeList(of: element, to: &writer)
        case .pair:
            Self.writeList(of: .text, to: &writer)
            writer.member("minItems", 2)
            writer.member("maxItems", 2)
        case .object(let members): Self.write(members, to: &writer)
        case .exactObject(let members):
            Self.write(members, to: &writer)
            writer.member("additionalProperties", false)
        case .either(let choices): Self.write(choices, as: "oneOf", to: &writer)
        case .nullable(let schema): Self.write([schema, .null], as: "anyOf", to: &writer)
        case .named(let named): writer.member("$ref", "#/components/schemas/\(named.name)")
        case .null: writer.member("type", "null")
        case .anything: break
        }
    }

    private static func writeList(of element: Schema, to writer: inout JSONWriter) {
        writer.member("type", "array")
        writer.memberObject("items") { element.write(to: &$0) }
    }

    private static func write(_ choices: [Schema], as name: String, to writer: inout JSONWriter) {
        writer.memberArray(name) { writer in for choice in choices { writer.object { choice.write(to: &$0) } } }
    }

    private static func write(_ members: [SchemaMember], to writer: inout JSONWriter) {
        writer.member("type", "object")
        writer.memberObject("properties") { writer in
            for member in members {
                writer.memberObject(member.name) { writer in
                    member.schema.write(to: &writer)
                    if !member.summary.isEmpty { writer.member("description", member.summary) }
                }
            }
        }
        let required = members.filter(\.isRequired)
        guard !required.isEmpty else { return }
        writer.memberArray("required") { writer in for member in required { writer.text(member.name) } }
    }

    /// The named schemas that it refers to.
    var references: [NamedSchema] {
        switch self {
        case .text, .url, .word, .integer, .share, .boolean, .pair, .anything, .null: []
        case .list(let schema), .nullable(let schema): schema.references
        case .either(let choices): choices.flatMap(\.references)
        case .object(let members), .exactObject(let members): members.flatMap(\.schema.references)
        case .named(let named): [named]
        }
    }
}
