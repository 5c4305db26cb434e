import HTTPCore
import TOML

extension RetrySettings {
    static let keys: [TableKey<RetrySettings>] = [
        TableKey("attempts", \.attempts, .count(2...10), default: 3, "Most attempts, the first one included."),
        TableKey(
            "delay",
            \.delay,
            .duration(.milliseconds(1) ... .seconds(60)),
            default: .milliseconds(200),
            "Pause before the second attempt; each further pause is twice as long, and half of each is random."
        ),
        TableKey(
            "max-delay",
            \.maxDelay,
            .duration(.milliseconds(1) ... .seconds(300)),
            default: .seconds(5),
            "Longest pause, except one that the origin server asks for by Retry-After."
        ),
        TableKey(
            "total",
            \.total,
            .duration(.milliseconds(1) ... .seconds(600)),
            default: .seconds(10),
            "No attempt begins later than this after the first."
        ),
        TableKey(
            "status",
            \.statuses,
            .list(of: .status),
            default: [502...504],
            "Statuses that count as failures, besides failures of the network."
        ),
    ]

    static let reader = TableReader(name: "retry", keys: keys)
}

/// `rate-limit` that is being read.
struct RateLimitDraft: Sendable {
    var rate: RequestRate?
    var burst: Int?
    var maxWait = Duration.seconds(10)

    init() {}

    init(_ settings: RateLimitSettings) {
        rate = settings.rate
        burst = settings.burst
        maxWait = settings.maxWait
    }

    static let keys: [TableKey<RateLimitDraft>] = [
        TableKey(optional: "rate", \.rate, .requestRate, "Requests per time: \"10/s\", \"5000/h\", \"100/10s\"."),
        TableKey(
            optional: "burst",
            \.burst,
            .count(1...100_000),
            "Requests that may go at once after a pause; default: those of one second."
        ),
        TableKey(
            "max-wait",
            \.maxWait,
            .duration(.zero ... .seconds(600)),
            default: .seconds(10),
            "Longest time that a request waits for its turn; one that would wait longer gets 503 at once."
        ),
    ]

    static let reader = TableReader(name: "rate-limit", keys: keys)
}

/// `token` that is being read.
struct TokenDraft: Sendable {
    var url: TargetURI?
    var clientID: String?
    var clientSecret: SecretFileName?
    var refreshToken: SecretFileName?
    var scope = ""
    var authentication = TokenSettings.Authentication.basic

    init() {}

    init(_ settings: TokenSettings) {
        url = settings.url
        clientID = settings.clientID
        clientSecret = settings.clientSecret.map { SecretFileName(path: $0) }
        refreshToken = settings.refreshToken.map { SecretFileName(path: $0) }
        scope = settings.scope
        authentication = settings.authentication
    }

    static let keys: [TableKey<TokenDraft>] = [
        TableKey(optional: "url", \.url, .endpoint, "The token endpoint."),
        TableKey(optional: "client-id", \.clientID, .clientText, "The client's identifier there."),
        TableKey(
            optional: "client-secret",
            \.clientSecret,
            .secretFile,
            "The client's secret, in a file of its own: { file = \"PATH\" }."
        ),
        TableKey(
            optional: "refresh-token",
            \.refreshToken,
            .secretFile,
            "A refresh token in a file of its own; without it, the client's own credentials are used."
        ),
        TableKey("scope", \.scope, .scopeText, default: "", "The scope of the token."),
        TableKey(
            "authentication",
            \.authentication,
            .choice,
            default: .basic,
            "How the client authenticates: in the field Authorization, or in the content."
        ),
    ]

    static let reader = TableReader(name: "token", keys: keys)

    /// - Parameter node: its table, for the positions of faults.
    func settings(_ node: TOMLNode) throws(SettingFault) -> TokenSettings {
        guard let url else { throw SettingFault.lacking("needs `url`, the token endpoint", at: node.position) }
        guard let clientID else { throw SettingFault.lacking("needs `client-id`", at: node.position) }
        guard clientSecret != nil || refreshToken != nil else {
            throw SettingFault.lacking("needs `client-secret` or `refresh-token`", at: node.position)
        }
        return TokenSettings(
            url: url,
            clientID: clientID,
            clientSecret: clientSecret?.path,
            refreshToken: refreshToken?.path,
            scope: scope,
            authentication: authentication
        )
    }
}

/// `{ file = "…" }`.
struct SecretFileName: Sendable, Equatable {
    var path = ""

    static let keys: [TableKey<SecretFileName>] = [
        TableKey("file", \.path, .path, "A file its owner alone may read, looked for as those of headers are.")
    ]
}

extension SettingType where Value == RetryRule {
    static var retry: SettingType {
        SettingType(
            name: "table, or true, or false",
            isText: false,
            parse: { (node) throws(SettingFault) -> RetryRule in
                if case .boolean(let flag) = node.value { return flag ? .when(RetrySettings()) : .never }
                guard case .table = node.value else {
                    throw SettingFault("a table such as { attempts = 3 }, or true, or false", insteadOf: node)
                }
                var settings = RetrySettings()
                try RetrySettings.reader.read(node, into: &settings)
                guard settings.delay <= settings.maxDelay else {
                    throw SettingFault(message: "has a `delay` above its `max-delay`", position: node.position)
                }
                return .when(settings)
            },
            format: { rule in
                guard case .when(let settings) = rule else { return "false" }
                return settings == RetrySettings() ? "true" : RetrySettings.reader.format(settings)
            }
        )
    }
}

extension SettingType where Value == DenyRule {
    static var deny: SettingType {
        let longest = 200
        return SettingType(
            name: "text, or false",
            isText: true,
            parse: { (node) throws(SettingFault) -> DenyRule in
                switch node.value {
                case .boolean(false): return .never
                case .text(let text)
                where (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }):
                    return .text(text)
                default:
                    throw SettingFault(
                        "a text for clients in one line of \(longest) bytes at most, such as \"not here\", or false",
                        insteadOf: node
                    )
                }
            },
            format: { rule in
                guard case .text(let text) = rule else { return "false" }
                return TOMLText.quoted(text)
            }
        )
    }
}

extension SettingType where Value == RateLimitRule {
    static var rateLimit: SettingType {
        SettingType(
            name: "rate or table, or false",
            isText: false,
            parse: { (node) throws(SettingFault) -> RateLimitRule in
                switch node.value {
                case .boolean(false): return .unlimited
                case .text: return .limit(RateLimitSettings(rate: try SettingType<RequestRate>.requestRate.parse(node)))
                case .table:
                    var draft = RateLimitDraft()
                    try RateLimitDraft.reader.read(node, into: &draft)
                    guard let rate = draft.rate else {
                        throw SettingFault.lacking("needs `rate`, such as \"10/s\"", at: node.position)
                    }
                    var settings = RateLimitSettings(rate: rate)
                    settings.burst = draft.burst
                    settings.maxWait = draft.maxWait
                    return .limit(settings)
                default:
                    throw SettingFault(
                        "a rate such as \"10/s\", a table such as { rate = \"10/s\", burst = 20 }, or false",
                        insteadOf: node
                    )
                }
            },
            format: { rule in
                guard case .limit(let settings) = rule else { return "false" }
                return settings == RateLimitSettings(rate: settings.rate)
                    ? TOMLText.quoted(settings.rate.text) : RateLimitDraft.reader.format(RateLimitDraft(settings))
            }
        )
    }
}

extension SettingType where Value == RequestRate {
    static var requestRate: SettingType {
        text(
            "rate",
            expected: "a rate of whole requests and a time of 1s to 1d, such as \"10/s\", \"5000/h\" or \"100/10s\"",
            read: RequestRate.init(text:),
            format: \.text
        )
    }
}

extension SettingType where Value == TokenSettings {
    static var token: SettingType {
        SettingType(
            name: "table",
            isText: false,
            parse: { (node) throws(SettingFault) -> TokenSettings in
                guard case .table = node.value else {
                    // It may be a secret: the message does not quote it.
                    throw SettingFault(
                        message:
                            "must be a table such as { url = \"https://…/token\", client-id = \"…\", client-secret = "
                            + "{ file = \"…\" } }, not \(node.kindName)",
                        position: node.position
                    )
                }
                var draft = TokenDraft()
                try TokenDraft.reader.read(node, into: &draft)
                return try draft.settings(node)
            },
            format: { TokenDraft.reader.format(TokenDraft($0)) }
        )
    }
}

extension SettingType where Value == SecretFileName {
    static var secretFile: SettingType {
        SettingType(
            name: "table",
            isText: false,
            parse: { (node) throws(SettingFault) -> SecretFileName in
                guard case .table = node.value else {
                    // It may be the secret itself: the message does not quote it.
                    throw SettingFault(
                        message: "must be { file = \"PATH\" }: secrets are in files of their own",
                        position: node.position
                    )
                }
                var name = SecretFileName()
                try TableReader(name: "token", keys: SecretFileName.keys).read(node, into: &name)
                guard !name.path.isEmpty else {
                    throw SettingFault.lacking("needs `file`, where the value is", at: node.position)
                }
                return name
            },
            format: { TableReader(name: "", keys: SecretFileName.keys).format($0) }
        )
    }
}

extension SettingType where Value == TargetURI {
    /// An absolute URL for requests.
    static var endpoint: SettingType {
        text(
            "URL",
            expected: "an absolute http or https URL such as \"https://login.example.com/token\"",
            read: { text in text.contains("#") ? nil : try? TargetURI(parsing: text) },
            format: \.text
        )
    }
}

extension SettingType where Value == String {
    /// RFC 6749 appendix A: visible characters.
    static var clientText: SettingType {
        text(
            "text",
            expected: "text of visible characters",
            read: { $0.isEmpty || !$0.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? nil : $0 }
        )
    }

    /// Names with a space between them.
    static var scopeText: SettingType {
        text(
            "text",
            expected: "names with a space between them",
            read: { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C } ? $0 : nil }
        )
    }
}
