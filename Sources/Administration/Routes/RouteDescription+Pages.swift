import HTTPCore

/// The dashboard's pages, none of which holds data.
extension RouteDescription {
    static let pages: [RouteDescription] = [
        RouteDescription(
            "/",
            .shell,
            [
                .get(
                    "getShell",
                    "The shell of the dashboard.",
                    .none,
                    responses: [
                        .plain("text/html", summary: "The shell, for a browser with a session."),
                        .plain("text/html", status: 401, summary: "The login page."),
                    ]
                )
            ]
        ),
        RouteDescription(
            "/login",
            .login,
            [
                .get("getLoginPage", "The login page.", .none, responses: [.plain("text/html", summary: "The page.")]),
                Operation(
                    method: .post,
                    name: "logIn",
                    summary: "Begins a session; only the login page may, as the browser says.",
                    need: .none,
                    content: .json(.login),
                    responses: [
                        .json(.begunSession, "The session; `Set-Cookie` has its cookie."),
                        .problem(401, "This is neither a token nor the code of an unused link."),
                    ]
                ),
            ]
        ),
        RouteDescription(
            "/logout",
            .logout,
            [
                Operation(
                    method: .post,
                    name: "logOut",
                    summary: "Ends the session of this request.",
                    need: .reading,
                    responses: [.json(.nothing)]
                )
            ]
        ),
        RouteDescription(
            "/assets/{name}",
            [
                .get(
                    "getAsset",
                    "A file of the dashboard.",
                    .none,
                    [.assetName],
                    responses: [
                        .plain("text/javascript", "text/css", "image/svg+xml", summary: "The file; `ETag` is strong."),
                        .empty(304, "The client has it: `If-None-Match` names its entity tag."),
                        .problem(404, "There is no such file."),
                    ]
                )
            ]
        ) { DashboardFile.asset($0).map(AdminRoute.asset) },
    ]
}
