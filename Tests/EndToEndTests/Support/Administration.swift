import JSON
import Settings
import TestSupport

extension Response {
    /// The content as JSON; null if it is none.
    var json: JSONValue { (try? JSONReader.parse(content, sizeLimit: 16 << 20)) ?? .null }
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
