import CommandSyntax
import Observability
import TOML

extension SettingType where Value == AccessLogFormat {
    /// The name of a format, or a text with `$`, which is a template.
    static var accessFormat: SettingType {
        let words = AccessLogFormat.named.map(\.text)
        return SettingType(
            name: words.joined(separator: " | ") + " | text with variables",
            isText: true,
            parse: { (node) throws(SettingFault) -> AccessLogFormat in
                let listed = words.map { "\"\($0)\"" }.joined(separator: ", ")
                guard case .text(let text) = node.value else {
                    throw SettingFault("\(listed), or text with variables such as $status", insteadOf: node)
                }
                if let format = AccessLogFormat.named.first(where: { $0.text == text }) { return format }
                if text.contains("$") { return .template(try template(text, of: node)) }
                var fault = SettingFault("\(listed), or text with variables such as $status", insteadOf: node)
                fault.suggestion = NearestName.find(text, in: words).map { "\"\($0)\"" }
                throw fault
            },
            format: { TOMLText.quoted($0.text) }
        )
    }

    private static func template(_ text: String, of node: TOMLNode) throws(SettingFault) -> AccessLogTemplate {
        do throws(AccessLogTemplate.Fault) {
            return try AccessLogTemplate(text)
        } catch {
            var fault = SettingFault(message: error.message, position: node.position)
            fault.suggestion = error.unknownName.flatMap { NearestName.find($0, in: AccessLogTemplate.names) }.map {
                "$\($0)"
            }
            throw fault
        }
    }
}
