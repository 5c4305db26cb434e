/// Octets with wildcards, matched as a whole in one pass: the places reached are followed together, nothing is tried twice.
struct OctetPattern: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case octet(UInt8)
        /// One octet that is no delimiter.
        case one
        /// As many octets as there may be, none of them a delimiter.
        case withinPart
        /// As many octets as there may be.
        case anything
        /// Nothing, or octets of which the last is this delimiter: `**/`, `**.`.
        case parts(UInt8)
    }

    private let pieces: [Piece]
    /// What `withinPart` does not cross.
    private let delimiters: [UInt8]
    /// How many pieces at the start are octets.
    private let literalCount: Int

    init(_ pieces: [Piece], delimiters: [UInt8]) {
        self.pieces = pieces
        self.delimiters = delimiters
        literalCount = pieces.prefix { if case .octet = $0 { true } else { false } }.count
    }

    /// Whether nothing but one text matches.
    var isLiteral: Bool { literalCount == pieces.count }

    /// Costs at most the product of both lengths.
    func matches(_ text: [UInt8]) -> Bool {
        guard text.count >= literalCount else { return false }
        for index in 0..<literalCount where pieces[index] != .octet(text[index]) { return false }
        if isLiteral { return text.count == literalCount }
        if literalCount + 1 == pieces.count, pieces[literalCount] == .anything { return true }
        // A place is the number of pieces done with.
        var places = [Bool](repeating: false, count: pieces.count + 1)
        var next = places
        reach(literalCount, &places)
        for octet in text[literalCount...] {
            for place in literalCount..<pieces.count where places[place] { advance(from: place, by: octet, &next) }
            swap(&places, &next)
            for place in next.indices { next[place] = false }
        }
        return places[pieces.count]
    }

    private func advance(from place: Int, by octet: UInt8, _ next: inout [Bool]) {
        switch pieces[place] {
        case .octet(let wanted): if octet == wanted { reach(place + 1, &next) }
        case .one: if !delimiters.contains(octet) { reach(place + 1, &next) }
        case .withinPart: if !delimiters.contains(octet) { reach(place, &next) }
        case .anything: reach(place, &next)
        case .parts(let delimiter):
            // Amid a part only its delimiter leads on: the place itself, not what may follow nothing.
            next[place] = true
            if octet == delimiter { reach(place + 1, &next) }
        }
    }

    /// Notes a place, and those behind wildcards that may stand for nothing.
    private func reach(_ place: Int, _ places: inout [Bool]) {
        var place = place
        places[place] = true
        while place < pieces.count {
            switch pieces[place] {
            case .octet, .one: return
            case .withinPart, .anything, .parts: place += 1
            }
            places[place] = true
        }
    }
}

extension OctetPattern {
    /// Reads `*`, `**` and, at the start of a part, `**` with `delimiter` behind it; all else is octets.
    ///
    /// - Parameter octet: reads the octet at an index and moves the index behind it.
    static func pieces(
        _ text: ArraySlice<UInt8>,
        delimiter: UInt8,
        _ octet: (ArraySlice<UInt8>, inout Int) -> [UInt8]
    ) -> [Piece] {
        var pieces: [Piece] = []
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == 0x2A else {
                pieces += octet(text, &index).map { .octet($0) }
                continue
            }
            let end = text[index...].firstIndex { $0 != 0x2A } ?? text.endIndex
            let isAtStart = pieces.isEmpty || pieces.last == .octet(delimiter)
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
