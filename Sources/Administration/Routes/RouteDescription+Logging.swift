import HTTPCore

/// The daemon's log.
extension RouteDescription {
    static let logging: [RouteDescription] = [
        RouteDescription(
            "/v1/log",
            .log,
            [
                .get("getLog", "The core's log categories.", .reading, responses: [.json(.log)]),
                .change(
                    .put,
                    "setLog",
                    "Enables log categories, and disables all others.",
                    content: .json(.logChoice),
                    responses: [.json(.log)]
                ),
            ]
        ),
        RouteDescription(
            "/v1/log/lines",
            .logLines,
            [
                .get(
                    "listLogLines",
                    "The latest lines of the daemon's log, the oldest first.",
                    .all,
                    [.logLevel],
                    responses: [.json(.logLines)]
                )
            ]
        ),
        RouteDescription(
            "/v1/log/stream",
            .logStream,
            [
                .get(
                    "followLog",
                    "Lines of the daemon's log as they are written.",
                    .all,
                    [.logLevel, .lastEvent],
                    responses: [
                        .plain("text/event-stream", summary: "`line` for each; `gap`: some are missing.")
                    ]
                )
            ]
        ),
    ]
}
