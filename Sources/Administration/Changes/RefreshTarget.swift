import HTTPCore
import JSON
import Settings

/// The resource that a POST loads.
struct RefreshTarget: Sendable {
    /// A year: longer than anybody waits for the next load.
    static let mostSeconds: Int64 = 31_536_000

    let uri: TargetURI
    /// Only if its last load ended so many seconds ago; nil: in any case.
    let leastAge: Int64?

    /// Reads `{"uri": "http://…"}`, with or without `"ifOlderThan": 10`.
    init(json root: JSONCursor) throws(JSONError) {
        try root.requireObject(members: ["uri", "ifOlderThan"])
        guard let member = root.member("uri") else { throw root.error("needs \"uri\"") }
        uri = try ChangeTarget.uri(member)
        leastAge = try root.member("ifOlderThan").map { age throws(JSONError) in
            let seconds = try age.integer()
            guard (0...Self.mostSeconds).contains(seconds) else {
                throw age.error("must be from 0 to \(Self.mostSeconds) seconds")
            }
            return seconds
        }
    }
}
