import JSON
import Settings
import Terminal

/// Settings for people: `name = value  # where it was set`.
enum ConfigurationText {
    /// - Parameter document: the content of a response to `GET /v1/config`.
    static func text(_ document: JSONValue) -> String {
        if let settings = document["settings"] {
            return settings.elements.map { line($0["name"]?.text ?? "", $0) }.joined()
        }
        var text = "\(member(document, "method")) \(member(document, "url"))\n"
        if document["uri"] != document["url"] { text += "looked up as \(member(document, "uri"))\n" }
        if let service = document["service"] {
            text += "service \(member(service, "name")), base \(member(service, "base"))\(origin(service))\n"
        } else {
            text += "no service\n"
        }
        let rules = document["rules"]?.elements ?? []
        text += rules.isEmpty ? "no rule applies\n" : "\n"
        for rule in rules { text += "\(member(rule, "name")): \(member(rule, "match"))\(origin(rule))\n" }
        text += "\n" + (document["values"]?.elements ?? []).map { line(member($0, "name"), $0) }.joined()
        let steps = document["pipeline"]?.elements ?? []
        text += steps.isEmpty ? "\nno transformers\n" : "\n"
        for step in steps {
            text += "\(member(step, "stage")): \(member(step, "transformer"))\(condition(step))\(origin(step))\n"
        }
        return text
    }

    private static func line(_ name: String, _ value: JSONValue) -> String {
        let text = value["value"]?.text ?? "as the response says"
        return "\(Console.printable(name)) = \(Console.printable(text))\(condition(value))\(origin(value))\n"
    }

    private static func condition(_ value: JSONValue) -> String {
        value["if"]?.text.map { " if \(Console.printable($0))" } ?? ""
    }

    private static func origin(_ value: JSONValue) -> String {
        let rule = value["rule"]?.text.map { "\(Console.printable($0)), " } ?? ""
        return "  # \(rule)\(member(value, "origin"))"
    }

    private static func member(_ value: JSONValue, _ name: String) -> String {
        Console.printable(value[name]?.text ?? "-")
    }
}
