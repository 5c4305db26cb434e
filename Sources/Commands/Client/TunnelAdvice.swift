import JSON
import Settings
import Terminal

/// What `status` and an empty `ls` say about tunnels that passed unread.
enum TunnelAdvice {
    /// How many targets a sentence names.
    private static let limit = 3

    /// The targets with their counts, as `/v1/status` has them.
    static func targets(_ status: JSONValue) -> [(name: String, count: Int)] {
        (status["tunnels"]?["passed"]?.elements ?? []).map { one in
            (one["target"]?.text ?? "-", Int(clamping: one["tunnels"]?.integer ?? 0))
        }
    }

    /// Nil if no tunnel has passed.
    static func sentence(_ status: JSONValue) -> String? {
        let all = targets(status)
        guard !all.isEmpty else { return nil }
        let count = all.reduce(0) { $0 + $1.count }
        let names = all.prefix(limit).map(\.name).joined(separator: ", ") + (all.count > limit ? " and others" : "")
        return
            "\(Plural.text(count, "tunnel")) to \(names) passed unread, so nothing of it is stored: \(remedy(status))"
    }

    private static func remedy(_ status: JSONValue) -> String {
        let page = (try? ProxyEndpoint(status: status)).map { "\($0.url)/ shows" } ?? "`respite env --for TOOL` prints"
        return "\(page) the form of each tool that gives hits, and `respite explain URL` says more about a URL"
    }
}
