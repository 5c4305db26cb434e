public import HTTPCore

/// `retry`: when requests to an origin are repeated.
public enum RetryRule: Sendable, Equatable {
    /// `false`, which cancels earlier rules.
    case never
    case when(RetrySettings)
}

/// When a request is repeated.
public struct RetrySettings: Sendable, Equatable {
    /// The most attempts.
    public var attempts = 3
    public var delay = Duration.milliseconds(200)
    public var maxDelay = Duration.seconds(5)
    public var total = Duration.seconds(10)
    public var statuses: [ClosedRange<UInt16>] = [502...504]

    public init() {}
}

/// `deny`: why requests are refused.
public enum DenyRule: Sendable, Equatable {
    /// `false`, which cancels earlier rules.
    case never
    /// With this text for clients.
    case text(String)
}

/// `rate-limit`: how many requests go to an origin.
public enum RateLimitRule: Sendable, Equatable {
    /// `false`, which cancels earlier rules.
    case unlimited
    case limit(RateLimitSettings)
}

/// How many requests go to an origin.
public struct RateLimitSettings: Sendable, Equatable {
    public var rate: RequestRate
    /// Nil: the requests of one second.
    public var burst: Int?
    public var maxWait = Duration.seconds(10)

    public init(rate: RequestRate) { self.rate = rate }

    /// The most requests that may be sent at once.
    public var effectiveBurst: Int {
        let milliseconds = max(1, rate.interval.components.seconds * 1000)
        return burst ?? max(1, Int(Int64(rate.requests) * 1000 / milliseconds))
    }
}

/// A number of requests per time: `10/s`, `5000/h`, `100/10s`.
public struct RequestRate: Sendable, Equatable {
    public var requests: Int
    public var interval: Duration

    public init(requests: Int, interval: Duration) {
        self.requests = requests
        self.interval = interval
    }

    /// Nil if the text is not a rate, or has more than a million requests or a day.
    public init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let requests = Int(parts[0]), (1...1_000_000).contains(requests) else { return nil }
        let isUnit = parts[1].utf8.first.map { !(0x30...0x39).contains($0) } ?? false
        guard let interval = Duration(settingText: (isUnit ? "1" : "") + parts[1]),
            (.seconds(1) ... .seconds(86_400)).contains(interval), interval.components.attoseconds == 0
        else { return nil }
        self.init(requests: requests, interval: interval)
    }

    public var text: String {
        let interval = interval.settingText
        // `1s` is written `s`.
        let isOne = interval.hasPrefix("1") && !(interval.dropFirst().first?.isNumber ?? true)
        return "\(requests)/\(isOne ? String(interval.dropFirst()) : interval)"
    }
}

/// `token`: from where a service gets its bearer token.
public struct TokenSettings: Sendable, Equatable {
    /// How the client authenticates.
    public enum Authentication: String, Sendable, CaseIterable { case basic, content }

    /// The token endpoint.
    public var url: TargetURI
    public var clientID: String
    /// The secret file.
    public var clientSecret: String?
    /// The secret file; nil: use client credentials.
    public var refreshToken: String?
    public var scope: String
    public var authentication: Authentication

    public init(
        url: TargetURI,
        clientID: String,
        clientSecret: String? = nil,
        refreshToken: String? = nil,
        scope: String = "",
        authentication: Authentication = .basic
    ) {
        self.url = url
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.refreshToken = refreshToken
        self.scope = scope
        self.authentication = authentication
    }
}

/// The secrets for a token endpoint.
public struct TokenSecrets: Sendable, Equatable {
    public var clientSecret: String
    public var refreshToken: String?
}
