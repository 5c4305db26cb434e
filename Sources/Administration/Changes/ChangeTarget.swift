import HTTPCaching
import HTTPCore
import JSON
import Settings
import Stores

/// What a POST changes: a resource by its URI, resources that match a filter, or responses by tag.
struct ChangeTarget: Sendable {
    enum Selection: Sendable {
        case uri(TargetURI)
        case matching(ResourceFilter)
        /// The responses with one of these tags.
        case tagged([CacheTag])

        /// The purge of what it selects, for other nodes.
        var purge: SharedChange {
            switch self {
            case .uri(let uri): .purge(uri)
            case .matching(let filter): .purgeMatching(filter.text, filter.matches)
            case .tagged(let tags): .purgeTags(tags)
            }
        }
    }

    let selection: Selection
    /// Whether only to say what would change.
    let isDryRun: Bool

    /// The most tags of one request.
    static let tagLimit = 256

    /// Reads `{"uri": "http://…"}` or `{"filter": "http://host/**"}`, each with or without `"dryRun": true` (H-146).
    ///
    /// - Parameter takesTags: whether `{"tags": ["news"]}` may be instead.
    init(json root: JSONCursor, takesTags: Bool = false) throws(JSONError) {
        try root.requireObject(members: ["uri", "filter", "dryRun"] + (takesTags ? ["tags"] : []))
        isDryRun = try root.member("dryRun")?.boolean() ?? false
        if let tags = root.member("tags") {
            guard root.member("uri") == nil, root.member("filter") == nil else {
                throw tags.error("stands beside \"uri\" or \"filter\"; give one of them")
            }
            selection = .tagged(try Self.tags(tags))
            return
        }
        switch (root.member("uri"), root.member("filter")) {
        case (let uri?, nil): selection = .uri(try Self.uri(uri))
        case (nil, let filter?): selection = .matching(try Self.filter(filter))
        case (nil, nil): throw root.error("needs \"uri\"\(takesTags ? ", \"tags\"" : "") or \"filter\"")
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

    private static func tags(_ cursor: JSONCursor) throws(JSONError) -> [CacheTag] {
        let names = try cursor.elements()
        guard (1...tagLimit).contains(names.count) else { throw cursor.error("must have 1 to \(tagLimit) tags") }
        var tags: [CacheTag] = []
        for name in names {
            guard let tag = CacheTag(try name.text().utf8) else {
                throw name.error("must have 1 to \(CacheTag.lengthLimit) characters of ASCII, no control characters")
            }
            tags.append(tag)
        }
        return tags
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
