import HTTPCore
import Settings

/// The resources that a POST changes: one by its URI, or those that match a filter.
struct ChangeTarget: Sendable {
    enum Selection: Sendable {
        case uri(TargetURI)
        case matching(ResourceFilter)
    }

    let selection: Selection
    /// Whether only to say what would change.
    let isDryRun: Bool

    /// Reads `{"uri": "http://…"}` or `{"filter": "http://host/**"}`, each with or without `"dryRun": true` (H-146).
    init(json root: JSONCursor) throws(JSONError) {
        try root.requireObject(members: ["uri", "filter", "dryRun"])
        isDryRun = try root.member("dryRun")?.boolean() ?? false
        switch (root.member("uri"), root.member("filter")) {
        case (let uri?, nil): selection = .uri(try Self.uri(uri))
        case (nil, let filter?): selection = .matching(try Self.filter(filter))
        case (nil, nil): throw root.error("needs \"uri\" or \"filter\"")
        case (_, let filter?): throw filter.error("stands beside \"uri\"; give one of them")
        }
    }

    static func uri(_ cursor: JSONCursor) throws(JSONError) -> TargetURI {
        do {
            return try TargetURI(identifying: try cursor.text())
        } catch let error as JSONError {
            throw error
        } catch {
            throw cursor.error("must be an absolute http or https URL")
        }
    }

    private static func filter(_ cursor: JSONCursor) throws(JSONError) -> ResourceFilter {
        let text = try cursor.text()
        do throws(AdminRefusal) {
            let filter = try ResourceFilter(text)
            guard !filter.isEmpty else { throw AdminRefusal(400, "must not be empty; ** is everything") }
            guard filter.isAboutURIs else { throw AdminRefusal(400, "must be about URLs only here") }
            return filter
        } catch {
            throw cursor.error(error.detail)
        }
    }
}
