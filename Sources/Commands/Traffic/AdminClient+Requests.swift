import JSON
import Settings

extension AdminClient {
    private static let requestsOfPage = 1000

    /// The requests that the daemon still has, the newest first; nil if it keeps none.
    ///
    /// - Parameter start: only later ones, in milliseconds since 1970.
    func recentRequests(since start: Int64 = .min, limit: Int = .max) throws(CommandFailure) -> [AnsweredRequest]? {
        var found: [AnsweredRequest] = []
        var cursor: String?
        repeat {
            var path = "/v1/requests?limit=\(min(Self.requestsOfPage, limit - found.count))"
            if let cursor { path += "&cursor=\(QueryText.escaped(cursor.utf8))" }
            let page: JSONValue
            do throws(CommandFailure) {
                page = try get(path).json()
            } catch {
                guard error.exitCode == 3 else { throw error }
                return nil
            }
            let requests = (page["requests"]?.elements ?? []).map(AnsweredRequest.init)
            found += requests.prefix { $0.time >= start }
            cursor = requests.last.map { $0.time >= start } == true ? page["next"]?.text : nil
        } while cursor != nil && found.count < limit
        return found
    }
}
