public import Formats
import HTTPCore

extension EffectiveSettings {
    /// Writes the members of an object: `url`, `method`, `uri`, `service`, `rules`, `values`, `pipeline`.
    public func write(to writer: inout JSONWriter) {
        writer.member("url", url.text)
        writer.member("method", method.text)
        writer.member("uri", uri.text)
        if let service {
            writer.name("service")
            writer.object { writer in
                writer.member("name", service.name)
                writer.member("base", service.base.text)
                writer.member("origin", serviceOrigin.description)
            }
        }
        writer.name("rules")
        writer.array { writer in
            for rule in rules {
                writer.object { writer in
                    writer.member("name", rule.name)
                    writer.member("match", rule.match)
                    writer.member("origin", rule.origin.description)
                }
            }
        }
        writer.name("values")
        writer.array { writer in
            for value in values { writer.object { Self.write(value, to: &$0) } }
        }
        writer.name("pipeline")
        writer.array { writer in
            for step in steps { writer.object { Self.write(step, to: &$0) } }
        }
    }

    private static func write(_ value: Value, to writer: inout JSONWriter) {
        writer.member("name", value.name)
        if let text = value.value { writer.member("value", text) }
        if let condition = value.condition { writer.member("if", condition) }
        if let rule = value.rule { writer.member("rule", rule) }
        writer.member("origin", value.origin.description)
    }

    private static func write(_ step: Step, to writer: inout JSONWriter) {
        writer.member("stage", step.stage.rawValue)
        writer.member("transformer", step.transformer)
        if let condition = step.condition { writer.member("if", condition) }
        writer.member("rule", step.rule)
        writer.member("origin", step.origin.description)
    }
}
