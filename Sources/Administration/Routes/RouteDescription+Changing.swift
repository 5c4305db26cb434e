import HTTPCore

/// Changes of what is stored, and sessions.
extension RouteDescription {
    static let changing: [RouteDescription] = [
        RouteDescription(
            "/v1/purge",
            .purge,
            [change("purge", "Removes stored responses from memory and store.", of: .purgeTarget, .purged)]
        ),
        RouteDescription(
            "/v1/wipe",
            .wipe,
            [change("wipe", "Removes responses from memory; the store keeps its copies.", .wiped)]
        ),
        RouteDescription(
            "/v1/invalidate",
            .invalidate,
            [change("invalidate", "Marks resources stale: they are validated before the next use.", .invalidated)]
        ),
        RouteDescription(
            "/v1/refresh",
            .refresh,
            [
                .change(
                    .post,
                    "refresh",
                    "Loads a resource now, even if a fresh response is stored; or only if the last load is long ago.",
                    content: .json(.refreshTarget),
                    responses: [.json(.refreshed), .problem(502, "It could not be loaded.")]
                )
            ]
        ),
        RouteDescription(
            "/v1/sessions",
            .sessions,
            [
                .get(
                    "getSession",
                    "What the session or token of this request may do.",
                    .reading,
                    responses: [.json(.session)]
                ),
                makeLink,
            ]
        ),
    ]

    private static func change(
        _ name: String,
        _ summary: String,
        of target: NamedSchema = .changeTarget,
        _ result: NamedSchema
    ) -> Operation {
        .change(.post, name, summary, content: .json(target), responses: [.json(result)])
    }

    private static let makeLink: Operation = {
        var operation = Operation.change(
            .post,
            "makeSessionLink",
            "Makes a link that gives one browser a session; the request has no content.",
            responses: [.json(.sessionLink), .problem(409, "The admin API has no address that a browser could open.")]
        )
        operation.refusesSessions = true
        return operation
    }()
}
