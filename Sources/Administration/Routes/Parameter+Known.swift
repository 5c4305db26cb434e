import Observability

/// The parameters of the admin API.
extension Parameter {
    // MARK: Paths

    static let id = path("id", "The resource's `id`: its URI in base 64 for URLs.")
    static let requestID = path("id", "The request's `id`: digits and small letters.")
    static let assetName = path("name", "The file's name.")

    // MARK: Resources

    static let resourceFilter = query(
        "filter",
        .text,
        "Terms separated by blanks, all of which must match: a part of a URL, a pattern, `status:4xx`, `state:fresh`."
    )
    static let eventFilter = query("filter", .text, "Terms about URLs as for a listing; not beside `uri`.")
    static let resourceLimit = query("limit", .integer(1, 1000), "The most resources of a page.", usual: 100)
    static let resourceCursor = query("cursor", .text, "The `next` of an earlier page, with the same `sort`.")
    static let resourceSorting = query(
        "sort",
        .word(ResourceOrder.allCases.map(\.rawValue)),
        "Texts from A, numbers from the largest; what has no value is last. Absent: memory first, then the store."
    )
    static let isReversed = query("reverse", .boolean, "Whether to turn the order of `sort`.")
    static let oneURI = query("uri", .url, "One resource: an absolute http or https URL.")
    static let wantedURI = query("uri", .url, "An absolute http or https URL.", isRequired: true)
    static let variant = query("variant", .integer(0, 1_000_000), "The variant's `number`.", usual: 0)

    static let includesPrivate = query("private", .boolean, "Whether also what is for the clients of one credential.")

    // MARK: Replacing

    static let status = query("status", .integer(200, 599), "The status of the response.", usual: 200)
    static let lifetime = query(
        "ttl",
        .integer(0, 315_360_000),
        "Seconds until it is stale; absent: `cache.expiration-time`."
    )
    static let isDurable = query("durable", .boolean, "Whether to respond only once it is on disk.")

    // MARK: Requests and tunnels

    static let requestFilter = query(
        "filter",
        .text,
        "Terms separated by blanks, all of which must match: a part of a URL, a pattern, or `NAME=VALUE`. Names are "
            + "status, method, cache, client, service and slower."
    )
    static let requestLimit = query("limit", .integer(1, 1000), "The most requests of a page.", usual: 100)
    static let requestCursor = query("cursor", .text, "The `next` of an earlier page, or a request's `id`.")
    static let earlierRequests = query("last", .integer(0, 1000), "Begin with so many earlier requests.", usual: 0)
    static let lastEvent = header("Last-Event-ID", "Go on behind this event.")
    static let originLimit = query(
        "limit",
        .integer(1, 100_000),
        "The most origins with connections; those with the most connections come first.",
        usual: 1000
    )
    static let tunnelLimit = query("limit", .integer(1, 100_000), "The most tunnels.", usual: 1000)

    // MARK: The log

    static let logLevel = query(
        "level",
        .word(LogLevel.allCases.map(\.rawValue)),
        "The least important level; absent: all that is logged."
    )

    // MARK: Settings and explanations

    static let settingsURL = query("url", .url, "Only the settings for this absolute http or https URL.")
    static let settingsMethod = query("method", .text, "The method of the request to `url`: GET unless given.")
    static let explainedURL = query("url", .url, "An absolute http or https URL.", isRequired: true)
    static let explainedField = query(
        "header",
        .text,
        "A field line of the request, such as `Accept-Language: de`.",
        isRepeatable: true
    )
    static let explainedMethod = query("method", .text, "The method of the request: GET unless given.")
}
