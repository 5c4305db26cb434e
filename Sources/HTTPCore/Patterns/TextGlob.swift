/// A pattern of target URIs in the code of a program, such as `/items/*` (S-056 to S-064).
///
/// - `*` stands for any bytes but `/`, `**` for any bytes, `?` for one byte other than `/`. `**/` also stands for
///   nothing, so that `/a/**/b` matches `/a/b`. Every other byte stands for itself.
/// - The URI must match up to its query, which never counts. A pattern cannot ask for a query; `URLGlob`, the pattern
///   of settings, can.
/// - A text that begins with a scheme in lower case and a colon is absolute. It is compared with scheme, host and port
///   of the canonical URI, which has no default port: `https://h:*/**` asks for another port. Wildcards of the host
///   never reach into the path.
/// - Any other text is relative to the base, with or without a slash at its start: `**` is everything below the base.
///   Without a base the text is compared with that of the URI.
/// - Escapes in a path are equal to what they stand for, except `%2F`, `%3F`, `%23` and `%25`, and dot segments are
///   removed. So a path that a server would read as one outside of the base is not below it.
///
/// A match takes one step per byte for each 64 bytes of the pattern.
public struct TextGlob: Sendable, Hashable {
    private enum Form: Sendable, Hashable {
        /// The text up to the query.
        case whole(BytePattern)
        /// `scheme://authority`, and the path.
        case parts(origin: BytePattern, path: BytePattern)
    }

    /// As written.
    public let text: String
    private let form: Form

    /// Makes the pattern that `text` is in a service with this base; every text is a pattern.
    public init(_ text: String, base: TargetURI?) {
        self.text = text
        let bytes = Array(text.utf8)
        if let authority = Self.startOfAuthority(bytes) {
            form = Self.absolute(bytes, authority)
        } else if let base {
            let rest = bytes.first == 0x2F ? bytes.dropFirst() : bytes[...]
            // The base has no wildcards.
            let directory = PathText.normalized(base.directory[...]).map { BytePattern.Piece.byte($0) }
            form = .parts(
                origin: BytePattern(base.origin.map { .byte($0) }, delimiters: [0x2F]),
                path: BytePattern(directory + Self.pieces(rest), delimiters: [0x2F])
            )
        } else {
            form = .whole(BytePattern(Self.pieces(bytes[...]), delimiters: [0x2F]))
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
    private static func startOfAuthority(_ bytes: [UInt8]) -> Int? {
        guard let colon = bytes.firstIndex(of: 0x3A), let first = bytes.first, first &- 0x61 < 26 else { return nil }
        let isScheme = bytes[..<colon].allSatisfy {
            $0 &- 0x61 < 26 || $0.isDigit || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
        }
        return isScheme ? colon + 1 : nil
    }

    private static func absolute(_ bytes: [UInt8], _ start: Int) -> Form {
        let authority = min(start + 2, bytes.count)
        guard bytes[start..<authority].elementsEqual([0x2F, 0x2F]),
            let slash = bytes[authority...].firstIndex(of: 0x2F)
        else { return .whole(BytePattern(pieces(bytes[...]), delimiters: [0x2F])) }
        var origin = bytes[..<slash].map(\.asciiLowercased)
        // A canonical URI never has the default port.
        for (scheme, port) in [("http:", ":80"), ("https:", ":443")]
        where origin.starts(with: scheme.utf8) && origin.suffix(port.utf8.count).elementsEqual(port.utf8) {
            origin.removeLast(port.utf8.count)
        }
        return .parts(
            origin: BytePattern(pieces(origin[...]), delimiters: [0x2F]),
            path: BytePattern(pieces(bytes[slash...]), delimiters: [0x2F])
        )
    }

    private static func pieces(_ text: ArraySlice<UInt8>) -> [BytePattern.Piece] {
        var pieces: [BytePattern.Piece] = []
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
                pieces += PathText.next(text, &index, keeping: PathText.pathDelimiters).map { .byte($0) }
            }
        }
        return pieces
    }
}

extension TargetURI {
    /// `scheme://authority`.
    fileprivate var origin: ArraySlice<UInt8> { bytes[..<pathRange.lowerBound] }
}
