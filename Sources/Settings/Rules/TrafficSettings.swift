/// `redirect`: where clients are sent.
public enum RedirectRule: Sendable, Equatable {
    /// `false`, which cancels earlier rules.
    case never
    case to(RedirectSettings)
}

/// Where clients are sent, and with which status.
public struct RedirectSettings: Sendable, Equatable {
    /// An absolute URL; `$path` stands for path and query of the request.
    public var target = ""
    public var status = 307

    public init() {}
}

/// `fail`: which requests fail, and how.
public enum FailRule: Sendable, Equatable {
    /// `false`, which cancels earlier rules.
    case never
    case with(FailSettings)
}

/// How requests fail.
public struct FailSettings: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        case status(Int)
        case reset, timeout
    }

    public var kind: Kind
    /// The share of requests that fail.
    public var share = 1.0

    public init(_ kind: Kind) { self.kind = kind }
}
