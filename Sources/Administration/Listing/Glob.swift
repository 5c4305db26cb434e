/// A pattern for a whole URL: `*` stands for any bytes but a slash, `**` for any bytes.
struct Glob: Sendable {
    private enum Piece: Sendable, Equatable {
        case byte(UInt8)
        case withinSegment
        case anything
    }

    private let pieces: [Piece]

    init(_ pattern: [UInt8]) {
        var pieces: [Piece] = []
        for byte in pattern {
            if byte != UInt8(ascii: "*") {
                pieces.append(.byte(byte))
            } else if pieces.last == .withinSegment || pieces.last == .anything {
                pieces[pieces.count - 1] = .anything
            } else {
                pieces.append(.withinSegment)
            }
        }
        self.pieces = pieces
    }

    /// Costs at most the product of both lengths: it follows all reached positions together and tries none twice.
    func matches(_ text: [UInt8]) -> Bool {
        var places = Set<Int>()
        add(0, to: &places)
        for byte in text {
            var next = Set<Int>()
            for place in places where place < pieces.count {
                switch pieces[place] {
                case .byte(let wanted): if wanted == byte { add(place + 1, to: &next) }
                case .withinSegment: if byte != UInt8(ascii: "/") { add(place, to: &next) }
                case .anything: add(place, to: &next)
                }
            }
            if next.isEmpty { return false }
            places = next
        }
        return places.contains(pieces.count)
    }

    /// Adds a position, and those after stars that match nothing.
    private func add(_ place: Int, to places: inout Set<Int>) {
        var place = place
        places.insert(place)
        while place < pieces.count, pieces[place] == .withinSegment || pieces[place] == .anything {
            place += 1
            places.insert(place)
        }
    }

    /// Whether `part` occurs in `text`.
    static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        guard text.count >= part.count else { return false }
        for start in 0...text.count - part.count where text[start] == first {
            if text[start..<start + part.count].elementsEqual(part) { return true }
        }
        return false
    }
}
