import JSON
import Settings
import Terminal

/// A request as a command line of curl.
enum CurlText {
    /// In place of a value that is not shown.
    static let hidden = "…"

    /// The command whose request gets a stored response.
    ///
    /// - Parameter proxy: where the daemon's clients connect; nil: the command asks the origin server.
    static func command(_ url: String, variant: JSONValue, _ proxy: ProxyEndpoint?) -> String {
        var words = ["curl"]
        var target = url
        if let proxy, url.hasPrefix("http://") {
            words += ["--proxy", proxy.url]
        } else if let proxy {
            // By --proxy, https would be a tunnel that nobody reads.
            target = proxy.prefixed(url)
        }
        for field in variant["selecting"]?.elements ?? [] where field.elements.count == 2 {
            guard let name = field.elements[0].text else { continue }
            // With nothing behind the colon, curl leaves the field out.
            words += ["-H", field.elements[1].text.map { "\(name): \($0)" } ?? "\(name):"]
        }
        if let range = range(variant) { words += ["--range", range] }
        return Console.printable((words + [target]).map(ShellText.quoted).joined(separator: " "))
    }

    /// The stored bytes, if the rest of the representation is not stored.
    private static func range(_ variant: JSONValue) -> String? {
        let ranges = (variant["extents"]?.elements ?? []).map {
            "\($0["first"]?.integer ?? 0)-\($0["last"]?.integer ?? 0)"
        }
        return ranges.isEmpty ? nil : ranges.joined(separator: ",")
    }
}
