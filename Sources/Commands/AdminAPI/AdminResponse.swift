import JSON
import Settings
import Terminal

/// A response of the admin API.
struct AdminResponse {
    var status: UInt16
    /// Empty if a sink got the content.
    var content: [UInt8]

    /// The content as JSON.
    func json() throws(CommandFailure) -> JSONValue {
        do {
            return try JSONReader.parse(content, sizeLimit: content.count)
        } catch {
            throw CommandFailure("the daemon's response is not JSON: \(error)")
        }
    }

    /// The text of a problem document's member, which may have several lines.
    func member(_ name: String) -> String? {
        guard let json = try? JSONReader.parse(content), case .text(let text)? = json[name] else { return nil }
        return text.split(separator: "\n").map { Console.printable(String($0)) }.joined(separator: "\n")
    }

    /// The sentence of a problem document.
    var detail: String {
        guard let json = try? JSONReader.parse(content), case .text(let text)? = json["detail"] else {
            return "status \(status)"
        }
        return Console.printable(text)
    }
}
