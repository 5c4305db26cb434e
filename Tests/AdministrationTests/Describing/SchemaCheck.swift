import JSON
import Settings

/// Compares values with the JSON Schemas of an OpenAPI document.
///
/// It is stricter than the schemas: a member that they do not name is a fault, unless the schema says nothing at all.
struct SchemaCheck {
    let document: JSONValue
    /// The members that values had, as `Schema.member`.
    private(set) var seen: Set<String> = []
    private(set) var faults: [String] = []

    init(_ document: JSONValue) { self.document = document }

    /// The keywords that it knows; another one is a fault, so that none is passed over.
    private static let keywords: Set<String> = [
        "$ref", "type", "enum", "minimum", "maximum", "items", "minItems", "maxItems", "properties", "required",
        "additionalProperties", "oneOf", "anyOf", "description", "default",
    ]

    func named(_ name: String) -> JSONValue? { document["components"]?["schemas"]?[name] }

    mutating func check(_ value: JSONValue, _ schema: JSONValue, at path: String = "$", in name: String = "") {
        for keyword in schema.names where !Self.keywords.contains(keyword) { fail(path, "unknown keyword \(keyword)") }
        if let reference = schema["$ref"]?.text {
            let target = String(reference.split(separator: "/").last ?? "")
            guard reference == "#/components/schemas/\(target)", let found = named(target) else {
                return fail(path, "\(reference) leads nowhere")
            }
            return check(value, found, at: path, in: target)
        }
        for (keyword, isExact) in [("oneOf", true), ("anyOf", false)] {
            if let choices = schema[keyword]?.elements { checkChoice(value, choices, isExact, path, name) }
        }
        guard let type = schema["type"]?.text else { return }
        switch (type, value) {
        case ("null", .null), ("boolean", .boolean): break
        case ("string", .text(let text)):
            if let words = schema["enum"]?.elements, !words.contains(.text(text)) { fail(path, "\(text) is no word") }
        case ("integer", .integer(let number)), ("number", .integer(let number)):
            checkRange(Double(number), schema, path)
        case ("number", .real(let number)): checkRange(number, schema, path)
        case ("array", .array(let elements)): checkList(elements, schema, path, name)
        case ("object", .object(let members)): checkMembers(members, schema, path, name)
        default: fail(path, "\(value.kindName) is no \(type)")
        }
    }

    private mutating func fail(_ path: String, _ sentence: String) { faults.append("\(path): \(sentence)") }

    private mutating func checkChoice(
        _ value: JSONValue,
        _ choices: [JSONValue],
        _ isExact: Bool,
        _ path: String,
        _ name: String
    ) {
        var trials: [SchemaCheck] = []
        for choice in choices {
            var trial = SchemaCheck(document)
            trial.check(value, choice, at: path, in: name)
            trials.append(trial)
        }
        let fitting = trials.filter(\.faults.isEmpty)
        seen.formUnion(fitting.flatMap(\.seen))
        guard fitting.count == 1 || (!isExact && !fitting.isEmpty) else {
            return fail(path, "\(fitting.count) choices fit; \(trials.flatMap(\.faults))")
        }
    }

    private mutating func checkRange(_ number: Double, _ schema: JSONValue, _ path: String) {
        if let least = schema["minimum"]?.integer, number < Double(least) { fail(path, "\(number) is too small") }
        if let most = schema["maximum"]?.integer, number > Double(most) { fail(path, "\(number) is too large") }
    }

    private mutating func checkList(_ elements: [JSONValue], _ schema: JSONValue, _ path: String, _ name: String) {
        let count = Int64(elements.count)
        if count < schema["minItems"]?.integer ?? 0 || count > schema["maxItems"]?.integer ?? .max {
            fail(path, "\(count) elements")
        }
        guard let each = schema["items"] else { return fail(path, "a list of what?") }
        for (index, element) in elements.enumerated() { check(element, each, at: "\(path)[\(index)]", in: name) }
    }

    private mutating func checkMembers(
        _ members: [JSONValue.Member],
        _ schema: JSONValue,
        _ path: String,
        _ name: String
    ) {
        for required in schema["required"]?.elements.compactMap(\.text) ?? []
        where !members.contains(where: { $0.name == required }) {
            fail(path, "\(required) is missing")
        }
        for member in members {
            guard let described = schema["properties"]?[member.name] else {
                fail(path, "\(member.name) is not described")
                continue
            }
            seen.insert("\(name).\(member.name)")
            check(member.value, described, at: "\(path).\(member.name)", in: "\(name).\(member.name)")
        }
    }

    /// All members that a schema describes, and those of the schemas that it refers to, as `Schema.member`.
    func described(_ schema: JSONValue, in name: String = "") -> Set<String> {
        if let target = schema["$ref"]?.text?.split(separator: "/").last.map(String.init) {
            return named(target).map { described($0, in: target) } ?? []
        }
        var found: Set<String> = []
        for choice in (schema["oneOf"]?.elements ?? []) + (schema["anyOf"]?.elements ?? []) {
            found.formUnion(described(choice, in: name))
        }
        if let each = schema["items"] { found.formUnion(described(each, in: name)) }
        for member in schema["properties"]?.members ?? [] {
            found.insert("\(name).\(member.name)")
            found.formUnion(described(member.value, in: "\(name).\(member.name)"))
        }
        return found
    }
}

extension JSONValue {
    var members: [Member] { if case .object(let members) = self { members } else { [] } }
    var names: [String] { members.map(\.name) }
}
