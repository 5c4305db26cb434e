public import HTTPCore

/// Which stored response a 304 freshens (RFC 9111 §4.3.4).
public enum NotModifiedMatch: Sendable, Equatable {
    /// The offered response at this index.
    case freshens(Int)
    /// None of the offered ones: nothing is updated, and the whole is loaded without conditions.
    case unknown
}

/// What a response to HEAD means for a stored response to GET (RFC 9111 §4.3.5).
public enum HeadMatch: Sendable, Equatable {
    case freshens
    /// It describes another representation: the stored one is stale.
    case contradicts
    /// It is not a 200, and means nothing for the stored one.
    case ignored
}

public enum Freshening {
    /// Finds the response that a 304 to our conditional request freshens.
    ///
    /// - Parameters:
    ///   - fields: the fields of the 304.
    ///   - offered: the responses whose validators were sent, the selected one first.
    public static func match(_ fields: Fields, offered: [ResponseMetadata]) -> NotModifiedMatch {
        guard let first = offered.first else { return .unknown }
        if let tag = entityTag(fields) {
            return index(in: offered) { offer in
                guard let stored = offer.etag else { return false }
                return tag.isWeak ? tag.matchesWeakly(stored) : tag.matchesStrongly(stored)
            }
        }
        if let date = fields.value(of: .lastModified), first.lastModifiedBytes != nil || offered.count > 1 {
            return index(in: offered) { $0.lastModifiedBytes == date }
        }
        return offered.count == 1 ? .freshens(0) : .unknown
    }

    private static func entityTag(_ fields: Fields) -> EntityTag? {
        fields.withValue(of: .etag) { EntityTag($0) } ?? nil
    }

    /// The first response if `condition` holds for it, else the latest for which it holds.
    private static func index(
        in offered: [ResponseMetadata],
        where condition: (ResponseMetadata) -> Bool
    ) -> NotModifiedMatch {
        let matching = offered.indices.filter { condition(offered[$0]) }
        if matching.first == 0 { return .freshens(0) }
        return matching.max { offered[$0].date < offered[$1].date }.map { .freshens($0) } ?? .unknown
    }

    /// Compares a response to HEAD with a stored response to GET.
    /// - Parameters:
    ///   - fields: the fields of the response to HEAD.
    ///   - stored: the metadata of the stored response.
    ///   - storedFields: the fields of the stored response.
    public static func match(
        head status: UInt16,
        _ fields: Fields,
        stored: ResponseMetadata,
        _ storedFields: Fields
    ) -> HeadMatch {
        guard status == 200 else { return .ignored }
        let pairs: [(received: [UInt8]?, stored: [UInt8]?)] = [
            (entityTag(fields)?.bytes, stored.etag?.bytes),
            (fields.value(of: .lastModified), stored.lastModifiedBytes),
            (fields.value(of: .contentLength), storedFields.value(of: .contentLength)),
        ]
        let contradicts = pairs.contains { pair in
            guard let received = pair.received, let stored = pair.stored else { return false }
            return received != stored
        }
        return contradicts ? .contradicts : .freshens
    }

    /// The stored fields after a 304, or after a HEAD that freshens (RFC 9111 §3.2).
    ///
    /// Every field received replaces all lines of its name, at their position; new ones follow. Fields that describe
    /// the stored content stay (H-110). The old Age goes, and Date is the new one or the time of receipt. Decide anew
    /// whether the result may be stored: a 304 may say no-store or private.
    /// - Parameters:
    ///   - received: the fields of the 304, as received.
    ///   - receivedAt: when it was received.
    ///   - keepsSetCookie: whether Set-Cookie lines of `received` belong into the stored response; false if the
    ///     response is shared and the validation had a client's credentials.
    public static func freshened(
        _ stored: Fields,
        by received: Fields,
        receivedAt: HTTPDate,
        keepsSetCookie: Bool
    ) -> Fields {
        let update = updating(received, keepsSetCookie: keepsSetCookie)
        var names: [[UInt8]] = []
        for line in update.lines {
            let name = update.name(of: line)
            if !names.contains(where: { $0.equalsIgnoringCase(name) }) { names.append(name.lowercased) }
        }
        var result = Fields()
        var replaced: Set<Int> = []
        for line in stored.lines where line.known != .age {
            if let index = names.firstIndex(where: { stored.hasName(line, $0) }) {
                if replaced.insert(index).inserted { result.append(linesNamed: names[index], of: update) }
            } else if line.known != .date {
                result.append(name: stored.name(of: line), value: stored.value(of: line))
            } else {
                result.append(.date, receivedAt.bytes)
            }
        }
        for (index, name) in names.enumerated() where !replaced.contains(index) {
            result.append(linesNamed: name, of: update)
        }
        return result
    }

    /// The fields of a 304 that change the stored response.
    private static func updating(_ received: Fields, keepsSetCookie: Bool) -> Fields {
        var update = StoredFields.storing(received)
        update.removeLines { line in
            guard let known = line.known else { return false }
            return contentFields.contains(known) || (known == .setCookie && !keepsSetCookie)
        }
        return update
    }

    private static let contentFields: KnownFieldSet = [
        .contentLength, .contentEncoding, .contentRange, .transferEncoding, .trailer,
    ]
}

extension Fields {
    /// Appends all lines of `other` with this lower-cased name.
    fileprivate mutating func append(linesNamed name: [UInt8], of other: Fields) {
        for line in other.lines where other.hasName(line, name) {
            append(name: other.name(of: line), value: other.value(of: line))
        }
    }
}
