import Formats

extension JSONPathParser {
    /// An operand whose use is not known yet.
    private enum Operand {
        case literal(JSONLiteral)
        case query(JSONQuery)
        /// A function that returns a value.
        case value(JSONComparable)
        /// A function that returns true or false.
        case test(JSONFilter)
    }

    // logical-expr = logical-and-expr *(S "||" S logical-and-expr)
    mutating func logical() throws(JSONPathError) -> JSONFilter {
        let parts = try chain("||") { parser throws(JSONPathError) in try parser.conjunction() }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(JSONPathError) -> JSONFilter {
        let parts = try chain("&&") { parser throws(JSONPathError) in try parser.basic() }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func chain(
        _ sign: String,
        _ part: (inout JSONPathParser) throws(JSONPathError) -> JSONFilter
    ) throws(JSONPathError) -> [JSONFilter] {
        var parts = [try part(&self)]
        while true {
            let end = at
            skipBlanks()
            guard consume(sign) else {
                at = end
                return parts
            }
            skipBlanks()
            parts.append(try part(&self))
        }
    }

    // basic-expr = paren-expr / comparison-expr / test-expr
    private mutating func basic() throws(JSONPathError) -> JSONFilter {
        let isNegated = consume("!")
        if isNegated { skipBlanks() }
        if consume("(") {
            skipBlanks()
            let inner = try nested { parser throws(JSONPathError) in try parser.logical() }
            skipBlanks()
            guard consume(")") else { throw error("`)` is missing") }
            return isNegated ? .not(inner) : inner
        }
        let start = at
        let left = try operand()
        if isNegated { return .not(try test(left, start)) }
        let end = at
        skipBlanks()
        guard let comparison = comparison() else {
            at = end
            return try test(left, start)
        }
        let one = try comparable(left, start)
        skipBlanks()
        let otherStart = at
        return .compare(one, comparison, try comparable(try operand(), otherStart))
    }

    private mutating func comparison() -> JSONComparison? {
        if consume("==") { return .equal }
        if consume("!=") { return .unequal }
        if consume("<=") { return .lessOrEqual }
        if consume(">=") { return .greaterOrEqual }
        if consume("<") { return .less }
        return consume(">") ? .greater : nil
    }

    // MARK: Operands

    private mutating func operand() throws(JSONPathError) -> Operand {
        switch peek ?? 0 {
        case 0x22, 0x27: return .literal(.string(try quoted()))
        case 0x2D, 0x30...0x39: return .literal(.number(try number()))
        case 0x40, 0x24: return .query(try query())
        case 0x61...0x7A: return try word()
        default: throw error("a condition is missing: `@`, `$`, a literal or a function")
        }
    }

    private mutating func query() throws(JSONPathError) -> JSONQuery {
        let isAbsolute = peek == 0x24
        at += 1
        let slot = isAbsolute ? newSlot() : nil
        return JSONQuery(segments: try segments(), isAbsolute: isAbsolute, slot: slot)
    }

    /// A function call, or `true`, `false`, `null`.
    private mutating func word() throws(JSONPathError) -> Operand {
        let start = at
        while let byte = peek, byte &- 0x61 < 26 || byte == 0x5F || JSONByte.isDigit(byte) { at += 1 }
        let name = String(decoding: bytes[start..<at], as: UTF8.self)
        if peek == 0x28 {
            at += 1
            return try nested { parser throws(JSONPathError) in try parser.call(name, start) }
        }
        switch name {
        case "true": return .literal(.true)
        case "false": return .literal(.false)
        case "null": return .literal(.null)
        default: throw error("a condition begins with `@`, `$`, a literal or a function, not with `\(name)`", at: start)
        }
    }

    // MARK: Functions

    private mutating func call(_ name: String, _ start: Int) throws(JSONPathError) -> Operand {
        guard let expected = ["length": 1, "count": 1, "value": 1, "match": 2, "search": 2][name] else {
            throw error("there is no function `\(name)`, but count, length, match, search and value", at: start)
        }
        let arguments = try arguments()
        guard arguments.count == expected else {
            throw error("`\(name)` takes \(expected) \(expected == 1 ? "argument" : "arguments")", at: start)
        }
        let (first, column) = arguments[0]
        switch name {
        case "length": return .value(.length(try comparable(first, column)))
        case "count": return .value(.count(try nodes(first, column)))
        case "value": return .value(.value(try nodes(first, column)))
        default:
            return .test(.matches(try patternTest(arguments, isWhole: name == "match")))
        }
    }

    private mutating func arguments() throws(JSONPathError) -> [(Operand, Int)] {
        var result: [(Operand, Int)] = []
        skipBlanks()
        if consume(")") { return result }
        repeat {
            skipBlanks()
            let start = at
            result.append((try operand(), start))
            skipBlanks()
        } while consume(",")
        guard consume(")") else { throw error("`,` or `)` is missing: functions take values, not conditions") }
        return result
    }

    /// Rejects a literal pattern that is not an I-Regexp.
    ///
    /// A pattern in a document only matches nothing.
    private func patternTest(
        _ arguments: [(Operand, Int)],
        isWhole: Bool
    ) throws(JSONPathError) -> JSONPatternTest {
        let (subject, subjectStart) = arguments[0]
        let (pattern, patternStart) = arguments[1]
        var test = JSONPatternTest(
            subject: try comparable(subject, subjectStart),
            pattern: try comparable(pattern, patternStart),
            isWhole: isWhole
        )
        guard case .literal(.string(let text)) = pattern else { return test }
        do throws(IRegexpError) { test.compiled = try IRegexp(text) } catch {
            throw self.error(error.userMessage, at: patternStart)
        }
        return test
    }

    // MARK: Types

    // NodesType
    private func nodes(_ operand: Operand, _ start: Int) throws(JSONPathError) -> JSONQuery {
        guard case .query(let query) = operand else { throw error("a query is expected here, not a value", at: start) }
        return query
    }

    // ValueType
    private func comparable(_ operand: Operand, _ start: Int) throws(JSONPathError) -> JSONComparable {
        switch operand {
        case .literal(let literal): return .literal(literal)
        case .value(let value): return value
        case .query(let query):
            guard query.isSingular else {
                throw error("a query that may find several values cannot be compared or measured", at: start)
            }
            return .singular(query)
        case .test: throw error("`match` and `search` are true or false, and no value", at: start)
        }
    }

    // LogicalType, or NodesType as a test for existence
    private func test(_ operand: Operand, _ start: Int) throws(JSONPathError) -> JSONFilter {
        switch operand {
        case .query(let query): return .exists(query)
        case .test(let filter): return filter
        case .literal: throw error("a literal alone is not a condition; compare it", at: start)
        case .value: throw error("a value alone is not a condition; compare it", at: start)
        }
    }
}
