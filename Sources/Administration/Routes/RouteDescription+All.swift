import HTTPCore
import Observability

extension RouteDescription {
    /// All routes; the first that fits a path counts.
    ///
    /// Paths without variable stand before those with one.
    static let all = about + daemon + logging + stored + recent + changing + pages

    private static let about: [RouteDescription] = [
        RouteDescription(
            "/v1",
            .index,
            [.get("getIndex", "The routes of this API.", .reading, responses: [.json(.index)])]
        ),
        RouteDescription(
            "/v1/openapi.json",
            .document,
            [.get("getOpenAPI", "This document.", .reading, responses: [.json(.openAPI)])]
        ),
        RouteDescription(
            "/healthz",
            .health,
            [.get("getHealth", "Whether the daemon runs.", .none, responses: [.plain("text/plain", summary: "`ok`")])]
        ),
        RouteDescription(
            "/readyz",
            .ready,
            [
                .get(
                    "getReadiness",
                    "Whether clients are served; 503 while it stops.",
                    .none,
                    responses: [.plain("text/plain", summary: "`ready`")]
                )
            ]
        ),
        RouteDescription(
            "/metrics",
            .metrics,
            [
                .get(
                    "getMetrics",
                    "Metrics for Prometheus.",
                    .reading,
                    responses: [.plain("text/plain", summary: "The text format, 0.0.4.")]
                )
            ]
        ),
    ]

    private static let daemon: [RouteDescription] = [
        RouteDescription(
            "/v1/status",
            .status,
            [.get("getStatus", "The state of the daemon and its cache.", .reading, responses: [.json(.status)])]
        ),
        RouteDescription(
            "/v1/history",
            .history,
            [.get("getHistory", "What the daemon did in the last day.", .reading, responses: [.json(.history)])]
        ),
        RouteDescription(
            "/v1/tunnels",
            .tunnels,
            [.get("listTunnels", "The open tunnels.", .reading, [.tunnelLimit], responses: [.json(.tunnels)])]
        ),
        RouteDescription(
            "/v1/origins",
            .origins,
            [
                .get(
                    "listOrigins",
                    "The origins with connections, and those that are down.",
                    .reading,
                    [.originLimit],
                    responses: [.json(.origins)]
                )
            ]
        ),
        RouteDescription(
            "/v1/services",
            .services,
            [.get("listServices", "The named services, without secrets.", .reading, responses: [.json(.services)])]
        ),
        RouteDescription(
            "/v1/config",
            .configuration,
            [
                Operation(
                    method: .get,
                    name: "getConfiguration",
                    summary: "All settings, or with `url` those for that URL.",
                    need: .all,
                    parameters: [.settingsURL, .settingsMethod],
                    responses: [.json(.configuration), .problem(404, "This daemon has no settings.")]
                )
            ]
        ),
        RouteDescription(
            "/v1/reload",
            .reload,
            [
                .change(
                    .post,
                    "reload",
                    "Reads the settings again, as SIGHUP does; the request has no content.",
                    responses: [
                        .json(.reloaded), .problem(404, "This daemon has no settings."),
                        .problem(422, "The settings are wrong; the old ones stay in force."),
                    ]
                )
            ]
        ),
        RouteDescription(
            "/v1/mode",
            .mode,
            [
                .get("getMode", "How the network is used.", .reading, responses: [.json(.mode), .noModes]),
                .change(
                    .put,
                    "setMode",
                    "Sets the mode of one service, or of everything without its own.",
                    content: .json(.modeChoice),
                    responses: [
                        .json(.mode), .problem(404, "There is no service of this name, or there are no modes."),
                    ]
                ),
            ]
        ),
    ]
}

extension DescribedResponse {
    fileprivate static let noModes = problem(404, "There are no modes here.")
}
