import Settings
import TestSupport

extension Response {
    /// The content as JSON; null if it is none.
    var json: JSONValue { (try? JSONReader.parse(content, sizeLimit: 16 << 20)) ?? .null }
}

extension JSONValue {
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}

extension DaemonProcess {
    /// A page of `/v1/resources`.
    func resources(_ query: String = "") throws -> (uris: [String], identifiers: [String], next: String?) {
        let answer = try admin("GET", "/v1/resources" + query)
        guard answer.status == 200 else { throw HarnessError("\(answer.status): \(answer.text)") }
        let entries = answer.json["resources"]?.elements ?? []
        let identifiers = entries.compactMap { $0["id"]?.text ?? $0["id"]?.integer.map { "\($0)" } }
        return (entries.compactMap { $0["uri"]?.text }, identifiers, answer.json["next"]?.text)
    }
}
