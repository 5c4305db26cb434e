public import HTTPCore

/// What later decisions need to know of a response, computed once.
///
/// Made anew from the stored fields and the two times whenever a response comes back from a store: nothing here needs
/// storing by itself. Seconds are between 0 and `DeltaSeconds.limit`.
public struct ResponseMetadata: Sendable, Equatable {
    // In this order without gaps: there is one of these per stored response.

    /// The directives that govern this response, without those a rule lifts.
    public let control: CacheControl
    public let status: UInt16
    private let lifetime: UInt32
    private let age: UInt32
    /// Of Date from `responseTime`; `rare` has what is too far away.
    private let dateDistance: DateDistance
    public let responseTime: HTTPDate
    /// What selects the response, names that rules add included.
    public let vary: VaryNames
    private let rare: RareMetadata?
    public private(set) var etag: EntityTag?
    public let lifetimeSource: LifetimeSource
    /// The targeted field the directives come from; nil for Cache-Control.
    public let targetedField: KnownField?
    private let traits: Traits
    /// Of Last-Modified from `responseTime`, if there is one; `rare` has what is too far away.
    private let lastModifiedDistance: DateDistance

    public var lifetimeSeconds: Int64 { Int64(lifetime) }
    /// The age when the response was received (RFC 9111 §4.2.3).
    public var ageAtReceiptSeconds: Int64 { Int64(age) }
    /// Date, or the time of receipt where it is missing or invalid.
    public var date: HTTPDate { dateDistance.date(from: responseTime) ?? rare?.far?.date ?? responseTime }
    public var lastModified: HTTPDate? { lastModifiedDistance.date(from: responseTime) ?? rare?.far?.lastModified }

    public var hasDate: Bool { traits.contains(.hasDate) }
    public var hasSetCookie: Bool { traits.contains(.hasSetCookie) }
    /// `text/event-stream`: never buffered, stored or shared.
    public var isEventStream: Bool { traits.contains(.isEventStream) }
    /// `Incremental: ?1`: what comes of it is of use at once, and nobody shares it while it comes (RFC 10036).
    public var isIncremental: Bool { traits.contains(.isIncremental) }

    /// - Parameters:
    ///   - fields: the response's fields as received or as stored.
    ///   - requestTime: when the request was sent. Give `responseTime` less the whole seconds the exchange took, so that
    ///     a tick of the wall clock in between does not count as delay.
    ///   - responseTime: when the response's head was received.
    public init(
        status: UInt16,
        fields: borrowing Fields,
        requestTime: HTTPDate,
        responseTime: HTTPDate,
        options: borrowing CachingOptions
    ) {
        let governing = GoverningControl(of: fields, targeted: options.targetedFields)
        let dates = ResponseDates(fields, receivedAt: responseTime)
        let lifetime = Lifetime(governing: governing, status: status, dates: dates, options: options)
        // An object whose initializer fails is allocated all the same.
        let applied =
            options.rules.isEmpty
            ? nil
            : AppliedRules(copy options, status: status, fields: copy fields, replacing: lifetime, governing.control)
        self.status = status
        self.responseTime = responseTime
        control = applied.map { governing.control.lifting($0.lifted) } ?? governing.control
        targetedField = governing.targetedField
        self.lifetime = UInt32(DeltaSeconds.clamped(applied?.lifetime?.seconds ?? lifetime.seconds))
        lifetimeSource = applied?.lifetime == nil ? lifetime.source : .rule
        let age = Age.atReceipt(
            received: Age.received(in: fields),
            date: dates.date,
            requestTime: requestTime,
            responseTime: responseTime
        )
        self.age = UInt32(DeltaSeconds.clamped(age))
        // What has been put into `self` is not read again: that would have all of it copied.
        let dateDistance = DateDistance(dates.date, from: responseTime)
        let lastModifiedDistance = DateDistance(dates.lastModified, from: responseTime)
        self.dateDistance = dateDistance
        self.lastModifiedDistance = lastModifiedDistance
        etag = EntityTag(in: fields)
        let received = dates.lastModified == nil ? nil : fields.value(of: .lastModified)
        let spelling = received == dates.lastModified?.bytes ? nil : received
        let isNear = !dateDistance.isNone && lastModifiedDistance.isNone == (dates.lastModified == nil)
        let far = isNear ? nil : FarDates(dates)
        rare = far == nil && spelling == nil && applied == nil ? nil : RareMetadata(far, spelling, applied)
        vary = VaryNames(fields, adding: applied?.varyNames ?? [], ignoring: applied?.varyIgnored ?? [])
        var traits: Traits = []
        if dates.hasDate { traits.insert(.hasDate) }
        if fields.contains(.setCookie) { traits.insert(.hasSetCookie) }
        if fields.withValue(of: .contentType, Self.isEventStream) ?? false { traits.insert(.isEventStream) }
        if fields.withValue(of: .incremental, Self.isTrue) ?? false { traits.insert(.isIncremental) }
        self.traits = traits
    }

    /// The same; what of it is text is that of `fields`, which it keeps, where it stands there.
    public func sharing(_ fields: Fields) -> ResponseMetadata {
        var shared = self
        shared.etag = etag?.sharing(fields)
        return shared
    }

    /// Bytes of memory it takes besides itself, and besides a text it shares.
    public var heapBytes: Int { vary.heapBytes + (rare?.heapBytes ?? 0) }

    /// What rules changed; nil if nothing.
    public var applied: AppliedRules? { rare?.applied }

    /// Last-Modified as received; nil if it is no valid date.
    public var lastModifiedBytes: [UInt8]? { rare?.lastModifiedSpelling ?? lastModified?.bytes }

    /// Whether the origin said anything about how long, by whom or whether the response may be reused.
    public var saysAnythingAboutCaching: Bool {
        isLifetimeStated || hasValidator || originControl != CacheControl()
    }

    /// Whether the origin or a rule says how long the response is fresh.
    var isLifetimeStated: Bool { lifetimeSource.isExplicit || lifetimeSource == .rule }

    /// Whether the response can be asked for conditionally.
    public var hasValidator: Bool { etag != nil || lastModified != nil }

    /// The current age at `now` (RFC 9111 §4.2.3); a clock set back counts as no time passed.
    public func currentAgeSeconds(at now: HTTPDate) -> Int64 {
        currentAgeSeconds(sinceReceipt: DeltaSeconds.between(responseTime.seconds, now.seconds))
    }

    /// The current age when `seconds` have passed since the receipt.
    public func currentAgeSeconds(sinceReceipt seconds: Int64) -> Int64 {
        DeltaSeconds.clamped(ageAtReceiptSeconds + DeltaSeconds.clamped(seconds))
    }

    /// Fresh is a lifetime *greater than* the age (RFC 9111 §4.2).
    public func isFresh(ageSeconds: Int64) -> Bool { lifetimeSeconds > ageSeconds }

    /// What Cache-Status calls `ttl`: the rest of the lifetime, negative when stale (RFC 9211 §2.4).
    public func ttlSeconds(ageSeconds: Int64) -> Int64 { lifetimeSeconds - DeltaSeconds.clamped(ageSeconds) }

    /// A Boolean of RFC 9651, with or without parameters.
    private static func isTrue(_ value: Span<UInt8>) -> Bool {
        value.count >= 2 && value[0] == 0x3F && value[1] == 0x31 && (value.count == 2 || value[2] == 0x3B)
    }

    private static func isEventStream(_ contentType: Span<UInt8>) -> Bool {
        var end = 0
        while end < contentType.count, contentType[end] != 0x3B { end += 1 }
        // Shorter is none, and most are; what is compared is copied.
        guard end >= 17 else { return false }
        return [UInt8](copying: contentType.extracting(0..<end)).trimmed
            .equalsIgnoringCase(Array("text/event-stream".utf8))
    }
}

/// What a response either is or is not.
private struct Traits: OptionSet, Sendable {
    let rawValue: UInt8

    static let hasDate = Traits(rawValue: 1 << 0)
    static let hasSetCookie = Traits(rawValue: 1 << 1)
    static let isEventStream = Traits(rawValue: 1 << 2)
    static let isIncremental = Traits(rawValue: 1 << 3)
}

/// The dates of a response of which one is too far from the receipt for a `DateDistance`.
private final class FarDates: Sendable, Equatable {
    let date: HTTPDate
    let lastModified: HTTPDate?

    init(_ dates: ResponseDates) {
        date = dates.date
        lastModified = dates.lastModified
    }

    static func == (left: FarDates, right: FarDates) -> Bool {
        left.date == right.date && left.lastModified == right.lastModified
    }
}

/// What few responses have; never changes.
private final class RareMetadata: Sendable, Equatable {
    /// Last-Modified as received, where that is valid and not spelt as we would.
    let lastModifiedSpelling: [UInt8]?
    let applied: AppliedRules?
    let far: FarDates?

    init(_ far: FarDates?, _ lastModifiedSpelling: [UInt8]?, _ applied: AppliedRules?) {
        self.far = far
        self.lastModifiedSpelling = lastModifiedSpelling
        self.applied = applied
    }

    var heapBytes: Int {
        HeapSize.object(40) + (far == nil ? 0 : HeapSize.object(33)) + HeapSize.array(lastModifiedSpelling ?? [])
            + (applied == nil ? 0 : HeapSize.object(256))
    }

    static func == (left: RareMetadata, right: RareMetadata) -> Bool {
        left.lastModifiedSpelling == right.lastModifiedSpelling && left.applied == right.applied
            && left.far == right.far
    }
}
