/// Bytes with wildcards, matched as a whole in one pass: the places reached are followed together, nothing is tried twice.
struct BytePattern: Sendable {
    enum Piece: Sendable, Hashable {
        case byte(UInt8)
        /// One byte that is no delimiter.
        case one
        /// As many bytes as there may be, none of them a delimiter.
        case withinPart
        /// As many bytes as there may be.
        case anything
        /// Nothing, or bytes of which the last is this delimiter: `**/`, `**.`.
        case parts(UInt8)
    }

    private let pieces: [Piece]
    /// What `withinPart` does not cross.
    private let delimiters: [UInt8]
    /// How many pieces at the start are bytes.
    private let literalCount: Int
    /// The pieces behind those.
    private let places: PatternPlaces

    init(_ pieces: [Piece], delimiters: [UInt8]) {
        self.pieces = pieces
        self.delimiters = delimiters
        literalCount = pieces.prefix { if case .byte = $0 { true } else { false } }.count
        places = literalCount == pieces.count ? .none : PatternPlaces(pieces[literalCount...], delimiters: delimiters)
    }

    /// Whether nothing but one text matches.
    var isLiteral: Bool { literalCount == pieces.count }

    /// Costs at most the length of the text, for each 64 pieces.
    func matches(_ text: [UInt8]) -> Bool {
        guard text.count >= literalCount else { return false }
        for index in 0..<literalCount where pieces[index] != .byte(text[index]) { return false }
        if isLiteral { return text.count == literalCount }
        if literalCount + 1 == pieces.count, pieces[literalCount] == .anything { return true }
        return places.match(text[literalCount...])
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
    /// Reads `*`, `**` and, at the start of a part, `**` with `delimiter` behind it; all else is bytes.
    ///
    /// - Parameter byte: reads the byte at an index and moves the index behind it.
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
