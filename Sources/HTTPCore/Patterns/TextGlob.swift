/// A pattern of target URIs as programs write it in their code, such as `/items/*` (S-056 to S-064).
///
/// - `*` stands for any octets but `/`, `**` for any octets, `?` for one octet other than `/`; `**/` also for nothing, so
///   that `/a/**/b` matches `/a/b`. All else stands for itself.
/// - The whole URI up to its query has to match; the query never counts, and cannot be written: see `URLGlob`, the pattern
///   of settings, for that.
/// - A text that begins with a scheme in lower case and a colon is absolute. Scheme, host and port are compared as they
///   stand in the canonical URI, a default port left out: `https://h:*/**` asks for a port that is written. Wildcards of
///   the host never reach into the path.
/// - Any other text is relative to the base, whether it begins with a slash or not: `**` is everything below the base and
///   nothing else. Without a base it is matched as it stands against the URI's text.
/// - Escapes in a path are equal to what they stand for, except `%2F`, `%3F`, `%23` and `%25`, and dot segments are taken
///   out: what a server would read as a path outside of the base is not below it.
///
/// The cost of a match is the length of the text for each 64 octets of the pattern, whatever they are.
public struct TextGlob: Sendable, Hashable {
    private enum Form: Sendable, Hashable {
        /// Everything up to the query.
        case whole(OctetPattern)
        /// `scheme://authority`, and the path.
        case parts(origin: OctetPattern, path: OctetPattern)
    }

    /// As written.
    public let text: String
    private let form: Form

    /// The pattern `text` is in a service with this base; every text is one.
    public init(_ text: String, base: TargetURI?) {
        self.text = text
        let octets = Array(text.utf8)
        if let authority = Self.startOfAuthority(octets) {
            form = Self.absolute(octets, authority)
        } else if let base {
            let rest = octets.first == 0x2F ? octets.dropFirst() : octets[...]
            // What stands in the base is no pattern.
            let directory = PathText.normalized(base.directory[...]).map { OctetPattern.Piece.octet($0) }
            form = .parts(
                origin: OctetPattern(base.origin.map { .octet($0) }, delimiters: [0x2F]),
                path: OctetPattern(directory + Self.pieces(rest), delimiters: [0x2F])
            )
        } else {
            form = .whole(OctetPattern(Self.pieces(octets[...]), delimiters: [0x2F]))
        }
    }

    public func matches(_ uri: TargetURI) -> Bool {
        let path = PathText.normalized(uri.pathWithoutQuery)
        switch form {
        case .whole(let whole): return whole.matches(uri.origin + path)
        case .parts(let origin, let pattern): return pattern.matches(path) && origin.matches(Array(uri.origin))
        }
    }

    /// The index behind a scheme in lower case and its colon.
    private static func startOfAuthority(_ octets: [UInt8]) -> Int? {
        guard let colon = octets.firstIndex(of: 0x3A), let first = octets.first, first &- 0x61 < 26 else { return nil }
        let isScheme = octets[..<colon].allSatisfy {
            $0 &- 0x61 < 26 || $0.isDigit || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
        }
        return isScheme ? colon + 1 : nil
    }

    private static func absolute(_ octets: [UInt8], _ start: Int) -> Form {
        let authority = min(start + 2, octets.count)
        guard octets[start..<authority].elementsEqual([0x2F, 0x2F]),
            let slash = octets[authority...].firstIndex(of: 0x2F)
        else { return .whole(OctetPattern(pieces(octets[...]), delimiters: [0x2F])) }
        var origin = octets[..<slash].map(\.asciiLowercased)
        // In a canonical URI the default port is never written.
        for (scheme, port) in [("http:", ":80"), ("https:", ":443")]
        where origin.starts(with: scheme.utf8) && origin.suffix(port.utf8.count).elementsEqual(port.utf8) {
            origin.removeLast(port.utf8.count)
        }
        return .parts(
            origin: OctetPattern(pieces(origin[...]), delimiters: [0x2F]),
            path: OctetPattern(pieces(octets[slash...]), delimiters: [0x2F])
        )
    }

    private static func pieces(_ text: ArraySlice<UInt8>) -> [OctetPattern.Piece] {
        var pieces: [OctetPattern.Piece] = []
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case 0x3F:
                pieces.append(.one)
                index += 1
            case 0x2A:
                let end = text[index...].firstIndex { $0 != 0x2A } ?? text.endIndex
                let isLong = end - index > 1
                let isPart = isLong && end < text.endIndex && text[end] == 0x2F
                pieces.append(isPart ? .parts(0x2F) : isLong ? .anything : .withinPart)
                index = isPart ? end + 1 : end
            default:
                pieces += PathText.next(text, &index, keeping: PathText.pathDelimiters).map { .octet($0) }
            }
        }
        return pieces
    }
}

extension TargetURI {
    /// `scheme://authority`.
    fileprivate var origin: ArraySlice<UInt8> { octets[..<pathRange.lowerBound] }
}
