import HTTPCore

/// What is stored.
extension RouteDescription {
    static let stored: [RouteDescription] = [
        RouteDescription(
            "/v1/resources",
            .resources,
            [
                .get(
                    "listResources",
                    "A page of resources; with `uri`, all that is known of one.",
                    .reading,
                    [.resourceFilter, .resourceSorting, .isReversed, .resourceLimit, .resourceCursor, .oneURI],
                    responses: [
                        .json(NamedSchema.listingOrResource, "A page, or the resource of `uri`."),
                        .problem(404, "Nothing is stored of the resource of `uri`."),
                    ]
                ),
                replacing(.put, "putResourceByURI", [.wantedURI]),
                replacing(.patch, "patchResourceByURI", [.wantedURI]),
            ]
        ),
        RouteDescription(
            "/v1/resources/{id}",
            [
                .get(
                    "getResource",
                    "All that is known of one resource.",
                    .reading,
                    [.id],
                    responses: [.json(.resource), .notStored]
                ),
                replacing(.put, "putResource", [.id]),
                replacing(.patch, "patchResource", [.id]),
            ]
        ) { ResourceIdentifier(text: $0).map(AdminRoute.resource) },
        RouteDescription(
            "/v1/resources/{id}/body",
            [
                Operation(
                    method: .get,
                    name: "getContent",
                    summary: "The content of a stored response, as a download.",
                    need: .all,
                    parameters: [.id, .variant],
                    responses: [
                        .plain("*/*", summary: "The content, in its type and coding."),
                        .plain("*/*", status: 206, summary: "The part that is stored; `Content-Range` says which."),
                        .problem(403, "A rule redacts content that was stored before the rule, or a right is missing."),
                        .notStored,
                    ]
                )
            ]
        ) { ResourceIdentifier(text: $0).map(AdminRoute.content) },
        RouteDescription(
            "/v1/resources/{id}/har",
            [
                Operation(
                    method: .get,
                    name: "getArchive",
                    summary: "The stored responses of a resource as entries of a HAR file, without credentials.",
                    need: .all,
                    parameters: [.id, .includesPrivate],
                    responses: [.json(.resourceArchive), .notStored]
                )
            ]
        ) { ResourceIdentifier(text: $0).map(AdminRoute.archive) },
        RouteDescription(
            "/v1/import",
            .archiveImport,
            [
                .change(
                    .post,
                    "importEntry",
                    "Stores the response of an entry of a HAR file for all clients, if a response of its origin would be stored.",
                    content: .json(.importRequest),
                    responses: [.json(.imported)]
                )
            ]
        ),
        RouteDescription(
            "/v1/events",
            .events,
            [
                .get(
                    "followEvents",
                    "Events of all resources, or of those that match; with `uri`, its state first.",
                    .reading,
                    [.eventFilter, .oneURI, .lastEvent],
                    responses: [
                        .plain(
                            "text/event-stream",
                            summary: "Such as `newData`, `error`, `progress`; `gap`: some are missing."
                        )
                    ]
                )
            ]
        ),
        RouteDescription(
            "/v1/explain",
            .explain,
            [
                .get(
                    "explain",
                    "How a request would be served now, and why.",
                    .reading,
                    [.explainedURL, .explainedField, .explainedMethod],
                    responses: [.json(.explanation)]
                )
            ]
        ),
    ]

    private static func replacing(_ method: Method, _ name: String, _ place: [Parameter]) -> Operation {
        let isWhole = method == .put
        return .change(
            method,
            name,
            isWhole
                ? "Replaces a resource's response by this content, for a while."
                : "Replaces a resource's content; status and fields stay.",
            place + (isWhole ? [.status] : []) + [.lifetime, .isDurable],
            content: .data(
                isWhole ? "The content, in its type." : "The content; its type stays, so send no Content-Type."
            ),
            responses: [
                .json(.replaced), .problem(404, "The identifier is none."), .problem(415, "The content has a coding."),
            ]
        )
    }
}

extension NamedSchema {
    fileprivate static let listingOrResource = NamedSchema(
        "ResourceListOrResource",
        "A page of resources, or one.",
        of: .either([.named(.resources), .named(.resource)])
    )
}

extension DescribedResponse {
    fileprivate static let notStored = problem(404, "Nothing is stored of this resource, or the identifier is none.")
}
