import HTTPCore
import Observability

/// Recent requests.
extension RouteDescription {
    private static let noneKept = DescribedResponse.problem(404, "No requests are kept.")

    static let recent: [RouteDescription] = [
        RouteDescription(
            "/v1/requests",
            .requests,
            [
                .get(
                    "listRequests",
                    "A page of recent requests, the newest first.",
                    .reading,
                    [.requestFilter, .requestLimit, .requestCursor],
                    responses: [.json(.requests), noneKept]
                )
            ]
        ),
        RouteDescription(
            "/v1/requests.har",
            .requestArchive,
            [
                .get(
                    "getRequestArchive",
                    "All recent requests as an HTTP Archive (HAR 1.2), the oldest first.",
                    .reading,
                    [.requestFilter],
                    responses: [.json(.archive), noneKept]
                )
            ]
        ),
        RouteDescription(
            "/v1/requests/stream",
            .requestStream,
            [
                .get(
                    "followRequests",
                    "Requests as they are answered.",
                    .reading,
                    [.requestFilter, .earlierRequests, .lastEvent],
                    responses: [
                        .plain("text/event-stream", summary: "`request` for each; `gap`: some are missing."),
                        noneKept,
                    ]
                )
            ]
        ),
        RouteDescription(
            "/v1/requests/{id}",
            [
                .get(
                    "getRequest",
                    "One recent request, with the reasons in words.",
                    .reading,
                    [.requestID],
                    responses: [
                        .json(.explainedRequest), .problem(404, "There is no such request any more, or none are kept."),
                    ]
                )
            ]
        ) { RequestID(text: $0).map(AdminRoute.request) },
    ]
}
