/// Bytes with wildcards, matched in one pass: all positions that a text can have reached advance together.
struct BytePattern: Sendable {
    enum Piece: Sendable, Hashable {
        case byte(UInt8)
        /// One byte other than a delimiter.
        case one
        /// Any number of bytes other than delimiters.
        case withinPart
        /// Any number of bytes.
        case anything
        /// Nothing, or bytes that end in this delimiter: `**/`, `**.`.
        case parts(UInt8)
    }

    let pieces: [Piece]
    /// Bytes that `one` and `withinPart` do not match.
    private let delimiters: [UInt8]
    /// The number of literal bytes at the start.
    private let literalCount: Int
    /// The pieces after those.
    private let rest: PatternAutomaton

    init(_ pieces: [Piece], delimiters: [UInt8]) {
        self.pieces = pieces
        self.delimiters = delimiters
        literalCount = pieces.prefix { if case .byte = $0 { true } else { false } }.count
        rest = literalCount == pieces.count ? .empty : PatternAutomaton(pieces[literalCount...], delimiters: delimiters)
    }

    /// Whether only one text matches.
    var isLiteral: Bool { literalCount == pieces.count }

    /// Whether all of `text` matches; takes at most one step per byte for each 64 pieces.
    func matches(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= literalCount else { return false }
        let start = text.startIndex
        for index in 0..<literalCount where pieces[index] != .byte(text[start + index]) { return false }
        if isLiteral { return text.count == literalCount }
        if literalCount + 1 == pieces.count, pieces[literalCount] == .anything { return true }
        let remainder = text[(start + literalCount)...]
        return rest.matches(remainder.span)
    }

    func matches(_ text: [UInt8]) -> Bool { matches(text[...]) }

    /// Whether it has no literal byte but `delimiter`.
    func hasOnlyWildcards(beside delimiter: UInt8) -> Bool {
        pieces.allSatisfy { piece in
            guard case .byte(let byte) = piece else { return true }
            return byte == delimiter
        }
    }

    /// Whether every text matches that begins with one that matches.
    var hasOpenEnd: Bool { pieces.last == .anything }

    /// Whether every text matches that is empty or begins with `start`.
    func isEverything(behind start: UInt8) -> Bool { pieces == [.anything] || pieces == [.byte(start), .anything] }

    /// Whether a text matches that begins with `start` and goes on.
    func mayContinue(after start: [UInt8]) -> Bool {
        let shared = min(literalCount, start.count)
        for index in 0..<shared where pieces[index] != .byte(start[index]) { return false }
        return shared < literalCount || rest.mayContinue(after: start[shared...])
    }
}

extension BytePattern: Hashable {
    static func == (left: BytePattern, right: BytePattern) -> Bool {
        left.pieces == right.pieces && left.delimiters == right.delimiters
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(pieces)
        hasher.combine(delimiters)
    }
}

extension BytePattern {
    /// Reads a pattern.
    ///
    /// `*` and `**` are wildcards, and so is `**` with `delimiter` after it at the start of a part. Everything else is
    /// literal.
    ///
    /// - Parameter byte: reads the byte at an index and advances the index.
    static func pieces(
        _ text: ArraySlice<UInt8>,
        delimiter: UInt8,
        _ byte: (ArraySlice<UInt8>, inout Int) -> [UInt8]
    ) -> [Piece] {
        var pieces: [Piece] = []
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == 0x2A else {
                pieces += byte(text, &index).map { .byte($0) }
                continue
            }
            let end = text[index...].firstIndex { $0 != 0x2A } ?? text.endIndex
            let isAtStart = pieces.isEmpty || pieces.last == .byte(delimiter)
            if end - index == 1 {
                pieces.append(.withinPart)
            } else if isAtStart, end < text.endIndex, text[end] == delimiter {
                pieces.append(.parts(delimiter))
                index = end + 1
                continue
            } else {
                pieces.append(.anything)
            }
            index = end
        }
        return pieces
    }
}
