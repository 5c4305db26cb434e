public import HTTPCore

/// `retry`: when requests to an origin are made again.
public enum RetryRule: Sendable, Equatable {
    /// `false`: takes back what was said before.
    case never
    case when(RetrySettings)
}

/// When a request is made again.
public struct RetrySettings: Sendable, Equatable {
    /// Requests in all.
    public var attempts = 3
    public var delay = Duration.milliseconds(200)
    public var maxDelay = Duration.seconds(5)
    public var total = Duration.seconds(10)
    public var statuses: [ClosedRange<UInt16>] = [502...504]

    public init() {}
}

/// `rate-limit`: how many requests go to an origin.
public enum RateLimitRule: Sendable, Equatable {
    /// `false`: takes back what was said before.
    case unlimited
    case limit(RateLimitSettings)
}

/// How many requests go to an origin.
public struct RateLimitSettings: Sendable, Equatable {
    public var rate: RequestRate
    /// Nil: those of one second.
    public var burst: Int?
    public var maxWait = Duration.seconds(10)

    public init(rate: RequestRate) { self.rate = rate }

    /// Requests that may go at once.
    public var effectiveBurst: Int {
        let milliseconds = max(1, rate.interval.components.seconds * 1000)
        return burst ?? max(1, Int(Int64(rate.requests) * 1000 / milliseconds))
    }
}

/// A number of requests in a time: `10/s`, `5000/h`, `100/10s`.
public struct RequestRate: Sendable, Equatable {
    public var requests: Int
    public var interval: Duration

    public init(requests: Int, interval: Duration) {
        self.requests = requests
        self.interval = interval
    }

    /// Nil if it is no rate, or one of more than a million requests or a day.
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
        // `1s` is `s`, `10s` is not.
        let isOne = interval.hasPrefix("1") && !(interval.dropFirst().first?.isNumber ?? true)
        return "\(requests)/\(isOne ? String(interval.dropFirst()) : interval)"
    }
}

/// `token`: where a service gets the bearer token of its requests.
public struct TokenSettings: Sendable, Equatable {
    /// How the client proves who it is.
    public enum Authentication: String, Sendable, CaseIterable { case basic, content }

    /// The token endpoint.
    public var url: TargetURI
    public var clientID: String
    /// A file of its own.
    public var clientSecret: String?
    /// A file of its own; nil: by the client's own credentials.
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

/// What a token endpoint is told, with its secrets.
public struct TokenSecrets: Sendable, Equatable {
    public var clientSecret: String
    public var refreshToken: String?
}
