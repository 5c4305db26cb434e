/// A pattern as a tree.
indirect enum IRegexpTree: Sendable {
    case character(Unicode.Scalar)
    case any
    case set(ScalarSet)
    case start, end
    case sequence([IRegexpTree])
    case alternatives([IRegexpTree])
    /// The least and the greatest number of repetitions; nil for any number.
    case repetition(IRegexpTree, Int, Int?)
}

/// Parses patterns (RFC 9485 §4).
struct IRegexpParser {
    private let points: [Unicode.Scalar]
    private var at = 0
    private var depth = 0

    init(_ text: [UInt8]) throws(IRegexpError) {
        var points: [Unicode.Scalar] = []
        var cursor = 0
        while let point = CodePoints.next(text, &cursor) {
            // A pattern cannot contain surrogates.
            guard let scalar = Unicode.Scalar(point) else { throw .invalid }
            points.append(scalar)
        }
        self.points = points
    }

    mutating func parse() throws(IRegexpError) -> IRegexpTree {
        let tree = try alternatives()
        guard at == points.count else { throw .invalid }
        return tree
    }

    // i-regexp = branch *( "|" branch )
    private mutating func alternatives() throws(IRegexpError) -> IRegexpTree {
        var branches = [try branch()]
        while consume("|") { branches.append(try branch()) }
        return branches.count == 1 ? branches[0] : .alternatives(branches)
    }

    // branch = *( atom [ quantifier ] )
    private mutating func branch() throws(IRegexpError) -> IRegexpTree {
        var pieces: [IRegexpTree] = []
        while at < points.count, !isNext("|"), !isNext(")") {
            pieces.append(try quantified(try atom()))
        }
        return .sequence(pieces)
    }

    private mutating func atom() throws(IRegexpError) -> IRegexpTree {
        let point = points[at]
        at += 1
        switch point {
        case "(":
            guard depth < IRegexp.depthLimit else { throw .tooLarge }
            depth += 1
            defer { depth -= 1 }
            let inner = try alternatives()
            guard consume(")") else { throw .invalid }
            return inner
        case ".": return .any
        case "^": return .start
        case "$": return .end
        case "[": return .set(try charClass())
        case "\\":
            if let set = try categoryEscape() { return .set(set) }
            return .character(try singleEscape())
        case "*", "+", "?", ")", "]", "{", "|", "}": throw .invalid
        default: return .character(point)
        }
    }

    // MARK: Quantifiers

    private mutating func quantified(_ atom: IRegexpTree) throws(IRegexpError) -> IRegexpTree {
        if consume("*") { return .repetition(atom, 0, nil) }
        if consume("+") { return .repetition(atom, 1, nil) }
        if consume("?") { return .repetition(atom, 0, 1) }
        guard consume("{") else { return atom }
        let least = try quantity()
        var most: Int? = least
        if consume(",") { most = isNext("}") ? nil : try quantity() }
        guard consume("}") else { throw .invalid }
        if let most, most < least { throw .invalid }
        return .repetition(atom, least, most)
    }

    private mutating func quantity() throws(IRegexpError) -> Int {
        let start = at
        var value = 0
        while at < points.count, case let digit = points[at], "0"..."9" ~= digit {
            // Any larger number exceeds the size limit too.
            value = min(value * 10 + Int(digit.value - 0x30), IRegexp.sizeLimit + 1)
            at += 1
        }
        guard at > start else { throw .invalid }
        return value
    }

    // MARK: Classes

    // "[" [ "^" ] ( "-" / CCE1 ) *CCE1 [ "-" ] "]", after the bracket
    private mutating func charClass() throws(IRegexpError) -> ScalarSet {
        var set = ScalarSet()
        set.isNegated = consume("^")
        if consume("-") { set.insert("-"..."-") } else { try classElement(&set) }
        while at < points.count, !isNext("]"), !isNext("-") { try classElement(&set) }
        if consume("-") { set.insert("-"..."-") }
        guard consume("]") else { throw .invalid }
        set.normalize()
        return set
    }

    // CCE1 = ( CCchar [ "-" CCchar ] ) / charClassEsc
    private mutating func classElement(_ set: inout ScalarSet) throws(IRegexpError) {
        if isNext("\\") {
            at += 1
            if let categories = try categoryEscape() {
                set.insert(categories)
                return
            }
            at -= 1
        }
        let low = try classCharacter()
        guard isNext("-"), at + 1 < points.count, points[at + 1] != "]" else {
            set.insert(low...low)
            return
        }
        at += 1
        let high = try classCharacter()
        guard low <= high else { throw .invalid }
        set.insert(low...high)
    }

    private mutating func classCharacter() throws(IRegexpError) -> Unicode.Scalar {
        guard at < points.count else { throw .invalid }
        let point = points[at]
        at += 1
        switch point {
        case "\\": return try singleEscape()
        case "-", "[", "]": throw .invalid
        default: return point
        }
    }

    // MARK: Escapes

    // SingleCharEsc, after the backslash
    private mutating func singleEscape() throws(IRegexpError) -> Unicode.Scalar {
        guard at < points.count else { throw .invalid }
        let point = points[at]
        at += 1
        switch point {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "("..."+", "-", ".", "?", "["..."^", "{"..."}": return point
        default: throw .invalid
        }
    }

    /// `p{…}` or `P{…}` after the backslash; nil if neither comes next.
    private mutating func categoryEscape() throws(IRegexpError) -> ScalarSet? {
        guard isNext("p") || isNext("P") else { return nil }
        let isComplement = isNext("P")
        at += 1
        guard consume("{"), at < points.count else { throw .invalid }
        let start = at
        while at < points.count, !isNext("}") { at += 1 }
        let name = points[start..<at]
        guard consume("}"), let categories = CategorySet(name) else { throw .invalid }
        return ScalarSet(isComplement ? categories.complement : categories)
    }

    // MARK: Means

    private func isNext(_ point: Unicode.Scalar) -> Bool { at < points.count && points[at] == point }

    private mutating func consume(_ point: Unicode.Scalar) -> Bool {
        guard isNext(point) else { return false }
        at += 1
        return true
    }
}
