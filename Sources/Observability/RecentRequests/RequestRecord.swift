public import HTTPCore

/// One request that has been answered, as administrators see it.
public struct RequestRecord: Sendable {
    /// The most bytes of a target that are kept.
    public static let targetLimit = 2048

    public var id: RequestID
    /// Milliseconds since 1970 UTC when the request had been read.
    public var milliseconds: Int64
    /// Address of the client; nil for a client on a Unix socket.
    public var client: IPAddress?
    public var method: Method
    /// The target URI, or the target as it came if no URI was found; secrets are not masked yet.
    public var target: [UInt8]
    /// Whether `target` is only the first `targetLimit` bytes.
    public var isCut = false
    /// Status sent; 0 if nothing was.
    public var status: UInt16
    /// What became of the request, such as `hit`, `miss` or `tunnel`.
    public var outcome: String
    /// Our member of Cache-Status; nil if the response had none.
    public var cacheStatus: CacheStatus?
    /// Why the proxy itself responded, if Cache-Status does not say that.
    public var reason: String?
    /// The rule that set the response's lifetime, or decided about the request.
    public var rule: String?
    /// How the request named its target: `forward`, `prefix`, `gateway`, `service` or `intercepted`.
    public var route: String?
    /// The service whose path or host was used.
    public var service: String?
    /// The user of the request's login.
    public var user: String?
    /// Bytes of content received and sent.
    public var requestBytes: Int64 = 0
    public var contentBytes: Int64
    /// Nanoseconds from the request's head to the response's head; nil if they were not measured apart.
    public var headDuration: Int64?
    /// The times of the request to the origin, if this one caused it.
    public var upstream = UpstreamTimings()
    /// Nanoseconds from the request's head to the end of the response.
    public var duration: Int64
    /// Whether the message was complete by its framing.
    public var isComplete = true

    public init(
        id: RequestID,
        milliseconds: Int64,
        client: IPAddress?,
        method: Method,
        target: [UInt8],
        status: UInt16,
        outcome: String,
        contentBytes: Int64,
        duration: Int64
    ) {
        self.id = id
        self.milliseconds = milliseconds
        self.client = client
        self.method = method
        self.target = target
        self.status = status
        self.outcome = outcome
        self.contentBytes = contentBytes
        self.duration = duration
    }
}

/// The identifier of a recorded request: a later request has a larger one.
///
/// It is the time of the response since the daemon's start, in steps of 1,024 ns, and the loop. So no number is counted
/// by all loops, and a request of an earlier run has no number of this one's by chance.
public struct RequestID: Sendable, Hashable, Comparable {
    public let number: UInt64

    public init(number: UInt64) { self.number = number }

    /// Before all requests.
    public static let none = RequestID(number: 0)
    /// After all requests.
    public static let last = RequestID(number: .max)

    /// Reads the text of an identifier; nil for any other text.
    public init?(text: String) {
        guard (1...13).contains(text.utf8.count), text.utf8.allSatisfy(Self.isDigit),
            let number = UInt64(text, radix: 36)
        else { return nil }
        self.number = number
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || byte &- 0x61 < 26 }

    /// Digits and small letters.
    public var text: String { String(number, radix: 36) }

    public static func < (left: RequestID, right: RequestID) -> Bool { left.number < right.number }
}

/// The latest requests of all loops at one time.
public struct RecentRecords: Sendable {
    /// In the order of their identifiers.
    public var records: [RequestRecord] = []
    /// Requests that are not among `records` have larger identifiers, except requests that the caller left out.
    public var horizon = RequestID.none
    /// The last request whose place a newer one took; `none`: all are still there.
    public var lastDropped = RequestID.none
    /// How many requests are kept.
    public var capacity = 0

    public init() {}
}

extension RequestRecord {
    /// When the request had been read: `2026-11-21T13:37:00.123Z`.
    public var timeText: String {
        var text: [UInt8] = []
        Timestamp.append(milliseconds: milliseconds, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
