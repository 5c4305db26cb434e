public import HTTPCore

/// The properties of a response that later decisions depend on, computed once.
///
/// It is made anew from the stored fields and the two times when a response comes back from a store, which need not
/// store it. Seconds are between 0 and `DeltaSeconds.limit`.
public struct ResponseMetadata: Sendable, Equatable {
    // The order avoids gaps: each stored response has one of these.

    /// The directives that govern this response, without directives that a rule lifts.
    public let control: CacheControl
    public let status: UInt16
    private let lifetime: UInt32
    private let age: UInt32
    /// The distance of Date from `responseTime`; `extras` has a date that is too far away.
    private let dateDistance: DateDistance
    public let responseTime: HTTPDate
    /// The fields that select the response, with fields that rules add.
    public let vary: VaryNames
    /// Nil for most responses.
    private let extras: Boxed<Extras>?
    public private(set) var etag: EntityTag?
    public let lifetimeSource: LifetimeSource
    /// The targeted field that has the directives; nil for Cache-Control.
    public let targetedField: KnownField?
    private let traits: Traits
    /// The distance of Last-Modified from `responseTime`; `extras` has a date that is too far away.
    private let lastModifiedDistance: DateDistance

    public var lifetimeSeconds: Int64 { Int64(lifetime) }
    /// The age when the response was received (RFC 9111 §4.2.3).
    public var ageAtReceiptSeconds: Int64 { Int64(age) }
    /// Date, or the time of receipt where it is missing or invalid.
    public var date: HTTPDate { dateDistance.date(from: responseTime) ?? extras?.distantDates?.date ?? responseTime }
    public var lastModified: HTTPDate? {
        lastModifiedDistance.date(from: responseTime) ?? extras?.distantDates?.lastModified
    }

    public var hasDate: Bool { traits.contains(.hasDate) }
    public var hasSetCookie: Bool { traits.contains(.hasSetCookie) }
    /// Whether it is a `text/event-stream`: never buffered, stored or shared, unless a rule has it recorded.
    public var isEventStream: Bool { traits.contains(.isEventStream) }
    /// Whether it has `Incremental: ?1` (RFC 10036): each part is useful as it arrives, so no request joins
    /// meanwhile, unless a rule has it recorded.
    public var isIncremental: Bool { traits.contains(.isIncremental) }

    /// The same metadata; its entity tag shares the text of `fields`, which it keeps, if they have that tag.
    public func sharing(_ fields: Fields) -> ResponseMetadata {
        var shared = self
        shared.etag = etag?.sharing(fields)
        return shared
    }

    /// Bytes of memory beyond this value, without text that it shares.
    public var heapBytes: Int { control.heapBytes + vary.heapBytes + (extras?.heapBytes ?? 0) }

    /// The changes that rules made; nil if none.
    public var applied: AppliedRules? { extras?.applied }

    /// Last-Modified as received; nil if it is no valid date.
    public var lastModifiedBytes: [UInt8]? { extras?.lastModifiedSpelling ?? lastModified?.bytes }

    /// Whether the origin's fields control reuse: by a lifetime, a validator or a directive.
    public var saysAnythingAboutCaching: Bool {
        isLifetimeStated || hasValidator || originControl != CacheControl()
    }

    /// Whether the origin or a rule states the lifetime.
    var isLifetimeStated: Bool { lifetimeSource.isExplicit || lifetimeSource == .rule }

    /// Whether a conditional request can validate the response.
    public var hasValidator: Bool { etag != nil || lastModified != nil }

    /// The current age at `now` (RFC 9111 §4.2.3); a clock set back counts as no time passed.
    public func currentAgeSeconds(at now: HTTPDate) -> Int64 {
        currentAgeSeconds(sinceReceipt: DeltaSeconds.between(responseTime.seconds, now.seconds))
    }

    /// The current age when `seconds` have passed since the receipt.
    public func currentAgeSeconds(sinceReceipt seconds: Int64) -> Int64 {
        DeltaSeconds.clamped(ageAtReceiptSeconds + DeltaSeconds.clamped(seconds))
    }

    /// Whether the response is fresh: its lifetime is *greater than* its age (RFC 9111 §4.2).
    public func isFresh(ageSeconds: Int64) -> Bool { lifetimeSeconds > ageSeconds }

    /// The `ttl` of Cache-Status: the rest of the lifetime, negative if stale (RFC 9211 §2.4).
    public func ttlSeconds(ageSeconds: Int64) -> Int64 { lifetimeSeconds - DeltaSeconds.clamped(ageSeconds) }

    /// Whether the value is a true Boolean of RFC 9651, with or without parameters.
    static func isTrue(_ value: Span<UInt8>) -> Bool {
        value.count >= 2 && value[0] == 0x3F && value[1] == 0x31 && (value.count == 2 || value[2] == 0x3B)
    }

    private static func isEventStream(_ contentType: Span<UInt8>) -> Bool {
        guard contentType.count >= 17 else { return false }
        var end = 0
        while end < contentType.count, contentType[end] != 0x3B { end += 1 }
        // The comparison copies its text, so shorter texts are excluded first; most are shorter.
        guard end >= 17 else { return false }
        return [UInt8](copying: contentType.extracting(0..<end)).trimmed
            .equalsIgnoringCase(Array("text/event-stream".utf8))
    }
}

extension ResponseMetadata {
    /// - Parameters:
    ///   - fields: the response's fields as received or as stored.
    ///   - requestTime: when the request was sent. Pass `responseTime` less the whole seconds that the exchange took,
    ///     so that a tick of the wall clock in between does not count as delay.
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
        // Checked here, since a failing initializer would still allocate an object.
        let applied =
            options.rules.isEmpty
            ? nil
            : AppliedRules(copy options, status: status, fields: copy fields, replacing: lifetime, governing.control)
        let age = Age.atReceipt(
            received: Age.received(in: fields),
            date: dates.date,
            requestTime: requestTime,
            responseTime: responseTime
        )
        let dateDistance = DateDistance(dates.date, from: responseTime)
        let lastModifiedDistance = DateDistance(dates.lastModified, from: responseTime)
        let received = dates.lastModified == nil ? nil : fields.value(of: .lastModified)
        let spelling = received == dates.lastModified?.bytes ? nil : received
        let isNear = !dateDistance.isNone && lastModifiedDistance.isNone == (dates.lastModified == nil)
        var extras: Boxed<Extras>?
        if !isNear || spelling != nil || applied != nil {
            let distantDates = isNear ? nil : Boxed(DistantDates(date: dates.date, lastModified: dates.lastModified))
            extras = Boxed(Extras(lastModifiedSpelling: spelling, applied: applied, distantDates: distantDates))
        }
        var traits: Traits = []
        if dates.hasDate { traits.insert(.hasDate) }
        if fields.contains(.setCookie) { traits.insert(.hasSetCookie) }
        if fields.withValue(of: .contentType, Self.isEventStream) ?? false { traits.insert(.isEventStream) }
        if fields.withValue(of: .incremental, Self.isTrue) ?? false { traits.insert(.isIncremental) }
        // In one step: to set one property after another copies all of `self` at the end.
        self.init(
            control: applied.map { governing.control.lifting($0.lifted) } ?? governing.control,
            status: status,
            lifetime: UInt32(DeltaSeconds.clamped(applied?.lifetime?.seconds ?? lifetime.seconds)),
            age: UInt32(DeltaSeconds.clamped(age)),
            dateDistance: dateDistance,
            responseTime: responseTime,
            vary: VaryNames(fields, adding: applied?.varyNames ?? [], ignoring: applied?.varyIgnored ?? []),
            extras: extras,
            etag: EntityTag(in: fields),
            lifetimeSource: applied?.lifetime == nil ? lifetime.source : .rule,
            targetedField: governing.targetedField,
            traits: traits,
            lastModifiedDistance: lastModifiedDistance
        )
    }
}

/// Boolean properties of a response.
private struct Traits: OptionSet, Sendable {
    let rawValue: UInt8

    static let hasDate = Traits(rawValue: 1 << 0)
    static let hasSetCookie = Traits(rawValue: 1 << 1)
    static let isEventStream = Traits(rawValue: 1 << 2)
    static let isIncremental = Traits(rawValue: 1 << 3)
}

/// Dates of which one is too far from the time of receipt for a `DateDistance`.
private struct DistantDates: Sendable, Equatable {
    let date: HTTPDate
    let lastModified: HTTPDate?
}

/// Values that few responses have.
private struct Extras: Sendable, Equatable {
    /// Last-Modified as received, if it is valid but not in our spelling.
    let lastModifiedSpelling: [UInt8]?
    let applied: AppliedRules?
    let distantDates: Boxed<DistantDates>?

    var heapBytes: Int {
        // A box has a header of 16 bytes, its value, and the value's address.
        HeapSize.object(24 + MemoryLayout<Self>.size)
            + (distantDates == nil ? 0 : HeapSize.object(24 + MemoryLayout<DistantDates>.size))
            + HeapSize.array(lastModifiedSpelling ?? []) + (applied == nil ? 0 : HeapSize.object(256))
    }
}
