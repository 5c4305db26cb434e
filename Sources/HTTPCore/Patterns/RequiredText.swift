/// Text without which no URI matches: a test that costs less than a match, and parses nothing.
///
/// It passes every URI that matches, and some others.
public struct RequiredText: Sendable, Hashable {
    /// What one of these lists holds must occur, all of it; without lists every URI passes.
    private let alternatives: [[[UInt8]]]
    /// Whether a URI matches as it is written only; a pattern also fits other spellings.
    private let isExact: Bool

    /// Text that must occur as it is.
    public init(_ text: [UInt8]) {
        alternatives = text.isEmpty ? [] : [[text]]
        isExact = true
    }

    /// Text that must occur so that `pattern` matches.
    public init(of pattern: URLGlob) {
        let literals = pattern.branches.map(\.literals)
        alternatives = literals.contains(where: \.isEmpty) ? [] : Array(Set(literals))
        isExact = false
    }

    /// Whether all URIs pass.
    public var isEmpty: Bool { alternatives.isEmpty }

    /// Whether the URI with these bytes, in canonical form, may match.
    public func mayMatch(_ uri: Span<UInt8>) -> Bool {
        guard !alternatives.isEmpty else { return true }
        for texts in alternatives where Self.all(texts, occurIn: uri) { return true }
        return !isExact && Self.mayBeSpelledOtherwise(uri)
    }

    private static func all(_ texts: [[UInt8]], occurIn uri: Span<UInt8>) -> Bool {
        for text in texts where !occurs(text.span, in: uri) { return false }
        return true
    }

    private static func occurs(_ part: Span<UInt8>, in text: Span<UInt8>) -> Bool {
        let last = text.count - part.count
        var at = 0
        while at <= last {
            if at + 8 <= text.count {
                let marks = Marks.equal(ByteScan.word(text, at: at), part[0])
                guard marks != 0 else {
                    at += 8
                    continue
                }
                at += marks.trailingZeroBitCount / 8
                guard at <= last else { return false }
            }
            if ByteScan.equals(text.extracting(at..<(at + part.count)), part) { return true }
            at += 1
        }
        return false
    }

    /// Whether a pattern may be compared with other bytes than these.
    ///
    /// Matching undoes escapes, removes dot segments and the dot at the end of a host, and reads addresses in brackets.
    private static func mayBeSpelledOtherwise(_ uri: Span<UInt8>) -> Bool {
        var at = 0
        while at + 8 <= uri.count {
            let word = ByteScan.word(uri, at: at)
            if Marks.equal(word, 0x25) | Marks.equal(word, 0x5B) != 0 { return true }
            if Marks.equal(word, 0x2E) != 0, isSpecial(in: uri, at..<(at + 8)) { return true }
            at += 8
        }
        return isSpecial(in: uri, at..<uri.count)
    }

    /// Whether `range` has an escape, a bracket, or a dot that may begin a segment or end a host.
    private static func isSpecial(in uri: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range {
            switch uri[index] {
            case 0x25, 0x5B: return true
            case 0x2E:
                if index > 0, uri[index - 1] == 0x2F { return true }
                if index + 1 == uri.count || uri[index + 1] == 0x2F || uri[index + 1] == 0x3A { return true }
            default: continue
            }
        }
        return false
    }
}

extension GlobBranch {
    /// The most texts of one alternative: each is looked for.
    private static let literalLimit = 3

    /// Texts that occur in every URI that matches as it is written, the longest first.
    ///
    /// Such a URI has scheme, host, port, path and query side by side. So a run of literal bytes may reach from one of
    /// them into the next.
    fileprivate var literals: [[UInt8]] {
        let runs = pieces.split { if case .byte = $0 { false } else { true } }
            .filter { $0.count > 1 }
            .map { run in run.compactMap { if case .byte(let byte) = $0 { byte } else { nil } } }
        // Of equal length, the later one is rarer: the first is often the scheme.
        return Array(runs.reversed().sorted { $0.count > $1.count }.prefix(Self.literalLimit))
    }

    /// The pattern as one text with wildcards.
    private var pieces: [BytePattern.Piece] {
        var pieces = isRelative ? [] : originPieces
        pieces += path?.pieces ?? [.anything]
        if let query { pieces += [.byte(0x3F)] + query.pieces }
        return pieces
    }

    private var originPieces: [BytePattern.Piece] {
        var pieces = scheme.map { Self.literal("\($0.text)://") } ?? [.anything]
        switch host {
        case .any, .address: pieces.append(.anything)
        case .text(let pattern): pieces += pattern.pieces
        }
        switch port {
        case .standard: break
        case .every: pieces.append(.anything)
        case .number(let number):
            // A canonical URI has no default port.
            if let scheme {
                if number != scheme.defaultPort { pieces += Self.literal(":\(number)") }
            } else {
                pieces.append(.anything)
            }
        }
        return pieces
    }

    private static func literal(_ text: String) -> [BytePattern.Piece] { text.utf8.map { .byte($0) } }
}
