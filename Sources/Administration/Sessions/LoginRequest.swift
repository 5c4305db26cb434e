import JSON
import Settings

/// What a browser shows to get a session: `{"code": "…"}` of a link, or `{"token": "…"}`.
enum LoginRequest: Sendable {
    case code(String)
    case token(String)

    init(json root: JSONCursor) throws(JSONError) {
        try root.requireObject(members: ["code", "token"])
        switch (root.member("code"), root.member("token")) {
        case (let code?, nil): self = .code(try code.text())
        case (nil, let token?): self = .token(try token.text())
        case (nil, nil): throw root.error("needs \"code\" or \"token\"")
        case (_, let token?): throw token.error("stands beside \"code\"; give one of them")
        }
    }
}
