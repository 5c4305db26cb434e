import Exchanges
public import HTTPCaching
public import HTTPCore

/// How the cache handled a request, in the words of Cache-Status (RFC 9211).
public struct CacheOutcome: Sendable, Equatable {
    /// Served from store without asking the origin.
    public var isHit: Bool
    /// Why the origin was asked; nil for a hit.
    public var forward: ForwardReason?
    /// The status of the origin's response, if it is not the one relayed.
    public var forwardStatus: UInt16?
    /// The response is being stored.
    public var isStored: Bool
    /// The request shared another's load.
    public var isCollapsed: Bool
    /// Our reason code, such as `stale-while-revalidate`.
    public var detail: String?

    public init(
        isHit: Bool,
        forward: ForwardReason? = nil,
        forwardStatus: UInt16? = nil,
        isStored: Bool = false,
        isCollapsed: Bool = false,
        detail: String? = nil
    ) {
        self.isHit = isHit
        self.forward = forward
        self.forwardStatus = forwardStatus
        self.isStored = isStored
        self.isCollapsed = isCollapsed
        self.detail = detail
    }

    public static let hit = CacheOutcome(isHit: true)

    /// For a response made here because the origin may not be asked.
    public init(_ refusal: CacheRefusal) { self.init(isHit: false, detail: refusal.rawValue) }

    /// For an error response made here.
    public init(_ failure: ResourceError) {
        if failure.transformation != nil {
            self.init(isHit: false, detail: "transform-failed")
        } else if failure.outage != nil {
            self.init(isHit: false, detail: OriginOutage.detail)
        } else if failure.kind == .requestDenied {
            self.init(isHit: false, detail: Denial.detail)
        } else if failure.isRemembered {
            self.init(isHit: false, detail: "remembered-failure")
        } else if failure.isOfAnother {
            self.init(
                isHit: false,
                forward: .miss,
                forwardStatus: failure.receivedStatus,
                isCollapsed: true,
                detail: "unshared-failure"
            )
        } else {
            self.init(isHit: false, forward: .miss, detail: failure.kind?.rawValue)
        }
    }
}
