import Transforms

extension JSONEvaluation {
    /// Compares two operands (RFC 9535 §2.3.5.2.2); numbers exactly, whatever their size.
    mutating func compare(
        _ one: JSONOperand,
        _ comparison: JSONComparison,
        _ other: JSONOperand
    ) throws(TransformFailure) -> Bool {
        switch comparison {
        case .equal: return try areEqual(one, other)
        case .unequal: return try !areEqual(one, other)
        case .less: return try isLess(one, other)
        case .greater: return try isLess(other, one)
        case .lessOrEqual:
            if try isLess(one, other) { return true }
            return try areEqual(one, other)
        case .greaterOrEqual:
            if try isLess(other, one) { return true }
            return try areEqual(one, other)
        }
    }

    /// Only numbers and strings have an order; strings by code points.
    private mutating func isLess(_ one: JSONOperand, _ other: JSONOperand) throws(TransformFailure) -> Bool {
        switch (try scalar(one), try scalar(other)) {
        case (.number(let left), .number(let right)):
            return DecimalText(left[...]).compared(to: DecimalText(right[...])) == .less
        case (.string(let left), .string(let right)): return left.lexicographicallyPrecedes(right)
        default: return false
        }
    }

    private mutating func areEqual(_ one: JSONOperand, _ other: JSONOperand) throws(TransformFailure) -> Bool {
        switch (one, other) {
        case (.nothing, .nothing): return true
        case (.node(let left), .node(let right)): return try areEqual(left, right)
        default: break
        }
        switch (try scalar(one), try scalar(other)) {
        case (.number(let left), .number(let right)):
            return DecimalText(left[...]).compared(to: DecimalText(right[...])) == .same
        case (.string(let left), .string(let right)): return left == right
        case (.true, .true), (.false, .false), (.null, .null): return true
        default: return false
        }
    }

    /// The value of an operand; nil if it is an array or object, or nothing.
    private mutating func scalar(_ operand: JSONOperand) throws(TransformFailure) -> JSONLiteral? {
        switch operand {
        case .nothing: return nil
        case .literal(let literal): return literal
        case .node(let node):
            switch document.kind(of: node) {
            case .array, .object: return nil
            case .string: return .string(try string(node))
            case .number:
                try meter.tick(document.range(of: node).count)
                return .number(Array(document.bytes[document.range(of: node)]))
            case .true: return .true
            case .false: return .false
            case .null: return .null
            }
        }
    }

    // MARK: Arrays and objects

    /// Whether two values are equal with all that they contain.
    ///
    /// Does not recurse, however deep they are.
    private mutating func areEqual(_ one: Int, _ other: Int) throws(TransformFailure) -> Bool {
        var open = [(one, other)]
        while let (left, right) = open.popLast() {
            try meter.tick()
            let kind = document.kind(of: left)
            guard kind == document.kind(of: right) else { return false }
            switch kind {
            case .array:
                guard document.nodes[left].count == document.nodes[right].count else { return false }
                pairElements(left, right, &open)
            case .object: guard try pairMembers(left, right, &open) else { return false }
            case .string, .number, .true, .false, .null:
                guard try areEqual(.node(left), scalarOf: right) else { return false }
            }
        }
        return true
    }

    private mutating func areEqual(_ one: JSONOperand, scalarOf other: Int) throws(TransformFailure) -> Bool {
        guard let literal = try scalar(.node(other)) else { return false }
        return try areEqual(one, .literal(literal))
    }

    private func pairElements(_ left: Int, _ right: Int, _ open: inout [(Int, Int)]) {
        var one = left + 1
        var other = right + 1
        while one < document.next(of: left) {
            open.append((one, other))
            one = document.next(of: one)
            other = document.next(of: other)
        }
    }

    /// Returns false if the objects do not have the same names.
    private mutating func pairMembers(
        _ left: Int,
        _ right: Int,
        _ open: inout [(Int, Int)]
    ) throws(TransformFailure) -> Bool {
        let one = try members(of: left)
        let other = try members(of: right)
        guard one.count == other.count else { return false }
        for (name, value) in one {
            guard let partner = other[name] else { return false }
            open.append((value, partner))
        }
        return true
    }

    /// The members of an object.
    ///
    /// If a name repeats, its last member counts.
    private mutating func members(of object: Int) throws(TransformFailure) -> [[UInt8]: Int] {
        try requireDistinctNamesInFilter(object)
        var members: [[UInt8]: Int] = [:]
        var child = object + 1
        while child < document.next(of: object) {
            let name = document.name(of: child)
            try meter.tick(name.count + 1)
            members[name] = child
            child = document.next(of: child)
        }
        return members
    }
}
