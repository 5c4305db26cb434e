import HTTPCore
import Terminal

/// The meaning of a response's Cache-Status, in words.
enum CacheStatusText {
    /// The parameters of our member, which is the last one.
    static func parameters(_ fields: Fields) -> [String: String] {
        guard let member = ListMembers.members(of: .cacheStatus, in: fields).last else { return [:] }
        let parts = String(decoding: member, as: UTF8.self).split(separator: ";").map { $0.drop { $0 == " " } }
        var result: [String: String] = [:]
        for part in parts.dropFirst() {
            let words = part.split(separator: "=", maxSplits: 1)
            result[String(words.first ?? "")] = words.count > 1 ? words[1].filter { $0 != "\"" } : ""
        }
        return result
    }

    /// `a hit, fresh for 9 min 12 s`; nil if there is no such field.
    static func sentence(_ fields: Fields) -> String? {
        let parameters = parameters(fields)
        guard !parameters.isEmpty else { return nil }
        var parts = [parameters["hit"] != nil ? hit(parameters) : forwarded(parameters)]
        if parameters["collapsed"] != nil { parts.append("shared with another request") }
        if parameters["stored"] != nil {
            parts.append("stored")
        } else if let detail = parameters["detail"], parameters["hit"] == nil {
            parts.append("not stored: \(detail)")
        }
        return Console.printable(parts.joined(separator: ", "))
    }

    private static func hit(_ parameters: [String: String]) -> String {
        guard let seconds = parameters["ttl"].flatMap({ Int64($0) }) else { return "a hit" }
        let time = Table.Cell.readable(seconds: Int64(clamping: seconds.magnitude))
        return seconds < 0 ? "a hit, stale for \(time)" : "a hit, fresh for \(time)"
    }

    private static func forwarded(_ parameters: [String: String]) -> String {
        let isConfirmed = parameters["fwd-status"] == "304"
        return switch parameters["fwd"] ?? "" {
        case "": "answered by the proxy itself"
        case "uri-miss": "a miss: nothing was stored for this URL"
        case "vary-miss": "a miss: what is stored is for other request fields"
        case "stale": isConfirmed ? "stale, and the origin confirmed it" : "stale, so it was loaded again"
        case "request": isConfirmed ? "the origin confirmed it, as asked" : "loaded again, as asked"
        case "partial": "the missing part was loaded"
        case "bypass": "sent past the cache"
        case "method": "sent past the cache because of its method"
        case "miss": "a miss"
        case let other: "forwarded: \(other)"
        }
    }
}
