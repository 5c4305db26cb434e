import HTTPCaching
import HTTPCore
import Testing

/// Pseudo-random bytes that repeat from run to run (SplitMix64).
private struct Bytes: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// Pieces that mean something to the parsers, and some that mean nothing.
    mutating func value() -> [UInt8] {
        let pieces = [
            "max-age", "=", "\"", "\\", ",", " ", ";", "*", "W/", "no-store", "private", "99999999999999999999", "-1",
            "q=",
            "0.5", "bytes=", "-", "(", ")", "?1", ":", "@", "%\"", "Thu, 18 Aug 2050 02:01:18 GMT", "Thu", "../", "/",
            "//",
            "http:", "#", "stale-if-error=5", "\u{0}", "é", "gzip", "\t",
        ]
        var value: [UInt8] = []
        for _ in 0..<Int.random(in: 0...8, using: &self) {
            value += Array((pieces.randomElement(using: &self) ?? "").utf8)
        }
        return value
    }
}

@Suite("values from peers")
struct HostileInputTests {
    private static let fields: [KnownField] = [
        .cacheControl, .cdnCacheControl, .age, .date, .expires, .lastModified, .etag, .vary, .ifNoneMatch,
        .ifModifiedSince,
        .ifRange, .range, .location, .contentLocation, .acceptLanguage, .accept, .pragma, .connection, .contentType,
    ]

    @Test("no combination of values traps, and every figure stays in its bounds (H-112, H-118)", arguments: 0..<20)
    func anything(seed: Int) {
        var random = Bytes(state: UInt64(seed))
        var options = CachingOptions()
        options.targetedFields = CachingOptions.originTargetedFields
        for _ in 0..<60 {
            var fields = Fields()
            for field in Self.fields where Bool.random(using: &random) {
                fields.append(field, random.value())
                if Int.random(in: 0..<4, using: &random) == 0 { fields.append(field, random.value()) }
            }
            judge(fields, options)
        }
    }

    /// Uses one section as that of a request and of a response.
    private func judge(_ fields: Fields, _ options: CachingOptions) {
        let metadata = ResponseMetadata(
            status: 200,
            fields: StoredFields.storing(fields),
            requestTime: HTTPDate(seconds: .max),
            responseTime: receipt,
            options: options
        )
        let profile = RequestProfile(method: .get, fields: fields, credentialFields: options.credentials)
        let target = TargetURI(scheme: .http, host: Array("a".utf8), port: 80, path: [0x2F])
        #expect((0...DeltaSeconds.limit).contains(metadata.lifetimeSeconds))
        #expect((0...DeltaSeconds.limit).contains(metadata.ageAtReceiptSeconds))
        _ = metadata.storability(for: profile, options: options)
        _ = metadata.sharing(for: profile)
        _ = metadata.conditionOutcome(method: .get, fields: fields, now: receipt, isOrigin: true)
        for age in [Int64.min, -1, 0, 1, .max] {
            let decision = metadata.decision(for: profile.directives, ageSeconds: age)
            if case .fresh(let remaining) = decision { #expect((1...DeltaSeconds.limit).contains(remaining)) }
            _ = metadata.staleVerdict(after: .network, for: profile.directives, ageSeconds: age, options: options)
            _ = metadata.ttlSeconds(ageSeconds: age)
        }
        _ = metadata.vary.selectionKey(for: fields, credentials: options.credentials) { $0 }
        _ = Freshening.match(fields, offered: [metadata, metadata])
        _ = Freshening.freshened(fields, by: fields, receivedAt: receipt, keepsSetCookie: true)
        _ = SentConditions.validating(fields, selected: metadata, others: [metadata])
        _ = StoredFields.reusing(fields, under: metadata.control)
        let invalidated = Invalidation.targets(method: .put, target: target, status: 200, fields: fields)
        #expect(invalidated.allSatisfy { $0.hasSameOrigin(as: target) })
        for length in [Int64(0), 1, 100, .max] {
            let plan = RangePlan(method: .get, fields: fields, stored: metadata, length: length, options: options)
            if case .single(let range) = plan { #expect(range.upperBound <= length && !range.isEmpty) }
        }
    }
}
