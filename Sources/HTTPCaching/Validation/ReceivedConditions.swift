public import HTTPCore

/// The outcome of a request's conditions.
public enum ConditionOutcome: Sendable, Equatable {
    /// Answer as if there were no conditions.
    case proceed
    /// 304.
    case notModified
    /// 412.
    case preconditionFailed
}

extension ResponseMetadata {
    /// Evaluates the conditions of a request against this response, which is fresh or was just validated.
    ///
    /// Their precedence is that of RFC 9110 §13.2.2. If-Match and If-Unmodified-Since are for the origin (RFC 9111
    /// §4.3.2): they count only with `isOrigin`, for content of our own (transformed, or an override).
    public func conditionOutcome(
        method: Method,
        fields: Fields,
        now: HTTPDate,
        isOrigin: Bool = false
    ) -> ConditionOutcome {
        guard !fields.present.isDisjoint(with: Self.conditions), status == 200 || status == 206 else { return .proceed }
        if isOrigin, failsOriginConditions(fields, now) { return .preconditionFailed }
        guard method == .get || method == .head else { return .proceed }
        if fields.contains(.ifNoneMatch) {
            return matchesAny(of: .ifNoneMatch, fields, strongly: false) ? .notModified : .proceed
        }
        guard let since = ResponseDates.date(.ifModifiedSince, fields, now) else { return .proceed }
        return modificationDate <= since ? .notModified : .proceed
    }

    private static let conditions: KnownFieldSet = [.ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince]

    /// Last-Modified, or else the date of the response, which cannot have been modified later (RFC 9111 §4.3.2).
    private var modificationDate: HTTPDate { lastModified ?? date }

    private func failsOriginConditions(_ fields: Fields, _ now: HTTPDate) -> Bool {
        if fields.contains(.ifMatch) { return !matchesAny(of: .ifMatch, fields, strongly: true) }
        guard let since = ResponseDates.date(.ifUnmodifiedSince, fields, now), let lastModified else { return false }
        return lastModified > since
    }

    /// Whether a list has the tag of this response; `*` alone stands for any.
    ///
    /// Allocates nothing, since a 304 is a hot path.
    private func matchesAny(of field: KnownField, _ fields: Fields, strongly: Bool) -> Bool {
        let isAlone = fields.count(of: field) == 1
        for line in fields.lines where line.known == field {
            let matches = fields.withValue(line) { list in
                if isAlone, list.count == 1, list[0] == 0x2A { return true }
                return etag?.isMember(ofList: list, strongly: strongly) ?? false
            }
            if matches { return true }
        }
        return false
    }
}

extension StoredFields {
    /// The fields of our 304, in stored order (RFC 9110 §15.4.5); the sender adds Age.
    public static func notModified(_ stored: Fields) -> Fields {
        var fields = stored
        let hasTag = stored.contains(.etag)
        fields.removeLines { line in
            guard let known = line.known else { return true }
            return !(notModifiedFields.contains(known) || (known == .lastModified && !hasTag))
        }
        return fields
    }

    private static let notModifiedFields: KnownFieldSet = [
        .cacheControl, .cdnCacheControl, .respiteCacheControl, .contentLocation, .date, .etag, .expires, .vary,
    ]
}
