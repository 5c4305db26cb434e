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
        var positions = Set<Int>()
        add(0, to: &positions)
        for byte in text {
            var next = Set<Int>()
            for position in positions where position < pieces.count {
                switch pieces[position] {
                case .byte(let wanted): if wanted == byte { add(position + 1, to: &next) }
                case .withinSegment: if byte != UInt8(ascii: "/") { add(position, to: &next) }
                case .anything: add(position, to: &next)
                }
            }
            if next.isEmpty { return false }
            positions = next
        }
        return positions.contains(pieces.count)
    }

    /// Adds a position, and those after stars that match nothing.
    private func add(_ position: Int, to positions: inout Set<Int>) {
        var position = position
        positions.insert(position)
        while position < pieces.count, pieces[position] == .withinSegment || pieces[position] == .anything {
            position += 1
            positions.insert(position)
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
