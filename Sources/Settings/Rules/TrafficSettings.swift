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

/// `set-field`: fields of requests and responses that are set.
public struct SetFieldSettings: Sendable, Equatable {
    public var request: [FieldSetting] = []
    public var response: [FieldSetting] = []

    public init() {}
}

/// `remove-field`: names of fields of requests and responses that are removed.
public struct RemoveFieldSettings: Sendable, Equatable {
    public var request: [String] = []
    public var response: [String] = []

    public init() {}
}

/// `rate`: how fast content of responses is sent.
public enum SendRateRule: Sendable, Equatable {
    /// `false`, which cancels earlier rules.
    case unlimited
    /// So many bytes in a second.
    case limit(ByteCount)
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
